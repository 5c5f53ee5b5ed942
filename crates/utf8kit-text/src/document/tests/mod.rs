//! Tests of what documents and comparisons promise.

mod damage;
mod law;
mod positions;
