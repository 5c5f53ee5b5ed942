//! File metadata: owner, mode, access control lists, extended attributes.

use std::fs::{File, Metadata};
use std::io;
use std::path::Path;

/// Copies metadata to a new file from the file it replaces: owner and group as far as permitted, then extended
/// attributes including access control lists, then the mode. Until then only its owner can access the new file, so at
/// no moment does anyone have rights that they lack on the old file.
///
/// Returns whether owner and group were kept.
///
/// # Errors
/// Fails if something that matters cannot be kept. The new file must not be used then.
#[cfg(unix)]
pub(super) fn keep(new: &File, old: &Path, metadata: &Metadata) -> io::Result<bool> {
    use std::fs::Permissions;
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, fchown};

    let (uid, gid) = (metadata.uid(), metadata.gid());
    let _ = fchown(new, Some(uid), Some(gid)).or_else(|_| fchown(new, None, Some(gid)));
    let own = new.metadata()?;
    let same_group = own.gid() == gid;
    let has_acl = attributes::keep(new, old)?;
    if has_acl && !same_group {
        return Err(io::Error::other("its access control list cannot be kept, because its group cannot"));
    }
    let mut mode = metadata.mode();
    let kept = own.uid() == uid && same_group;
    if !kept {
        // A set-user-ID or set-group-ID file must not change its owner.
        mode &= 0o1777;
    }
    if !same_group {
        // The members of another group get only the rights of everybody.
        mode &= !0o070 | (mode & 0o007) << 3;
    }
    new.set_permissions(Permissions::from_mode(mode))?;
    Ok(kept)
}

#[cfg(not(unix))]
pub(super) fn keep(new: &File, _: &Path, metadata: &Metadata) -> io::Result<bool> {
    new.set_permissions(metadata.permissions())?;
    Ok(true)
}

/// Removes the right to read `file` from users who may not read `other`, whose text will be written to it.
///
/// # Errors
/// Fails if there is no other file, or if only the owner of `file` may change its mode.
#[cfg(unix)]
pub(super) fn hide_like(file: &File, other: &Path) -> io::Result<()> {
    use std::fs::Permissions;
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

    let (own, theirs) = (file.metadata()?, other.metadata()?);
    let group = if own.gid() == theirs.gid() { theirs.mode() & 0o040 } else { (theirs.mode() & 0o004) << 3 };
    let mode = own.mode() & (!0o044 | group | theirs.mode() & 0o004);
    if own.is_file() && mode != own.mode() {
        file.set_permissions(Permissions::from_mode(mode))?;
    }
    Ok(())
}

#[cfg(not(unix))]
pub(super) fn hide_like(_: &File, _: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(unix)]
mod attributes {
    use std::ffi::OsStr;
    use std::fs::File;
    use std::io;
    use std::path::Path;

    use xattr::FileExt as _;

    /// The access control list on Linux. A file may also inherit it from its folder.
    const ACL: &str = "system.posix_acl_access";

    /// Attributes computed from the content, which are wrong for new content.
    const OF_CONTENT: [&str; 2] = ["security.ima", "security.evm"];

    /// Copies extended attributes. Returns whether there is an access control list among them.
    pub(super) fn keep(new: &File, old: &Path) -> io::Result<bool> {
        let names: Vec<_> = match xattr::list(old) {
            Ok(names) => names.collect(),
            Err(error) if is_unsupported(&error) => Vec::new(),
            Err(error) => return Err(error),
        };
        let acl = names.iter().any(|name| name == ACL);
        if !acl
            && let Err(error) = new.remove_xattr(ACL)
            && !is_absent(&error)
        {
            return Err(error);
        }
        for name in names.iter().filter(|name| OF_CONTENT.iter().all(|other| name != other)) {
            let copied = xattr::get(old, name).and_then(|value| match value {
                Some(value) => new.set_xattr(name, &value),
                None => Ok(()),
            });
            copied.or_else(|error| if is_system_attribute(name) { Ok(()) } else { Err(lost(name, &error)) })?;
        }
        Ok(acl)
    }

    /// Reports whether an attribute may be lost because only the system can set it.
    fn is_system_attribute(name: &OsStr) -> bool {
        let name = name.as_encoded_bytes();
        name.starts_with(b"security.") || name.starts_with(b"trusted.") || name.starts_with(b"com.apple.")
    }

    fn lost(name: &OsStr, error: &io::Error) -> io::Error {
        let name = name.to_string_lossy();
        io::Error::new(error.kind(), format!("its extended attribute {name} cannot be kept: {error}"))
    }

    fn is_unsupported(error: &io::Error) -> bool {
        error.kind() == io::ErrorKind::Unsupported
    }

    /// Reports whether an attribute could not be removed because it does not exist.
    fn is_absent(error: &io::Error) -> bool {
        // ENODATA of Linux, ENOATTR of the others.
        is_unsupported(error) || matches!(error.raw_os_error(), Some(61 | 93 | 87))
    }
}
