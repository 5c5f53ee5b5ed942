//! Tests of the command from outside: one file per subject, in one program.

mod archives;
mod artifacts;
mod check;
mod code_pages;
mod common;
mod config;
mod convert;
#[cfg(target_os = "linux")]
mod databases;
mod detect;
#[cfg(unix)]
mod document;
#[cfg(target_os = "linux")]
mod dump_servers;
mod dumps;
mod each_format;
mod explain;
mod formats;
mod help;
mod hooks;
mod ledger;
mod lists;
mod live;
mod metadata;
mod mojibake;
#[cfg(target_os = "linux")]
mod names;
#[cfg(unix)]
mod names_in_archives;
mod page;
#[cfg(feature = "parquet")]
mod parquet;
mod pictures;
mod policies;
mod preflight;
mod programs;
mod protobuf;
#[cfg(unix)]
mod readers;
#[cfg(unix)]
mod recipes;
mod repair;
#[cfg(unix)]
mod reports;
mod rewrite;
mod robust;
mod rows;
mod sequences;
#[cfg(target_os = "linux")]
mod servers;
mod stats;
mod tail;
mod targets;
mod tasks;
mod undo;
