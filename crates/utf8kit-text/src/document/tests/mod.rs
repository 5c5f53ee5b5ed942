//! Tests of what documents and comparisons promise.

mod certainty;
mod composed;
mod damage;
mod emptied;
mod evidence;
mod finder;
mod law;
mod positions;
mod single;
