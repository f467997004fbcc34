// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Compression and encodings. What is decoded was encoded before the first call, for each call another piece.

use crate::input::{bytes, sum, text, WINDOW};
use crate::routine::routines;
use base64::engine::general_purpose::STANDARD as BASE64;
use base64::Engine;
use std::sync::OnceLock;

/// Calls for which there is something to decode: those that are timed and those around them.
const CALLS: usize = 17;

/// What a call decodes.
struct Encoded(OnceLock<Vec<Vec<u8>>>);

impl Encoded {
    const fn new() -> Encoded {
        Encoded(OnceLock::new())
    }

    fn of(&self, call: usize, encode: fn(usize) -> Vec<u8>) -> &[u8] {
        &self.0.get_or_init(|| (0..CALLS).map(encode).collect())[call % CALLS]
    }
}

/// The sum of what was decoded; a failure is told by another sum than any other call has.
fn decoded<E>(result: Result<usize, E>, into: &[u8]) -> u64 {
    result.map_or(u64::MAX, |count| sum(&into[..count.min(into.len())]))
}

fn deflate(call: usize) -> Vec<u8> {
    miniz_oxide::deflate::compress_to_vec(text(call, WINDOW), 6)
}

fn lz4(call: usize) -> Vec<u8> {
    lz4_flex::block::compress(text(call, WINDOW))
}

fn snappy(call: usize) -> Vec<u8> {
    snap::raw::Encoder::new().compress_vec(text(call, WINDOW)).unwrap_or_default()
}

fn lzw(call: usize, count: usize) -> Vec<u8> {
    let mut encoder = weezl::encode::Encoder::new(weezl::BitOrder::Msb, 8);
    encoder.encode(text(call, count)).unwrap_or_default()
}

static DEFLATED: Encoded = Encoded::new();
static LZ4: Encoded = Encoded::new();
static SNAPPY: Encoded = Encoded::new();
static LZW: Encoded = Encoded::new();
static IN_BASE64: Encoded = Encoded::new();
static IN_HEX: Encoded = Encoded::new();
static IN_BASE58: Encoded = Encoded::new();

routines! { "codec"
    roi_deflate(call) { sum(&miniz_oxide::deflate::compress_to_vec(text(call, 500), 6)) }
    roi_inflate(call) {
        let mut into = [0; WINDOW];
        let streams = std::iter::once(DEFLATED.of(call, deflate));
        decoded(miniz_oxide::inflate::decompress_slice_iter_to_slice(&mut into, streams, false, true), &into)
    }
    roi_lz4_compress(call) { sum(&lz4(call)) }
    roi_lz4_decompress(call) {
        let mut into = [0; WINDOW];
        (0..3).fold(0, |sum, part| {
            sum ^ decoded(lz4_flex::block::decompress_into(LZ4.of(call + part, lz4), &mut into), &into)
        })
    }
    roi_snappy_compress(call) { sum(&snappy(call)) }
    roi_snappy_decompress(call) {
        let mut into = [0; WINDOW];
        let mut decoder = snap::raw::Decoder::new();
        (0..3).fold(0, |sum, part| {
            sum ^ decoded(decoder.decompress(SNAPPY.of(call + part, snappy), &mut into), &into)
        })
    }
    roi_lzw_encode(call) { sum(&lzw(call, 1500)) }
    roi_lzw_decode(call) {
        let mut decoder = weezl::decode::Decoder::new(weezl::BitOrder::Msb, 8);
        sum(&decoder.decode(LZW.of(call, |call| lzw(call, WINDOW))).unwrap_or_default())
    }
    roi_base64_encode(call) {
        let mut into = [0; 2 * WINDOW];
        (0..3).fold(0, |sum, part| sum ^ decoded(BASE64.encode_slice(bytes(call + part, WINDOW), &mut into), &into))
    }
    roi_base64_decode(call) {
        let mut into = [0; 2 * WINDOW];
        let encoded = IN_BASE64.of(call, |call| BASE64.encode(bytes(call, WINDOW)).into_bytes());
        decoded(BASE64.decode_slice(encoded, &mut into), &into)
    }
    roi_hex_decode(call) {
        let mut into = [0; 900];
        let encoded = IN_HEX.of(call, |call| hex::encode(bytes(call, 900)).into_bytes());
        decoded(hex::decode_to_slice(encoded, &mut into).map(|()| 900), &into)
    }
    roi_base58_decode(call) {
        let mut into = [0; 400];
        let encoded = IN_BASE58.of(call, |call| bs58::encode(bytes(call, 120)).into_string().into_bytes());
        decoded(bs58::decode(encoded).onto(&mut into[..]), &into)
    }
}
