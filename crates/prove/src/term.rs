// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Bit-vector expressions, in which the semantics of instructions are written.
//!
//! A [`Term`] can be evaluated with numbers and printed as SMT-LIB 2. The semantics in `isa` build nothing but terms, so the
//! tests compare with QEMU the same formula that the solver gets.

use std::collections::HashMap;
use std::fmt::Write;
use std::rc::Rc;

/// A bit-vector expression of 1 to 128 bits; cloning shares it.
#[derive(Clone, Debug)]
pub struct Term(Rc<Node>);

#[derive(Debug)]
struct Node {
    bits: u32,
    op: Op,
}

/// Operations on two terms of one width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Binary {
    And,
    Or,
    Xor,
    Add,
    Sub,
    ShiftLeft,
    ShiftRight,
    ShiftRightSigned,
}

#[derive(Debug)]
enum Op {
    Constant(u128),
    Variable(String),
    Not(Term),
    Binary(Binary, Term, Term),
    Concat(Term, Term),
    Extract(Term, u32),
    SignExtend(Term),
    Equal(Term, Term),
}

fn mask(bits: u32) -> u128 {
    u128::MAX >> (128 - bits)
}

impl Term {
    fn new(bits: u32, op: Op) -> Term {
        assert!((1..=128).contains(&bits), "a term has 1 to 128 bits, not {bits}");
        Term(Rc::new(Node { bits, op }))
    }

    /// A constant; bits of `value` beyond the width are dropped.
    pub fn constant(bits: u32, value: u128) -> Term {
        Term::new(bits, Op::Constant(value & mask(bits)))
    }

    /// A free variable: an input.
    pub fn variable(bits: u32, name: &str) -> Term {
        Term::new(bits, Op::Variable(name.to_owned()))
    }

    /// The width.
    pub fn bits(&self) -> u32 {
        self.0.bits
    }

    /// The value, if the term is a constant.
    pub fn as_constant(&self) -> Option<u128> {
        match self.0.op {
            Op::Constant(value) => Some(value),
            _ => None,
        }
    }

    /// The term as a variable plus a constant, which is how an address is recognised.
    pub fn as_offset(&self) -> Option<(&str, i64)> {
        match &self.0.op {
            Op::Variable(name) => Some((name, 0)),
            Op::Binary(Binary::Add, base, offset) => match (&base.0.op, offset.as_constant()) {
                (Op::Variable(name), Some(offset)) => {
                    let shift = 128 - self.bits();
                    Some((name, ((offset << shift) as i128 >> shift) as i64))
                }
                _ => None,
            },
            _ => None,
        }
    }

    fn binary(&self, kind: Binary, other: &Term) -> Term {
        assert_eq!(self.bits(), other.bits(), "operands of {kind:?} differ in width");
        let term = Term::new(self.bits(), Op::Binary(kind, self.clone(), other.clone()));
        match (self.as_constant(), other.as_constant()) {
            (Some(_), Some(_)) => Term::constant(self.bits(), term.evaluate(&HashMap::new())),
            _ => term,
        }
    }

    /// Bitwise complement.
    pub fn not(&self) -> Term {
        match self.as_constant() {
            Some(value) => Term::constant(self.bits(), !value),
            None => Term::new(self.bits(), Op::Not(self.clone())),
        }
    }

    /// Bitwise and.
    pub fn and(&self, other: &Term) -> Term {
        self.binary(Binary::And, other)
    }

    /// Bitwise or.
    pub fn or(&self, other: &Term) -> Term {
        self.binary(Binary::Or, other)
    }

    /// Bitwise exclusive or.
    pub fn xor(&self, other: &Term) -> Term {
        self.binary(Binary::Xor, other)
    }

    /// Sum modulo 2^bits. Constants gather on the right, so that addresses keep the form variable + constant.
    pub fn add(&self, other: &Term) -> Term {
        if self.as_constant().is_some() && other.as_constant().is_none() {
            return other.add(self);
        }
        match (&self.0.op, other.as_constant()) {
            (_, Some(0)) => self.clone(),
            (Op::Binary(Binary::Add, base, inner), Some(outer)) if inner.as_constant().is_some() => {
                let sum = inner.as_constant().unwrap_or(0).wrapping_add(outer);
                base.add(&Term::constant(self.bits(), sum))
            }
            _ => self.binary(Binary::Add, other),
        }
    }

    /// Difference modulo 2^bits.
    pub fn sub(&self, other: &Term) -> Term {
        self.binary(Binary::Sub, other)
    }

    /// Shift left by a term of the same width; zero if that is the width or more.
    pub fn shift_left(&self, count: &Term) -> Term {
        self.binary(Binary::ShiftLeft, count)
    }

    /// Logical shift right; zero if the count is the width or more.
    pub fn shift_right(&self, count: &Term) -> Term {
        self.binary(Binary::ShiftRight, count)
    }

    /// Arithmetic shift right; copies of the sign if the count is the width or more.
    pub fn shift_right_signed(&self, count: &Term) -> Term {
        self.binary(Binary::ShiftRightSigned, count)
    }

    /// Shift left by a number of bits.
    pub fn shl(&self, count: u32) -> Term {
        self.shift_left(&Term::constant(self.bits(), count.into()))
    }

    /// Logical shift right by a number of bits.
    pub fn shr(&self, count: u32) -> Term {
        self.shift_right(&Term::constant(self.bits(), count.into()))
    }

    /// Rotate left by a number of bits.
    pub fn rotate_left(&self, count: u32) -> Term {
        let count = count % self.bits();
        if count == 0 {
            return self.clone();
        }
        let split = self.bits() - count;
        self.extract(0, split).concat(&self.extract(split, count))
    }

    /// This term as the high bits, `low` as the low bits.
    pub fn concat(&self, low: &Term) -> Term {
        Term::new(self.bits() + low.bits(), Op::Concat(self.clone(), low.clone()))
    }

    /// `bits` bits from bit `low` (0 is the least significant) upwards.
    pub fn extract(&self, low: u32, bits: u32) -> Term {
        assert!(low + bits <= self.bits(), "bits {low}..{} of {}", low + bits, self.bits());
        if bits == self.bits() {
            return self.clone();
        }
        match self.as_constant() {
            Some(value) => Term::constant(bits, value >> low),
            None => Term::new(bits, Op::Extract(self.clone(), low)),
        }
    }

    /// Zero-extended to `bits`; the term itself if it has that width.
    pub fn zero_extend(&self, bits: u32) -> Term {
        if bits == self.bits() {
            return self.clone();
        }
        match self.as_constant() {
            Some(value) => Term::constant(bits, value),
            None => Term::constant(bits - self.bits(), 0).concat(self),
        }
    }

    /// Sign-extended to `bits`; the term itself if it has that width.
    pub fn sign_extend(&self, bits: u32) -> Term {
        if bits == self.bits() {
            return self.clone();
        }
        Term::new(bits, Op::SignExtend(self.clone()))
    }

    /// The bytes in reverse order; the width must be whole bytes.
    pub fn reverse_bytes(&self) -> Term {
        let bytes: Vec<Term> = (0..self.bits() / 8).map(|i| self.extract(8 * i, 8)).collect();
        Term::join(&bytes)
    }

    /// The bytes of each group of `group` bits reversed; the groups keep their places.
    pub fn reverse_bytes_in(&self, group: u32) -> Term {
        let groups: Vec<Term> =
            (0..self.bits() / group).rev().map(|i| self.extract(group * i, group).reverse_bytes()).collect();
        Term::join(&groups)
    }

    /// Concatenation, the first part most significant.
    pub fn join(parts: &[Term]) -> Term {
        let mut parts = parts.iter();
        let first = parts.next().expect("a concatenation has parts").clone();
        parts.fold(first, |high, low| high.concat(low))
    }

    /// One bit: whether the two are equal.
    pub fn equal(&self, other: &Term) -> Term {
        assert_eq!(self.bits(), other.bits(), "operands of = differ in width");
        Term::new(1, Op::Equal(self.clone(), other.clone()))
    }

    fn key(&self) -> *const Node {
        Rc::as_ptr(&self.0)
    }

    fn children(&self) -> Vec<&Term> {
        match &self.0.op {
            Op::Constant(_) | Op::Variable(_) => vec![],
            Op::Not(a) | Op::Extract(a, _) | Op::SignExtend(a) => vec![a],
            Op::Binary(_, a, b) | Op::Concat(a, b) | Op::Equal(a, b) => vec![a, b],
        }
    }

    /// All distinct nodes, operands before their users.
    fn nodes(&self) -> Vec<&Term> {
        let mut seen = std::collections::HashSet::new();
        let mut order = Vec::new();
        let mut stack = vec![(self, false)];
        while let Some((term, expanded)) = stack.pop() {
            if expanded {
                order.push(term);
            } else if seen.insert(term.key()) {
                stack.push((term, true));
                stack.extend(term.children().into_iter().map(|child| (child, false)));
            }
        }
        order
    }

    /// The value for these values of the variables; a variable that `variables` lacks is zero.
    pub fn evaluate(&self, variables: &HashMap<String, u128>) -> u128 {
        let mut values: HashMap<*const Node, u128> = HashMap::new();
        for term in self.nodes() {
            let of = |t: &Term| values[&t.key()];
            let value = match &term.0.op {
                Op::Constant(value) => *value,
                Op::Variable(name) => variables.get(name).copied().unwrap_or(0),
                Op::Not(a) => !of(a),
                Op::Binary(kind, a, b) => evaluate_binary(*kind, term.bits(), of(a), of(b)),
                Op::Concat(high, low) => of(high) << low.bits() | of(low),
                Op::Extract(a, low) => of(a) >> low,
                Op::SignExtend(a) => sign_extended(of(a), a.bits()) as u128,
                Op::Equal(a, b) => u128::from(of(a) == of(b)),
            };
            values.insert(term.key(), value & mask(term.bits()));
        }
        values[&self.key()]
    }

    /// The variables, with their widths, in order of first use.
    pub fn variables(&self) -> Vec<(String, u32)> {
        let mut found: Vec<(String, u32)> = Vec::new();
        for term in self.nodes() {
            if let Op::Variable(name) = &term.0.op {
                if !found.iter().any(|(known, _)| known == name) {
                    found.push((name.clone(), term.bits()));
                }
            }
        }
        found
    }

    /// SMT-LIB 2 commands that declare the variables and define `name` as this term, with each shared subterm once.
    pub fn to_smt(&self, name: &str) -> String {
        let mut text = String::new();
        for (variable, bits) in self.variables() {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "(declare-const |{variable}| (_ BitVec {bits}))");
        }
        let mut names: HashMap<*const Node, String> = HashMap::new();
        for (i, term) in self.nodes().into_iter().enumerate() {
            let of = |t: &Term| names[&t.key()].as_str();
            let body = match &term.0.op {
                Op::Constant(value) => format!("(_ bv{value} {})", term.bits()),
                Op::Variable(name) => format!("|{name}|"),
                Op::Not(a) => format!("(bvnot {})", of(a)),
                Op::Binary(kind, a, b) => format!("({} {} {})", smt_name(*kind), of(a), of(b)),
                Op::Concat(a, b) => format!("(concat {} {})", of(a), of(b)),
                Op::Extract(a, low) => {
                    format!("((_ extract {} {low}) {})", low + term.bits() - 1, of(a))
                }
                Op::SignExtend(a) => {
                    format!("((_ sign_extend {}) {})", term.bits() - a.bits(), of(a))
                }
                Op::Equal(a, b) => format!("(ite (= {} {}) #b1 #b0)", of(a), of(b)),
            };
            let _ = writeln!(text, "(define-fun |n{i}| () (_ BitVec {}) {body})", term.bits());
            names.insert(term.key(), format!("|n{i}|"));
        }
        let _ = writeln!(text, "(define-fun |{name}| () (_ BitVec {}) {})", self.bits(), names[&self.key()]);
        text
    }
}

fn smt_name(kind: Binary) -> &'static str {
    match kind {
        Binary::And => "bvand",
        Binary::Or => "bvor",
        Binary::Xor => "bvxor",
        Binary::Add => "bvadd",
        Binary::Sub => "bvsub",
        Binary::ShiftLeft => "bvshl",
        Binary::ShiftRight => "bvlshr",
        Binary::ShiftRightSigned => "bvashr",
    }
}

fn sign_extended(value: u128, bits: u32) -> i128 {
    (value << (128 - bits)) as i128 >> (128 - bits)
}

fn evaluate_binary(kind: Binary, bits: u32, a: u128, b: u128) -> u128 {
    let too_far = b >= bits.into();
    match kind {
        Binary::And => a & b,
        Binary::Or => a | b,
        Binary::Xor => a ^ b,
        Binary::Add => a.wrapping_add(b),
        Binary::Sub => a.wrapping_sub(b),
        Binary::ShiftLeft if too_far => 0,
        Binary::ShiftLeft => a << b,
        Binary::ShiftRight if too_far => 0,
        Binary::ShiftRight => a >> b,
        Binary::ShiftRightSigned => (sign_extended(a, bits) >> b.min(u128::from(bits) - 1)) as u128,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_a_variable_and_a_constant() {
        let sp = Term::variable(64, "sp");
        let address = sp.add(&Term::constant(64, 16)).add(&Term::constant(64, (-24i64) as u128));
        assert_eq!(address.as_offset(), Some(("sp", -8)));
        assert_eq!(sp.and(&Term::constant(64, 8)).as_offset(), None);
    }

    #[test]
    fn rotation_reversal_and_extension_evaluate() {
        let x = Term::variable(32, "x");
        let env = HashMap::from([("x".to_owned(), 0x8122_3344u128)]);
        assert_eq!(x.rotate_left(8).evaluate(&env), 0x2233_4481);
        assert_eq!(x.reverse_bytes().evaluate(&env), 0x4433_2281);
        assert_eq!(x.reverse_bytes_in(16).evaluate(&env), 0x2281_4433);
        assert_eq!(x.sign_extend(64).evaluate(&env), 0xffff_ffff_8122_3344);
        assert_eq!(x.shl(32).evaluate(&env), 0);
    }
}
