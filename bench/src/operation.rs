//! The vocabulary: an operation, its input, and its output for comparison.

use std::borrow::Cow;

use utf8kit::column::views::View;

/// An operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    Validate,
    ValidateAndCount,
    ValidateLocated,
    Ascii,
    Count,
    Utf16Len,
    Repair,
    ToUtf16,
    ToUtf16Lossy,
    ToNewUtf16,
    ToUtf32,
    ToLatin1,
    ToCesu8,
    FromUtf16,
    FromUtf16Lossy,
    FromUtf16ToNew,
    FromUtf32,
    FromLatin1,
    FromCesu8,
    ValidateUtf16,
    RepairUtf16,
    Column,
    ColumnViews,
}

/// The input of an operation: one long piece or many short ones, of the type that it takes, or a column.
#[derive(Default)]
pub(crate) struct Input {
    pub(crate) bytes: Vec<Box<[u8]>>,
    pub(crate) text: Vec<Box<str>>,
    pub(crate) units: Vec<Box<[u16]>>,
    pub(crate) words: Vec<Box<[u32]>>,
    pub(crate) column: Column,
    /// Size in bytes.
    pub(crate) size: usize,
}

impl Input {
    /// Returns the address of each piece, and its size in bytes.
    fn pieces(&self) -> impl Iterator<Item = (usize, usize)> {
        let bytes = self.bytes.iter().map(|bytes| place(bytes));
        let text = self.text.iter().map(|text| place(text.as_bytes()));
        let units = self.units.iter().map(|units| place(units));
        let words = self.words.iter().map(|words| place(words));
        bytes.chain(text).chain(units).chain(words)
    }
}

/// Returns the address of a slice, and its size in bytes.
fn place<T>(slice: &[T]) -> (usize, usize) {
    (slice.as_ptr().addr(), size_of_val(slice))
}

/// A column of strings in the layouts of Apache Arrow.
#[derive(Default)]
pub(crate) struct Column {
    pub(crate) data: Vec<u8>,
    /// The offsets of the values in `data`, and the end of the last one.
    pub(crate) offsets: Vec<i32>,
    /// The same values as views of `data`.
    pub(crate) views: Vec<View>,
    /// The same values in the representation of arrow-rs.
    #[cfg(feature = "peers")]
    pub(crate) arrow: arrow::Arrow,
    /// The same views in the representation of Polars.
    #[cfg(feature = "peers-cpp")]
    pub(crate) polars: polars::Views,
}

impl Column {
    pub(crate) fn new(data: Vec<u8>, offsets: Vec<i32>) -> Column {
        let ranges = offsets.windows(2).map(|two| (two[0], two[1]));
        let views: Vec<View> = ranges.map(|(start, end)| view(&data, start, end)).collect();
        #[cfg(feature = "peers")]
        let arrow = arrow::Arrow::new(&data, &offsets, &views);
        #[cfg(feature = "peers-cpp")]
        let polars = polars::Views::new(&data, &views);
        Column {
            data,
            offsets,
            views,
            #[cfg(feature = "peers")]
            arrow,
            #[cfg(feature = "peers-cpp")]
            polars,
        }
    }

    /// Iterates over the values.
    pub(crate) fn values(&self) -> impl Iterator<Item = &[u8]> {
        self.offsets.windows(2).map(|two| &self.data[two[0] as usize..two[1] as usize])
    }
}

/// Returns a value as a view of Arrow: its length, then all of it, or its first four bytes and its place.
fn view(data: &[u8], start: i32, end: i32) -> View {
    let value = &data[start as usize..end as usize];
    let mut view = [0; 16];
    view[..4].copy_from_slice(&(end - start).to_le_bytes());
    if value.len() <= 12 {
        view[4..4 + value.len()].copy_from_slice(value);
    } else {
        view[4..8].copy_from_slice(&value[..4]);
        view[12..].copy_from_slice(&start.to_le_bytes());
    }
    view
}

/// A column in the representation of arrow-rs.
#[cfg(feature = "peers")]
pub(crate) mod arrow {
    use arrow_buffer::{Buffer, OffsetBuffer, ScalarBuffer};
    use utf8kit::column::views::View;

    pub(crate) struct Arrow {
        pub(crate) data: Buffer,
        pub(crate) offsets: OffsetBuffer<i32>,
        pub(crate) views: ScalarBuffer<u128>,
    }

    impl Default for Arrow {
        fn default() -> Self {
            Arrow { data: Buffer::default(), offsets: OffsetBuffer::new_empty(), views: ScalarBuffer::default() }
        }
    }

    impl Arrow {
        pub(super) fn new(data: &[u8], offsets: &[i32], views: &[View]) -> Arrow {
            Arrow {
                data: Buffer::from(data),
                offsets: OffsetBuffer::new(offsets.to_vec().into()),
                views: views.iter().map(|&view| u128::from_le_bytes(view)).collect(),
            }
        }
    }
}

/// Views in the representation of Polars.
#[cfg(feature = "peers-cpp")]
pub(crate) mod polars {
    use polars_arrow::array::View as PolarsView;
    use polars_buffer::Buffer;
    use utf8kit::column::views::View;

    #[derive(Default)]
    pub(crate) struct Views {
        pub(crate) views: Buffer<PolarsView>,
        pub(crate) buffers: Buffer<Buffer<u8>>,
    }

    impl Views {
        pub(super) fn new(data: &[u8], views: &[View]) -> Views {
            let view = |view: &View| {
                let field = |at| u32::from_le_bytes([view[at], view[at + 1], view[at + 2], view[at + 3]]);
                PolarsView { length: field(0), prefix: field(4), buffer_idx: field(8), offset: field(12) }
            };
            Views {
                views: views.iter().map(view).collect::<Vec<_>>().into(),
                buffers: vec![data.to_vec().into()].into(),
            }
        }
    }
}

/// The output of an operation: in buffers with capacity for any result, or in memory that it allocates.
pub(crate) struct Output<'i> {
    pub(crate) bytes: Buffer<u8>,
    pub(crate) units: Buffer<u16>,
    pub(crate) words: Buffer<u32>,
    pub(crate) owned: Cow<'i, [u8]>,
}

/// A buffer, and the length of the last piece's output in it.
pub(crate) struct Buffer<T> {
    all: Vec<T>,
    start: usize,
    written: usize,
}

/// The distance in bytes at which processors do not confuse a load with an earlier store.
const PAGE: usize = 4096;

impl<T: Copy + Default + Into<u32>> Buffer<T> {
    /// Returns a buffer that begins half a page from `input`, modulo a page. To find stores in flight that a load
    /// depends on, processors compare only the offsets within a page. If input and output advance together, an
    /// unlucky position makes a conversion take up to twice as long.
    fn new(len: usize, input: usize) -> Self {
        let all = vec![T::default(); len + PAGE / size_of::<T>()];
        let (address, _) = place(&all);
        let start = (input + PAGE / 2).wrapping_sub(address) % PAGE / size_of::<T>();
        Buffer { all, start, written: 0 }
    }

    /// Returns the output of the last piece.
    pub(crate) fn result(&self) -> &[T] {
        &self.all[self.start..][..self.written]
    }

    /// Converts each piece to the start of the buffer. Returns a digest of the results.
    pub(crate) fn fill<P: ?Sized>(
        &mut self,
        pieces: &[Box<P>],
        mut convert: impl FnMut(&P, &mut [T]) -> usize,
    ) -> usize {
        let mut sum = 0;
        for piece in pieces {
            self.written = convert(piece, &mut self.all[self.start..]);
            sum += digest(self.result());
        }
        sum
    }
}

impl<'i> Output<'i> {
    pub(crate) fn new(input: &Input) -> Self {
        // Spare capacity, so that no conversion has to check for the end of the buffer.
        let (first, longest) = input
            .pieces()
            .fold((None, 0), |(first, longest), (address, len)| (first.or(Some(address)), longest.max(len)));
        let (len, first) = (3 * longest + 4096, first.unwrap_or(0));
        Output {
            bytes: Buffer::new(len, first),
            units: Buffer::new(len, first),
            words: Buffer::new(len, first),
            owned: Cow::default(),
        }
    }

    /// Keeps the text that an operation returned. Returns a digest of it.
    pub(crate) fn own(&mut self, text: Cow<'i, str>) -> usize {
        self.owned = match text {
            Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
            Cow::Owned(text) => Cow::Owned(text.into_bytes()),
        };
        digest(&self.owned)
    }

    /// [`Output::own`] for bytes.
    pub(crate) fn own_bytes(&mut self, bytes: Vec<u8>) -> usize {
        self.owned = Cow::Owned(bytes);
        digest(&self.owned)
    }
}

/// Returns a digest of a result.
pub(crate) fn digest<T: Copy + Into<u32>>(all: &[T]) -> usize {
    all.len() + all.last().map_or(0, |&last| last.into() as usize)
}

/// Runs an operation on each piece. Returns the sum of the results.
pub(crate) fn sum<'i, P: ?Sized>(pieces: &'i [Box<P>], run: impl FnMut(&'i P) -> usize) -> usize {
    pieces.iter().map(Box::as_ref).map(run).sum()
}

/// Runs the operation on all pieces, and returns a number that depends on the results.
pub(crate) type Run = for<'i> fn(&'i Input, &mut Output<'i>) -> usize;
