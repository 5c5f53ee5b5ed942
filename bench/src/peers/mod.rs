//! The peers: utf8kit, std and, by features, others. Each has a table of the operations that it supports.

#[cfg(feature = "peers")]
mod others;
#[cfg(feature = "peers-cpp")]
mod simdutf;
mod std;
mod utf8kit;

use crate::operation::{Operation, Run};

/// A library to measure.
#[derive(Clone, Copy)]
pub(crate) struct Peer {
    pub(crate) name: &'static str,
    runs: &'static [(Operation, Run)],
}

impl Peer {
    pub(crate) fn run(self, operation: Operation) -> Option<Run> {
        self.runs.iter().find(|(can, _)| *can == operation).map(|(_, run)| *run)
    }
}

/// utf8kit first, std second.
pub(crate) const PEERS: &[Peer] = &[
    Peer { name: "utf8kit", runs: utf8kit::RUNS },
    Peer { name: "std", runs: std::RUNS },
    #[cfg(feature = "peers")]
    Peer { name: "simdutf8", runs: others::SIMDUTF8 },
    #[cfg(feature = "peers")]
    Peer { name: "encoding_rs", runs: others::ENCODING_RS },
    #[cfg(feature = "peers")]
    Peer { name: "bstr", runs: others::BSTR },
    #[cfg(feature = "peers")]
    Peer { name: "bytecount", runs: others::BYTECOUNT },
    #[cfg(feature = "peers")]
    Peer { name: "simd_cesu8", runs: others::SIMD_CESU8 },
    #[cfg(feature = "peers")]
    Peer { name: "arrow-rs", runs: others::ARROW },
    #[cfg(feature = "peers-cpp")]
    Peer { name: "polars-arrow", runs: others::POLARS },
    Peer { name: "as one text", runs: utf8kit::AS_ONE_TEXT },
    #[cfg(feature = "peers-cpp")]
    Peer { name: "simdutf", runs: simdutf::RUNS },
];
