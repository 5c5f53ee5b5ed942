//! Tests of what documents and comparisons promise.

mod damage;
mod finder;
mod law;
mod positions;
