//! Receives good rows and bad ones.

use crate::rows::Header;
use crate::validator::{BadRow, CheckedChunk, RowValidator, Verdict};

/// Receives rows, in the order of the input.
pub trait RowSink {
    /// The reason why it accepts no more rows.
    type Error;

    /// Called before the good and bad rows of a chunk.
    ///
    /// # Errors
    /// An error ends the work.
    fn begin(&mut self, checked: &CheckedChunk) -> Result<(), Self::Error> {
        let _ = checked;
        Ok(())
    }

    /// Called after the rows of a chunk, with their length in bytes.
    ///
    /// # Errors
    /// An error ends the work.
    fn advance(&mut self, bytes: u64) -> Result<(), Self::Error> {
        let _ = bytes;
        Ok(())
    }

    /// Receives good rows and their converted form. Both are the same if rows are not converted.
    ///
    /// # Errors
    /// An error ends the work.
    fn good(&mut self, rows: &[u8], becomes: &[u8]) -> Result<(), Self::Error>;

    /// Receives a bad row, or a part of a row that is too long.
    ///
    /// # Errors
    /// An error ends the work.
    fn bad(&mut self, row: &BadRow<'_>) -> Result<(), Self::Error>;
}

impl CheckedChunk {
    /// Passes the rows of the chunk to a sink. `header` is the first row of the input, and `continues` means that the
    /// chunk begins within a row that is too long.
    ///
    /// # Errors
    /// Any error of the sink.
    pub fn pass_to<S: RowSink>(
        &self,
        validator: &RowValidator,
        header: &Header,
        continues: bool,
        sink: &mut S,
    ) -> Result<(), S::Error> {
        let CheckedChunk { chunk, verdicts, out, .. } = self;
        sink.begin(self)?;
        let out = if validator.converts() { out } else { &chunk.bytes };
        if verdicts.is_empty() {
            return sink.good(&chunk.bytes, out);
        }
        let mut number = chunk.first;
        for verdict in verdicts {
            match verdict {
                Verdict::Good { range, out: becomes } => {
                    let rows = &chunk.bytes[range.clone()];
                    sink.good(rows, &out[if validator.converts() { becomes } else { range }.clone()])?;
                    number += validator.syntax().rows(rows).count() as u64;
                }
                Verdict::Bad { range, broken } => {
                    let row = BadRow {
                        number,
                        offset: chunk.base + range.start as u64,
                        bytes: &chunk.bytes[range.clone()],
                        part: chunk.part.then_some(chunk.rows > 0),
                        continues,
                        broken: broken.map(|at| at - range.start),
                        shape: chunk.shape,
                        validator,
                        header,
                    };
                    sink.bad(&row)?;
                    number += 1;
                }
            }
        }
        Ok(())
    }
}
