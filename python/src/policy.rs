//! Policies by name.

use std::borrow::Cow;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use utf8kit::{AnyEncoding, PolicyBuf};
use utf8kit_text::charset::{Codec, Fallback};
use utf8kit_text::convert::Invalid;
use utf8kit_text::repair::{RepairPolicy, Repairer};

/// What to do about errors, escapes, or lines.
#[derive(Clone, Debug)]
pub(crate) enum Policy {
    /// One of the library's policies, which handles each error.
    Errors(PolicyBuf),
    /// Undo escapes.
    Unescape,
    /// Decode lines that were encoded twice.
    Undouble,
    /// Decode each run of errors in another encoding.
    Fallback(Codec),
    /// Decode each line with an error in another encoding.
    FallbackLines(Codec),
}

impl Default for Policy {
    fn default() -> Policy {
        Policy::Errors(PolicyBuf::default())
    }
}

impl Policy {
    /// Returns the policy for utf8kit-text.
    pub(crate) fn as_repair(&self) -> RepairPolicy<'_> {
        match self {
            Policy::Errors(policy) => RepairPolicy::Errors(policy.as_policy()),
            Policy::Unescape => RepairPolicy::Unescape,
            Policy::Undouble => RepairPolicy::Undouble(None),
            Policy::Fallback(codec) => RepairPolicy::Fallback(*codec),
            Policy::FallbackLines(codec) => RepairPolicy::FallbackLines(*codec),
        }
    }

    /// Returns the policy for utf8kit-text, without a replacement text of its own.
    ///
    /// # Errors
    /// ValueError if it has one.
    pub(crate) fn as_static(&self) -> PyResult<RepairPolicy<'static>> {
        Ok(match self {
            Policy::Errors(policy) => {
                let plain = utf8kit::Policy::try_from(policy.as_policy().name()).ok();
                let plain = plain.filter(|plain| *plain == policy.as_policy());
                let text = || PyValueError::new_err("streams are repaired without a text of one's own");
                RepairPolicy::Errors(plain.ok_or_else(text)?)
            }
            Policy::Unescape => RepairPolicy::Unescape,
            Policy::Undouble => RepairPolicy::Undouble(None),
            Policy::Fallback(codec) => RepairPolicy::Fallback(*codec),
            Policy::FallbackLines(codec) => RepairPolicy::FallbackLines(*codec),
        })
    }

    /// Returns the library's policy.
    ///
    /// # Errors
    /// ValueError if the policy is not about single errors.
    pub(crate) fn about_errors(&self) -> PyResult<utf8kit::Policy<'_>> {
        match self {
            Policy::Errors(policy) => Ok(policy.as_policy()),
            _ => Err(PyValueError::new_err(
                "here the policy must be one about single errors: replace, replace-byte, replace-run, java, remove, \
                 escape, same-length",
            )),
        }
    }

    /// Returns the policy for conversions with legacy encodings.
    ///
    /// # Errors
    /// ValueError if they do not support it.
    pub(crate) fn as_invalid(&self) -> PyResult<Invalid> {
        match self.about_errors()? {
            utf8kit::Policy::REPLACE => Ok(Invalid::Replace),
            utf8kit::Policy::Remove => Ok(Invalid::Remove),
            utf8kit::Policy::Escape => Ok(Invalid::Escape),
            _ => Err(PyValueError::new_err("legacy encodings have the policies replace, remove and escape")),
        }
    }

    /// Fails for an encoding that the policy does not support.
    pub(crate) fn check(&self, encoding: AnyEncoding) -> PyResult<()> {
        match self {
            Policy::Undouble if encoding != AnyEncoding::Utf8 => {
                Err(PyValueError::new_err("the policy undouble is for utf-8"))
            }
            Policy::Fallback(_) | Policy::FallbackLines(_) if !encoding.is_dialect() => {
                Err(PyValueError::new_err("the policy fallback is for utf-8 and its dialects"))
            }
            _ => Ok(()),
        }
    }

    /// Repairs; borrows if nothing changes.
    pub(crate) fn repair<'b>(&self, encoding: AnyEncoding, bytes: &'b [u8]) -> Cow<'b, [u8]> {
        if let Policy::Errors(policy) = self {
            return utf8kit::repair_in(encoding, bytes, policy.as_policy());
        }
        let mut repairer = Repairer::new(self.as_repair(), encoding);
        let mut out = Vec::new();
        repairer.push(bytes, true, &mut out, &mut |_| {});
        if repairer.counts.total() == 0 { Cow::Borrowed(bytes) } else { Cow::Owned(out) }
    }
}

impl<'a, 'py> FromPyObject<'a, 'py> for Policy {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let name: &str = object.extract()?;
        let codec = |label: &str| match label.parse::<Fallback>() {
            Ok(fallback) => Ok(fallback.codec()),
            Err(error) => Err(PyValueError::new_err(format!("policy {name}: {error}"))),
        };
        Ok(match name.split_once('=') {
            None if name == "unescape" => Policy::Unescape,
            None if name == "undouble" => Policy::Undouble,
            Some(("fallback", label)) => Policy::Fallback(codec(label)?),
            Some(("fallback-lines", label)) => Policy::FallbackLines(codec(label)?),
            _ => match name.parse() {
                Ok(policy) => Policy::Errors(policy),
                Err(_) => return Err(PyValueError::new_err(format!("unknown policy: {name}"))),
            },
        })
    }
}
