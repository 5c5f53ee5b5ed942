//! Tests of what documents and comparisons promise.

mod damage;
mod evidence;
mod finder;
mod law;
mod positions;
