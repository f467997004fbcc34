// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The text of helper 6, trace_printk: which conversions there are, and what each shows, is as in the kernel
//! (bpf_bprintf_prepare in kernel/bpf/helpers.c of Linux 6.1, and lib/vsprintf.c).

/// A field is at most so wide.
const WIDTH_MAX: usize = 4096;

/// What addresses lead to.
pub(crate) trait Memory {
    /// The text that begins there, up to a zero.
    fn string(&self, address: u64) -> String;
    /// So many bytes; zeros where the program may not read, as the kernel takes for what it cannot.
    fn bytes(&self, address: u64, count: usize) -> Vec<u8>;
}

/// The text; `None` if the kernel refuses the format, since it does not know a conversion, there are more than values, or a
/// character is neither ASCII's to be seen nor white space.
pub(crate) fn formatted(format: &str, values: [u64; 3], memory: &impl Memory) -> Option<String> {
    if format.chars().any(|c| !c.is_ascii_graphic() && !is_space(c)) {
        return None;
    }
    let mut text = String::new();
    let mut values = values.into_iter();
    let mut rest = format;
    while let Some((before, conversion)) = rest.split_once('%') {
        text += before;
        rest = conversion;
        if let Some(after) = rest.strip_prefix('%') {
            text.push('%');
            rest = after;
        } else {
            let field = Field::take(&mut rest);
            text += &field.converted(&mut rest, values.next()?, memory)?;
        }
    }
    Some(text + rest)
}

/// The kernel's isspace, as far as it is ASCII.
fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t'..='\r')
}

/// Whether a letter or digit is next, which the kernel takes for a part of the conversion before.
fn goes_on(rest: &str) -> bool {
    rest.starts_with(|c: char| !c.is_ascii_punctuation() && !is_space(c))
}

/// The first characters that are accepted; what is left begins behind them.
fn take<'f>(rest: &mut &'f str, accept: impl Fn(char) -> bool) -> &'f str {
    let (taken, left) = rest.split_at(rest.find(|c| !accept(c)).unwrap_or(rest.len()));
    *rest = left;
    taken
}

/// What stands between `%` and the conversion.
struct Field<'f> {
    flags: &'f str,
    width: usize,
    longs: usize,
}

impl<'f> Field<'f> {
    fn take(rest: &mut &'f str) -> Field<'f> {
        let flags = take(rest, |c| "0+- ".contains(c));
        let digits = take(rest, |c| c.is_ascii_digit());
        let width = if digits.is_empty() { 0 } else { digits.parse().unwrap_or(WIDTH_MAX).min(WIDTH_MAX) };
        Field { flags, width, longs: take(rest, |c| c == 'l').len() }
    }

    fn converted(&self, rest: &mut &str, value: u64, memory: &impl Memory) -> Option<String> {
        let conversion = rest.chars().next()?;
        *rest = &rest[conversion.len_utf8()..];
        let (signed, unsigned) = match self.longs {
            0 => (i64::from(value as i32), u64::from(value as u32)),
            1 | 2 => (value as i64, value),
            _ => return None,
        };
        match conversion {
            'd' | 'i' => Some(self.number(self.sign(signed < 0), &signed.unsigned_abs().to_string())),
            'u' => Some(self.number("", &unsigned.to_string())),
            'x' => Some(self.number("", &format!("{unsigned:x}"))),
            'X' => Some(self.number("", &format!("{unsigned:X}"))),
            _ if self.longs > 0 => None,
            'c' => Some(self.padded(char::from(value as u8).to_string())),
            's' => self.text(rest, value, memory),
            'p' => self.pointed(rest, value, memory),
            _ => None,
        }
    }

    fn sign(&self, negative: bool) -> &'static str {
        match negative {
            true => "-",
            false if self.flags.contains('+') => "+",
            false if self.flags.contains(' ') => " ",
            false => "",
        }
    }

    fn number(&self, sign: &str, digits: &str) -> String {
        if self.flags.contains('0') && !self.flags.contains('-') {
            let width = self.width.saturating_sub(sign.len());
            return format!("{sign}{digits:0>width$}");
        }
        self.padded(format!("{sign}{digits}"))
    }

    fn padded(&self, text: String) -> String {
        let width = self.width;
        if self.flags.contains('-') {
            format!("{text:<width$}")
        } else {
            format!("{text:>width$}")
        }
    }

    /// `%s`, behind which no letter and no digit may stand.
    fn text(&self, rest: &str, value: u64, memory: &impl Memory) -> Option<String> {
        (!goes_on(rest)).then(|| self.padded(memory.string(value)))
    }

    /// `%p` with its letters: those that name a string's place, those of an Internet address, which the kernel does not pad, and
    /// those that say how a kernel's address is hidden. Behind others the kernel takes no letter and no digit.
    fn pointed(&self, rest: &mut &str, value: u64, memory: &impl Memory) -> Option<String> {
        let mut is_next = |letters: &str| rest.strip_prefix(letters).map(|after| *rest = after).is_some();
        if is_next("ks") || is_next("us") {
            return self.text(rest, value, memory);
        }
        for (letters, count, shown) in INTERNET_ADDRESSES {
            if is_next(letters) {
                return Some(shown(&memory.bytes(value, count)));
            }
        }
        let is_hidden = ["K", "x", "s", "S", "B"].into_iter().any(is_next);
        if !is_hidden && goes_on(rest) {
            return None;
        }
        Some(self.padded(format!("{value:#x}")))
    }
}

/// Letters, bytes, and how these are shown (`ip4_string` and `ip6_string` in lib/vsprintf.c).
type InternetAddress = (&'static str, usize, fn(&[u8]) -> String);
const INTERNET_ADDRESSES: [InternetAddress; 4] = [
    ("I4", 4, |bytes| bytes.iter().map(u8::to_string).collect::<Vec<_>>().join(".")),
    ("i4", 4, |bytes| bytes.iter().map(|byte| format!("{byte:03}")).collect::<Vec<_>>().join(".")),
    ("I6", 16, |bytes| {
        bytes.chunks(2).map(|two| format!("{:02x}{:02x}", two[0], two[1])).collect::<Vec<_>>().join(":")
    }),
    ("i6", 16, |bytes| bytes.iter().map(|byte| format!("{byte:02x}")).collect()),
];

#[cfg(test)]
mod tests {
    use super::*;

    /// Text names its address; bytes count from it.
    struct Told;

    impl Memory for Told {
        fn string(&self, address: u64) -> String {
            format!("<{address}>")
        }

        fn bytes(&self, address: u64, count: usize) -> Vec<u8> {
            (address as u8..).take(count).collect()
        }
    }

    fn text(format: &str, values: [u64; 3]) -> Option<String> {
        formatted(format, values, &Told)
    }

    #[test]
    fn texts_are_formatted_as_the_kernel_does() {
        let minus_one = u64::MAX;
        for (format, values, expected) in [
            ("a %d b %u c %x", [minus_one, minus_one, 255], "a -1 b 4294967295 c ff"),
            ("%lld %llu 100%%", [minus_one, 1 << 40, 0], "-1 1099511627776 100%"),
            ("%02x:%02X:%c", [0xa, 0xb, 0x41], "0a:0B:A"),
            ("[%5d|%-5d|%05d]", [42, 42, -42_i64 as u64], "[   42|42   |-0042]"),
            ("%+d % d %-03d|", [1, 2, 3], "+1  2 3  |"),
            ("%s %6s %pks", [1, 2, 3], "<1>    <2> <3>"),
            ("%p, %px %lx", [16, 17, 1 << 40], "0x10, 0x11 10000000000"),
            ("%p %pK%pB", [16, 17, 18], "0x10 0x110x12"),
            ("%s: %s\t%s\x0b\x0c\r\n", [1, 2, 3], "<1>: <2>\t<3>\x0b\x0c\r\n"),
            ("%s%s%%", [1, 2, 3], "<1><2>%"),
            ("%pI4:%d, %pi4!", [10, 80, 1], "10.11.12.13:80, 001.002.003.004!"),
            (
                "%pI6|%pi6",
                [1, 1, 0],
                "0102:0304:0506:0708:090a:0b0c:0d0e:0f10|0102030405060708090a0b0c0d0e0f10",
            ),
            ("%20pI4|%20pks|", [10, 1, 0], "10.11.12.13|                 <1>|"),
        ] {
            assert_eq!(text(format, values).as_deref(), Some(expected), "{format}");
        }
    }

    #[test]
    fn what_the_kernel_refuses_is_refused() {
        for format in [
            "%",
            "%5",
            "%f",
            "%hd",
            "%ls",
            "%llld",
            "%d %d %d %d",
            "%.3d",
            "%pM",
            "%pI",
            "%pI5",
            "%pa",
            "%p1",
            "%pk",
            "%sx",
            "%s1",
            "%pksx",
            "%pus0",
            "a\x01b",
            "\x1b[1m",
            "\x7f",
            "caf\u{e9}",
            "\u{fffd}",
        ] {
            assert_eq!(text(format, [0; 3]), None, "{format}");
        }
        assert_eq!(text("%99999999999999999999d", [7, 0, 0]).map(|text| text.len()), Some(WIDTH_MAX));
    }
}
