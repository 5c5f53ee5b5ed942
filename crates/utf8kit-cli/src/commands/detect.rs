//! `utf8 detect`: prints the best guess at the encoding of each file, with the evidence.

use std::path::Path;

use serde::Serialize;
use utf8kit::AnyEncoding;
use utf8kit_detect::context::ranked;
use utf8kit_detect::originals::with_notes;
use utf8kit_detect::stats::language_of;
use utf8kit_detect::{Action, Guess, SNIFF_LEN, Suggestion};
use utf8kit_encodings::charset::Codec;
use utf8kit_encodings::display::{Argument, Name, plain};
use utf8kit_files::json::PathFields;
use utf8kit_files::{Blocks, FileError, Pace, Source, batches, detect_blocks, each_text, in_order};

use crate::args::{DetectArgs, Format};
use crate::columns::{width, wrapped};
use crate::config::Config;
use crate::error::{Error, Status};
use crate::input::sources;
use crate::json;
use crate::printer::{FAINT, Printer, STRONG};
use crate::skips::Skips;
use crate::suggestion::{self, Destination, Help};

/// Number of files per batch. Detection takes longer than a check, so fewer than
/// [`SMALL_FILES`](utf8kit_files::SMALL_FILES) are enough.
const FILES_PER_BATCH: usize = 16;

/// Runs the command.
pub(crate) fn run(args: &DetectArgs, config: &Config, printer: &mut Printer) -> Result<Status, Error> {
    let sources = sources(&args.input, Some("."))?;
    printer.begin_all(&sources);
    let threads = args.threads.count();
    let explains = args.explain || printer.is_verbose();
    // For a single file, another thread can read ahead.
    let (over_files, ahead) = if sources.is_single() { (1, threads.min(2)) } else { (threads, 1) };
    let examine = |text: Result<Source, FileError>| {
        let text = text?;
        let at = |error| Error::at(&text.path, error);
        let mut blocks = text.open().and_then(Blocks::of).map_err(at)?;
        let head = blocks.head(SNIFF_LEN).map_err(at)?;
        let len = blocks.len().unwrap_or(0);
        let guess = match config.of(&text)?.skip_by(&text, &head, args.input.binary) {
            Some(reason) => Err(reason),
            None => Ok(with_notes(detect_blocks(blocks, ahead).map_err(at)?, &head)),
        };
        Ok((
            text,
            len,
            guess.map(|guess| Found {
                previews: guess.previews(&head),
                rival: explains.then(|| rival(&guess, &head)).flatten(),
                language: language(&guess, &head),
                guess,
            }),
        ))
    };
    let unpack = args.input.unpack.unpack();
    let examine_all = |batch: Vec<Result<Source, FileError>>| {
        let mut examined = Vec::new();
        for source in batch {
            let mut take = |text| {
                examined.push(examine(text));
                Ok::<_, ()>(())
            };
            // `take` never fails.
            let _ = match source {
                Ok(source) => each_text(&source, unpack, &mut take),
                Err(error) => take(Err(error)),
            };
        }
        examined
    };
    let (mut files, mut skips) = (0, Skips::default());
    in_order(
        Pace::Full,
        over_files,
        batches(sources, FILES_PER_BATCH),
        || (),
        |(), batch| examine_all(batch),
        |examined| {
            files += examined.len() as u64;
            examined.into_iter().try_for_each(|examined| match examined {
                Ok((source, len, Ok(found))) => {
                    report(args, &source.path, &found, printer)?;
                    printer.advance(len)
                }
                Ok((source, _, Err(reason))) => {
                    skips.add(&source, &reason, printer);
                    Ok(())
                }
                Err(error @ Error::Config(_)) => Err(error),
                Err(error) => {
                    printer.error(&error);
                    Ok(())
                }
            })
        },
    )?;
    skips.report(files, true, printer);
    Ok(Status::Clean)
}

/// The result for a file.
struct Found {
    guess: Guess,
    /// Its beginning decoded in each candidate encoding.
    previews: Vec<(&'static str, String)>,
    language: Option<&'static str>,
    rival: Option<Rival>,
}

/// The second candidate for the encoding of a text.
struct Rival {
    encoding: &'static str,
    /// By how many bits it is less likely.
    bits: f32,
    /// Some words, and what they are in the second encoding.
    words: [String; 2],
}

/// The number of words that show why an encoding is likelier than another.
const WORDS_OF_EVIDENCE: usize = 3;

/// Returns the likeliest other encoding in which words of a file that begins with `head` are others.
fn rival(guess: &Guess, head: &[u8]) -> Option<Rival> {
    let (codec, mark) = guess.charset(head)?.reader(head);
    let text = head.get(mark..)?;
    let mut words: Vec<&[u8]> = Vec::new();
    for word in text.split(|byte| byte.is_ascii() && !byte.is_ascii_alphanumeric()) {
        let is_read = codec.text_of(word).is_some_and(|word| word.chars().all(char::is_alphabetic));
        if !word.is_ascii() && is_read && !words.contains(&word) && words.len() < WORDS_OF_EVIDENCE {
            words.push(word);
        }
    }
    let read = |codec: Codec| {
        let words = words.iter().map(|word| codec.text_of(word)).collect::<Option<Vec<_>>>()?;
        Some(words.join(", "))
    };
    let own_words = read(codec).filter(|words| !words.is_empty())?;
    let all = ranked(text.split_inclusive(|byte| *byte == b'\n'), "", &[codec]);
    let own = all.iter().find(|one| one.codec == codec)?;
    let rivals = all.iter().filter(|one| one.codec != codec && one.nats <= own.nats);
    let mut read = rivals.filter_map(|one| Some((one, read(one.codec)?))).filter(|(_, words)| *words != own_words);
    let (second, words) = read.next()?;
    let bits = (own.nats - second.nats) / std::f32::consts::LN_2;
    Some(Rival { encoding: second.codec.name(), bits, words: [own_words, words] })
}

/// Returns the language code of a file that begins with `head`, if it has enough words to identify it.
fn language(guess: &Guess, head: &[u8]) -> Option<&'static str> {
    let (codec, mark) = guess.charset(head)?.reader(head);
    let bytes = head.get(mark..)?;
    let text = match codec {
        Codec::Native(AnyEncoding::Utf8) => String::from_utf8_lossy(bytes).into_owned(),
        // The head may end within a character.
        _ => (0..bytes.len().min(4)).find_map(|cut| codec.text_of(bytes.get(..bytes.len() - cut)?))?,
    };
    language_of(&text)
}

/// A line of `--format jsonl`.
#[derive(Serialize)]
struct Line<'g> {
    r#type: &'static str,
    #[serde(flatten)]
    path: PathFields,
    encoding: Option<&'static str>,
    confidence: &'static str,
    language: Option<&'static str>,
    evidence: &'g [String],
    misdecoded_as: Option<&'static str>,
    mixed: Option<&'static str>,
    others: &'g [&'static str],
    suggestion: Option<String>,
    sure: bool,
}

/// Prints the result for a file, and suggests what to do.
fn report(args: &DetectArgs, path: &Path, found: &Found, printer: &mut Printer) -> Result<(), Error> {
    let Found { guess, previews, language, rival } = found;
    let suggestion = guess.suggestion().filter(|suggestion| !suggestion.is_open());
    if args.format == Format::Jsonl {
        let line = Line {
            r#type: "file",
            path: PathFields::of(path),
            encoding: guess.encoding,
            confidence: guess.confidence.name(),
            language: *language,
            evidence: &guess.evidence,
            misdecoded_as: guess.misdecoded_as,
            mixed: guess.mixed,
            others: &guess.others,
            sure: suggestion.as_ref().is_some_and(Suggestion::is_sure),
            suggestion: suggestion
                .and_then(|suggestion| suggestion::to_do(Some(&suggestion), path, Destination::OUTPUT).command)
                .map(|command| suggestion::piped(command, path)),
        };
        return json::line(&line, printer);
    }
    let label = match args.language {
        true => language.unwrap_or("und"),
        false => guess.encoding.unwrap_or("unknown"),
    };
    if args.format == Format::Short {
        return printer.print(format_args!("{label}\n"));
    }
    let (strong, faint) = (printer.style(STRONG), printer.style(FAINT));
    let name = Name(path);
    if args.language {
        return printer.print(format_args!("{name}: {strong}{label}{strong:#}\n"));
    }
    let encoding = guess.encoding.unwrap_or("binary");
    let what = match (guess.misdecoded_as, guess.mixed) {
        (Some(read_as), _) => format!(", mojibake: read as {read_as}"),
        (None, Some(other)) => format!(", with lines in {other}"),
        (None, None) => String::new(),
    };
    let language = language.map_or(String::new(), |language| format!(", language {language}"));
    let verdict = format!("{encoding}{what} ({}){language}", guess.confidence.name());
    let verdict = wrapped(&verdict, width(&format!("{name}: ")), 4, printer.columns());
    let (encoding, rest) = verdict.split_at(encoding.len());
    printer.print(format_args!("{name}: {strong}{encoding}{strong:#}{rest}\n"))?;
    if args.explain || printer.is_verbose() {
        for evidence in &guess.evidence {
            let evidence = wrapped(evidence, 2, 4, printer.columns());
            printer.print(format_args!("  {faint}{evidence}{faint:#}\n"))?;
        }
    }
    if let Some(Rival { encoding, bits, words: [own, other] }) = rival {
        let second = format!("{bits:.0} bits likelier than {encoding}: {}, not {}", plain(own), plain(other));
        let second = wrapped(&second, 2, 4, printer.columns());
        printer.print(format_args!("  {faint}{second}{faint:#}\n"))?;
    }
    for (encoding, words) in previews {
        printer.print(format_args!("  {faint}as {encoding}:{faint:#} {}\n", plain(words)))?;
    }
    for note in &guess.notes {
        let note = wrapped(note, 8, 8, printer.columns());
        printer.print(format_args!("  {faint}note:{faint:#} {note}\n"))?;
    }
    let is_advised = matches!(guess.action, Some(Action::Artifact(_)));
    let help = suggestion
        .map_or_else(Help::default, |suggestion| suggestion::to_do(Some(&suggestion), path, Destination::OUTPUT));
    let artifact = guess.artifact.filter(|_| !is_advised);
    let mut help = suggestion::after(artifact, help, path, Destination::OUTPUT);
    if let (None, Some(other)) = (guess.suggestion(), guess.mixed) {
        help.command = suggestion::for_lines(other, path).command;
    }
    let open =
        guess.suggestion().filter(Suggestion::is_open).and_then(|suggestion| suggestion::command(suggestion.action));
    if let Some(command) = open {
        help.notes.push(format!("`{command} {}` converts it, if that reads right", Argument(path)));
    }
    let help = help.at(path);
    for note in help.notes {
        let note = wrapped(&note, 8, 8, printer.columns());
        printer.print(format_args!("  {faint}note:{faint:#} {note}\n"))?;
    }
    help.command
        .map_or(Ok(()), |command| printer.print(format_args!("  {faint}help:{faint:#} {strong}{command}{strong:#}\n")))
}
