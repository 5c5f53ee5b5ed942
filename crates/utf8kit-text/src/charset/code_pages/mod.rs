//! Code pages that the WHATWG Encoding Standard leaves out: those of DOS, of the Macintosh and of IBM mainframes.

#[cfg(feature = "legacy")]
mod page;
#[cfg_attr(
    not(feature = "legacy"),
    expect(dead_code, reason = "repairing text that was encoded twice needs only some of them")
)]
mod tables;

#[cfg(feature = "legacy")]
pub(crate) use page::{PAGES, Page};
pub(crate) use tables::{CP437, CP850, CP852};
