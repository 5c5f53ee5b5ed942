//! Legacy encodings, detection and repair. This is a module of its own because few programs need its tables. Names are
//! passed as the first bytes of `input`, and canonical names are in lower case.

mod checker;
mod decoder;
mod pairs;
mod streams;

use encoding_rs::Encoding;
use utf8kit_detect::originals::with_notes;
use utf8kit_detect::{Action, Candidate, Detector, RepairPolicy, SNIFF_LEN, Suggestion, names};
use utf8kit_encodings::Charset;
use utf8kit_encodings::artifact::Artifact;
use utf8kit_encodings::convert::{Conversion, Invalid};

use crate::memory::{INPUT_BYTES, Memory, with_memory};
use checker::Checker;
use decoder::Decoder;
use pairs::Pairs;
use streams::{Converting, Repairing};

/// The most names whose encoding is inferred together.
const MAX_NAMES_WEIGHED: usize = 1000;

/// The most encodings of names in one archive.
const MAX_ENCODINGS_OF_NAMES: usize = 4;

/// An open stream.
pub(crate) enum Stream {
    Decoder(Decoder),
    Checker(Checker),
    Converting(Converting),
    Repairing(Repairing),
}

/// The state of the module between calls.
#[derive(Default)]
pub(crate) struct State {
    detector: Option<Detector>,
    /// The first bytes that the detector received.
    head: Vec<u8>,
    pairs: Vec<(&'static Encoding, Option<Pairs>)>,
}

impl State {
    /// Returns the tables of an encoding, which are computed once; `None` if it has none.
    fn pairs(&mut self, encoding: &'static Encoding) -> Option<&Pairs> {
        let known = self.pairs.iter().position(|(other, _)| *other == encoding);
        let index = known.unwrap_or_else(|| {
            self.pairs.push((encoding, Pairs::new(encoding)));
            self.pairs.len() - 1
        });
        self.pairs[index].1.as_ref()
    }
}

/// Runs a stream on the first `len` bytes of `input`; returns 1 if it failed.
fn advance(
    handle: usize,
    len: usize,
    work: impl FnOnce(&mut Stream, &[u8], &mut Vec<u8>, &mut Vec<f64>) -> bool,
) -> u32 {
    with_memory(|memory| {
        let Memory { input, output, numbers, open, .. } = memory;
        output.clear();
        numbers.clear();
        let Some(stream) = open.get::<Stream>(handle) else { return 0 };
        u32::from(work(stream, &input[..len.min(INPUT_BYTES)], output, numbers))
    })
}

/// Opens a stream for the names in the first `len` bytes of `input`, which are separated by line feeds; -1 if one of
/// them is unknown.
fn open(len: usize, stream: impl FnOnce(&[&str]) -> Option<Stream>) -> i32 {
    with_memory(|memory| {
        let names: Vec<&str> = memory.name(len).split('\n').collect();
        stream(&names).map_or(-1, |stream| memory.open.add(stream))
    })
}

/// Writes the names of the policies of repairs to `output`, one per line, with `LABEL` for an encoding.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn repair_names() {
    let names: Vec<_> = RepairPolicy::names().map(|(name, _)| name).collect();
    with_memory(|memory| memory.write_lines(&names));
}

/// Opens a decoder of an encoding of the standard by its label; -1 if there is none.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn decoder(len: usize) -> i32 {
    open(len, |names| {
        let encoding = Encoding::for_label(names.first()?.as_bytes())?;
        Some(Stream::Decoder(Decoder::new(encoding)))
    })
}

/// Decodes the next `len` bytes to UTF-16 in `output`. With `fatal`, stops at the first error and returns 1. With
/// `last`, the input ends.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn decode(handle: usize, len: usize, last: u32, fatal: u32) -> u32 {
    advance(handle, len, |stream, input, output, _| match stream {
        Stream::Decoder(decoder) => decoder.push(input, last != 0, fatal != 0, output),
        _ => true,
    })
}

/// Decodes `len` bytes that are the whole input, like [`decode`]. The label is the `label_len` bytes after them.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn decode_whole(len: usize, label_len: usize, fatal: u32) -> u32 {
    with_memory(|memory| {
        let Memory { input, output, states, .. } = memory;
        let (bytes, rest) = input.split_at(len.min(INPUT_BYTES));
        let Some(encoding) = rest.get(..label_len).and_then(Encoding::for_label) else { return 1 };
        if states.of::<State>().pairs(encoding).is_some_and(|pairs| pairs.decode(bytes, output)) {
            return 0;
        }
        output.clear();
        u32::from(Decoder::new(encoding).push(bytes, true, fatal != 0, output))
    })
}

/// Writes the tables of an encoding to `output`. Its label is the first `len` bytes of `input`. The tables have 256
/// units for single bytes, and 128 times 256 for pairs of bytes; nothing is written if the encoding has none. See
/// `Pairs`.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn pairs(len: usize) {
    with_memory(|memory| {
        let Memory { input, output, states, .. } = memory;
        let encoding = Encoding::for_label(&input[..len.min(INPUT_BYTES)]);
        output.clear();
        output.extend(
            encoding.and_then(|encoding| states.of::<State>().pairs(encoding)).into_iter().flat_map(Pairs::bytes),
        );
    });
}

/// Opens a checker of an encoding of the standard by its label; -1 if there is none.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn legacy_checker(len: usize) -> i32 {
    open(len, |names| Checker::new(names.first()?).map(Stream::Checker))
}

/// Adds the next `len` bytes to a checker. Writes the errors that it found in them to `numbers`, each as offset,
/// length, line and column, the last two from 0. With `last`, the input ends.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn check(handle: usize, len: usize, last: u32) -> u32 {
    advance(handle, len, |stream, input, _, numbers| {
        if let Stream::Checker(checker) = stream {
            checker.push(input, last != 0, numbers);
        }
        false
    })
}

/// Opens a converter between two encodings of any kind, whose names are in `input`; -1 if one is unknown. `invalid` is
/// an index in [`Invalid::ALL`], which has the order of the library's policies.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn legacy_converter(len: usize, invalid: u32) -> i32 {
    open(len, |names| {
        let &[from, to] = names else { return None };
        let mut conversion = Conversion::new(from.parse().ok()?, to.parse().ok()?);
        conversion.invalid = *Invalid::ALL.get(invalid as usize)?;
        Some(Stream::Converting(Converting::new(conversion)))
    })
}

/// Opens a repairer for the policy and the encoding whose names are in `input`; -1 if one is unknown, or the encoding
/// does not support the policy.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn repairer(len: usize) -> i32 {
    open(len, |names| Repairing::new(names.first()?, names.get(1)?).map(Stream::Repairing))
}

/// Adds the next `len` bytes to a converter or a repairer; with `last`, they are the end. The output is in `output`.
/// Returns 1 if a strict conversion fails: `numbers` is then the offset and the length of the place, and the code point
/// that the target lacks, or -1 if the place is malformed. Otherwise, `numbers` is the number of changed places and,
/// for a converter, the number of bytes held back.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn legacy_push(handle: usize, len: usize, last: u32) -> u32 {
    advance(handle, len, |stream, input, output, numbers| match stream {
        Stream::Converting(converting) => converting.push(input, last != 0, output, numbers),
        Stream::Repairing(repairing) => {
            repairing.push(input, last != 0, output, numbers);
            false
        }
        _ => true,
    })
}

/// Restarts a repairer for the same input, with the evidence of the whole input.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn again(handle: usize) {
    advance(handle, 0, |stream, _, _, _| {
        if let Stream::Repairing(repairing) = stream {
            repairing.again();
        }
        false
    });
}

/// Writes the first changes of a repairer: to `numbers` the offset and the lengths of the old and the new bytes of
/// each, and these bytes to `output`.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn changes(handle: usize) {
    advance(handle, 0, |stream, _, output, numbers| {
        if let Stream::Repairing(repairing) = stream {
            repairing.changes(output, numbers);
        }
        false
    });
}

/// Encodes a code point in the encoding whose name is the first `len` bytes of `input`. Its bytes are in `output`,
/// which is empty if the encoding cannot represent it.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn legacy_encode(len: usize, code_point: u32) {
    with_memory(|memory| {
        let charset = memory.name(len).parse::<Charset>().ok();
        let scalar = char::from_u32(code_point);
        memory.output =
            charset.zip(scalar).and_then(|(charset, scalar)| charset.writer().bytes_of(scalar)).unwrap_or_default();
    });
}

/// Writes the canonical name of the encoding whose name is the first `len` bytes of `input` to `output`; nothing if
/// there is none.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn canonical(len: usize) {
    with_memory(|memory| {
        let known = memory.name(len).parse::<Charset>().map(|charset| charset.to_string().to_ascii_lowercase());
        memory.output = known.unwrap_or_default().into_bytes();
    });
}

/// Passes the next `len` bytes to the detector. Returns 0 if it needs no more.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn detect(len: usize) -> u32 {
    with_memory(|memory| {
        let Memory { input, states, .. } = memory;
        let State { detector, head, .. } = states.of::<State>();
        let piece = &input[..len.min(INPUT_BYTES)];
        head.extend(piece.iter().take(SNIFF_LEN - head.len()));
        u32::from(detector.get_or_insert_default().push(piece))
    })
}

/// Guesses the encoding of the bytes that the detector received, which are the whole input if `whole`, and resets the
/// detector. Writes to `output`, one per line: the encoding's name, the confidence, the encoding from which UTF-8 was
/// misdecoded, the encoding of the lines that are not UTF-8, the other encodings that the input may be in, the action
/// (each empty if there is none), whether that is sure (`sure`, or empty), the policy that undoes damage first (or
/// empty), the number of notes, the notes, then the evidence.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn guess(whole: u32) {
    with_memory(|memory| {
        let State { detector, head, .. } = memory.states.of::<State>();
        let (detector, head) = (detector.take().unwrap_or_default(), std::mem::take(head));
        let guess = if whole != 0 { detector.finish() } else { detector.finish_early() };
        let guess = with_notes(guess, &head);
        let name = |name: Option<&str>| name.unwrap_or_default().to_ascii_lowercase();
        let confidence = guess.confidence.name().to_owned();
        let suggestion = guess.suggestion().filter(|suggestion| !suggestion.is_open());
        let sure = if suggestion.as_ref().is_some_and(Suggestion::is_sure) { "sure" } else { "" };
        let action = suggestion.map(|suggestion| suggestion.action);
        let artifact =
            guess.artifact.filter(|artifact| action != Some(Action::Artifact(*artifact))).map_or("", Artifact::name);
        let action = action.and_then(words).unwrap_or_default();
        let others = guess.others.join(" ").to_ascii_lowercase();
        let (misdecoded_as, mixed) = (name(guess.misdecoded_as), name(guess.mixed));
        let facts = [name(guess.encoding), confidence, misdecoded_as, mixed, others, action, sure.to_owned()];
        let notes: Vec<String> =
            guess.artifact.map(|artifact| artifact.about().to_owned()).into_iter().chain(guess.notes).collect();
        let more = [artifact.to_owned(), notes.len().to_string()];
        let lines = facts.into_iter().chain(more).chain(notes).chain(guess.evidence);
        memory.write_lines(&lines.collect::<Vec<_>>());
    });
}

/// Writes to `output` the encodings that the first `len` bytes of `input` may be in, the likeliest first, one per line:
/// the score and the name. `cut` means that the text continues after these bytes.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn candidates(len: usize, cut: u32) {
    with_memory(|memory| {
        let bytes = memory.input(len);
        let bytes = if cut != 0 { utf8kit::trim_partial(bytes) } else { bytes };
        let found = utf8kit_detect::candidates(bytes);
        let line = |one: &Candidate| format!("{} {}", one.score, one.encoding.to_ascii_lowercase());
        memory.write_lines(&found.iter().map(line).collect::<Vec<_>>());
    });
}

/// Writes candidates for the original of the garbled text in the first `len` bytes of `input`, the likeliest first. For
/// each, `numbers` has how much likelier it is than the text, and the lengths of its two parts in `output`: pairs of
/// the encodings in which it was written and read, in order, and the text.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn misread(len: usize) {
    with_memory(|memory| {
        let found = utf8kit_detect::originals::candidates(memory.name(len));
        memory.output.clear();
        memory.numbers.clear();
        for one in found {
            let how: Vec<&str> = one.how.iter().flat_map(|step| [step.meant, step.read]).collect();
            let how = how.join(" ").to_ascii_lowercase();
            memory.numbers.extend([f64::from(one.nats), how.len() as f64, one.text.len() as f64]);
            memory.output.extend_from_slice(how.as_bytes());
            memory.output.extend_from_slice(one.text.as_bytes());
        }
    });
}

/// Infers the encodings of file names, which are the first `len` bytes of `input`, separated by NUL. Names in UTF-8 are
/// evidence for the others. Writes a line for each name to `output`: the encoding and the confidence, or nothing if the
/// name is UTF-8 or in no encoding.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn read_names(len: usize) {
    with_memory(|memory| {
        let all: Vec<&[u8]> = memory.input(len).split(|byte| *byte == 0).collect();
        let beside: Vec<&str> = all.iter().filter_map(|name| str::from_utf8(name).ok()).collect();
        let beside = beside.concat();
        let mut lines = vec![String::new(); all.len()];
        let mut rest: Vec<usize> = (0..all.len()).filter(|&at| str::from_utf8(all[at]).is_err()).collect();
        for _ in 0..MAX_ENCODINGS_OF_NAMES {
            if rest.is_empty() {
                break;
            }
            let names: Vec<&[u8]> = rest.iter().take(MAX_NAMES_WEIGHED).map(|&at| all[at]).collect();
            let (legacy, confidence) = names::weigh(&names, &beside);
            let named = format!("{} {}", legacy.name().to_ascii_lowercase(), confidence.name());
            rest.retain(|&at| {
                // Names that do not fit are in another encoding.
                let fits = names::may_be(legacy, all[at]);
                if fits {
                    lines[at].clone_from(&named);
                }
                !fits
            });
        }
        memory.write_lines(&lines);
    });
}

/// Writes the code of the language of the text in `input`, `len` bytes, to `output`; nothing if its words do not tell.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn language(len: usize) {
    with_memory(|memory| {
        let known = utf8kit_detect::stats::language_of(memory.name(len)).unwrap_or_default();
        memory.output.clear();
        memory.output.extend_from_slice(known.as_bytes());
    });
}

/// Returns the share of the text in `input`, `len` bytes, that reads as some language.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn readability(len: usize) -> f64 {
    with_memory(|memory| utf8kit_detect::model::readability(memory.name(len)))
}

/// Returns an action as words: `convert`, an encoding and, if its byte order mark is to be removed, `strip`; or
/// `repair` and a policy.
fn words(action: Action) -> Option<String> {
    let words = match action {
        Action::Convert { from, strip_bom: true } => format!("convert {from} strip"),
        Action::Convert { from, .. } => format!("convert {from}"),
        repair => format!("repair {}", RepairPolicy::of(repair)?),
    };
    Some(words.to_ascii_lowercase())
}
