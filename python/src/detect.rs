//! detect, candidates, fix_mojibake and find_mojibake: the detection of encodings and mojibake in utf8kit-detect.

use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use utf8kit::EncodingLabel;
use utf8kit_detect::mojibake::{self, Outcome};
use utf8kit_detect::repair::RepairPolicy;
use utf8kit_detect::{Action, Candidate, Suggestion};
use utf8kit_encodings::charset::{Charset, Codec};

use crate::input::{BYTES_PER_CHECK, Input};
use crate::signals::{Cancelled, interruptible};

/// Repairing a longer text may take so long that Ctrl-C must end it.
const MAX_BYTES_UNINTERRUPTED: usize = 64 << 10;

/// The best guess at an encoding.
#[pyclass(frozen, get_all, eq, module = "utf8kit", name = "Detection")]
#[derive(Clone, PartialEq)]
pub(crate) struct Detection {
    /// The encoding's name; None if the data is not text at all.
    encoding: Option<String>,
    /// The confidence: `certain`, `likely` or `possible`.
    confidence: String,
    /// The evidence, in words.
    evidence: Vec<String>,
    /// For text that was encoded twice, the encoding by which its UTF-8 was decoded; `repair(data, "mojibake")` undoes
    /// it.
    misdecoded_as: Option<String>,
    /// For UTF-8 with some lines in another encoding, that encoding.
    mixed: Option<String>,
    /// Other encodings that the data may be in, the likeliest first.
    others: Vec<String>,
    /// The call that makes the data UTF-8 and keeps all undamaged text: `("convert", encoding)`, for `convert(data,
    /// encoding, "utf-8")`, or `("repair", policy)`, for `repair(data, policy)`. None if none is needed or known, or if
    /// several encodings are possible.
    suggestion: Option<(String, String)>,
    /// Whether the suggestion is certain. Otherwise, check its result.
    sure: bool,
}

/// The fields of a [`Detection`].
type Fields =
    (Option<String>, String, Vec<String>, Option<String>, Option<String>, Vec<String>, Option<(String, String)>, bool);

#[pymethods]
impl Detection {
    /// Recreates a detection. Called by pickle.
    #[new]
    #[pyo3(signature = (
        encoding, confidence, evidence, misdecoded_as = None, mixed = None, others = Vec::new(), suggestion = None, sure = false
    ))]
    #[expect(clippy::too_many_arguments, reason = "one for each field")]
    fn new(
        encoding: Option<String>,
        confidence: String,
        evidence: Vec<String>,
        misdecoded_as: Option<String>,
        mixed: Option<String>,
        others: Vec<String>,
        suggestion: Option<(String, String)>,
        sure: bool,
    ) -> Detection {
        Detection { encoding, confidence, evidence, misdecoded_as, mixed, others, suggestion, sure }
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, pyo3::types::PyType>, Fields) {
        let Detection { encoding, confidence, evidence, misdecoded_as, mixed, others, suggestion, sure } =
            slf.get().clone();
        (slf.get_type(), (encoding, confidence, evidence, misdecoded_as, mixed, others, suggestion, sure))
    }

    fn __repr__(&self) -> String {
        let encoding = self.encoding.as_ref().map_or("None".to_owned(), |name| format!("'{name}'"));
        format!("Detection(encoding={encoding}, confidence='{}')", self.confidence)
    }
}

/// Guesses the encoding of some bytes, which must be the whole data, and gives the evidence.
///
/// Args:
///     data: any buffer. It is not copied.
///
/// Returns:
///     A `Detection`: byte order marks, NULs as in UTF-16, UTF-8 once or twice, the signs of a dialect, then
///     statistics of legacy encodings, whichever decides first.
///
/// >>> import utf8kit
/// >>> utf8kit.detect("naïve".encode())
/// Detection(encoding='utf-8', confidence='certain')
/// >>> found = utf8kit.detect("cafÃ©".encode())
/// >>> found.misdecoded_as, found.suggestion, found.sure
/// ('windows-1252', ('repair', 'mojibake'), True)
#[pyfunction]
pub(crate) fn detect(py: Python<'_>, data: Input<'_>) -> PyResult<Detection> {
    let guess = examined(py, &data, utf8kit_detect::detect)?;
    let suggestion = guess.suggestion().filter(|suggestion| !suggestion.is_open());
    Ok(Detection {
        others: guess.others.into_iter().map(str::to_owned).collect(),
        sure: suggestion.as_ref().is_some_and(Suggestion::is_sure),
        suggestion: suggestion.and_then(|suggestion| words(suggestion.action)),
        encoding: guess.encoding.map(str::to_owned),
        confidence: guess.confidence.name().to_owned(),
        evidence: guess.evidence,
        misdecoded_as: guess.misdecoded_as.map(str::to_owned),
        mixed: guess.mixed.map(str::to_owned),
    })
}

/// Returns an action as a function and its argument.
fn words(action: Action) -> Option<(String, String)> {
    let (function, how) = match action {
        Action::Convert { from, strip_bom } => ("convert", if strip_bom { marked(from) } else { from }.to_string()),
        repair => ("repair", RepairPolicy::of(repair)?.to_string()),
    };
    Some((function.to_owned(), how))
}

/// Returns UTF-16 or UTF-32 as the encoding whose byte order mark is not part of the text.
fn marked(charset: Charset) -> Charset {
    match charset.writer() {
        Codec::Native(encoding) if encoding.unit() == 2 => Charset::Named(EncodingLabel::Utf16),
        Codec::Native(encoding) if encoding.unit() == 4 => Charset::Named(EncodingLabel::Utf32),
        _ => charset,
    }
}

/// Calls `work` with the bytes, so that Ctrl-C ends it.
fn examined<T: Send + 'static>(
    py: Python<'_>,
    data: &Input<'_>,
    work: impl Fn(&[u8]) -> T + Send + 'static,
) -> PyResult<T> {
    match data.as_object().filter(|bytes| bytes.as_bytes().len() > BYTES_PER_CHECK) {
        Some(bytes) => {
            let bytes = PyBackedBytes::from(bytes.clone());
            interruptible(py, move |_| work(&bytes))
        }
        None => Ok(data.with(py, work)),
    }
}

/// Ranks the encodings that some bytes may be in. The first one is the result of `detect`.
///
/// Args:
///     data: any buffer. It is not copied.
///
/// Returns:
///     A list of (encoding, probability). Of encodings that give the same text, only the most frequent one is listed.
///     Empty if the data is not text.
///
/// >>> import utf8kit
/// >>> data = "Blåbærgrød".encode("windows-1252")
/// >>> for encoding, score in utf8kit.candidates(data)[:2]:
/// ...     print(encoding, data.decode(encoding))
/// windows-1252 Blåbærgrød
/// windows-1257 Blåbęrgrųd
#[pyfunction]
pub(crate) fn candidates(py: Python<'_>, data: Input<'_>) -> PyResult<Vec<(&'static str, f64)>> {
    let found = examined(py, &data, utf8kit_detect::candidates)?;
    Ok(found.into_iter().map(|Candidate { encoding, score, .. }| (encoding, score)).collect())
}

/// Decodes lines that were certainly encoded twice (or more often). The rest is unchanged.
///
/// Args:
///     text: a str.
///
/// Returns:
///     str.
///
/// >>> import utf8kit
/// >>> utf8kit.fix_mojibake("cafÃ© itâ€™s\nnaïve")
/// 'café it’s\nnaïve'
#[pyfunction]
pub(crate) fn fix_mojibake(py: Python<'_>, text: PyBackedStr) -> PyResult<String> {
    of_text(py, text, |text, cancelled| {
        let mut all = String::with_capacity(text.len());
        for line in text.split_inclusive('\n').take_while(|_| !cancelled.get()) {
            all += mojibake::fix_mojibake(line).as_deref().unwrap_or(line);
        }
        all
    })
}

/// Calls `work` with a text without the GIL, so that Ctrl-C ends it if the text is long.
fn of_text<T: Send + 'static>(
    py: Python<'_>,
    text: PyBackedStr,
    work: impl FnOnce(&str, &Cancelled) -> T + Send + 'static,
) -> PyResult<T> {
    if text.len() > MAX_BYTES_UNINTERRUPTED {
        interruptible(py, move |cancelled| work(&text, cancelled))
    } else {
        Ok(py.detach(|| work(&text, &Cancelled::default())))
    }
}

/// A line that was encoded twice, or may have been.
#[pyclass(frozen, get_all, eq, module = "utf8kit", name = "MojibakeLine")]
#[derive(Clone, PartialEq)]
pub(crate) struct MojibakeLine {
    /// The number of the line, from 1.
    line: usize,
    /// The start of the line in the text, in code points.
    start: usize,
    /// The end of the line, after its line end.
    end: usize,
    /// The replacement by `fix_mojibake`, or None if the line is doubtful and left alone.
    text: Option<String>,
    /// The encodings by which its UTF-8 may have been decoded, the most frequent first.
    encodings: Vec<&'static str>,
    /// The texts that a doubtful line may be, the likeliest first.
    candidates: Vec<String>,
}

#[pymethods]
impl MojibakeLine {
    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let text = self.text.as_ref().into_pyobject(py)?.repr()?;
        Ok(format!("MojibakeLine(line={}, text={text}, encodings={:?})", self.line, self.encodings))
    }
}

/// Finds the lines that `fix_mojibake` changes, with the encodings they went through, and the doubtful lines that it
/// leaves alone.
///
/// Args:
///     text: a str.
///
/// Returns:
///     A list of `MojibakeLine`, one for each line that was encoded twice or may have been.
///
/// >>> import utf8kit
/// >>> certain, doubtful = utf8kit.find_mojibake("naïve\ncafÃ©\npĂĄ slĂĄtt")
/// >>> certain.line, certain.text, certain.encodings
/// (2, 'café\n', ['windows-1252', 'latin1', 'windows-1254', 'iso-8859-15'])
/// >>> doubtful.text, doubtful.candidates
/// (None, ['på slått', 'pá slátt'])
#[pyfunction]
pub(crate) fn find_mojibake(py: Python<'_>, text: PyBackedStr) -> PyResult<Vec<MojibakeLine>> {
    of_text(py, text, |text, cancelled| {
        let (mut found, mut start) = (Vec::new(), 0);
        for (line, part) in (1..).zip(text.split_inclusive('\n')).take_while(|_| !cancelled.get()) {
            let end = start + utf8kit::count(part);
            let (text, candidates) = match mojibake::repair_line(part) {
                Outcome::Repaired(candidate) => (Some(candidate.text.clone()), vec![candidate]),
                Outcome::Doubtful(candidates) => (None, candidates),
                _ => (None, Vec::new()),
            };
            let mut encodings: Vec<&'static str> = Vec::new();
            for name in candidates.iter().flat_map(mojibake::Candidate::ways) {
                if !encodings.contains(&name) {
                    encodings.push(name);
                }
            }
            if !candidates.is_empty() {
                let candidates = candidates.into_iter().map(|candidate| candidate.text);
                let candidates = if text.is_some() { Vec::new() } else { candidates.collect() };
                found.push(MojibakeLine { line, start, end, text, encodings, candidates });
            }
            start = end;
        }
        found
    })
}
