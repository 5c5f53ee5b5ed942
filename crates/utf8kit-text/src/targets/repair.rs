//! Rows made to be as a target wants them, by a policy.

use std::borrow::Cow;

use utf8kit::{Policy, Utf8, repair_in, validate};

use super::{Demands, Refusal, RefusalKind};
use crate::rows::{FlawKind, RowSyntax};

/// Repairs rows: what is ill-formed and what a target refuses is dealt with by the same policy, and what is too long is
/// cut off.
#[derive(Clone, Copy, Debug)]
pub struct RowRepair<'m> {
    demands: Demands,
    policy: Policy<'m>,
}

impl<'m> RowRepair<'m> {
    /// For what is demanded. `None`: an escape would hold what is refused itself.
    pub fn new(demands: Demands, policy: Policy<'m>) -> Option<RowRepair<'m>> {
        let refused = policy == Policy::Escape && demands.target.is_some_and(super::Target::is_name);
        (!refused).then_some(RowRepair { demands, policy })
    }

    /// The same for parts of values, whose length nobody knows.
    pub(crate) fn of_parts(self) -> RowRepair<'m> {
        RowRepair { demands: Demands { max_bytes: None, ..self.demands }, ..self }
    }

    /// Whether nothing is done to some rows.
    pub fn spares(&self, syntax: &RowSyntax, rows: &[u8], first: bool) -> bool {
        let escapes = || self.policy == Policy::Escape && memchr::memmem::find(rows, b"\\x").is_some();
        validate(rows).is_ok() && !escapes() && self.demands.pass(syntax, rows, first)
    }

    /// What a row becomes; `notice` is told of each place. `first`: the input begins with it.
    pub fn repair<'r>(
        &self,
        syntax: &RowSyntax,
        row: &'r [u8],
        first: bool,
        notice: &mut dyn FnMut(FlawKind),
    ) -> Cow<'r, [u8]> {
        utf8kit::errors(row).for_each(|error| notice(FlawKind::IllFormed(error.kind)));
        let mut row = repair_in(Utf8, row, self.policy);
        // What stands in the place of one thing may be refused for another: not often, and not for ever.
        for _ in 0..3 {
            let mut found = self.demands.find(syntax, &row, first);
            let long = |refusal: &Refusal| refusal.kind == RefusalKind::TooLong;
            // What is cut off needs no repair, but what remains may be shorter or longer then.
            if found.iter().any(|refusal| !long(refusal)) {
                found.retain(|refusal| !long(refusal));
            }
            if found.is_empty() {
                break;
            }
            found.iter().for_each(|refusal| notice(FlawKind::Refused(refusal.kind)));
            row = Cow::Owned(self.without(&row, &found));
        }
        row
    }

    /// The row without what is refused, which does not overlap but for a name that is refused as a whole.
    fn without(&self, row: &[u8], found: &[Refusal]) -> Vec<u8> {
        let (mut out, mut at) = (Vec::with_capacity(row.len()), 0);
        for refusal in found {
            let end = refusal.offset + refusal.len;
            if refusal.offset < at {
                continue;
            }
            out.extend_from_slice(&row[at..refusal.offset]);
            self.put(&row[refusal.offset..end], refusal.kind, &mut out);
            at = end;
        }
        out.extend_from_slice(&row[at..]);
        out
    }

    /// Writes what stands in the place of what is refused.
    fn put(&self, refused: &[u8], kind: RefusalKind, out: &mut Vec<u8>) {
        match (kind, self.policy) {
            (RefusalKind::TooLong | RefusalKind::Mark, _) => {}
            // A device is none with something behind its name.
            (RefusalKind::DeviceName, Policy::Replace { with, .. }) => {
                out.extend_from_slice(refused);
                out.extend_from_slice(self.welcome(if with.is_empty() { "_" } else { with }).as_bytes());
            }
            (RefusalKind::DeviceName, _) => {
                out.extend_from_slice(refused);
                out.push(b'_');
            }
            (_, Policy::Remove) => {}
            (_, Policy::SameLength) => out.extend(refused.iter().map(|_| b'?')),
            // In its own way of writing, so that it is text.
            (RefusalKind::SurrogateEscape, Policy::Escape) => {
                out.push(b'\\');
                out.extend_from_slice(refused);
            }
            (RefusalKind::CharacterReference, Policy::Escape) => {
                out.extend_from_slice(b"&amp;");
                out.extend_from_slice(&refused[1..]);
            }
            (_, Policy::Replace { with, .. })
                if kind == RefusalKind::SurrogateEscape && with == "\u{FFFD}" =>
            {
                out.extend_from_slice(b"\\ufffd");
            }
            (_, Policy::Replace { with, .. }) => out.extend_from_slice(self.welcome(with).as_bytes()),
            (_, _) => out.extend(refused.iter().flat_map(|byte| format!("\\x{byte:02X}").into_bytes())),
        }
    }

    /// A replacement without what is refused itself.
    fn welcome(&self, with: &str) -> String {
        let options = crate::rows::RowOptions::new(crate::rows::RowFormat::Lines);
        let utf8 = crate::charset::Codec::Native(utf8kit::AnyEncoding::Utf8);
        let Ok(lines) = RowSyntax::new(options, utf8) else { return String::new() };
        let demands = Demands { max_bytes: None, ..self.demands };
        let is_welcome =
            |c: &char| demands.find(&lines, c.encode_utf8(&mut [0; 4]).as_bytes(), false).is_empty();
        with.chars().filter(is_welcome).collect()
    }
}
