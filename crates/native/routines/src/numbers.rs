// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Large integers, curves, and floating-point work. No number is denormal: cores take another way for these.

use crate::input::{bytes, numbers, sum};
use crate::routine::routines;
use crypto_bigint::{NonZero, U1024, U512};
use curve25519_dalek::constants::ED25519_BASEPOINT_POINT;
use curve25519_dalek::montgomery::MontgomeryPoint;
use num_bigint::BigUint;
use std::sync::OnceLock;

fn big(call: usize, from: usize, count: usize) -> BigUint {
    BigUint::from_bytes_le(&bytes(call, from + count)[from..])
}

/// So many numbers from 1 to 2.
fn reals(call: usize, count: usize) -> impl Iterator<Item = f64> {
    numbers(call, count).map(|number| 1.0 + f64::from(number) / 4294967296.0)
}

const SIZE: usize = 20;
type Matrix = [[f64; SIZE]; SIZE];

fn matrix(call: usize) -> Matrix {
    let mut numbers = reals(call, SIZE * SIZE);
    std::array::from_fn(|_| std::array::from_fn(|_| numbers.next().unwrap_or(1.0)))
}

/// Gravitation among some bodies, step by step.
fn bodies(call: usize) -> u64 {
    const COUNT: usize = 6;
    let mut numbers = reals(call, 4 * COUNT);
    let mut next = || numbers.next().unwrap_or(1.0);
    let mut bodies: [([f64; 3], [f64; 3], f64); COUNT] =
        std::array::from_fn(|body| ([next() * body as f64, next(), next()], [0.0; 3], next()));
    for _ in 0..30 {
        for first in 0..COUNT {
            for second in first + 1..COUNT {
                let apart: [f64; 3] =
                    std::array::from_fn(|axis| bodies[first].0[axis] - bodies[second].0[axis]);
                let square = apart.iter().map(|axis| axis * axis).sum::<f64>();
                let pull = 1e-3 / (square * square.sqrt());
                let (one, other) = (bodies[first].2, bodies[second].2);
                for (axis, apart) in apart.iter().enumerate() {
                    bodies[first].1[axis] -= apart * other * pull;
                    bodies[second].1[axis] += apart * one * pull;
                }
            }
        }
        for (place, speed, _) in &mut bodies {
            (0..3).for_each(|axis| place[axis] += 1e-3 * speed[axis]);
        }
    }
    bodies.iter().fold(0, |sum, body| sum.rotate_left(3) ^ body.0[0].to_bits())
}

/// A modulus of 256 bits, and what is computed once for it.
fn modulus() -> &'static BigUint {
    static MODULUS: OnceLock<BigUint> = OnceLock::new();
    MODULUS.get_or_init(|| big(0, 100, 32) | BigUint::from(1u32))
}

routines! { "number"
    /// 2048 bits by 2048.
    roi_bigint_multiply(call) {
        (0..4).fold(0, |all, part| all ^ sum(&(big(call, part, 256) * big(call, 300 + part, 256)).to_bytes_le()))
    }
    roi_bigint_divide(call) {
        (0..4).fold(0, |all, part| all ^ sum(&(big(call, part, 300) % big(call, 400 + part, 128)).to_bytes_le()))
    }
    roi_bigint_power(call) { sum(&big(call, 0, 32).modpow(&big(call, 50, 3), modulus()).to_bytes_le()) }
    roi_bigint_decimal(call) { sum(big(call, 0, 200).to_string().as_bytes()) }
    /// Schoolbook, in constant time.
    roi_fixed_multiply(call) {
        (0..40).fold(0, |sum, part| {
            let left = U512::from_le_slice(&bytes(call, 64 + part)[part..]);
            let right = U512::from_le_slice(&bytes(call, 264 + part)[200 + part..]);
            let (low, high) = left.mul_wide(&right);
            sum ^ u64::from(low.as_limbs()[7].0 as u32) ^ high.as_limbs()[7].0
        })
    }
    /// Bit by bit.
    roi_fixed_divide(call) {
        let window = bytes(call, 64);
        let divisor = NonZero::new(U512::from_u64(sum(&window[..8]) | 1));
        divisor.map(|divisor| U512::from_le_slice(window).div_rem(&divisor).1).unwrap_or(U512::ONE).as_limbs()[0].0
    }
    roi_fixed_square(call) {
        let square = |part| U1024::from_le_slice(&bytes(call, 128 + part)[part..]).square_wide();
        (0..12).fold(0, |sum, part| sum ^ square(part).1.as_limbs()[3].0)
    }
    /// 48 steps of a Montgomery ladder, and an inversion.
    roi_x25519_ladder(call) {
        let point = MontgomeryPoint(std::array::from_fn(|at| bytes(call, 32)[at]));
        let bits = bytes(call, 38)[32..].iter().flat_map(|byte| (0..8).map(move |bit| byte >> bit & 1 == 1));
        sum(&point.mul_bits_be(bits).0)
    }
    /// Doublings and additions on the curve of Ed25519, and an inversion.
    roi_ed25519_points(call) {
        let mut point = ED25519_BASEPOINT_POINT;
        for byte in &bytes(call, 40)[..40] {
            point += if byte & 1 == 1 { point } else { ED25519_BASEPOINT_POINT };
        }
        sum(point.compress().as_bytes())
    }
    /// Of single precision.
    roi_fourier512(call) {
        let mut wave: [f32; 512] = [0.0; 512];
        wave.iter_mut().zip(reals(call, 450)).for_each(|(place, real)| *place = real as f32);
        let powers = microfft::real::rfft_512(&mut wave).iter();
        powers.fold(0, |sum, pair| sum.rotate_left(3) ^ u64::from(pair.re.to_bits() ^ pair.im.to_bits()))
    }
    roi_sine(call) {
        reals(call, 200).fold(0.0, |sum, real| sum + libm::sin(9.0 * real) * libm::cos(real)).to_bits()
    }
    roi_exponential(call) {
        reals(call, 200).fold(0.0, |sum, real| sum + libm::exp(real) * libm::log(real + 1.0)).to_bits()
    }
    roi_power(call) { reals(call, 160).fold(0.0, |sum, real| sum + libm::pow(real, 3.0 - real)).to_bits() }
    roi_matrix_product(call) {
        let (left, right) = (matrix(call), matrix(call + 1));
        let mut product: Matrix = [[0.0; SIZE]; SIZE];
        for (row, left) in product.iter_mut().zip(&left) {
            for (factor, right) in left.iter().zip(&right) {
                row.iter_mut().zip(right).for_each(|(sum, value)| *sum += factor * value);
            }
        }
        product.iter().flatten().fold(0, |sum, value| sum.rotate_left(3) ^ value.to_bits())
    }
    roi_bodies(call) { bodies(call) }
    /// Delaunay's triangles of points in a square.
    roi_triangles(call) {
        let mut coordinates = reals(call, 72);
        let mut points = Vec::new();
        while let (Some(x), Some(y)) = (coordinates.next(), coordinates.next()) {
            points.push(delaunator::Point { x, y });
        }
        delaunator::triangulate(&points).triangles.iter().fold(0, |sum, &corner| sum.rotate_left(3) ^ corner as u64)
    }
}
