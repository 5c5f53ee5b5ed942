//! The memory that JavaScript shares with a module: bytes in, bytes and numbers out, and open resources.

use std::any::Any;
use std::borrow::Borrow;
use std::cell::RefCell;
use std::ops::Deref;

/// The state of the modules between calls, one value of each type.
#[derive(Default)]
pub(crate) struct States(Vec<Box<dyn Any>>);

impl States {
    /// Returns the value of a type, initially the default.
    pub(crate) fn of<S: Any + Default>(&mut self) -> &mut S {
        let known = self.0.iter().position(|state| state.is::<S>());
        let at = known.unwrap_or_else(|| {
            self.0.push(Box::new(S::default()));
            self.0.len() - 1
        });
        self.0[at].downcast_mut().unwrap_or_else(|| unreachable!())
    }
}

/// The length of `input`. Bytes are copied here and immediately read, so a piece should fit into a processor's cache.
pub(crate) const INPUT_BYTES: usize = 256 * 1024;

/// The distance from `input` to `output`, which is allocated after it. If the low 12 bits of both addresses are almost
/// equal, copying takes five times as long on some processors.
const GAP_BYTES: usize = 2048;

/// The capacity of `output`, which does not move as long as this is enough. A byte of input becomes at most four.
const OUTPUT_BYTES: usize = 4 * INPUT_BYTES;

/// The bytes of `input`. Copying to an address that is not a multiple of 64 takes ten times as long on some processors.
#[repr(align(64))]
pub(crate) struct Aligned([u8; INPUT_BYTES + GAP_BYTES]);

impl Deref for Aligned {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0[..INPUT_BYTES]
    }
}

/// All shared memory.
pub(crate) struct Memory {
    pub(crate) input: Box<Aligned>,
    pub(crate) output: Vec<u8>,
    pub(crate) numbers: Vec<f64>,
    pub(crate) open: Handles,
    pub(crate) states: States,
}

thread_local! {
    static MEMORY: RefCell<Memory> = RefCell::new(Memory {
        input: Box::new(Aligned([0; INPUT_BYTES + GAP_BYTES])),
        output: Vec::with_capacity(OUTPUT_BYTES),
        numbers: Vec::new(),
        open: Handles::default(),
        states: States::default(),
    });
}

/// Runs `work` on the memory. It must not call this function again.
pub(crate) fn with_memory<R>(work: impl FnOnce(&mut Memory) -> R) -> R {
    MEMORY.with_borrow_mut(work)
}

impl Memory {
    /// Returns the first `len` bytes of the input.
    pub(crate) fn input(&self, len: usize) -> &[u8] {
        &self.input[..len.min(INPUT_BYTES)]
    }

    /// Writes lines to the output, without moving it.
    pub(crate) fn write_lines(&mut self, lines: &[impl Borrow<str>]) {
        self.output.clear();
        for (at, line) in lines.iter().enumerate() {
            self.output.extend((at > 0).then_some(b'\n'));
            self.output.extend_from_slice(line.borrow().as_bytes());
        }
    }

    /// Returns the first `len` bytes of the input as text; nothing if they are not UTF-8.
    pub(crate) fn name(&self, len: usize) -> &str {
        str::from_utf8(self.input(len)).unwrap_or_default()
    }
}

/// The open resources, by handle.
#[derive(Default)]
pub(crate) struct Handles {
    all: Vec<Option<Box<dyn Any>>>,
    /// Handles of closed resources, for reuse.
    free: Vec<usize>,
}

impl Handles {
    /// Stores a resource and returns its handle.
    pub(crate) fn add(&mut self, resource: impl Any) -> i32 {
        let resource: Box<dyn Any> = Box::new(resource);
        let handle = self.free.pop().unwrap_or(self.all.len());
        match self.all.get_mut(handle) {
            Some(closed) => *closed = Some(resource),
            None => self.all.push(Some(resource)),
        }
        handle as i32
    }

    /// Returns the resource of a handle, if it is open and of this type.
    pub(crate) fn get<R: Any>(&mut self, handle: usize) -> Option<&mut R> {
        self.all.get_mut(handle)?.as_mut()?.downcast_mut()
    }

    /// Closes a resource, if it is open.
    fn close(&mut self, handle: usize) {
        if self.all.get_mut(handle).is_some_and(|resource| resource.take().is_some()) {
            self.free.push(handle);
        }
    }
}

/// Returns the address of `input`.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn input() -> *mut u8 {
    with_memory(|memory| memory.input.0.as_mut_ptr())
}

/// Returns the address of `output`.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn output() -> *const u8 {
    with_memory(|memory| memory.output.as_ptr())
}

/// Returns the number of bytes in `output`.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn output_len() -> usize {
    with_memory(|memory| memory.output.len())
}

/// Returns the address of `numbers`.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn numbers() -> *const f64 {
    with_memory(|memory| memory.numbers.as_ptr())
}

/// Returns the number of `numbers`.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn numbers_len() -> usize {
    with_memory(|memory| memory.numbers.len())
}

/// Closes the resource of a handle.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn close(handle: usize) {
    with_memory(|memory| memory.open.close(handle));
}
