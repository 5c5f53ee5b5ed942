//! Repairs a file: rewrites the column chunks that contain an invalid value, copies all other bytes, and adjusts the
//! offsets in the metadata.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read as _, Write};
use std::ops::Range;

use bytes::Bytes;
use parquet::file::reader::ChunkReader;
use utf8kit_detect::repair::RepairPolicy;
use utf8kit_records::rows::ColumnEvidence;

use crate::check::Survey;
use crate::footer::{self, BOUNDS, EXACT, chunk, column, file, group};
use crate::rewrite::{Rewritten, move_pages};
use crate::thrift::{Struct, Value};
use crate::{Go, ParquetError, ParquetFile};

/// Row group and column of a chunk.
type ChunkIndex = (usize, usize);

/// The result of a repair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Repaired {
    /// The number of row groups.
    pub row_groups: usize,
    /// The number of rows.
    pub rows: u64,
    /// The number of repaired errors: in values, in the footer, and in minima and maxima. The latter are removed if
    /// their column chunk is valid.
    pub errors: u64,
    /// The number of column chunks that were rewritten. All others were copied.
    pub chunks: u64,
}

/// A prepared repair: see [`ParquetFile::repair`].
#[derive(Debug)]
pub struct PreparedRepair<'f, R> {
    source: &'f ParquetFile<R>,
    policy: &'f RepairPolicy,
    /// The chunks to rewrite.
    bad: BTreeMap<ChunkIndex, Survey>,
    footer: Struct,
    done: Repaired,
}

/// A part of the file that is not simply copied.
#[derive(Debug)]
enum Segment {
    /// A chunk or filter that is kept.
    Kept,
    Chunk(ChunkIndex),
    Bloom(ChunkIndex),
    /// An index, which is written after all chunks.
    Index,
}

impl<R: ChunkReader + 'static> ParquetFile<R> {
    /// Determines what needs a repair. Returns `None` if nothing does, so the file need not be written.
    ///
    /// # Errors
    /// [`ParquetError`] if a column cannot be read, or two columns would have the same name.
    pub fn repair<'f>(
        &'f self,
        policy: &'f RepairPolicy,
        go: Go<'_>,
    ) -> Result<Option<PreparedRepair<'f, R>>, ParquetError> {
        let mut footer = self.footer.clone();
        let errors = footer::repair(&mut footer, policy)?;
        let mut done = Repaired { errors, ..self.unchanged() };
        let (mut bad, mut bounds) = (BTreeMap::new(), BTreeSet::new());
        for row_group in 0..self.row_groups() {
            for column in self.columns().iter().filter(|column| column.is_text) {
                let survey = self.survey(row_group, column.index, go)?;
                if !self.is_clean(row_group, column.index, survey, go)? {
                    bad.insert((row_group, column.index), survey);
                    continue;
                }
                self.check_bounds(row_group, column, &mut |_| {
                    done.errors += 1;
                    bounds.insert((row_group, column.index));
                });
            }
        }
        each_chunk(&mut footer, |place, one| {
            if bounds.contains(&place) {
                remove_bad_bounds(one);
            }
        });
        let due = !bad.is_empty() || done.errors > 0;
        Ok(due.then_some(PreparedRepair { source: self, policy, bad, footer, done }))
    }

    /// Returns the report of a repair that changes nothing.
    pub(crate) fn unchanged(&self) -> Repaired {
        Repaired { row_groups: self.row_groups(), rows: self.rows(), errors: 0, chunks: 0 }
    }

    fn copy(&self, range: Range<u64>, out: &mut dyn Write, go: Go<'_>) -> Result<(), ParquetError> {
        const BYTES_PER_COPY: u64 = 1 << 20;
        let (mut reader, mut left) = (self.reader.get_read(range.start)?, range.end - range.start);
        while left > 0 {
            let copied = io::copy(&mut reader.by_ref().take(left.min(BYTES_PER_COPY)), out)?;
            if copied == 0 {
                return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
            }
            if !go() {
                return Err(ParquetError::Cancelled);
            }
            left -= copied;
        }
        Ok(())
    }
}

impl<R: ChunkReader + 'static> PreparedRepair<'_, R> {
    /// Returns the encoding of values that are not UTF-8 in some column, if the repair would replace their text or
    /// decode it in another encoding.
    ///
    /// # Errors
    /// [`ParquetError`] if a column cannot be read.
    pub fn loses_text_in(&self, go: Go<'_>) -> Result<Option<&'static str>, ParquetError> {
        if !self.policy.may_lose_text() {
            return Ok(None);
        }
        let mut columns: BTreeMap<usize, ColumnEvidence> = BTreeMap::new();
        for &(row_group, index) in self.bad.keys() {
            let Some(column) = self.source.columns().iter().find(|column| column.index == index) else {
                continue;
            };
            let evidence = columns.entry(index).or_default();
            let mut errors = self.source.errors(row_group, column)?;
            while !evidence.is_enough()
                && let Some(mut found) = errors.next()?
            {
                found.dedup_by_key(|bad| bad.row);
                found.iter().for_each(|bad| evidence.add(&bad.value));
                if !go() {
                    return Err(ParquetError::Cancelled);
                }
            }
        }
        Ok(columns.values().find_map(|column| column.encoding_lost_by(self.policy)))
    }

    /// Writes the repaired file.
    ///
    /// # Errors
    /// [`ParquetError`] if the file cannot be read or written. In that case, the output must be discarded.
    pub fn write(mut self, out: &mut dyn Write, go: Go<'_>) -> Result<Repaired, ParquetError> {
        let source = self.source;
        let mut new: BTreeMap<ChunkIndex, (i64, Rewritten)> = BTreeMap::new();
        // The ends of parts, and the shift of everything after each.
        let mut moves: Vec<(i64, i64)> = Vec::new();
        let (mut at, mut moved) = (0, 0);
        for (range, part) in self.parts()? {
            source.copy(at..range.start, out, go)?;
            let start = range.start as i64 + moved;
            let written = match part {
                Segment::Kept => {
                    source.copy(range.clone(), out, go)?;
                    range.end - range.start
                }
                Segment::Index => 0,
                Segment::Chunk(place) => {
                    let bloom = self.bloom_bytes(place)?;
                    let one = source.rewrite(place, self.bad[&place], bloom, self.policy, go)?;
                    out.write_all(&one.bytes)?;
                    self.done.errors += one.errors;
                    self.done.chunks += 1;
                    let len = one.bytes.len() as u64;
                    let kept = Rewritten { bytes: Bytes::new(), ..one };
                    new.insert(place, (start, kept));
                    len
                }
                Segment::Bloom(place) => {
                    // A filter before its chunk would need two passes, which no writer does.
                    let (_, one) = new.get_mut(&place).ok_or(OUT_OF_ORDER)?;
                    self.write_bloom(place, start, one, out)?
                }
            };
            moved += written as i64 - (range.end - range.start) as i64;
            moves.push((range.end as i64, moved));
            at = range.end;
        }
        source.copy(at..source.end, out, go)?;
        let place = move |offset: i64| match moves.partition_point(|(end, _)| *end <= offset) {
            0 => offset,
            after => offset + moves[after - 1].1,
        };
        let end = source.end as i64 + moved;
        self.write_indexes(end, &new, &place, out)?;
        self.move_chunks(new, &place);
        self.write_footer(out)?;
        Ok(self.done)
    }

    /// Writes the filter of a rewritten chunk at `start`, and stores the offset in its metadata. Returns the length of
    /// the filter.
    fn write_bloom(
        &self,
        place: ChunkIndex,
        start: i64,
        one: &mut Rewritten,
        out: &mut dyn Write,
    ) -> Result<u64, ParquetError> {
        let bytes = one.bloom.take().unwrap_or_default();
        out.write_all(&bytes)?;
        let fields = column::BLOOM.into_iter().zip([start, bytes.len() as i64]);
        let metadata = self.source.chunk(place.0, place.1).and_then(|one| one.child(chunk::METADATA));
        for (id, number) in fields {
            let old = metadata.and_then(|metadata| metadata.get(id).cloned());
            one.metadata.set(id, old);
            one.metadata.set_number(id, number);
        }
        Ok(bytes.len() as u64)
    }

    /// Returns the parts of the file that are not simply copied, in order.
    fn parts(&self) -> Result<Vec<(Range<u64>, Segment)>, ParquetError> {
        let mut parts = Vec::new();
        let mut add = |start: Option<i64>, len: Option<i64>, part: Segment| {
            if let (Some(start), Some(len @ 1..)) = (start.map(|start| start as u64), len)
                && start > 0
            {
                parts.push((start..start.saturating_add(len as u64), part));
            }
        };
        let groups = self.source.footer.structs(file::ROW_GROUPS).map(|group| group.structs(group::COLUMNS));
        for (row_group, columns) in groups.enumerate() {
            for (index, one) in columns.enumerate() {
                let place = (row_group, index);
                let Some(metadata) = one.child(chunk::METADATA) else { continue };
                for [offset, len] in [chunk::OFFSET_INDEX, chunk::COLUMN_INDEX] {
                    add(one.number(offset), one.number(len), Segment::Index);
                }
                let offsets = column::OFFSETS.iter().filter_map(|id| metadata.number(*id));
                let start = offsets.filter(|offset| *offset > 0).min();
                let len = metadata.number(column::COMPRESSED_SIZE);
                if !self.bad.contains_key(&place) {
                    add(start, len, Segment::Kept);
                    add(metadata.number(column::BLOOM[0]), metadata.number(column::BLOOM[1]), Segment::Kept);
                    continue;
                }
                let range = self.source.described(row_group, index)?.range;
                add(Some(range.start as i64), Some((range.end - range.start) as i64), Segment::Chunk(place));
                if let Some((header, bytes)) = self.bloom(place)? {
                    let len = (header + bytes) as i64;
                    add(metadata.number(column::BLOOM[0]), Some(len), Segment::Bloom(place));
                }
            }
        }
        parts.sort_by_key(|(range, _)| range.start);
        let (apart, inside) = (
            parts.windows(2).all(|pair| pair[0].0.end <= pair[1].0.start),
            parts.last().is_none_or(|(range, _)| range.end <= self.source.end),
        );
        if apart && inside { Ok(parts) } else { Err(ParquetError::Malformed("parts of the file overlap")) }
    }

    /// Returns the lengths of the header and of the bits of a chunk's Bloom filter, if it has one.
    fn bloom(&self, place: ChunkIndex) -> Result<Option<(usize, usize)>, ParquetError> {
        let metadata = self.source.chunk(place.0, place.1).and_then(|one| one.child(chunk::METADATA));
        let offset = metadata.and_then(|metadata| metadata.number(column::BLOOM[0]));
        let Some(offset) = offset.and_then(|offset| u64::try_from(offset).ok()) else { return Ok(None) };
        let len = self.source.end.saturating_sub(offset).min(64) as usize;
        let (header, len) = Struct::read(&self.source.reader.get_bytes(offset, len)?)?;
        let bytes = header.number(1).and_then(|bytes| usize::try_from(bytes).ok()).unwrap_or(0);
        Ok(Some((len, bytes)))
    }

    fn bloom_bytes(&self, place: ChunkIndex) -> Result<Option<usize>, ParquetError> {
        Ok(self.bloom(place)?.map(|(_, bytes)| bytes))
    }

    /// Writes the column indexes and the offset indexes of all chunks.
    fn write_indexes(
        &mut self,
        mut end: i64,
        new: &BTreeMap<ChunkIndex, (i64, Rewritten)>,
        moved: &dyn Fn(i64) -> i64,
        out: &mut dyn Write,
    ) -> Result<(), ParquetError> {
        let source = self.source;
        for fields in [chunk::COLUMN_INDEX, chunk::OFFSET_INDEX] {
            let mut result = Ok(());
            each_chunk(&mut self.footer, |place, one| {
                let index = match new.get(&place) {
                    Some((start, rewritten)) => Ok(rewritten.index(fields, *start)),
                    None => source.index(place, fields, moved),
                };
                let written = index.and_then(|index| {
                    for (id, number) in fields.into_iter().zip([end, index.as_ref().map_or(0, Bytes::len) as i64]) {
                        match &index {
                            Some(_) => one.set_number(id, number),
                            None => one.set(id, None),
                        }
                    }
                    let bytes = index.unwrap_or_default();
                    end += bytes.len() as i64;
                    Ok(out.write_all(&bytes)?)
                });
                if result.is_ok() {
                    result = written;
                }
            });
            result?;
        }
        Ok(())
    }

    /// Stores the new chunks in the metadata, and adjusts the offsets of the others.
    fn move_chunks(&mut self, mut new: BTreeMap<ChunkIndex, (i64, Rewritten)>, moved: &dyn Fn(i64) -> i64) {
        let move_field = |of: &mut Struct, id: i16| {
            if let Some(offset @ 1..) = of.number(id) {
                of.set_number(id, moved(offset));
            }
        };
        let mut grown: BTreeMap<usize, [i64; 2]> = BTreeMap::new();
        each_chunk(&mut self.footer, |place, one| {
            move_field(one, chunk::OFFSET);
            let Some(metadata) = one.child_mut(chunk::METADATA) else { return };
            let Some((start, rewritten)) = new.remove(&place) else {
                column::OFFSETS.into_iter().chain([column::BLOOM[0]]).for_each(|id| move_field(metadata, id));
                return;
            };
            let grown = grown.entry(place.0).or_default();
            for (grown, id) in grown.iter_mut().zip([column::SIZE, column::COMPRESSED_SIZE]) {
                *grown += rewritten.metadata.number(id).unwrap_or(0) - metadata.number(id).unwrap_or(0);
            }
            let (path, entries) = (metadata.get(column::PATH).cloned(), metadata.get(column::ENTRIES).cloned());
            *metadata = rewritten.metadata;
            // Already repaired with the footer.
            metadata.set(column::PATH, path);
            metadata.set(column::ENTRIES, entries);
            for id in column::OFFSETS {
                if let Some(offset) = metadata.number(id) {
                    metadata.set_number(id, start + offset);
                }
            }
        });
        for (row_group, one) in self.footer.structs_mut(file::ROW_GROUPS).enumerate() {
            move_field(one, group::OFFSET);
            for (id, grown) in
                [group::SIZE, group::COMPRESSED_SIZE].into_iter().zip(grown.remove(&row_group).unwrap_or_default())
            {
                if let Some(size) = one.number(id) {
                    one.set_number(id, size + grown);
                }
            }
            let bad = |index: i64| self.bad.contains_key(&(row_group, index as usize));
            require_order_before(one, bad);
        }
    }

    fn write_footer(&self, out: &mut dyn Write) -> Result<(), ParquetError> {
        let mut bytes = Vec::new();
        self.footer.write(&mut bytes);
        let len = u32::try_from(bytes.len());
        let len = len.map_err(|_| ParquetError::Malformed("the footer would be too long"))?;
        bytes.extend_from_slice(&len.to_le_bytes());
        bytes.extend_from_slice(b"PAR1");
        Ok(out.write_all(&bytes)?)
    }
}

const OUT_OF_ORDER: ParquetError = ParquetError::Malformed("a Bloom filter stands before its column chunk");

impl<R: ChunkReader + 'static> ParquetFile<R> {
    /// Returns the index of a chunk that is kept.
    fn index(
        &self,
        place: ChunkIndex,
        fields: [i16; 2],
        moved: &dyn Fn(i64) -> i64,
    ) -> Result<Option<Bytes>, ParquetError> {
        let one = self.chunk(place.0, place.1);
        let [start, len] = fields.map(|id| one.and_then(|one| one.number(id)).and_then(|n| u64::try_from(n).ok()));
        let (Some(start), Some(len)) = (start, len) else { return Ok(None) };
        if start.checked_add(len).is_none_or(|end| end > self.end) {
            return Err(ParquetError::Malformed("an index lies outside the file"));
        }
        let bytes = self.reader.get_bytes(start, len as usize)?;
        if fields == chunk::COLUMN_INDEX {
            return Ok(Some(bytes));
        }
        let (mut index, _) = Struct::read(&bytes)?;
        move_pages(&mut index, moved);
        Ok(Some(written(&index)))
    }
}

impl Rewritten {
    /// Returns an index of a chunk that begins at `start`.
    fn index(&self, fields: [i16; 2], start: i64) -> Option<Bytes> {
        if fields == chunk::COLUMN_INDEX {
            return self.column_index.clone();
        }
        let mut index = self.offset_index.clone()?;
        move_pages(&mut index, |offset| start + offset);
        Some(written(&index))
    }
}

fn written(value: &Struct) -> Bytes {
    let mut bytes = Vec::new();
    value.write(&mut bytes);
    bytes.into()
}

/// Calls `each` with all column chunks.
fn each_chunk(footer: &mut Struct, mut each: impl FnMut(ChunkIndex, &mut Struct)) {
    for (row_group, one) in footer.structs_mut(file::ROW_GROUPS).enumerate() {
        for (index, one) in one.structs_mut(group::COLUMNS).enumerate() {
            each((row_group, index), one);
        }
    }
}

/// Removes a minimum and maximum if one of them is invalid. They only determine which row groups can be skipped.
fn remove_bad_bounds(one: &mut Struct) {
    let statistics = one.child_mut(chunk::METADATA).and_then(|metadata| metadata.child_mut(column::STATISTICS));
    let Some(statistics) = statistics else { return };
    let is_bad = |id| statistics.binary(id).is_some_and(|bound| utf8kit::validate(bound).is_err());
    if BOUNDS.into_iter().flatten().any(is_bad) {
        BOUNDS.into_iter().flatten().chain(EXACT).for_each(|id| statistics.set(id, None));
    }
}

/// Rows remain sorted by the columns before the first one whose values changed.
fn require_order_before(one: &mut Struct, bad: impl Fn(i64) -> bool) {
    let kept = one.structs(group::SORTED_BY).take_while(|by| by.number(1).is_some_and(|index| !bad(index))).count();
    if let Some(Value::List(_, _, all)) = one.get_mut(group::SORTED_BY) {
        all.truncate(kept);
        if all.is_empty() {
            one.set(group::SORTED_BY, None);
        }
    }
}
