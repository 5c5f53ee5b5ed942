//! The progress bar: a line on a terminal, for work that takes longer than a second.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

/// The delay before the bar is shown.
const DELAY_BEFORE_BAR: Duration = Duration::from_secs(1);

/// Progress in bytes.
#[derive(Debug)]
pub(crate) struct Bar {
    /// The start time; `None` if no bar is wanted.
    since: Option<Instant>,
    done: u64,
    expected: u64,
    /// Whether there may be more to do than expected.
    is_open: bool,
    bar: Option<ProgressBar>,
}

impl Bar {
    /// Creates a bar that is shown only if `wanted`.
    pub(crate) fn new(wanted: bool) -> Bar {
        Bar { since: wanted.then(Instant::now), done: 0, expected: 0, is_open: false, bar: None }
    }

    /// Adds to the number of bytes to do.
    pub(crate) fn expect(&mut self, bytes: u64) {
        self.expected += if self.is_open { 0 } else { bytes };
    }

    /// Marks the total as unknown: more work may follow.
    pub(crate) fn set_total_unknown(&mut self) {
        self.is_open = true;
    }

    /// Adds to the number of bytes done.
    pub(crate) fn advance(&mut self, bytes: u64) {
        self.done += bytes;
        if self.since.is_some_and(|since| since.elapsed() >= DELAY_BEFORE_BAR) {
            let bar = self.bar.get_or_insert_with(ProgressBar::no_length);
            if self.expected >= self.done && bar.length() != Some(self.expected) {
                bar.set_length(self.expected);
                bar.set_style(style("{bar:30} {bytes} of {total_bytes}, {bytes_per_sec}, {eta} left"));
            } else if self.expected < self.done && bar.length().is_none() {
                bar.set_style(style("{bytes}, {bytes_per_sec}"));
            }
            bar.set_position(self.done);
        }
    }

    /// Runs `act` while the bar is off the screen.
    pub(crate) fn aside(&self, act: impl FnOnce()) {
        match &self.bar {
            Some(bar) => bar.suspend(act),
            None => act(),
        }
    }

    /// Removes the bar from the screen.
    pub(crate) fn clear(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

/// Parses a template into a style; the default style if it is invalid.
fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}
