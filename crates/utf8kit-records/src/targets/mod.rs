//! Systems that text is loaded into, with the valid UTF-8 that they reject.
//!
//! [`Target::all`] lists them; `docs/targets.md` has the same table.

mod damage;
mod demands;
mod hidden_text;
mod identifier;
mod json;
mod line;
mod look_alike;
mod name;
mod repair;
mod spoofing;
mod start;
mod subset;
mod table;
mod value;
mod xml;

use std::fmt;
use std::str::FromStr;

pub use crate::violation::{Violation, ViolationKind};
pub use demands::Demands;
pub use repair::{RowRepair, Unsuitable};
pub use start::Start;
use table::{Entry, Rule, TABLE};

/// A system that text is loaded into.
#[derive(Clone, Copy, Debug)]
pub struct Target(&'static Entry);

impl Target {
    /// Returns all targets.
    pub fn all() -> impl Iterator<Item = Target> {
        TABLE.iter().map(Target)
    }

    /// Returns its name on the command line.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// Returns its alias, if it has one.
    pub fn alias(self) -> Option<&'static str> {
        match self.name() {
            "mysql" => Some("mariadb"),
            "batch" => Some("bat"),
            "registry" => Some("reg"),
            _ => None,
        }
    }

    /// Returns its description.
    pub fn about(self) -> &'static str {
        self.0.about
    }

    /// Returns its rules in words, each with its official source.
    pub fn rules(self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.0.rules.iter().map(|&(_, words, source)| (words, source))
    }

    /// Reports whether it is for file names.
    pub fn is_of_names(self) -> bool {
        self.0.rules.iter().any(|(rule, ..)| matches!(rule, Rule::FileName(_)))
    }

    fn has(self, wanted: Rule) -> bool {
        self.0.rules.iter().any(|(rule, ..)| *rule == wanted)
    }
}

impl PartialEq for Target {
    fn eq(&self, other: &Target) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Target {}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// No target has this name. The message lists the valid ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownTarget;

impl fmt::Display for UnknownTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = Target::all().map(Target::name).collect();
        write!(f, "known targets are {}", names.join(", "))
    }
}

impl std::error::Error for UnknownTarget {}

impl FromStr for Target {
    type Err = UnknownTarget;

    fn from_str(text: &str) -> Result<Target, UnknownTarget> {
        let is_named = |target: &Target| {
            let names = [Some(target.name()), target.alias()];
            names.into_iter().flatten().any(|name| name.eq_ignore_ascii_case(text))
        };
        Target::all().find(is_named).ok_or(UnknownTarget)
    }
}

#[cfg(test)]
mod attacks;
#[cfg(test)]
mod tests;
