//! Policies by name.

use std::borrow::Cow;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use utf8kit::AnyEncoding;
use utf8kit_detect::repair::{RepairPolicy, UnknownRepairPolicy};
use utf8kit_encodings::convert::Invalid;

/// How to handle errors, escapes, or lines.
#[derive(Clone, Debug, Default)]
pub(crate) struct Policy(pub(crate) RepairPolicy);

impl Policy {
    /// Returns the policy of this name.
    ///
    /// # Errors
    /// ValueError if there is none.
    pub(crate) fn named(name: &str) -> PyResult<Policy> {
        name.parse().map(Policy).map_err(|error| match error {
            UnknownRepairPolicy::Name => PyValueError::new_err(format!("unknown policy: {name}")),
            error => PyValueError::new_err(format!("policy {name}: {error}")),
        })
    }

    /// Returns the library's policy.
    ///
    /// # Errors
    /// ValueError if the policy does not handle single errors.
    pub(crate) fn about_errors(&self) -> PyResult<utf8kit::Policy<'_>> {
        match &self.0 {
            RepairPolicy::Errors(policy) => Ok(policy.as_policy()),
            _ => Err(PyValueError::new_err(
                "here the policy must be one about single errors: replace, replace-byte, replace-run, java, remove, \
                 escape, same-length",
            )),
        }
    }

    /// Fails for a policy that may leave invalid values.
    pub(crate) fn check_values(&self) -> PyResult<()> {
        match &self.0 {
            RepairPolicy::Unescape | RepairPolicy::Mojibake(..) => {
                Err(PyValueError::new_err("here the policy must repair errors, or be a fallback"))
            }
            _ => Ok(()),
        }
    }

    /// Returns the policy for conversions with legacy encodings.
    ///
    /// # Errors
    /// ValueError if they do not support it.
    pub(crate) fn as_invalid(&self) -> PyResult<Invalid> {
        let policy = self.about_errors()?;
        let is_own = matches!(policy, utf8kit::Policy::Replace { with, .. } if with != "\u{FFFD}");
        let invalid = Invalid::of(policy).filter(|_| !is_own);
        invalid.ok_or_else(|| PyValueError::new_err("with legacy encodings, the replacement is U+FFFD"))
    }

    /// Fails for an encoding that the policy does not support.
    pub(crate) fn check(&self, encoding: AnyEncoding) -> PyResult<()> {
        self.0.check(encoding).map_err(|error| PyValueError::new_err(error.to_string()))
    }

    /// Repairs a single value in UTF-8. Borrows if nothing changes.
    pub(crate) fn repair_value<'b>(&self, value: &'b [u8]) -> Cow<'b, [u8]> {
        self.repair(AnyEncoding::Utf8, value)
    }

    /// Repairs; borrows if nothing changes.
    pub(crate) fn repair<'b>(&self, encoding: AnyEncoding, bytes: &'b [u8]) -> Cow<'b, [u8]> {
        self.0.repair_value(encoding, bytes)
    }
}

impl<'a, 'py> FromPyObject<'a, 'py> for Policy {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        Policy::named(object.extract()?)
    }
}
