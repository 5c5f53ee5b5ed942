//! Compares each operation of each level's vectors with its scalar meaning, as documented in `simd`.

use std::vec::Vec;

use super::support::{Random, on_every_level};
use crate::Level;
use crate::out::Out;
use crate::simd::level::run;
use crate::simd::{BLOCK_BYTES, Kernel, Masked, MaskedToken, Sixteen, Token, Variants, Vector};

/// Runs on the active level.
struct VectorMeanings;
struct SixteenMeanings;

#[test]
fn vectors_do_what_they_say() {
    on_every_level(|_| run(VectorMeanings, |_| {}, |_| {}));
}

#[test]
fn sixteen_bytes_do_what_they_say() {
    on_every_level(|_| run(SixteenMeanings, |_| {}, |_| {}));
}

#[cfg(target_arch = "x86_64")]
#[test]
fn levels_are_those_that_the_standard_library_detects() {
    use std::is_x86_feature_detected as has;
    let avx2 = has!("avx2") && has!("bmi1") && has!("bmi2") && has!("lzcnt") && has!("popcnt");
    let avx512 = has!("avx512f")
        && has!("avx512bw")
        && has!("avx512vl")
        && has!("avx512vbmi")
        && has!("avx512vbmi2")
        && has!("fma")
        && has!("f16c");
    assert_eq!(Level::Sse4.is_available(), has!("ssse3") && has!("sse4.1") && has!("popcnt"));
    assert_eq!(Level::Avx2.is_available(), avx2);
    assert_eq!(Level::Avx512.is_available(), avx2 && avx512);
}

/// Levels that are chosen at compile time cannot be detected at run time.
#[test]
fn targets_have_the_levels_they_were_compiled_for() {
    let neon = cfg!(target_arch = "aarch64") && cfg!(target_endian = "little");
    assert_eq!(Level::Neon.is_available(), neon);
    assert_eq!(Level::Simd128.is_available(), cfg!(target_feature = "simd128"));
    for level in [Level::Sse4, Level::Avx2, Level::Avx512] {
        assert!(!level.is_available() || cfg!(target_arch = "x86_64"));
    }
}

#[test]
fn a_forced_level_is_the_active_one_and_the_missing_are_refused() {
    on_every_level(|level| {
        for &other in Level::ALL.iter().filter(|other| !other.is_available()) {
            assert!(other.force().is_err());
        }
        assert_eq!(Level::active(), level);
        assert_eq!(level.name().parse(), Ok(level));
    });
}

type Lanes = Vec<u8>;

/// Returns the lanes, bit by bit.
fn lanes<T: Token>(token: T, vector: T::Vector) -> Lanes {
    let mut lanes = std::vec![0; T::Vector::LEN];
    for bit in (0..8).map(|place| 1 << place) {
        let set = vector.and(token.splat(bit)).equal(token.splat(bit)).high_bits();
        for (i, lane) in lanes.iter_mut().enumerate() {
            *lane |= if set >> i & 1 == 1 { bit } else { 0 };
        }
    }
    lanes
}

fn random_block(random: &mut Random) -> [u8; BLOCK_BYTES] {
    core::array::from_fn(|_| random.byte())
}

impl Kernel for VectorMeanings {
    type Output = ();

    fn call<T: Token>(self, token: T) {
        let mut random = Random(5);
        for _ in 0..100 {
            loads(token, &mut random);
            shifts_and_lookups(token, &mut random);
        }
        for byte in 0..=255 {
            for low in (0..=255).step_by(T::Vector::LEN) {
                let counting: [u8; BLOCK_BYTES] = core::array::from_fn(|i| low + (i % T::Vector::LEN) as u8);
                one_by_one(token, token.splat(byte), token.load(&counting, 0));
            }
        }
        let zero = token.splat(0);
        assert!(!zero.any() && !zero.any_high());
        for at in 0..T::Vector::LEN {
            for byte in [1, 0x7F, 0x80] {
                let mut block = [0; BLOCK_BYTES];
                block[at] = byte;
                let vector = token.load(&block, 0);
                assert!(vector.any());
                assert_eq!(vector.any_high(), byte == 0x80);
                assert_eq!(vector.high_bits(), u64::from(byte == 0x80) << at);
            }
        }
        assert_eq!(token.splat(255).sum(), 255 * T::Vector::LEN as u64);
    }
}

fn loads<T: Token>(token: T, random: &mut Random) {
    let len = T::Vector::LEN;
    let block = random_block(random);
    for part in 0..BLOCK_BYTES / len {
        assert_eq!(lanes(token, token.load(&block, part)), block[part * len..][..len]);
    }
    for at in 0..=BLOCK_BYTES - len {
        assert_eq!(lanes(token, token.load_at(&block, at)), block[at..][..len]);
    }
    for some in 0..=len {
        let mut bytes = [7; BLOCK_BYTES + 1];
        let mut out = Out::in_buffer(&mut bytes[..some]);
        assert!(out.push_lanes(token.load(&block, 0), some));
        assert!(!out.push_lanes(token.load(&block, 0), 1));
        assert_eq!((&bytes[..some], &bytes[some..]), (&block[..some], &[7; BLOCK_BYTES + 1][some..]));
    }
    for some in 0..=BLOCK_BYTES {
        let (bytes, filler) = (&block[..some], random.byte());
        let kept = some.min(len);
        let rest = std::vec![filler; len - kept];
        assert_eq!(lanes(token, token.load_front(bytes, filler)), [&bytes[..kept], &rest].concat());
        assert_eq!(lanes(token, token.load_back(bytes, filler)), [&rest, &bytes[some - kept..]].concat());
    }
    let vector = token.load(&block, 0);
    assert_eq!(vector.sum(), block[..len].iter().map(|&byte| u64::from(byte)).sum::<u64>());
    let high_bits = block[..len].iter().rev().fold(0, |bits, byte| bits << 1 | u64::from(byte >> 7));
    assert_eq!(vector.high_bits(), high_bits);
    let lanes = block[..len].as_chunks::<2>().0;
    let high_bits = lanes.iter().rev().fold(0, |bits, lane| bits << 1 | u64::from(lane[1] >> 7));
    assert_eq!(vector.high_bits_16(), high_bits);
}

fn shifts_and_lookups<T: Token>(token: T, random: &mut Random) {
    let len = T::Vector::LEN;
    let both = [random_block(random), random_block(random)];
    let (before, this) = (token.load(&both[0], BLOCK_BYTES / len - 1), token.load(&both[1], 0));
    let bytes = both.concat();
    let earlier = |n: usize| &bytes[BLOCK_BYTES - n..][..len];
    assert_eq!(lanes(token, this.prev1(before)), earlier(1));
    assert_eq!(lanes(token, this.prev2(before)), earlier(2));
    assert_eq!(lanes(token, this.prev3(before)), earlier(3));
    for (size, (even, odd)) in [(1, before.deinterleave(this)), (2, before.deinterleave_16(this))] {
        let meaning = |odd: usize| -> Lanes {
            (0..len).map(|i| bytes[BLOCK_BYTES - len + (i / size * 2 + odd) * size + i % size]).collect()
        };
        assert_eq!((lanes(token, even), lanes(token, odd)), (meaning(0), meaning(1)));
    }
    let low_of_four: [u8; 16] = core::array::from_fn(|i| if i % 4 < 2 { 0xFF } else { 0 });
    let [first, second] = [before, this].map(|vector| vector.and(token.table(&low_of_four)));
    assert_eq!(lanes(token, first.narrow_32(second)), lanes(token, before.deinterleave_16(this).0));
    let vectors = [&bytes[BLOCK_BYTES - len..BLOCK_BYTES], &bytes[BLOCK_BYTES..][..len]];
    for (size, found) in [(1, before.interleave(this)), (2, before.interleave_16(this))] {
        let meaning = (0..2 * len).map(|i| vectors[i / size % 2][i / (2 * size) * size + i % size]);
        assert_eq!(found.map(|vector| lanes(token, vector)).concat(), meaning.collect::<Lanes>());
    }
    assert_eq!(this.to_bytes().as_ref(), vectors[1]);
    token.by_variant(Masks { this, other: before, random });
    let table: [u8; 16] = core::array::from_fn(|_| random.byte());
    let found =
        |place: fn(u8) -> u8| -> Lanes { both[1][..len].iter().map(|&byte| table[usize::from(place(byte))]).collect() };
    assert_eq!(lanes(token, this.lookup(token.table(&table))), found(|byte| byte & 15));
    assert_eq!(lanes(token, this.lookup_high(token.table(&table))), found(|byte| byte >> 4));
    let low = this.and(token.splat(0x7F));
    assert_eq!(lanes(token, low.lookup_below_128(token.table(&table))), found(|byte| byte & 15));
    let first = both[1][..len].chunks(16).flat_map(|sixteen| [sixteen[0]; 16]);
    assert_eq!(lanes(token, this.first_of_sixteen()), first.collect::<Lanes>());
    for (i, earlier) in this.prev_in_sixteen().into_iter().enumerate() {
        let turned = both[1][..len].chunks(16).flat_map(|sixteen| [&sixteen[15 - i..], &sixteen[..15 - i]]);
        assert_eq!(lanes(token, earlier), turned.flatten().copied().collect::<Lanes>());
    }
}

/// Tests masks, on levels that have them.
struct Masks<'r, V> {
    this: V,
    other: V,
    random: &'r mut Random,
}

impl<T: Token> Variants<T> for Masks<'_, T::Vector> {
    type Output = ();

    fn by_tables(self, _: T) {}

    fn by_compress(self, token: T)
    where
        T: MaskedToken,
    {
        masks(token, self.this, self.other, self.random);
    }
}

fn masks<T: MaskedToken>(token: T, this: T::Vector, other: T::Vector, random: &mut Random) {
    let (all, others) = (lanes(token, this), lanes(token, other));
    let some = random.next() & random.next();
    let kept = random.of(&[u64::MAX, 0, some, !some]);
    let is_kept = |i: usize| kept >> i & 1 == 1;
    let mut meaning: Lanes = (0..BLOCK_BYTES).filter(|&i| is_kept(i)).map(|i| all[i]).collect();
    meaning.resize(BLOCK_BYTES, 0);
    let compressed = this.compress(kept);
    assert_eq!(lanes(token, compressed), meaning);
    let nonzero = meaning.iter().rev().fold(0, |bits, &byte| bits << 1 | u64::from(byte > 0));
    assert_eq!(compressed.nonzero(), nonzero);
    let meaning: Lanes = (0..BLOCK_BYTES).map(|i| if is_kept(i) { others[i] } else { all[i] }).collect();
    assert_eq!(lanes(token, this.blend(kept, other)), meaning);
    let bits = |is: &dyn Fn(usize) -> bool, count: usize| (0..count).fold(0, |bits, i| bits | u64::from(is(i)) << i);
    assert_eq!(this.at_least(other), bits(&|i| all[i] >= others[i], BLOCK_BYTES));
    let lane = |lanes: &Lanes, i: usize| u16::from_le_bytes([lanes[2 * i], lanes[2 * i + 1]]);
    assert_eq!(this.at_least_16(other), bits(&|i| lane(&all, i) >= lane(&others, i), BLOCK_BYTES / 2));
    let sums = (0..BLOCK_BYTES / 2).flat_map(|i| lane(&all, i).wrapping_add(lane(&others, i)).to_le_bytes());
    assert_eq!(lanes(token, this.add_16(other)), sums.collect::<Lanes>());
    let meaning: Lanes = (0..BLOCK_BYTES).map(|i| if is_kept(i / 2) { others[i] } else { all[i] }).collect();
    assert_eq!(lanes(token, this.blend_16(kept, other)), meaning);
    let table = random_block(random);
    let meaning: Lanes = all.iter().map(|&byte| table[usize::from(byte & 63)]).collect();
    assert_eq!(lanes(token, this.lookup_six_bits(&table)), meaning);
    let places = random_block(random).map(|byte| byte & 127);
    let both = [&all[..], &others].concat();
    let at = |i: usize| if is_kept(i) { both[usize::from(places[i])] } else { 0 };
    assert_eq!(lanes(token, this.of_both(other, &places, kept)), (0..BLOCK_BYTES).map(at).collect::<Lanes>());
    let table: [u8; 256] = core::array::from_fn(|_| random.byte());
    let meaning: Lanes = all.iter().map(|&byte| table[usize::from(byte)]).collect();
    assert_eq!(lanes(token, this.lookup_eight_bits(&table)), meaning);
    let (numbers, less): ([i32; 16], i32) = (core::array::from_fn(|_| random.next() as i32), random.next() as i32);
    let meaning: Lanes = numbers.iter().flat_map(|number| number.wrapping_sub(less).to_le_bytes()).collect();
    assert_eq!(lanes(token, this.differences(&numbers, less)), meaning);
}

/// Tests operations that process each lane independently.
fn one_by_one<T: Token>(token: T, a: T::Vector, b: T::Vector) {
    let (left, right) = (lanes(token, a), lanes(token, b));
    let mask = |is: bool| if is { 255 } else { 0 };
    let is = |vector: T::Vector, meaning: &dyn Fn(u8, u8) -> u8| {
        let expected: Lanes = left.iter().zip(&right).map(|(&a, &b)| meaning(a, b)).collect();
        assert_eq!(lanes(token, vector), expected, "{left:X?} and {right:X?}");
    };
    is(a.and(b), &|a, b| a & b);
    is(a.and_both(b, token.splat(0x5A)), &|a, b| a & b & 0x5A);
    is(a.or(b), &|a, b| a | b);
    is(a.xor(b), &|a, b| a ^ b);
    is(a.sub(b), &u8::wrapping_sub);
    is(a.saturating_sub(b), &u8::saturating_sub);
    is(a.max(b), &u8::max);
    is(a.min_signed(b), &|a, b| (a as i8).min(b as i8) as u8);
    is(b.shift_right::<4>(), &|_, b| b >> 4);
    is(b.shift_right::<2>(), &|_, b| b >> 2);
    is(b.shift_left::<6>(), &|_, b| b << 6);
    is(b.shift_left::<4>(), &|_, b| b << 4);
    is(a.equal(b), &|a, b| mask(a == b));
    is(a.where_high(b, a), &|a, b| if a >= 0x80 { b } else { a });
    is(a.greater_signed(b), &|a, b| mask(a as i8 > b as i8));
    is(a.kept_where_greater(b, a), &|a, b| if a as i8 > b as i8 { a } else { 0 });
    let is_16 = |vector: T::Vector, meaning: &dyn Fn(u16, u16) -> u16| {
        let pairs = left.as_chunks().0.iter().zip(right.as_chunks().0);
        let lanes_of = |(&a, &b)| meaning(u16::from_le_bytes(a), u16::from_le_bytes(b)).to_le_bytes();
        assert_eq!(lanes(token, vector), pairs.flat_map(lanes_of).collect::<Lanes>(), "{left:X?} and {right:X?}");
    };
    is_16(b.shift_left_16::<8>(), &|_, b| b << 8);
    is_16(b.shift_right_16::<1>(), &|_, b| b >> 1);
    is_16(b.shift_right_16::<4>(), &|_, b| b >> 4);
    is_16(b.shift_right_16::<6>(), &|_, b| b >> 6);
    is_16(b.shift_right_16::<14>(), &|_, b| b >> 14);
    is_16(a.min_16(b), &|a, b| a.min(b));
    let fours = left.as_chunks().0.iter().zip(right.as_chunks().0);
    let least = |(&a, &b)| u32::from_le_bytes(a).min(u32::from_le_bytes(b)).to_le_bytes();
    assert_eq!(lanes(token, a.min_32(b)), fours.flat_map(least).collect::<Lanes>());
    is_16(a.greater_signed_16(b), &|a, b| if a as i16 > b as i16 { 0xFFFF } else { 0 });
}

impl Kernel for SixteenMeanings {
    type Output = ();

    fn call<T: Token>(self, token: T) {
        let mut random = Random(6);
        for _ in 0..1000 {
            let blocks = [random_block(&mut random), random_block(&mut random)];
            let [x, y] = blocks.map(|block| token.load(&block, 0).sixteen(0));
            let [a, b]: [[u8; 16]; 2] = blocks.map(|block| core::array::from_fn(|i| block[i]));
            let places = core::array::from_fn(|_| random.of(&[0, 1, 5, 10, 14, 15, 128]));
            let found = [
                x,
                x.shuffle(&places),
                x.xor(y),
                x.interleave(y)[0],
                x.interleave(y)[1],
                x.interleave_16(y)[0],
                x.interleave_16(y)[1],
            ];
            assert_eq!(found.map(T::Sixteen::to_bytes), meanings_of_sixteen(&a, &b, &places));
        }
    }
}

/// Returns the meaning of the operations. Not inlined, so that it is not compiled for the level under test.
#[inline(never)]
fn meanings_of_sixteen(a: &[u8; 16], b: &[u8; 16], places: &[u8; 16]) -> [[u8; 16]; 7] {
    let zipped = |at: usize| core::array::from_fn(|i| if i % 2 == 0 { a[at + i / 2] } else { b[at + i / 2] });
    let zipped_16 = |at: usize| core::array::from_fn(|i| (if i & 2 == 0 { a } else { b })[at + i / 4 * 2 + i % 2]);
    [
        *a,
        places.map(|place| a.get(usize::from(place)).copied().unwrap_or(0)),
        core::array::from_fn(|i| a[i] ^ b[i]),
        zipped(0),
        zipped(8),
        zipped_16(0),
        zipped_16(8),
    ]
}
