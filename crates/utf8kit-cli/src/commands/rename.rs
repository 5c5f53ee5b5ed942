//! `utf8 rename`: shows new names for files and folders whose names are wrong, or renames them.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use utf8kit_detect::detect;
use utf8kit_encodings::charset::Charset;
use utf8kit_encodings::display::{Argument, Name, counted, plain};
use utf8kit_files::json::PathFields;
use utf8kit_files::names::{
    CheckedName, Identity, NameChecker, NameLedger, Named, NamedArchive, Rename, Tree, UnrenamedName, UnrenamedReason,
    links_to, rename_all,
};

use crate::action::rename::Action;
use crate::args::{Format, RenameArgs};
use crate::error::{Error, Status};
use crate::input::{roots, walk_options};
use crate::json;
use crate::output::{Output, Writer};
use crate::printer::Printer;

/// The most candidates that are shown for the encoding of a name.
const MAX_CANDIDATES: usize = 3;

/// What happens to a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Change {
    /// It is changed.
    Rename,
    /// It is kept; the user should look at it.
    Skip,
}

/// The marker of the lines of a plan.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Plan {
    NamePlan,
}

/// A line of a plan.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Step {
    r#type: Plan,
    #[serde(flatten)]
    path: PathFields,
    action: Change,
    /// The new name, without its folder.
    #[serde(default)]
    to: Option<String>,
    /// The encoding of the old name.
    #[serde(default)]
    from: Option<String>,
    #[serde(default)]
    confidence: Option<String>,
    #[serde(default)]
    reason: String,
    /// The inode number of the file. It must be the same when the plan is carried out.
    #[serde(default)]
    inode: Option<u64>,
}

impl Step {
    /// Describes what happens to a name, at a path.
    fn of(path: &Path, name: &[u8], checked: &CheckedName) -> Step {
        let CheckedName { becomes, held, from, confidence, problems, .. } = checked;
        let (action, to) = match (becomes, held) {
            (Some(to), _) => (Change::Rename, Some(to.clone())),
            (None, held) => (Change::Skip, held.as_ref().and_then(|held| held.would_be.clone())),
        };
        let problems: Vec<_> = problems.iter().map(|problem| problem.what.as_str()).collect();
        Step {
            r#type: Plan::NamePlan,
            path: PathFields::of(path),
            action,
            to,
            from: from.map(str::to_owned),
            confidence: confidence.map(|confidence| confidence.name().to_owned()),
            reason: held.as_ref().map_or_else(|| problems.join("; "), |held| reason(held, name)),
            inode: Identity::at(path).ok().flatten().map(|identity| identity.inode),
        }
    }

    /// Returns the renaming that this step requests, if any.
    fn rename(&self) -> Result<Option<Rename>, Error> {
        if self.action == Change::Skip {
            return Ok(None);
        }
        let path = self.path.to_path().ok_or_else(|| Error::usage("the plan has a path that is invalid here"))?;
        let to = self.to.as_ref().ok_or_else(|| Error::at(&path, "the plan does not give its new name"))?;
        let mut rename = Rename::new(path, to);
        rename.identity = self.inode.map(Identity::of_inode);
        Ok(Some(rename))
    }
}

/// Runs the command.
pub(crate) fn run(args: &RenameArgs, printer: &mut Printer) -> Result<Status, Error> {
    let checker = args.checker()?;
    match args.action()? {
        Action::Tree => tree(args, &checker, printer),
        Action::Archive(path) => archive(args, path, &checker, printer),
        Action::Plan(plan) => planned(args, plan, printer),
    }
}

/// Renames the files that the arguments select, or shows the new names.
fn tree(args: &RenameArgs, checker: &NameChecker, printer: &mut Printer) -> Result<Status, Error> {
    let paths = roots(&args.input)?.unwrap_or_default();
    let tree = Tree::read(paths, &walk_options(&args.input), checker)?;
    for error in tree.errors {
        printer.error(&error.into());
    }
    let (mut renames, mut kept, mut encoded) = (Vec::new(), 0_u64, 0_u64);
    for named in &tree.names {
        let checked = &named.checked;
        // Names that differ only in case are reported by `check` only, because there is no better name.
        if checked.becomes.is_none() && checked.held.is_none() {
            encoded += u64::from(!named.name().is_ascii() && std::str::from_utf8(named.name()).is_ok());
            continue;
        }
        kept += u64::from(checked.becomes.is_none());
        if !args.apply {
            show(Step::of(&named.path, named.name(), checked), &named.path, args.format, printer)?;
            renames.extend(checked.becomes.as_ref().map(|to| Rename::new(&named.path, to)));
            continue;
        }
        match Rename::of(named) {
            Ok(rename) => renames.extend(rename),
            Err(error) => printer.error(&error.into()),
        }
        if let Some(held) = checked.held.as_ref().filter(|_| checked.becomes.is_none()) {
            let (reason, suggestion) = (reason(held, named.name()), suggestion(held, checker));
            printer.message(format_args!("{}: left alone: {reason}{suggestion}", Name(&named.path)));
        }
    }
    if checker.is_explicit() && encoded > 0 {
        let names = counted(encoded, "name");
        printer.message(format_args!("{names} with non-ASCII characters already in UTF-8: left alone"));
    }
    report_links(&tree.names, &renames, printer);
    let files = tree.names.iter().map(|named| &*named.path).filter(|path| path.is_file());
    let inside = report_archives(args, files, checker, printer)?;
    let status = if kept > 0 || (inside && args.apply) { Status::Findings } else { Status::Clean };
    if !args.apply {
        let names = counted(renames.len() as u64, "name");
        if !renames.is_empty() || kept > 0 || !inside {
            printer.message(format_args!("would change {names}{}", left_alone(kept)));
        }
        if args.format == Format::Human && !renames.is_empty() {
            let paths = args.input.paths.iter().map(|path| format!(" {}", Argument(path)));
            let options = args.typed() + &paths.collect::<String>();
            printer.print(format_args!("  help: utf8 rename --apply{options}\n"))?;
        }
        return Ok(status);
    }
    Ok(carry_out(args, renames, kept, printer)?.max(status))
}

/// Reports the symbolic links to renamed files.
fn report_links(names: &[Named], renames: &[Rename], printer: &mut Printer) {
    for (link, renamed) in links_to(names, renames) {
        let (link, renamed) = (Name(&link), Name(&renamed));
        printer.message(format_args!(
            "{link}: a symbolic link to {renamed}, which is renamed: the link is not changed and will be broken"
        ));
    }
}

/// Shows what would happen to the names in archives, which needs --output. Returns whether any would change.
fn report_archives<'p>(
    args: &RenameArgs,
    files: impl Iterator<Item = &'p Path>,
    checker: &NameChecker,
    printer: &mut Printer,
) -> Result<bool, Error> {
    let Some(unpack) = args.input.unpack.unpack() else { return Ok(false) };
    let mut any = false;
    for path in files {
        // A file that cannot be read as an archive still has its own name checked.
        let Ok(Some(archive)) = NamedArchive::open(path, unpack, checker) else { continue };
        let mut kept = 0;
        for member in archive.members.iter().filter(|_| !args.apply && args.format == Format::Human) {
            kept += u64::from(member.checked.becomes.is_none() && member.checked.held.is_some());
            if member.checked.becomes.is_some() || member.checked.held.is_some() {
                let step = Step::of(&member.path, &member.name, &member.checked);
                show(step, &member.path, args.format, printer)?;
            }
        }
        if archive.changes() > 0 {
            let (names, left) = (counted(archive.changes() as u64, "name"), left_alone(kept));
            printer.message(format_args!("{}: {names} in it would change with --output{left}", Name(path)));
            if args.format == Format::Human {
                let (options, new) = (args.typed(), renamed_copy(path));
                let (path, new) = (Argument(path), Argument(&new));
                printer.print(format_args!("  help: utf8 rename{options} {path} -o {new}\n"))?;
            }
            any = true;
        }
    }
    Ok(any)
}

/// Returns a path for the renamed copy of an archive, in the same folder.
fn renamed_copy(path: &Path) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let ending = path.extension().map_or(String::new(), |ending| format!(".{}", ending.to_string_lossy()));
    path.with_file_name(format!("{stem}-renamed{ending}"))
}

/// Carries out a plan.
fn planned(args: &RenameArgs, plan: &Path, printer: &mut Printer) -> Result<Status, Error> {
    let mut renames = Vec::new();
    for step in json::lines::<Step>(plan)? {
        renames.extend(step.rename()?);
    }
    if !args.apply {
        for rename in &renames {
            let to = plain(&rename.to.to_string_lossy());
            printer.print(format_args!("rename  {}  \"{to}\"\n", Name(&rename.path)))?;
        }
        return Ok(Status::Clean);
    }
    carry_out(args, renames, 0, printer)
}

/// Renames files, and reports the changes.
fn carry_out(args: &RenameArgs, renames: Vec<Rename>, kept: u64, printer: &mut Printer) -> Result<Status, Error> {
    let mut ledger = match renames.is_empty() {
        true => None,
        false => Some(NameLedger::open(&args.ledger)?),
    };
    let mut changed = 0;
    rename_all(renames, ledger.as_mut(), &mut |rename, done| match done {
        Ok(()) => {
            changed += 1;
            if printer.is_verbose() {
                let to = plain(&rename.to.to_string_lossy());
                printer.message(format_args!("{}: now \"{to}\"", Name(&rename.path)));
            }
        }
        Err(error) => printer.error(&error.into()),
    });
    if changed > 0 || kept > 0 {
        let names = counted(changed, "name");
        printer.message(format_args!("changed {names}{}", left_alone(kept)));
    }
    Ok(if changed > 0 && args.status.exit_non_zero_on_fix { Status::Findings } else { Status::Clean })
}

/// Writes an archive with new names.
fn archive(args: &RenameArgs, path: &Path, checker: &NameChecker, printer: &mut Printer) -> Result<Status, Error> {
    let unpack = args.input.unpack.unpack().unwrap_or_default();
    let Some(archive) = NamedArchive::open(path, unpack, checker)? else {
        return Err(Error::at(path, "neither a zip nor a tar: to rename the file itself, leave out --output"));
    };
    let mut kept = 0;
    for member in &archive.members {
        if let Some(held) = member.checked.held.as_ref().filter(|_| member.checked.becomes.is_none()) {
            kept += 1;
            let (reason, suggestion) = (reason(held, &member.name), suggestion(held, checker));
            printer.message(format_args!("{}: left alone: {reason}{suggestion}", Name(&member.path)));
        }
    }
    let mut output = Output::create(args.output.output.as_deref(), &[path])?;
    let mut writer = Writer { output: &mut output, printer, error: None };
    if let Err(error) = archive.write(&mut writer) {
        return Err(writer.error.unwrap_or(error.into()));
    }
    output.commit()?;
    let (changed, left) = (archive.changes() as u64, left_alone(kept));
    printer.message(format_args!("{}: changed {}{left}", Name(path), counted(changed, "name")));
    let is_found = kept > 0 || changed > 0 && args.status.exit_non_zero_on_fix;
    Ok(if is_found { Status::Findings } else { Status::Clean })
}

/// Describes why a name is not changed, with the candidates if its encoding is uncertain.
fn reason(held: &UnrenamedName, name: &[u8]) -> String {
    let reason = held.reason.to_string();
    if held.reason != UnrenamedReason::Uncertain {
        return reason;
    }
    let guess = detect(name);
    let candidates = guess.encoding.into_iter().chain(guess.others.iter().copied());
    let read = |encoding: &str| encoding.parse::<Charset>().ok().and_then(|one| one.writer().text_of(name));
    let mut shown: Vec<String> =
        candidates.filter_map(|encoding| Some(format!("\"{}\" in {encoding}", plain(&read(encoding)?)))).collect();
    shown.truncate(MAX_CANDIDATES);
    if shown.is_empty() { reason } else { format!("{reason}: perhaps {}", shown.join(", or ")) }
}

/// Returns the option that helps with a name that is kept.
fn suggestion(held: &UnrenamedName, checker: &NameChecker) -> &'static str {
    match held.reason {
        UnrenamedReason::OtherEncoding(_) => "; --force overrides this",
        _ if held.reason.is_uncertain() && !checker.is_explicit() => "; name it with --from",
        _ => "",
    }
}

/// Describes how many names are kept.
fn left_alone(kept: u64) -> String {
    if kept > 0 { format!(", left {kept} alone") } else { String::new() }
}

/// Prints a step of the plan, for the name at a path.
fn show(step: Step, path: &Path, format: Format, printer: &mut Printer) -> Result<(), Error> {
    if format == Format::Jsonl {
        return json::line(&step, printer);
    }
    let (action, arrow) = match (step.action, &step.to) {
        (Change::Rename, Some(to)) => ("rename", format!(" -> {}", plain(to))),
        _ => ("skip  ", String::new()),
    };
    printer.step(action, &format!("{}{arrow}", Name(path)), &step.reason)
}
