// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Block and stream ciphers, and what authenticates messages. The crates' software: Cargo.toml and the flags that the program is
//! built with keep them from looking for instructions of the machine's own.

use crate::input::{bytes, sum, WINDOW};
use crate::routine::routines;
use aes::cipher::{Block, BlockDecrypt, BlockEncrypt, KeyInit, KeyIvInit, StreamCipher};
use poly1305::universal_hash::UniversalHash;
use std::sync::OnceLock;

/// Key and text, of which the key is the begin of the window.
fn key_and_text<C: KeyInit>(call: usize, count: usize) -> (C, Vec<u8>) {
    let window = bytes(call, WINDOW);
    (
        C::new_from_slice(&window[..C::key_size()]).unwrap_or_else(|_| unreachable!("it has its length")),
        window[..count].to_vec(),
    )
}

/// Sets up a key and encrypts block by block, as counter mode does.
fn encrypted<C: KeyInit + BlockEncrypt>(call: usize, count: usize) -> u64 {
    let (cipher, mut text) = key_and_text::<C>(call, count);
    each_block::<C>(&mut text, |block| cipher.encrypt_block(block));
    sum(&text)
}

/// Sets up a key and decrypts block by block.
fn decrypted<C: KeyInit + BlockDecrypt>(call: usize, count: usize) -> u64 {
    let (cipher, mut text) = key_and_text::<C>(call, count);
    each_block::<C>(&mut text, |block| cipher.decrypt_block(block));
    sum(&text)
}

/// Encrypts each block after the one before was added to it, with a key that is set up.
fn chained<C: BlockEncrypt>(cipher: &C, call: usize, count: usize) -> u64 {
    let mut text = bytes(call, count).to_vec();
    let mut before = Block::<C>::default();
    each_block::<C>(&mut text, |block| {
        block.iter_mut().zip(&before).for_each(|(byte, before)| *byte ^= before);
        cipher.encrypt_block(block);
        before.clone_from(block);
    });
    sum(&text)
}

fn each_block<C: aes::cipher::BlockSizeUser>(text: &mut [u8], mut work: impl FnMut(&mut Block<C>)) {
    text.chunks_exact_mut(C::block_size()).for_each(|block| work(Block::<C>::from_mut_slice(block)));
}

/// Sets up a key and encrypts a message.
fn streamed<C: KeyIvInit + StreamCipher>(call: usize, count: usize) -> u64 {
    let window = bytes(call, WINDOW);
    let (key, rest) = window.split_at(C::key_size());
    let cipher = C::new_from_slices(key, &rest[..C::iv_size()]);
    let mut text = window[..count].to_vec();
    cipher.unwrap_or_else(|_| unreachable!("both have their lengths")).apply_keystream(&mut text);
    sum(&text)
}

/// The tag of a message.
fn tag<H: UniversalHash + KeyInit>(call: usize) -> u64 {
    let window = bytes(call, WINDOW);
    let mut hash =
        H::new_from_slice(&window[..H::key_size()]).unwrap_or_else(|_| unreachable!("it has its length"));
    hash.update_padded(window);
    sum(&hash.finalize())
}

/// A cipher whose keys take longer to set up than a call may.
fn blowfish() -> &'static blowfish::Blowfish {
    static CIPHER: OnceLock<blowfish::Blowfish> = OnceLock::new();
    CIPHER.get_or_init(|| key_and_text(0, 0).0)
}

routines! { "cipher"
    /// Bit-sliced, one block at a time.
    roi_aes128(call) { encrypted::<aes::Aes128>(call, 320) }
    roi_aes256_decrypt(call) { decrypted::<aes::Aes256>(call, 320) }
    roi_des(call) { encrypted::<des::Des>(call, 560) }
    roi_blowfish(call) { chained(blowfish(), call, WINDOW) }
    roi_twofish(call) { encrypted::<twofish::Twofish>(call, 16) }
    roi_serpent(call) { encrypted::<serpent::Serpent>(call, 48) }
    roi_camellia128(call) { encrypted::<camellia::Camellia128>(call, 640) }
    roi_cast5(call) { encrypted::<cast5::Cast5>(call, 800) }
    roi_idea(call) { encrypted::<idea::Idea>(call, 800) }
    roi_rc4(call) {
        let window = bytes(call, WINDOW);
        let (key, mut text): ([u8; 16], _) = (std::array::from_fn(|at| window[at]), window.to_vec());
        rc4::Rc4::<rc4::consts::U16>::new(&key.into()).apply_keystream(&mut text);
        sum(&text)
    }
    roi_chacha20(call) { streamed::<chacha20::ChaCha20>(call, WINDOW) }
    roi_salsa20(call) { streamed::<salsa20::Salsa20>(call, WINDOW) }
    roi_poly1305(call) { tag::<poly1305::Poly1305>(call) }
    roi_ghash(call) { tag::<ghash::GHash>(call) }
}
