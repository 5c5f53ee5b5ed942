//! A fast hash of small keys, because the tables are looked up for each letter.

use std::hash::{BuildHasher, Hasher};

#[derive(Clone, Copy, Default)]
pub(super) struct Multiply;

impl BuildHasher for Multiply {
    type Hasher = State;

    fn build_hasher(&self) -> State {
        State(0)
    }
}

pub(super) struct State(u64);

impl Hasher for State {
    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u32(u32::from(byte)));
    }

    fn write_u16(&mut self, value: u16) {
        self.write_u32(u32::from(value));
    }

    fn write_u32(&mut self, value: u32) {
        self.0 = (self.0 ^ u64::from(value)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
}
