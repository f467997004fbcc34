// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Runs independent items on all processors and hands the results over in the items' own order.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

/// Applies `work` to every item, on as many threads as there are processors; `done` gets each result, in order,
/// as soon as it and all before it are there, so that progress can be shown.
pub fn in_order<T: Sync, R: Send>(
    items: &[T],
    work: impl Fn(&T) -> R + Sync,
    mut done: impl FnMut(usize, R),
) {
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(items.len());
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let sender = sender.clone();
            scope.spawn(|| {
                let sender = sender;
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(index) else { break };
                    if sender.send((index, work(item))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        let mut waiting = BTreeMap::new();
        let mut expected = 0;
        for (index, result) in receiver {
            waiting.insert(index, result);
            while let Some(result) = waiting.remove(&expected) {
                done(expected, result);
                expected += 1;
            }
        }
    });
}

#[cfg(test)]
mod tests {
    #[test]
    fn results_come_in_order_and_none_is_lost() {
        let items: Vec<u64> = (0..200).collect();
        let mut seen = Vec::new();
        super::in_order(
            &items,
            |item| {
                std::thread::sleep(std::time::Duration::from_micros((item * 7919) % 300));
                item * 2
            },
            |index, result| seen.push((index, result)),
        );
        assert_eq!(seen, items.iter().map(|item| (*item as usize, item * 2)).collect::<Vec<_>>());
    }
}
