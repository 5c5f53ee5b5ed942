//! The only code that prints: all output goes through the [`Printer`].

use std::fmt;
use std::io::{self, BufWriter, IsTerminal, Stdout, Write};
use std::ops::ControlFlow;
use std::path::Path;

use anstream::{AutoStream, ColorChoice};
use anstyle::Style;
use clap::error::ErrorKind;
use utf8kit_encodings::display::Name;
use utf8kit_files::{Blocks, FileError, Monitor, Pace, Sources};

use crate::args::Color;
use crate::columns::{width, wrapped};
use crate::error::{Error, Status};
use crate::level;
use crate::palette;
use crate::progress::Bar;
use crate::suggestion::{HELP, NOTE};

/// The main part of a line: a place, a name.
pub(crate) const STRONG: Style = Style::new().bold();
/// Errors.
pub(crate) const BAD: Style = palette::BAD.terminal.on_default().bold();
/// Success.
pub(crate) const GOOD: Style = palette::GOOD.terminal.on_default();
/// Text that a change removes.
pub(crate) const REMOVED: Style = palette::BAD.terminal.on_default();
/// Text that a change adds.
pub(crate) const ADDED: Style = palette::GOOD.terminal.on_default();
/// Explanations.
pub(crate) const FAINT: Style = Style::new().dimmed();

/// The start of a line with the values of an option, and the most columns of such a line.
const VALUES: &str = "  [possible values: ";
const MAX_VALUES: usize = 500;

/// Prints results on standard output, and messages and progress on standard error.
pub(crate) struct Printer {
    out: BufWriter<Stdout>,
    out_is_terminal: bool,
    colors_out: bool,
    colors_messages: bool,
    message_columns: usize,
    verbose: bool,
    failed: bool,
    /// Whether the current input is live.
    live: bool,
    progress: Bar,
}

impl Printer {
    /// Creates a printer. `Color::Auto` depends on the terminal and the environment (NO_COLOR, CLICOLOR_FORCE, TERM).
    pub(crate) fn new(color: Color, verbose: bool) -> Printer {
        let (out, messages) = (io::stdout(), io::stderr());
        let colors = |auto: ColorChoice| match color {
            Color::Auto => auto != ColorChoice::Never,
            Color::Always => true,
            Color::Never => false,
        };
        Printer {
            colors_out: colors(AutoStream::choice(&out)),
            colors_messages: colors(AutoStream::choice(&messages)),
            out_is_terminal: out.is_terminal(),
            message_columns: columns(&messages),
            out: BufWriter::with_capacity(64 * 1024, out),
            verbose,
            failed: false,
            live: false,
            progress: Bar::new(messages.is_terminal()),
        }
    }

    /// Prints a result verbatim.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.out.write_all(bytes).map_err(Error::Output)
    }

    /// Prints a result: `printer.print(format_args!("..."))`.
    pub(crate) fn print(&mut self, text: fmt::Arguments<'_>) -> Result<(), Error> {
        self.out.write_fmt(text).map_err(Error::Output)
    }

    /// Flushes the buffered output.
    pub(crate) fn flush(&mut self) -> Result<(), Error> {
        self.out.flush().map_err(Error::Output)
    }

    /// Returns the style to use for results: `style`, or plain if there is no colour. Write it as
    /// `{style}...{style:#}`.
    pub(crate) fn style(&self, style: Style) -> Style {
        if self.colors_out { style } else { Style::new() }
    }

    /// Returns the number of columns for results.
    pub(crate) fn columns(&self) -> usize {
        columns(self.out.get_ref())
    }

    /// Prints a row of a plan: the action, the file and the reason. The reason has its own lines if the row is too
    /// long.
    pub(crate) fn step(&mut self, action: &str, what: &str, reason: &str) -> Result<(), Error> {
        let (strong, faint, columns) = (self.style(STRONG), self.style(FAINT), self.columns());
        let indent = action.len() + "  ".len();
        let fits = indent + width(what) + "  ".len() + width(reason) <= columns;
        let between = if fits { "  ".to_owned() } else { format!("\n{}", " ".repeat(indent)) };
        let [what, reason] = [what, reason].map(|text| wrapped(text, indent, indent, columns));
        self.print(format_args!("{strong}{action}{strong:#}  {what}{between}{faint}{reason}{faint:#}\n"))
    }

    /// Reports whether the current input is live.
    pub(crate) fn is_live(&self) -> bool {
        self.live
    }

    /// Reports whether results go to a terminal.
    pub(crate) fn out_is_terminal(&self) -> bool {
        self.out_is_terminal
    }

    /// Prints a message on standard error.
    pub(crate) fn message(&mut self, text: impl fmt::Display) {
        // A failure of standard error cannot be reported anywhere.
        let _ = self.out.flush();
        let text = self.laid_out(&format!("utf8: {text}"));
        self.progress.aside(|| {
            let _ = writeln!(io::stderr(), "{text}");
        });
    }

    /// Breaks the lines of a message at the width of the terminal, except for commands, which users paste.
    fn laid_out(&self, text: &str) -> String {
        let (faint, strong) = match self.colors_messages {
            true => (FAINT, STRONG),
            false => (Style::new(), Style::new()),
        };
        let columns = self.message_columns;
        let lines = text.split('\n').map(|line| {
            if width(line) <= columns && !line.starts_with(HELP) && !line.starts_with(NOTE) {
                return line.to_owned();
            }
            if let Some(command) = line.strip_prefix(HELP) {
                return format!("{faint}{HELP}{faint:#}{strong}{command}{strong:#}");
            }
            match line.strip_prefix(NOTE) {
                Some(note) => {
                    format!("{faint}{NOTE}{faint:#}{}", wrapped(note, NOTE.len(), NOTE.len(), columns))
                }
                None => wrapped(line, 0, "utf8: ".len(), columns),
            }
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    /// Prints that a file is skipped, if every skipped file is to be named or if it needs attention, in which case the
    /// command will end with exit status 2.
    pub(crate) fn skipped(&mut self, attention: bool, text: impl fmt::Display) {
        self.failed |= attention;
        if attention || self.verbose {
            self.message(text);
        }
    }

    /// Makes the command end with exit status 2.
    pub(crate) fn fail(&mut self) {
        self.failed = true;
    }

    /// Reports whether every skipped file is to be named.
    pub(crate) fn is_verbose(&self) -> bool {
        self.verbose
    }

    /// Prints an error on standard error. The command will end with exit status 2.
    pub(crate) fn error(&mut self, error: &Error) {
        self.failed = true;
        if error.is_closed_pipe() {
            return;
        }
        let style = if self.colors_messages { BAD } else { Style::new() };
        self.message(format_args!("{style}error:{style:#} {error}"));
    }

    /// Prints an error with one of several files and continues. Returns the error if the command cannot continue, such
    /// as for a closed output.
    pub(crate) fn recover(&mut self, error: Error) -> Result<(), Error> {
        match error {
            Error::Output(_) | Error::Config(_) => Err(error),
            Error::Other(_) => {
                self.error(&error);
                Ok(())
            }
        }
    }

    /// Prints the version or help, or the error in the arguments.
    pub(crate) fn answer(&mut self, answer: &clap::Error) -> Result<Status, Error> {
        if answer.kind() == ErrorKind::DisplayVersion {
            self.print(format_args!("{}", level::version()))?;
            return Ok(Status::Clean);
        }
        let text = answer.render();
        let colors = if answer.use_stderr() { self.colors_messages } else { self.colors_out };
        let plain = text.to_string();
        let text = match plain.strip_prefix("error: ") {
            // A list that an option printed.
            Some(list) if answer.kind() == ErrorKind::DisplayHelp => list.to_owned(),
            _ if colors && plain.lines().all(|line| width(line) <= self.message_columns) => text.ansi().to_string(),
            _ if answer.use_stderr() => {
                let lines = plain.lines().filter(|line| !line.starts_with(VALUES) || width(line) <= MAX_VALUES);
                let wrap = |line: &str| {
                    let (indent, words) = line.split_at(line.len() - line.trim_start().len());
                    let first = indent.len();
                    format!("{indent}{}", wrapped(words, first, first + 2, self.message_columns))
                };
                lines.map(wrap).collect::<Vec<_>>().join("\n") + "\n"
            }
            _ if colors => text.ansi().to_string(),
            _ => plain,
        };
        if answer.use_stderr() {
            // A failure of standard error cannot be reported anywhere.
            let _ = io::stderr().write_all(text.as_bytes());
            return Ok(Status::Error);
        }
        self.bytes(text.as_bytes())?;
        Ok(Status::Clean)
    }

    /// Begins an input. Results for a live input are not held back.
    pub(crate) fn begin(&mut self, input: &Blocks) {
        self.live = input.pace() == Pace::Live;
        self.expect(input.len().unwrap_or(0));
    }

    /// Adds to the number of bytes done. If the input is live, the output is flushed.
    pub(crate) fn advance(&mut self, bytes: u64) -> Result<(), Error> {
        self.progress.advance(bytes);
        if self.live { self.flush() } else { Ok(()) }
    }

    /// Starts to show progress for all sources. The total size of several sources is unknown.
    pub(crate) fn begin_all(&mut self, sources: &Sources) {
        if !sources.is_single() {
            self.progress.set_total_unknown();
        }
    }

    /// Adds to the total number of bytes to do, if it is known.
    pub(crate) fn expect(&mut self, bytes: u64) {
        self.progress.expect(bytes);
    }

    /// Flushes the output, prints the error of `result` if there is one, and returns the exit status.
    pub(crate) fn finish(mut self, result: Result<Status, Error>) -> Status {
        self.progress.clear();
        let flushed = self.out.flush().map_err(Error::Output);
        match result.and_then(|status| flushed.map(|()| status)) {
            Ok(_) if self.failed => Status::Error,
            Ok(status) => status,
            Err(error) if error.is_closed_pipe() => Status::Clean,
            Err(error) => {
                self.error(&error);
                Status::Error
            }
        }
    }
}

/// Returns the width of an output in columns: COLUMNS from the environment, or else the width of the terminal.
#[cfg(unix)]
fn columns(output: impl std::os::fd::AsFd) -> usize {
    configured().or_else(|| columns_of(terminal_size::terminal_size_of(output))).unwrap_or(usize::MAX)
}

#[cfg(windows)]
fn columns(output: impl std::os::windows::io::AsHandle) -> usize {
    configured().or_else(|| columns_of(terminal_size::terminal_size_of(output))).unwrap_or(usize::MAX)
}

fn configured() -> Option<usize> {
    let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    columns.filter(|&columns| columns > 0)
}

fn columns_of(size: Option<(terminal_size::Width, terminal_size::Height)>) -> Option<usize> {
    size.map(|(width, _)| usize::from(width.0))
}

impl Monitor for Printer {
    fn expect(&mut self, bytes: u64) {
        Printer::expect(self, bytes);
    }

    fn advance(&mut self, bytes: u64) -> ControlFlow<()> {
        self.progress.advance(bytes);
        ControlFlow::Continue(())
    }

    fn failed(&mut self, error: FileError) {
        self.error(&error.into());
    }

    fn owner_changed(&mut self, path: &Path) {
        self.message(format_args!("{}: its owner or group could not be kept", Name(path)));
    }

    fn wait_for_lock(&mut self, path: &Path) {
        self.message(format_args!("{}: waiting for another program", Name(path)));
    }
}
