//! The parts of the page.

use std::fmt::{self, Display, Write as _};

use sha2::{Digest, Sha256};
use utf8kit_detect::stats::BytePairs;
use utf8kit_encodings::display::counted;
use utf8kit_files::json::base64;

use super::draw::{bar, heat_map, legend, pair_map};
use super::{DamagedPlace, Drawn, File, MAX_ERRORS_DRAWN, MAX_FILES_LISTED, Page, Shown};
use crate::palette;
use crate::render::bars::grouped;
use crate::render::heatmap::cell_range;
use crate::results::Totals;

const STYLE: &str = include_str!("style.css");

/// The element that identifies a report.
pub(super) const TITLE: &str = "<title>utf8 check</title>";

/// Rows of the table under a heatmap.
const ROWS_UNDER_HEATMAP: usize = 16;

/// Rows of the table of pairs.
const ROWS_OF_PAIRS: usize = 16;

/// Escaped text.
pub(super) struct Text<'t>(pub(super) &'t str);

impl Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            match c {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&#39;")?,
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}

impl Page {
    /// Returns the whole page.
    pub(super) fn html(&self, totals: &Totals, pairs: &BytePairs) -> String {
        let style = palette::variables() + STYLE;
        let hash = base64(&Sha256::digest(&style));
        let parts = [
            self.facts(totals),
            self.kinds(totals),
            self.damaged_places(totals),
            self.files(totals),
            map(pairs),
            self.errors(totals),
        ];
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
             style-src 'sha256-{hash}'; base-uri 'none'; form-action 'none'\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"referrer\" content=\"no-referrer\">\n\
             {TITLE}\n<style>{style}</style>\n</head>\n<body>\n{}</body>\n</html>\n",
            parts.concat()
        )
    }

    fn facts(&self, totals: &Totals) -> String {
        let encodings = &self.labels;
        let (class, verdict) = match totals.invalid_files {
            _ if totals.files == 0 => ("faint", "No files".to_owned()),
            0 => ("good", "Every file is valid".to_owned()),
            _ if totals.errors == 0 && totals.damaged() > 0 => ("bad", counted(totals.damaged(), "damaged place")),
            invalid => ("bad", format!("{} of {} invalid", grouped(invalid), counted(totals.files, "file"))),
        };
        let fact = |name, value: String| format!("<div><dt>{name}</dt><dd>{value}</dd></div>\n");
        let facts = [
            fact("Files", grouped(totals.files)),
            fact("Invalid files", grouped(totals.invalid_files)),
            fact("Places", grouped(totals.places)),
            fact("Errors", grouped(totals.errors)),
            fact("Bytes", grouped(totals.bytes)),
        ];
        format!(
            "<h1 class=\"{class}\">{verdict}</h1>\n<p class=\"faint\">Checked as {encodings}.</p>\n\
             <dl class=\"facts\">\n{}</dl>\n",
            facts.concat()
        )
    }

    fn kinds(&self, totals: &Totals) -> String {
        if totals.errors == 0 {
            return String::new();
        }
        let most = self.kinds.iter().map(|(_, count)| count).max().unwrap_or(0);
        let rows = self.kinds.iter().filter(|(_, count)| *count > 0).map(|(kind, count)| {
            let share = 100.0 * count as f64 / totals.errors as f64;
            format!(
                "<tr><td class=\"mono\">{kind}</td><td class=\"number\">{}</td>\
                 <td class=\"number\">{share:.1} %</td><td class=\"bar\">{}</td></tr>\n",
                grouped(count),
                bar(count, most)
            )
        });
        format!(
            "<h2>Kinds</h2>\n<table>\n<tr><th>Kind</th><th class=\"number\">Errors</th>\
             <th class=\"number\">Share</th><th></th></tr>\n{}</table>\n",
            rows.collect::<String>()
        )
    }

    fn damaged_places(&self, totals: &Totals) -> String {
        if self.damage.is_empty() {
            return String::new();
        }
        let mut text = String::from("<h2>Damaged places</h2>\n");
        if totals.damaged() > self.damage.len() as u64 {
            text += &format!(
                "<p class=\"note\">{} of {} places: the first {} of each file, {MAX_ERRORS_DRAWN} at most.</p>\n",
                self.damage.len(),
                grouped(totals.damaged()),
                super::MAX_ERRORS_DRAWN_PER_FILE
            );
        }
        self.damage.iter().for_each(|place| text += &damaged(place));
        text
    }

    fn files(&self, totals: &Totals) -> String {
        if totals.files == 0 {
            return String::new();
        }
        let mut text = String::from("<h2>Files</h2>\n");
        if totals.errors > 0 {
            text += &format!(
                "<p class=\"note\">A heatmap shows a file from its first byte to its last. A cell is lighter the more \
                 errors begin in it, on a logarithmic scale: one {} the most of the file.</p>\n",
                legend()
            );
        }
        text += "<table>\n<tr><th>File</th><th class=\"number\">Bytes</th>\
                 <th class=\"number wide\">Code points</th><th class=\"number\">Errors</th></tr>\n";
        self.ill_formed.iter().chain(&self.well_formed).for_each(|file| text += &row(file));
        text += "</table>\n";
        let shown = [&self.ill_formed, &self.well_formed].map(|files| files.len() as u64);
        let left = [totals.invalid_files - shown[0], totals.files - totals.invalid_files - shown[1]];
        for (left, which) in left.into_iter().zip(["invalid", "valid"]) {
            if left > 0 {
                let files = counted(left, &format!("{which} file"));
                text +=
                    &format!("<p class=\"note\">And {files}: the page lists {MAX_FILES_LISTED} of each kind.</p>\n");
            }
        }
        text
    }

    fn errors(&self, totals: &Totals) -> String {
        if self.errors.is_empty() {
            return String::new();
        }
        let mut text = String::from("<h2>Errors, bit by bit</h2>\n");
        if totals.places > self.errors.len() as u64 {
            text += &format!(
                "<p class=\"note\">{} of {} places: the first {} of each file, {MAX_ERRORS_DRAWN} at most.</p>\n",
                self.errors.len(),
                grouped(totals.places),
                super::MAX_ERRORS_DRAWN_PER_FILE
            );
        }
        self.errors.iter().for_each(|error| text += &drawn(error));
        text
    }
}

/// Renders a file, with its heatmap below.
fn row(file: &File) -> String {
    let class = if file.errors > 0 { "number bad" } else { "number good" };
    let mut text = format!(
        "<tr><td class=\"name\">{}</td><td class=\"number\">{}</td><td class=\"number wide\">{}</td>\
         <td class=\"{class}\">{}</td></tr>\n",
        Text(&file.name),
        grouped(file.size),
        grouped(file.code_points),
        grouped(file.errors)
    );
    let guess = file.guess.as_deref().map(|guess| format!("<div class=\"note\">{}</div>", Text(guess)));
    let guess = guess.unwrap_or_default();
    if !file.heatmap.is_empty() {
        text += &format!(
            "<tr class=\"under\"><td colspan=\"4\">{}<div class=\"axis\"><span>0</span><span>{}</span></div>\
             {guess}<details><summary>as a table</summary>{}</details></td></tr>\n",
            heat_map(&file.heatmap, file.size),
            grouped(file.size),
            cell_ranges(file)
        );
    } else if !guess.is_empty() {
        text += &format!("<tr class=\"under\"><td colspan=\"4\">{guess}</td></tr>\n");
    }
    text
}

/// Renders the heatmap as a table, at a coarser scale.
fn cell_ranges(file: &File) -> String {
    let cells = file.heatmap.len();
    let joined = cells.div_ceil(ROWS_UNDER_HEATMAP).max(1);
    let rows = file.heatmap.chunks(joined).enumerate().map(|(index, counts)| {
        let count: u64 = counts.iter().sum();
        let first = cell_range(index * joined, cells, file.size).0;
        let end = cell_range((index * joined + joined).min(cells) - 1, cells, file.size).1;
        let last = end.saturating_sub(1);
        format!(
            "<tr><td class=\"number\">{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td></tr>\n",
            grouped(first),
            grouped(last),
            grouped(count)
        )
    });
    format!(
        "<table><tr><th class=\"number\">From byte</th><th class=\"number\">To byte</th>\
         <th class=\"number\">Errors</th></tr>\n{}</table>",
        rows.collect::<String>()
    )
}

/// Renders the map of byte pairs, and the table of the most frequent ones.
fn map(pairs: &BytePairs) -> String {
    let top = pairs.top(ROWS_OF_PAIRS);
    if top.is_empty() {
        return String::new();
    }
    let rows = top.iter().map(|&(pair, count)| {
        format!(
            "<tr><td class=\"mono\">{:02X} {:02X}</td><td class=\"mono\">{}</td><td class=\"number\">{}</td></tr>\n",
            pair[0],
            pair[1],
            Text(&pair.map(shown).concat()),
            grouped(count)
        )
    });
    format!(
        "<h2>Byte pairs</h2>\n<p class=\"note\">How often each byte follows each other byte: rarely {} \
         often. ASCII fills the top left. UTF-8 adds two areas: C2 to F4 before 80 to BF, and 80 to BF after them. \
         UTF-16 draws a line along 00. Windows and ISO encodings spread below and right of 80 without a pattern; \
         those of East Asia fill a square there.</p>\n<div class=\"map\">{}\
         <table><tr><th>Pair</th><th>Text</th><th class=\"number\">Times</th></tr>\n{}</table></div>\n",
        legend(),
        pair_map(pairs),
        rows.collect::<String>()
    )
}

/// Renders a byte as a glyph.
fn shown(byte: u8) -> String {
    match byte {
        b' ' => "\u{2423}".to_owned(),
        b'!'..=b'~' => char::from(byte).to_string(),
        _ => "\u{B7}".to_owned(),
    }
}

/// Renders a damaged place: its old and new bytes.
fn damaged(place: &DamagedPlace) -> String {
    let version = |name: &str, Shown { before, own, after }: &Shown| {
        let near = [("byte out mono", before), ("byte in mono", own), ("byte out mono", after)];
        let cells = near.iter().flat_map(|(class, bytes)| {
            bytes.iter().map(move |&byte| cell(class, byte, &Text(&shown(byte)).to_string()))
        });
        format!("<p class=\"note\">{name}</p>\n<div class=\"bytes\">{}</div>\n", cells.collect::<String>())
    };
    format!(
        "<section class=\"error\">\n<h3><span class=\"name\">{}</span></h3>\n<p class=\"bad\">{}</p>\n{}{}</section>\n",
        Text(&place.place),
        Text(&place.what),
        version("was", &place.was),
        version("is", &place.is)
    )
}

/// Renders an error: its bytes, their bits, and the bytes around it.
fn drawn(error: &Drawn) -> String {
    let near = |bytes: &[u8]| -> String {
        bytes.iter().map(|byte| cell("byte out mono", *byte, &format!("{byte:08b}"))).collect()
    };
    let own = error.bytes.iter().enumerate().map(|(index, bits)| {
        let color = index % palette::BYTES.len();
        let digits = (0..8).map(|place| {
            let mask = 0x80 >> place;
            let digit = u8::from(bits.byte & mask != 0);
            match bits.markers & mask {
                0 => format!("<span class=\"b{color}\">{digit}</span>"),
                _ => format!("<span class=\"m\">{digit}</span>"),
            }
        });
        cell("byte in mono", bits.byte, &digits.collect::<String>())
    });
    let notes = error.notes.iter().map(|note| format!("<p class=\"note\">{}</p>\n", Text(note)));
    format!(
        "<section class=\"error\">\n<h3><span class=\"name\">{}</span></h3>\n\
         <p class=\"bad\">{}</p>\n<p class=\"note\">{} at byte {}</p>\n\
         <div class=\"bytes\">{}{}{}</div>\n{}</section>\n",
        Text(&error.place),
        Text(&error.what),
        Text(error.kind),
        grouped(error.offset),
        near(&error.before),
        own.collect::<String>(),
        near(&error.after),
        notes.collect::<String>()
    )
}

/// Renders a byte: its value and its bits.
fn cell(class: &str, byte: u8, bits: &str) -> String {
    format!("<span class=\"{class}\"><b>{byte:02X}</b>{bits}</span>")
}
