//! `utf8 restore`: restores the old bytes of damaged places, and keeps the edits.

use std::path::{Path, PathBuf};

use utf8kit::AnyEncoding;
use utf8kit_document::{Damage, compare};
use utf8kit_encodings::display::{Name, counted};
use utf8kit_files::Ledger;
use utf8kit_files::{InPlace, Recorder, Source, SourceKind, edit_file};

use crate::action::place::Place;
use crate::args::RestoreArgs;
use crate::commands::versions::{Elsewhere, History, Version, Versions, range};
use crate::config::{Config, Settings};
use crate::error::{Error, Status};
use crate::input::sources_or_current_dir;
use crate::output::Output;
use crate::printer::Printer;
use crate::render;

/// How the files are handled.
struct Restoration<'r> {
    args: &'r RestoreArgs,
    place: Place,
    config: &'r Config,
    old: Old,
    ledger: Option<Ledger>,
    printer: &'r mut Printer,
    restored: u64,
    doubtful: bool,
}

/// The old versions of files.
enum Old {
    /// One version of each file.
    Named(Versions),
    /// All versions in a range of revisions.
    Range(Box<History>),
}

/// Runs the command.
pub(crate) fn run(args: &RestoreArgs, config: &Config, printer: &mut Printer) -> Result<Status, Error> {
    let (place, name) = (args.place()?, &*args.from);
    let paths: &[PathBuf] = &args.input.paths;
    let old = match range(name) {
        Some(range) => Old::Range(Box::new(History::of(range, paths)?)),
        None => Old::Named(Versions::named(name, paths)?),
    };
    let ledger = args.write.in_place.ledger().map(Ledger::open).transpose()?;
    let mut job = Restoration { args, place, config, old, ledger, printer, restored: 0, doubtful: false };
    for source in sources_or_current_dir(&args.input)? {
        let done = source.map_err(Error::from).and_then(|source| job.source(&source));
        done.or_else(|error| job.printer.recover(error))?;
    }
    let elsewhere = match &job.old {
        Old::Named(versions) => versions.elsewhere(),
        Old::Range(history) => history.elsewhere(),
    };
    elsewhere.into_iter().try_for_each(|elsewhere| match elsewhere {
        Elsewhere::Other(error) => job.printer.recover(error),
        Elsewhere::Submodule(message) => {
            job.printer.message(message);
            Ok(())
        }
    })?;
    let found = job.doubtful || job.restored > 0 && args.write.status.exit_non_zero_on_fix;
    Ok(if found { Status::Findings } else { Status::Clean })
}

impl Restoration<'_> {
    fn source(&mut self, source: &Source) -> Result<(), Error> {
        let path = &source.path;
        if source.kind == SourceKind::Stdin {
            return Err(Error::at(path, "standard input has no old version: give the file"));
        }
        let is_ledger = self.ledger.as_ref().is_some_and(|ledger| ledger.is_at(path));
        if is_ledger || source.is_by_product(self.args.write.in_place.suffix()) {
            return Ok(());
        }
        let versions = match &self.old {
            Old::Named(versions) => versions.old(source)?.into_iter().collect(),
            Old::Range(history) => history.versions(source)?,
        };
        let settings = self.config.of(source)?;
        if self.place != Place::Files {
            let now = std::fs::read(path).map_err(|error| Error::at(path, error))?;
            let (restored, damage) = restored(&versions, &now, &settings);
            return self.show(source, &now, &restored, &damage);
        }
        let how = &self.args.write.in_place;
        let links = how.record.links.hard_links.into();
        let in_place = InPlace::new(how.suffix(), links, self.ledger.as_mut());
        let mut found = Vec::new();
        edit_file(path, in_place, self.printer, |now| -> Result<_, Error> {
            let (restored, damage) = restored(&versions, now, &settings);
            found = damage;
            Ok(Some(restored))
        })?;
        self.report(source, &found);
        Ok(())
    }

    /// Writes a restored file to the output, or prints the diff.
    fn show(&mut self, source: &Source, now: &[u8], restored: &[u8], damage: &[Damage]) -> Result<(), Error> {
        if self.args.write.preview.diff {
            let diff = render::versions::diff(now, restored, &source.path, "repaired", self.printer);
            self.printer.bytes(diff.as_bytes())?;
        } else if self.place == Place::Output {
            let read = [Path::new(&self.args.from), &source.path];
            let others: Vec<&Path> = read.into_iter().chain(self.args.write.in_place.ledger()).collect();
            let mut output = Output::create(self.args.write.output.output.as_deref(), &others)?;
            output.write(restored, self.printer)?;
            let mut recorder = Recorder::new(&source.path, AnyEncoding::Utf8, self.ledger.as_mut());
            recorder.versions(now, restored);
            recorder.end()?;
            output.commit()?;
        }
        self.report(source, damage);
        Ok(())
    }

    /// Reports what was restored, and what is doubtful.
    fn report(&mut self, source: &Source, damage: &[Damage]) {
        let name = Name(&source.path);
        for one in damage.iter().filter(|one| one.doubtful) {
            self.doubtful = true;
            let (line, column, kind) = (one.line, one.column, one.kind.name());
            self.printer.message(format_args!("{name}:{line}:{column}: {kind}: doubtful, stays as it is"));
        }
        let done = damage.iter().filter(|one| !one.doubtful).count() as u64;
        if done > 0 {
            self.restored += 1;
            let word = if self.place == Place::Nowhere { "would restore" } else { "restored" };
            self.printer.message(format_args!("{name}: {word} {}", counted(done, "place")));
        }
    }
}

/// Restores a file from its old versions, one after the other, and returns the damage. Changes that its settings
/// request are kept.
fn restored(versions: &[Version], before: &[u8], settings: &Settings) -> (Vec<u8>, Vec<Damage>) {
    let (mut now, mut found) = (before.to_vec(), Vec::new());
    for Version { content: old, is_converted } in versions {
        let mut settings = settings.clone();
        settings.converts_line_ends.get_or_insert(*is_converted);
        let comparison = compare(old, &now);
        let (mut damage, written) = (comparison.damage.clone(), comparison.view.written());
        damage.retain(|one| !settings.requests(one, &now, written));
        if damage.iter().any(|one| !one.doubtful) {
            now = comparison.restore(old, &now, &damage);
            // Damage that an older version explains is no longer doubtful.
            found.retain(|one: &Damage| !one.doubtful);
        }
        found.extend(damage);
    }
    // An older version may correct a restoration from a damaged one.
    if now == before {
        found.retain(|damage| damage.doubtful);
    }
    (now, found)
}
