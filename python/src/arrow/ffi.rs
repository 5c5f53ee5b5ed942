//! The Arrow C data interface and C stream interface: the structures, and how they are imported from capsules and
//! exported. See <https://arrow.apache.org/docs/format/CDataInterface.html>.
//!
//! Written by hand, because these are three structures that will never change. `arrow-data` 60 has two of them, but
//! importing an array requires `arrow-array` with 30 packages, and is unsafe for untrusted input: it panics if the name
//! of a column is not UTF-8, and reads a negative last offset as a length of almost 2^64 bytes. Here, both are values
//! or errors.
#![expect(unsafe_code, reason = "this is the boundary to C")]

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr;
use std::slice;
use std::sync::Arc;

use super::error::ArrowError;

/// `struct ArrowSchema`: a type and its name.
#[repr(C)]
pub(crate) struct ArrowSchema {
    pub(super) format: *const c_char,
    pub(super) name: *const c_char,
    pub(super) metadata: *const c_char,
    pub(super) flags: i64,
    pub(super) n_children: i64,
    pub(super) children: *mut *mut ArrowSchema,
    pub(super) dictionary: *mut ArrowSchema,
    pub(super) release: Option<unsafe extern "C" fn(*mut ArrowSchema)>,
    pub(super) private_data: *mut c_void,
}

/// `struct ArrowArray`: a piece of a column.
#[repr(C)]
pub(crate) struct ArrowArray {
    pub(super) length: i64,
    pub(super) null_count: i64,
    pub(super) offset: i64,
    pub(super) n_buffers: i64,
    pub(super) n_children: i64,
    pub(super) buffers: *mut *const c_void,
    pub(super) children: *mut *mut ArrowArray,
    pub(super) dictionary: *mut ArrowArray,
    pub(super) release: Option<unsafe extern "C" fn(*mut ArrowArray)>,
    pub(super) private_data: *mut c_void,
}

/// `struct ArrowArrayStream`: pieces of one type, one after another.
#[repr(C)]
pub(crate) struct ArrowArrayStream {
    pub(super) get_schema: Option<unsafe extern "C" fn(*mut ArrowArrayStream, *mut ArrowSchema) -> c_int>,
    pub(super) get_next: Option<unsafe extern "C" fn(*mut ArrowArrayStream, *mut ArrowArray) -> c_int>,
    pub(super) get_last_error: Option<unsafe extern "C" fn(*mut ArrowArrayStream) -> *const c_char>,
    pub(super) release: Option<unsafe extern "C" fn(*mut ArrowArrayStream)>,
    pub(super) private_data: *mut c_void,
}

macro_rules! released_when_dropped {
    ($($name:ident)*) => {$(
        // SAFETY: the interface lets structures be moved to, read by and released by any thread.
        unsafe impl Send for $name {}

        impl Drop for $name {
            fn drop(&mut self) {
                if let Some(release) = self.release {
                    // SAFETY: a structure with a release callback is alive, and the callback is called once: it sets
                    // itself to null.
                    unsafe { release(self) }
                }
            }
        }
    )*};
}

released_when_dropped! { ArrowSchema ArrowArray ArrowArrayStream }

// SAFETY: nothing changes an array or a schema between its import and its release.
unsafe impl Sync for ArrowSchema {}
// SAFETY: as above.
unsafe impl Sync for ArrowArray {}

impl ArrowSchema {
    const fn empty() -> ArrowSchema {
        ArrowSchema {
            format: ptr::null(),
            name: ptr::null(),
            metadata: ptr::null(),
            flags: 0,
            n_children: 0,
            children: ptr::null_mut(),
            dictionary: ptr::null_mut(),
            release: None,
            private_data: ptr::null_mut(),
        }
    }
}

impl ArrowArray {
    pub(super) const fn empty() -> ArrowArray {
        ArrowArray {
            length: 0,
            null_count: 0,
            offset: 0,
            n_buffers: 0,
            n_children: 0,
            buffers: ptr::null_mut(),
            children: ptr::null_mut(),
            dictionary: ptr::null_mut(),
            release: None,
            private_data: ptr::null_mut(),
        }
    }
}

impl ArrowArrayStream {
    const fn empty() -> ArrowArrayStream {
        ArrowArrayStream {
            get_schema: None,
            get_next: None,
            get_last_error: None,
            release: None,
            private_data: ptr::null_mut(),
        }
    }
}

/// A structure that can be moved out of a capsule.
pub(crate) trait Movable: Sized {
    /// Returns a structure that is already released.
    fn released() -> Self;
    /// Reports whether it must still be released.
    fn is_alive(&self) -> bool;
}

macro_rules! movable {
    ($($name:ident)*) => {$(
        impl Movable for $name {
            fn released() -> Self {
                $name::empty()
            }

            fn is_alive(&self) -> bool {
                self.release.is_some()
            }
        }
    )*};
}

movable! { ArrowSchema ArrowArray ArrowArrayStream }

/// Moves a structure out of a capsule, as its consumer must.
///
/// # Safety
/// `pointer` is from a capsule with this kind of structure.
pub(crate) unsafe fn take<T: Movable>(pointer: ptr::NonNull<c_void>) -> Result<T, ArrowError> {
    // SAFETY: the capsule holds such a structure; a bitwise move is what the interface prescribes, and it leaves the
    // capsule with one that counts as released.
    let taken = unsafe { pointer.cast::<T>().replace(T::released()) };
    if taken.is_alive() { Ok(taken) } else { Err(ArrowError::Released) }
}

/// Returns a C string of a structure; empty if there is none.
///
/// # Safety
/// It is null, or a string that ends with a zero byte and lives as long as the result.
unsafe fn text<'s>(pointer: *const c_char) -> &'s CStr {
    if pointer.is_null() {
        return c"";
    }
    // SAFETY: the caller's promise.
    unsafe { CStr::from_ptr(pointer) }
}

/// Returns the pointers of an array of `count` pointers, or none if it is null.
///
/// # Safety
/// It is null, or there are as many, and they live as long as the result.
unsafe fn pointers<'s, T>(first: *const T, count: i64) -> &'s [T] {
    let count = usize::try_from(count).unwrap_or(0);
    if first.is_null() || count == 0 {
        return &[];
    }
    // SAFETY: the caller's promise.
    unsafe { slice::from_raw_parts(first, count) }
}

impl ArrowSchema {
    fn format(&self) -> &CStr {
        // SAFETY: the interface promises a string that lives as long as its structure.
        unsafe { text(self.format) }
    }

    fn name(&self) -> &CStr {
        // SAFETY: as above.
        unsafe { text(self.name) }
    }

    fn children(&self) -> &[*mut ArrowSchema] {
        // SAFETY: the interface promises as many, which live as long as their parent.
        unsafe { pointers(self.children, self.n_children) }
    }
}

/// The flag of a type that may have nulls.
pub(super) const NULLABLE: i64 = 2;

/// A type with its name: a copy that is independent of the producer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Type {
    pub(super) format: CString,
    pub(super) name: CString,
    pub(super) flags: i64,
    pub(super) metadata: Option<Vec<u8>>,
    pub(super) children: Vec<Type>,
    pub(super) dictionary: Option<Box<Type>>,
}

impl Type {
    /// Creates a type with one of the formats of the interface, without nulls.
    pub(super) fn new(format: &CStr, name: &CStr, children: Vec<Type>) -> Type {
        let (format, name) = (format.to_owned(), name.to_owned());
        Type { format, name, flags: 0, metadata: None, children, dictionary: None }
    }

    /// Copies a producer's type. Fails for types nested deeper than 64 levels.
    pub(super) fn copy(schema: &ArrowSchema) -> Result<Type, ArrowError> {
        Type::copy_at(schema, 64)
    }

    fn copy_at(schema: &ArrowSchema, depth: usize) -> Result<Type, ArrowError> {
        let depth = depth.checked_sub(1).ok_or(ArrowError::Malformed("types are nested more than 64 levels deep"))?;
        let child = |pointer: &*mut ArrowSchema| {
            // SAFETY: the interface promises structures that live as long as their parent.
            let child = unsafe { pointer.as_ref() };
            Type::copy_at(child.ok_or(ArrowError::Malformed("a type lacks a child"))?, depth)
        };
        let children = schema.children().iter().map(child);
        Ok(Type {
            format: schema.format().to_owned(),
            name: schema.name().to_owned(),
            flags: schema.flags,
            metadata: metadata(schema.metadata),
            children: children.collect::<Result<_, _>>()?,
            dictionary: match schema.dictionary.is_null() {
                true => None,
                false => Some(Box::new(child(&schema.dictionary)?)),
            },
        })
    }
}

/// Copies the bytes of metadata: the number of pairs, and for each the lengths and the bytes of key and value.
fn metadata(start: *const c_char) -> Option<Vec<u8>> {
    if start.is_null() {
        return None;
    }
    let number = |at: usize| {
        // SAFETY: the interface promises numbers of 32 bits at the places that its format has them.
        let place = unsafe { start.add(at) };
        // SAFETY: as above; four bytes have no alignment.
        let bytes = unsafe { place.cast::<[u8; 4]>().read() };
        usize::try_from(i32::from_ne_bytes(bytes)).unwrap_or(0)
    };
    let mut end = 4;
    for _ in 0..2 * number(0) {
        end += 4 + number(end);
    }
    // SAFETY: all of it was counted.
    Some(unsafe { slice::from_raw_parts(start.cast::<u8>(), end) }.to_vec())
}

impl ArrowArray {
    /// Returns the children.
    pub(super) fn children(&self) -> Result<Vec<&ArrowArray>, ArrowError> {
        let child = |pointer: &*mut ArrowArray| {
            // SAFETY: the interface promises structures that live as long as their parent.
            unsafe { pointer.as_ref() }.ok_or(ArrowError::Malformed("an array lacks a child"))
        };
        // SAFETY: as above.
        let children = unsafe { pointers(self.children, self.n_children) };
        children.iter().map(child).collect()
    }

    /// Returns the buffers, any of which may be null.
    pub(super) fn buffers(&self) -> &[*const c_void] {
        // SAFETY: the interface promises as many pointers, alive as long as the structure.
        unsafe { pointers(self.buffers, self.n_buffers) }
    }

    /// Returns the values of a dictionary.
    pub(super) fn dictionary(&self) -> Result<&ArrowArray, ArrowError> {
        // SAFETY: as for children.
        unsafe { self.dictionary.as_ref() }.ok_or(ArrowError::Malformed("an array lacks its dictionary"))
    }

    /// Returns `len` elements of a buffer from `start`, copied if they are not aligned. Elements are plain numbers.
    pub(super) fn elements<T: Plain>(
        &self,
        index: usize,
        start: usize,
        len: usize,
    ) -> Result<Elements<'_, T>, ArrowError> {
        if len == 0 {
            return Ok(Elements::Borrowed(&[]));
        }
        let buffer = self.buffers().get(index).copied().unwrap_or(ptr::null());
        if buffer.is_null() {
            return Err(ArrowError::Malformed("an array lacks a buffer"));
        }
        // SAFETY: the interface promises as many elements as length, offset and type ask for; callers ask for no more.
        let first = unsafe { buffer.cast::<T>().add(start) };
        if first.is_aligned() {
            // SAFETY: as above; they are aligned, never written to, and any bytes are a number.
            return Ok(Elements::Borrowed(unsafe { slice::from_raw_parts(first, len) }));
        }
        let one = |i| {
            // SAFETY: as above: `i` is below the number of elements.
            let element = unsafe { first.add(i) };
            // SAFETY: as above.
            unsafe { element.read_unaligned() }
        };
        Ok(Elements::Owned((0..len).map(one).collect()))
    }

    /// Reports whether the buffer exists.
    pub(super) fn has_buffer(&self, index: usize) -> bool {
        self.buffers().get(index).is_some_and(|pointer| !pointer.is_null())
    }
}

/// Elements of a buffer.
pub(super) enum Elements<'a, T> {
    Borrowed(&'a [T]),
    Owned(Vec<T>),
}

impl<T> std::ops::Deref for Elements<'_, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match self {
            Elements::Borrowed(elements) => elements,
            Elements::Owned(elements) => elements,
        }
    }
}

/// Numbers for which all bytes are valid.
///
/// # Safety
/// The type has no padding and no invalid values.
pub(super) unsafe trait Plain: Copy {}
macro_rules! plain {
    ($($number:ty)*) => {$(
        // SAFETY: any bytes are a number of this type.
        unsafe impl Plain for $number {}
    )*};
}
plain! { u8 i8 u16 i16 u32 i32 u64 i64 [u8; 16] }

/// A producer's stream.
pub(crate) struct Source(ArrowArrayStream);

impl Source {
    /// Creates a source from an imported stream.
    pub(super) fn new(stream: ArrowArrayStream) -> Source {
        Source(stream)
    }

    /// Returns the type of the pieces.
    pub(super) fn schema(&mut self) -> Result<Type, ArrowError> {
        let mut schema = ArrowSchema::empty();
        let get = self.0.get_schema.ok_or(ArrowError::Released)?;
        // SAFETY: the stream is alive, and the structure is there to be filled.
        let status = unsafe { get(&mut self.0, &mut schema) };
        if status != 0 {
            return Err(self.last_error(status));
        }
        Type::copy(&schema)
    }

    /// Returns the next piece, if there is one.
    pub(super) fn next(&mut self) -> Result<Option<Arc<ArrowArray>>, ArrowError> {
        let mut array = ArrowArray::empty();
        let get = self.0.get_next.ok_or(ArrowError::Released)?;
        // SAFETY: the stream is alive, and the structure is there to be filled.
        let status = unsafe { get(&mut self.0, &mut array) };
        if status != 0 {
            return Err(self.last_error(status));
        }
        Ok(array.is_alive().then(|| Arc::new(array)))
    }

    fn last_error(&mut self, status: c_int) -> ArrowError {
        let Some(get) = self.0.get_last_error else { return ArrowError::Source(format!("error {status}")) };
        // SAFETY: the stream is alive, and its last call has failed.
        let message = unsafe { get(&mut self.0) };
        // SAFETY: the interface promises null or a string that lives until the next call, which is after this copy.
        match unsafe { text(message) }.to_string_lossy() {
            empty if empty.is_empty() => ArrowError::Source(format!("error {status}")),
            message => ArrowError::Source(message.into_owned()),
        }
    }
}
