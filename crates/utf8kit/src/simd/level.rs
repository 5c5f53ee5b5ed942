//! The levels: all, those that this machine supports, and the one in use.

use core::fmt;
use core::str::FromStr;
use core::sync::atomic::{AtomicU8, Ordering};

#[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
use super::Neon;
#[cfg(feature = "alloc")]
use super::PerVariant;
#[cfg(target_feature = "simd128")]
use super::Simd128;
#[allow(unused_imports, reason = "machines without vectors have no tokens")]
use super::Token;
#[cfg(target_arch = "x86_64")]
use super::{Avx2, Avx512, Sse4};
use super::{Kernel, Short};

macro_rules! levels {
    ($($(#[$doc:meta])* $name:ident, $label:literal;)*) => {
        /// A set of CPU instructions that kernels are built for.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        #[repr(u8)]
        pub enum Level {
            $($(#[$doc])* $name,)*
        }

        impl Level {
            /// All levels, slowest first.
            pub const ALL: &'static [Level] = &[$(Level::$name,)*];

            /// Returns the level's name, as in `UTF8KIT_LEVEL` and `utf8 --version`.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Level::$name => $label,)*
                }
            }
        }

        /// Returns the level of a number. The compiler turns this into one comparison, without a table.
        #[inline(always)]
        const fn from_byte(byte: u8) -> Option<Level> {
            match byte {
                $(byte if byte == Level::$name as u8 => Some(Level::$name),)*
                _ => None,
            }
        }
    };
}

levels! {
    /// The reference implementation itself, one item at a time.
    Scalar, "scalar";
    /// SWAR: bytes in general 64-bit registers, on any machine.
    Swar, "swar";
    /// x86-64 with SSSE3, SSE4.1 and POPCNT (Nehalem, Bulldozer and later): 16 bytes.
    Sse4, "sse4";
    /// x86-64 with AVX2: 32 bytes.
    Avx2, "avx2";
    /// x86-64 with AVX-512 F, BW, VL, VBMI and VBMI2 (Ice Lake, Zen 4 and later): 64 bytes.
    Avx512, "avx512";
    /// WebAssembly with simd128: 16 bytes.
    Simd128, "simd128";
    /// AArch64 with NEON, little-endian: 16 bytes.
    Neon, "neon";
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The level cannot be used: this machine does not support it, or the name is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LevelUnavailable;

impl fmt::Display for LevelUnavailable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("unknown level, or not supported by this CPU")
    }
}

impl core::error::Error for LevelUnavailable {}

impl FromStr for Level {
    type Err = LevelUnavailable;

    fn from_str(name: &str) -> Result<Level, LevelUnavailable> {
        Level::ALL.iter().copied().find(|l| l.name().eq_ignore_ascii_case(name)).ok_or(LevelUnavailable)
    }
}

impl Level {
    /// Reports whether this machine supports the level.
    #[must_use]
    pub fn is_available(self) -> bool {
        let best = cpu::best();
        // On x86-64, each level includes those before it.
        self <= Level::Swar || self == best || cfg!(target_arch = "x86_64") && self < best
    }

    /// Returns the levels that this machine supports, slowest first.
    ///
    /// ```
    /// use utf8kit::Level;
    /// assert!(Level::available().any(|level| level == Level::Swar));
    /// ```
    pub fn available() -> impl Iterator<Item = Level> {
        Level::ALL.iter().copied().filter(|level| level.is_available())
    }

    /// Returns the level in use.
    #[inline]
    #[must_use]
    pub fn active() -> Level {
        active().0
    }

    /// Uses this level from now on, in the whole process, for tests, measurements and debugging.
    ///
    /// # Errors
    /// [`LevelUnavailable`] if this machine does not support the level; then nothing changes.
    pub fn force(self) -> Result<(), LevelUnavailable> {
        if !self.is_available() {
            return Err(LevelUnavailable);
        }
        #[cfg(feature = "std")]
        scoped::force(self);
        #[cfg(not(feature = "std"))]
        ACTIVE.store(self as u8, Ordering::Relaxed);
        Ok(())
    }
}

/// The active level. Only [`active`] makes one, so holding it proves that the CPU supports the level.
#[derive(Clone, Copy)]
pub(crate) struct Active(Level);

impl Active {
    #[inline(always)]
    pub(crate) fn is(self, level: Level) -> bool {
        self.0 == level
    }
}

/// Returns the level in use.
#[inline]
pub(crate) fn active() -> Active {
    match from_byte(ACTIVE.load(Ordering::Relaxed)) {
        Some(level) => Active(level),
        None => Active(detect()),
    }
}

/// Evaluates an expression with the token of the active level, if the level has vectors; otherwise the expression for
/// [`Level::Scalar`] or [`Level::Swar`].
macro_rules! on_level {
    ($active:expr, |$token:ident| $vectors:expr, scalar: $scalar:expr, words: $words:expr) => {
        match $active.0 {
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => {
                // SAFETY: an `Active` holds a level that is available.
                let $token = unsafe { Avx512::new() };
                $vectors
            }
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => {
                // SAFETY: an `Active` holds a level that is available.
                let $token = unsafe { Avx2::new() };
                $vectors
            }
            #[cfg(target_arch = "x86_64")]
            Level::Sse4 => {
                // SAFETY: an `Active` holds a level that is available.
                let $token = unsafe { Sse4::new() };
                $vectors
            }
            #[cfg(target_feature = "simd128")]
            Level::Simd128 => {
                let $token = Simd128;
                $vectors
            }
            #[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
            Level::Neon => {
                let $token = Neon;
                $vectors
            }
            Level::Scalar => $scalar,
            _ => $words,
        }
    };
}

/// Runs `kernel` on the active level, if the level has vectors. Otherwise calls `scalar` on [`Level::Scalar`], or
/// `words` on [`Level::Swar`].
#[inline(always)]
pub(crate) fn run<K: Kernel>(
    kernel: K,
    scalar: impl FnOnce(K) -> K::Output,
    words: impl FnOnce(K) -> K::Output,
) -> K::Output {
    run_on(active(), kernel, scalar, words)
}

/// [`run`] on a level that the caller has already looked up.
#[inline(always)]
#[allow(unsafe_code, reason = "tokens are made here, for levels known to be available")]
pub(crate) fn run_on<K: Kernel>(
    active: Active,
    kernel: K,
    scalar: impl FnOnce(K) -> K::Output,
    words: impl FnOnce(K) -> K::Output,
) -> K::Output {
    on_level!(active, |token| token.run(kernel), scalar: scalar(kernel), words: words(kernel))
}

/// Runs the kernel of short inputs, if the input is short for the level. Every operation that has such a kernel goes
/// through this.
#[inline(always)]
#[allow(unsafe_code, reason = "tokens are made here, for levels known to be available")]
pub(crate) fn run_short<K: Short>(active: Active, kernel: K) -> Option<K::Output> {
    let without = |_: K| None;
    on_level!(
        active,
        |token| if kernel.is_for(token) { Some(token.run(kernel)) } else { None },
        scalar: without(kernel),
        words: without(kernel)
    )
}

/// Returns the value for a level.
#[cfg(feature = "alloc")]
#[inline(always)]
#[allow(unsafe_code, reason = "tokens are made here, for levels known to be available")]
pub(crate) fn value_of_variant<R>(active: Active, value: PerVariant<R>) -> R {
    on_level!(active, |token| token.by_variant(value), scalar: value.tables, words: value.tables)
}

const UNKNOWN: u8 = u8::MAX;
/// The number of an available level, or of none.
static ACTIVE: AtomicU8 = AtomicU8::new(UNKNOWN);

#[cold]
fn detect() -> Level {
    #[cfg(feature = "std")]
    if let Some(level) = scoped::level() {
        return level;
    }
    let best = cpu::best();
    // A racing thread finds the same level; a level forced in the meantime stays.
    match ACTIVE.compare_exchange(UNKNOWN, best as u8, Ordering::Relaxed, Ordering::Relaxed) {
        Ok(_) => best,
        Err(set) => from_byte(set).unwrap_or(best),
    }
}

/// Runs `operation`, and everything in this library that it calls on this thread, at one level. Other threads,
/// including those that it starts, are not affected.
///
/// For measurements, tests and debugging: otherwise the best level is used. While a call of this function is running,
/// every other operation of the process takes a few nanoseconds longer.
///
/// # Errors
/// [`LevelUnavailable`] if this machine does not support the level; then `operation` is not called.
///
/// ```
/// use utf8kit::{Level, validate, with_level};
/// let valid = with_level(Level::Scalar, || validate("naïve".as_bytes()).is_ok())?;
/// assert!(valid);
/// # Ok::<(), utf8kit::LevelUnavailable>(())
/// ```
#[cfg(feature = "std")]
pub fn with_level<R>(level: Level, operation: impl FnOnce() -> R) -> Result<R, LevelUnavailable> {
    if !level.is_available() {
        return Err(LevelUnavailable);
    }
    let _scope = scoped::Scope::enter(level);
    Ok(operation())
}

/// Temporary levels for single threads. They cost nothing while there are none, because `ACTIVE` sends operations to
/// the thread's own level only while there are some.
#[cfg(feature = "std")]
mod scoped {
    use std::cell::Cell;
    use std::sync::{Mutex, MutexGuard, PoisonError};

    use super::{ACTIVE, AtomicU8, Level, Ordering, UNKNOWN, cpu, from_byte};

    /// The value of `ACTIVE` that sends each operation to its thread's level.
    const ASK_THREAD: u8 = UNKNOWN - 1;

    /// The number of scopes that exist now, in all threads.
    static SCOPES: Mutex<usize> = Mutex::new(0);
    /// The value of `ACTIVE` without scopes.
    static PROCESS: AtomicU8 = AtomicU8::new(UNKNOWN);

    std::thread_local! {
        static THREAD: Cell<u8> = const { Cell::new(UNKNOWN) };
    }

    fn scopes() -> MutexGuard<'static, usize> {
        SCOPES.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the thread's level, or else the process's level, or else the best one; `None` if there are no scopes.
    pub(super) fn level() -> Option<Level> {
        if ACTIVE.load(Ordering::Relaxed) != ASK_THREAD {
            return None;
        }
        let own = THREAD.with(Cell::get);
        let process = || from_byte(PROCESS.load(Ordering::Relaxed));
        Some(from_byte(own).or_else(process).unwrap_or_else(cpu::best))
    }

    pub(super) fn force(level: Level) {
        let scopes = scopes();
        let place = if *scopes == 0 { &ACTIVE } else { &PROCESS };
        place.store(level as u8, Ordering::Relaxed);
    }

    /// A thread's level, until this is dropped.
    pub(super) struct Scope {
        before: u8,
    }

    impl Scope {
        pub(super) fn enter(level: Level) -> Scope {
            let mut scopes = scopes();
            if *scopes == 0 {
                PROCESS.store(ACTIVE.swap(ASK_THREAD, Ordering::Relaxed), Ordering::Relaxed);
            }
            *scopes += 1;
            Scope { before: THREAD.replace(level as u8) }
        }
    }

    impl Drop for Scope {
        fn drop(&mut self) {
            THREAD.set(self.before);
            let mut scopes = scopes();
            *scopes -= 1;
            if *scopes == 0 {
                ACTIVE.store(PROCESS.load(Ordering::Relaxed), Ordering::Relaxed);
            }
        }
    }
}

/// Miri has no cpuid, so use the level that the program is compiled for.
#[cfg(all(target_arch = "x86_64", miri))]
mod cpu {
    use super::Level;

    pub(super) fn best() -> Level {
        if !cfg!(all(target_feature = "ssse3", target_feature = "sse4.1", target_feature = "popcnt")) {
            Level::Swar
        } else if cfg!(all(target_feature = "avx2", target_feature = "bmi2", target_feature = "lzcnt")) {
            Level::Avx2
        } else {
            Level::Sse4
        }
    }
}

/// Detects CPU features, even without std.
#[cfg(all(target_arch = "x86_64", not(miri)))]
mod cpu {
    #![allow(unsafe_code, reason = "cpuid and xgetbv")]
    use super::Level;
    use core::arch::x86_64::{__cpuid_count, _xgetbv};

    const fn bits(all: &[u32]) -> u32 {
        let (mut mask, mut i) = (0, 0);
        while i < all.len() {
            mask |= 1 << all[i];
            i += 1;
        }
        mask
    }

    /// Intel SDM volume 2A, CPUID: leaf 1 ecx, leaf 7 ebx and ecx, leaf 80000001 ecx.
    const SSE4: u32 = bits(&[9, 19, 23]); // SSSE3, SSE4.1, POPCNT
    const AVX: u32 = bits(&[27, 28]); // OSXSAVE, AVX
    const AVX2: u32 = bits(&[3, 5, 8]); // BMI1, AVX2, BMI2
    const LZCNT: u32 = bits(&[5]);
    const FMA: u32 = bits(&[12, 29]); // FMA and F16C, which Rust includes in F
    const AVX512: u32 = bits(&[16, 30, 31]); // F, BW, VL
    const VBMI: u32 = bits(&[1, 6]); // VBMI, VBMI2
    const YMM_STATE: u64 = 0b110;
    const ZMM_STATE: u64 = 0b1110_0110;

    #[inline(never)]
    pub(super) fn best() -> Level {
        #[allow(unused_unsafe, reason = "cpuid became a safe function after Rust 1.89")]
        // SAFETY: every x86-64 CPU has cpuid.
        let leaf = |n| unsafe { __cpuid_count(n, 0) };
        let one = leaf(1).ecx;
        if !all(one, SSE4) {
            return Level::Swar;
        }
        if leaf(0).eax < 7 || leaf(0x8000_0000).eax < 0x8000_0001 || !all(one, AVX) {
            return Level::Sse4;
        }
        // SAFETY: OSXSAVE (in AVX) means that the system allows reading XCR0.
        let state = unsafe { xcr0() };
        let seven = leaf(7);
        if state & YMM_STATE != YMM_STATE || !all(seven.ebx, AVX2) || !all(leaf(0x8000_0001).ecx, LZCNT) {
            Level::Sse4
        } else if state & ZMM_STATE == ZMM_STATE && all(one, FMA) && all(seven.ebx, AVX512) && all(seven.ecx, VBMI) {
            Level::Avx512
        } else {
            Level::Avx2
        }
    }

    fn all(value: u32, mask: u32) -> bool {
        value & mask == mask
    }

    /// Returns the register states that the system saves.
    #[target_feature(enable = "xsave")]
    fn xcr0() -> u64 {
        // SAFETY: the caller has seen OSXSAVE.
        unsafe { _xgetbv(0) }
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod cpu {
    use super::Level;

    pub(super) fn best() -> Level {
        if cfg!(target_feature = "simd128") {
            Level::Simd128
        } else if cfg!(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little")) {
            Level::Neon
        } else {
            Level::Swar
        }
    }
}
