//! The extension module `utf8kit._native`: everything that needs the speed of Rust. Each function extracts the data
//! from Python objects, calls the libraries without the GIL, and converts the result.
#![warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod arrow;
mod codec;
mod command;
mod compare;
mod decoder;
mod detect;
mod document;
mod encoding;
mod error;
mod explain;
mod files;
mod index;
mod input;
mod memory;
mod parquet;
mod policy;
mod protobuf;
mod rows;
mod signals;
mod streams;
mod string;
mod summary;
mod text;
mod validate;

/// The compiled part of utf8kit. Use the package `utf8kit`, which exports all of it under public names.
#[pyo3::pymodule(gil_used = false)]
mod _native {
    #[pymodule_export]
    use crate::arrow::{
        ArrowColumn, ArrowStream, arrow_bad_rows, arrow_check_policy, arrow_constant, arrow_decode, arrow_error_count,
        arrow_errors, arrow_first_error, arrow_is_valid, arrow_lines, arrow_mask, arrow_repair,
    };
    #[pymodule_export]
    use crate::codec::{Codec, replacement};
    #[pymodule_export]
    use crate::command::command;
    #[pymodule_export]
    use crate::compare::{Change, Comparison, Damage, compare, restore};
    #[pymodule_export]
    use crate::decoder::{Decoder, sniff};
    #[pymodule_export]
    use crate::detect::{Detection, MojibakeLine, candidates, detect, find_mojibake, fix_mojibake};
    #[pymodule_export]
    use crate::document::{Document, Edit, edit};
    #[pymodule_export]
    use crate::encoding::{dialects, encodings};
    #[pymodule_export]
    use crate::error::describe;
    #[pymodule_export]
    use crate::explain::{Item, explain};
    #[pymodule_export]
    use crate::files::{Report, check_file, repair_file};
    #[pymodule_export]
    use crate::index::TextIndex;
    #[pymodule_export]
    use crate::parquet::{ParquetErrors, ParquetFile, parquet_repair};
    #[pymodule_export]
    use crate::protobuf::ProtobufMessage;
    #[pymodule_export]
    use crate::rows::{Rows, targets};
    #[pymodule_export]
    use crate::streams::{Converter, Repairer, SummaryStream, TextStream, Validator};
    #[pymodule_export]
    use crate::summary::Summary;
    #[pymodule_export]
    use crate::text::{convert, count, repair, truncate};
    #[pymodule_export]
    use crate::validate::{ErrorIterator, errors, is_valid, iter_errors, validate};
    #[pymodule_export]
    const UNICODE_VERSION: (u64, u64, u64) = utf8kit_encodings::unicode::VERSION;
    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "Python's name for it")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
