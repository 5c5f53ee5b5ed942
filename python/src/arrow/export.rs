//! Arrays, types and streams as structures of the Arrow C interface, for consumers.
#![expect(unsafe_code, reason = "this is the boundary to C")]

use std::ffi::{CString, c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::sync::Arc;

use super::error::ArrowError;
use super::ffi::{ArrowArray, ArrowArrayStream, ArrowSchema, Source, Type};

impl Type {
    /// Exports a copy as a structure.
    pub(super) fn export(&self) -> ArrowSchema {
        let mut kept = Box::new(ExportedType {
            copy: self.clone(),
            children: self.children.iter().map(|child| Box::into_raw(Box::new(child.export()))).collect(),
            dictionary: self.dictionary.as_ref().map(|values| Box::into_raw(Box::new(values.export()))),
        });
        ArrowSchema {
            format: kept.copy.format.as_ptr(),
            name: kept.copy.name.as_ptr(),
            metadata: kept.copy.metadata.as_ref().map_or(ptr::null(), |metadata| metadata.as_ptr().cast()),
            flags: self.flags,
            n_children: kept.children.len() as i64,
            children: kept.children.as_mut_ptr(),
            dictionary: kept.dictionary.unwrap_or(ptr::null_mut()),
            release: Some(release_type),
            private_data: Box::into_raw(kept).cast(),
        }
    }
}

/// The memory of an exported type.
struct ExportedType {
    copy: Type,
    children: Vec<*mut ArrowSchema>,
    dictionary: Option<*mut ArrowSchema>,
}

impl Drop for ExportedType {
    fn drop(&mut self) {
        for child in self.children.drain(..).chain(self.dictionary.take()) {
            // SAFETY: they were made by `Box::into_raw`, and are dropped once; a consumer that moved one out has set
            // its release callback to null.
            drop(unsafe { Box::from_raw(child) });
        }
    }
}

unsafe extern "C" fn release_type(schema: *mut ArrowSchema) {
    // SAFETY: the interface calls this with a structure that was not released yet.
    let schema = unsafe { &mut *schema };
    schema.release = None;
    // SAFETY: `export` put it there by `Box::into_raw`.
    drop(unsafe { Box::from_raw(schema.private_data.cast::<ExportedType>()) });
}

/// A buffer of an exported array.
#[derive(Debug)]
pub(super) enum Buffer {
    /// No buffer.
    Absent,
    /// A buffer of the array that [`Exported`] keeps alive.
    Shared(*const c_void),
    Bytes(Vec<u8>),
    Offsets32(Vec<i32>),
    Offsets64(Vec<i64>),
    Numbers(Vec<u64>),
    Views(Vec<[u8; 16]>),
}

impl Buffer {
    fn pointer(&self) -> *const c_void {
        match self {
            Buffer::Absent => ptr::null(),
            Buffer::Shared(pointer) => *pointer,
            Buffer::Bytes(all) => all.as_ptr().cast(),
            Buffer::Offsets32(all) => all.as_ptr().cast(),
            Buffer::Offsets64(all) => all.as_ptr().cast(),
            Buffer::Numbers(all) => all.as_ptr().cast(),
            Buffer::Views(all) => all.as_ptr().cast(),
        }
    }
}

impl ArrowArray {
    /// Returns all buffers, to be shared.
    pub(super) fn shared_buffers(&self) -> Vec<Buffer> {
        self.buffers().iter().map(|&pointer| Buffer::Shared(pointer)).collect()
    }
}

/// An array to export, with buffers of its own and shared ones.
pub(super) struct Array {
    pub(super) length: i64,
    pub(super) null_count: i64,
    pub(super) offset: i64,
    pub(super) buffers: Vec<Buffer>,
    pub(super) children: Vec<Array>,
    pub(super) dictionary: Option<Values>,
}

/// The values of a dictionary.
pub(super) enum Values {
    /// Values of this array alone.
    Own(Box<Array>),
    /// Values shared by several arrays.
    Common(Arc<Exported>),
}

/// An array to export, with the owner of its shared buffers.
pub(super) struct Exported {
    pub(super) array: Array,
    _keep: Option<Arc<ArrowArray>>,
}

// SAFETY: shared buffers are never written to, and live as long as this.
unsafe impl Send for Exported {}
// SAFETY: as above.
unsafe impl Sync for Exported {}

impl Exported {
    /// Creates an array whose shared buffers, if it has any, belong to `keep`.
    pub(super) fn new(array: Array, keep: Option<Arc<ArrowArray>>) -> Arc<Exported> {
        Arc::new(Exported { array, _keep: keep })
    }

    /// Exports the array as a structure, which keeps all of it alive.
    pub(super) fn export(self: &Arc<Self>) -> ArrowArray {
        export(&self.array, self)
    }
}

fn export(array: &Array, whole: &Arc<Exported>) -> ArrowArray {
    let boxed = |child: &Array| Box::into_raw(Box::new(export(child, whole)));
    let mut kept = Box::new(ExportedArray {
        buffers: array.buffers.iter().map(Buffer::pointer).collect(),
        children: array.children.iter().map(boxed).collect(),
        dictionary: array.dictionary.as_ref().map(|values| match values {
            Values::Own(values) => boxed(values),
            Values::Common(values) => Box::into_raw(Box::new(values.export())),
        }),
        _whole: Arc::clone(whole),
    });
    ArrowArray {
        length: array.length,
        null_count: array.null_count,
        // pyarrow rejects an offset in an array of length zero.
        offset: if array.length == 0 { 0 } else { array.offset },
        n_buffers: kept.buffers.len() as i64,
        n_children: kept.children.len() as i64,
        buffers: kept.buffers.as_mut_ptr(),
        children: kept.children.as_mut_ptr(),
        dictionary: kept.dictionary.unwrap_or(ptr::null_mut()),
        release: Some(release_array),
        private_data: Box::into_raw(kept).cast(),
    }
}

/// The memory of an exported array.
struct ExportedArray {
    buffers: Vec<*const c_void>,
    children: Vec<*mut ArrowArray>,
    dictionary: Option<*mut ArrowArray>,
    _whole: Arc<Exported>,
}

impl Drop for ExportedArray {
    fn drop(&mut self) {
        for child in self.children.drain(..).chain(self.dictionary.take()) {
            // SAFETY: as for the children of a type.
            drop(unsafe { Box::from_raw(child) });
        }
    }
}

unsafe extern "C" fn release_array(array: *mut ArrowArray) {
    // SAFETY: the interface calls this with a structure that was not released yet.
    let array = unsafe { &mut *array };
    array.release = None;
    // SAFETY: `export` put it there by `Box::into_raw`.
    drop(unsafe { Box::from_raw(array.private_data.cast::<ExportedArray>()) });
}

/// Maps a piece of a stream to the exported one.
pub(super) type Map = Box<dyn FnMut(&Type, Arc<ArrowArray>) -> Result<Arc<Exported>, ArrowError> + Send>;

/// A stream to export.
pub(super) struct Sink {
    pub(super) source: Source,
    /// The type of the source's pieces.
    pub(super) given: Type,
    schema: Type,
    map: Map,
    /// The first piece, until it is read (see [`Sink::begin`]).
    first: Option<Result<Option<Arc<Exported>>, ArrowError>>,
    error: CString,
}

impl Sink {
    /// Creates a stream of the pieces of a source with the type `given`, mapped by `map` to pieces with the type
    /// `schema`.
    pub(super) fn new(
        source: Source,
        given: Type,
        schema: Type,
        map: impl FnMut(&Type, Arc<ArrowArray>) -> Result<Arc<Exported>, ArrowError> + Send + 'static,
    ) -> Sink {
        Sink { source, given, schema, map: Box::new(map), first: None, error: CString::default() }
    }

    /// Maps the first piece in advance. An error is kept for the reader, except for the exception of Ctrl-C.
    pub(super) fn begin(&mut self, first: Result<Option<Arc<ArrowArray>>, ArrowError>) -> Result<(), ArrowError> {
        let first = self.mapped(first);
        if let Err(raised @ ArrowError::Interrupted(_)) = first {
            return Err(raised);
        }
        self.first = Some(first);
        Ok(())
    }

    /// Exports the stream as a structure.
    pub(super) fn export(self) -> ArrowArrayStream {
        ArrowArrayStream {
            get_schema: Some(sink_schema),
            get_next: Some(sink_next),
            get_last_error: Some(sink_error),
            release: Some(release_sink),
            private_data: Box::into_raw(Box::new(self)).cast(),
        }
    }

    /// Returns the next piece, or a released array at the end. A panic becomes an error, because it must not reach the
    /// caller.
    fn next(&mut self) -> Result<ArrowArray, ArrowError> {
        let next = catch_unwind(AssertUnwindSafe(|| {
            self.first.take().unwrap_or_else(|| {
                let piece = self.source.next();
                self.mapped(piece)
            })
        }));
        let next = next.unwrap_or_else(|_| Err(ArrowError::Source("a bug of utf8kit: the work panicked".to_owned())));
        Ok(next?.map_or(ArrowArray::empty(), |piece| piece.export()))
    }

    fn mapped(
        &mut self,
        piece: Result<Option<Arc<ArrowArray>>, ArrowError>,
    ) -> Result<Option<Arc<Exported>>, ArrowError> {
        piece?.map(|array| (self.map)(&self.given, array)).transpose()
    }
}

/// `EIO`, the same number on all systems.
const EIO: c_int = 5;

/// Returns the sink of an exported stream.
unsafe fn sink<'s>(stream: *mut ArrowArrayStream) -> &'s mut Sink {
    // SAFETY: consumers call with a stream that is alive.
    let stream = unsafe { &*stream };
    // SAFETY: `export` put it there, and a stream is used by one thread at a time.
    unsafe { &mut *stream.private_data.cast::<Sink>() }
}

unsafe extern "C" fn sink_schema(stream: *mut ArrowArrayStream, out: *mut ArrowSchema) -> c_int {
    // SAFETY: the interface's promise.
    let sink = unsafe { sink(stream) };
    // SAFETY: `out` is there to be filled, and holds nothing to be dropped.
    unsafe { out.write(sink.schema.export()) };
    0
}

unsafe extern "C" fn sink_next(stream: *mut ArrowArrayStream, out: *mut ArrowArray) -> c_int {
    // SAFETY: the interface's promise.
    let sink = unsafe { sink(stream) };
    match sink.next() {
        Ok(array) => {
            // SAFETY: as for the schema.
            unsafe { out.write(array) };
            0
        }
        Err(error) => {
            sink.error = CString::new(error.to_string().replace('\0', " ")).unwrap_or_default();
            EIO
        }
    }
}

unsafe extern "C" fn sink_error(stream: *mut ArrowArrayStream) -> *const c_char {
    // SAFETY: the interface's promise.
    unsafe { sink(stream) }.error.as_ptr()
}

unsafe extern "C" fn release_sink(stream: *mut ArrowArrayStream) {
    // SAFETY: the interface calls this with a structure that was not released yet.
    let stream = unsafe { &mut *stream };
    stream.release = None;
    // SAFETY: `export` put it there by `Box::into_raw`.
    drop(unsafe { Box::from_raw(stream.private_data.cast::<Sink>()) });
}
