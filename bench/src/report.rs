//! Tables and the chart: the speed of utf8kit relative to its peers, over all texts and for the worst text.

use std::fmt::Write;
use std::{fs, iter};

use serde_json::Value;

use crate::Result;
use crate::record::{Record, home};

/// The ratio to a peer for one operation on one level.
struct Ratio {
    mean: f64,
    worst: f64,
    worst_corpus: String,
}

fn text<'v>(row: &'v Value, name: &str) -> &'v str {
    row[name].as_str().unwrap_or_default()
}

fn time(row: &Value, peer: &str) -> Option<f64> {
    row["ns"][peer].as_f64()
}

/// Returns names in the order of first appearance.
fn in_order<'r>(rows: &'r [Value], name: &str) -> Vec<&'r str> {
    let mut names: Vec<&str> = Vec::new();
    for row in rows {
        if !names.contains(&text(row, name)) {
            names.push(text(row, name));
        }
    }
    names
}

fn geometric_mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0), |(sum, count), value| (sum + value.ln(), count + 1));
    (count > 0).then(|| (sum / f64::from(count)).exp())
}

impl Record {
    fn of(&self, operation: &str, level: &str) -> impl Iterator<Item = &Value> + Clone {
        self.rows.iter().filter(move |row| text(row, "operation") == operation && text(row, "level") == level)
    }

    fn ratio(&self, operation: &str, level: &str, peer: &str) -> Option<Ratio> {
        let rows = self.of(operation, level);
        let ratios = rows.filter_map(|row| Some((time(row, peer)? / time(row, "utf8kit")?, text(row, "corpus"))));
        let (worst, corpus) = ratios.clone().min_by(|a, b| a.0.total_cmp(&b.0))?;
        let mean = geometric_mean(ratios.map(|(ratio, _)| ratio))?;
        Some(Ratio { mean, worst, worst_corpus: corpus.into() })
    }

    /// Returns gigabytes of input per second, the mean over all texts.
    fn speed(&self, operation: &str, level: &str, peer: &str) -> Option<f64> {
        geometric_mean(self.of(operation, level).filter_map(|row| Some(row["bytes"].as_f64()? / time(row, peer)?)))
    }

    /// Returns the peers in the record, with std first. This build may have fewer.
    fn peers(&self) -> Vec<&str> {
        let measured = self.rows.iter().filter_map(|row| row["ns"].as_object()).flat_map(serde_json::Map::keys);
        let mut peers: Vec<&str> = measured.map(String::as_str).filter(|&name| name != "utf8kit").collect();
        peers.sort_unstable_by_key(|&name| (name != "std", name));
        peers.dedup();
        peers
    }
}

/// Formats a record for a terminal.
pub(crate) fn plain(record: &Record) -> String {
    let mut out = String::new();
    for level in in_order(&record.rows, "level") {
        let _ = writeln!(out, "\n{level}: times as fast as the peer, mean (worst text)");
        for operation in in_order(&record.rows, "operation") {
            let speed = record.speed(operation, level, "utf8kit").unwrap_or_default();
            let _ = write!(out, "{operation:36} {speed:6.2} GB/s");
            for peer in record.peers() {
                if let Some(Ratio { mean, worst, worst_corpus }) = record.ratio(operation, level, peer) {
                    let _ = write!(out, "  {peer} {mean:.2} ({worst:.2} {worst_corpus})");
                }
            }
            out.push('\n');
        }
    }
    out
}

/// Formats a record as the page `bench/record/report.md`.
fn markdown(record: &Record) -> String {
    let peers = record.peers();
    let head = |name| text(&record.head, name);
    let mut out = format!(
        "<!-- made by: cargo xtask bench-report -->\n\n# Speed relative to each peer\n\n{}, {}.\n\n\
         Each cell is the geometric mean over all texts, then the worst text in brackets. 2.00 means that utf8kit\n\
         takes half the time of the peer. Bold: the peer is faster.\n\n```sh\n{}\n```\n",
        head("cpu"),
        head("date"),
        head("command")
    );
    for level in in_order(&record.rows, "level") {
        let _ = write!(out, "\n### {level}\n\n| operation | GB/s | {} |\n|---|---|", peers.join(" | "));
        let _ = writeln!(out, "{}", "---|".repeat(peers.len()));
        for operation in in_order(&record.rows, "operation") {
            let speed = record.speed(operation, level, "utf8kit").unwrap_or_default();
            let _ = write!(out, "| {operation} | {speed:.2} |");
            for peer in &peers {
                let _ = match record.ratio(operation, level, peer) {
                    Some(Ratio { mean, worst, worst_corpus }) if worst < 1.0 => {
                        write!(out, " {mean:.2} (**{worst:.2}** {worst_corpus}) |")
                    }
                    Some(Ratio { mean, worst, worst_corpus }) => {
                        write!(out, " {mean:.2} ({worst:.2} {worst_corpus}) |")
                    }
                    None => write!(out, " |"),
                };
            }
            out.push('\n');
        }
    }
    out
}

/// The operations in the chart. For lossy operations, the inputs have errors, because handling them is their purpose.
const CHARTED: &[&str] = &[
    "validate", "count code points", "repair, errors at 1e-3", "UTF-8 to UTF-16", "UTF-16 to UTF-8", "UTF-8 to UTF-32",
];

/// Draws bars of gigabytes per second at the last level.
fn chart(record: &Record) -> String {
    let level = in_order(&record.rows, "level").last().copied().unwrap_or_default();
    let mut bars = Vec::new();
    for &operation in CHARTED {
        let names = iter::once("utf8kit").chain(record.peers());
        let speeds = names.filter_map(|name| Some((name, record.speed(operation, level, name)?)));
        bars.push((operation, speeds.collect::<Vec<_>>()));
    }
    let mut body = String::new();
    let mut y = 44;
    for (operation, speeds) in &bars {
        let _ = writeln!(body, "<text class=\"operation\" x=\"8\" y=\"{}\">{operation}</text>", y + 12);
        y += 20;
        // Each operation has its own scale, because counting would dwarf all others on a common one.
        let most = speeds.iter().map(|(_, speed)| *speed).fold(0.0, f64::max);
        for (peer, speed) in speeds {
            let width = speed / most * 480.0;
            let class = if *peer == "utf8kit" { "ours" } else { "peer" };
            let _ = writeln!(
                body,
                "<text x=\"132\" y=\"{}\" text-anchor=\"end\">{peer}</text>\
                 <rect class=\"{class}\" x=\"140\" y=\"{y}\" width=\"{width:.1}\" height=\"13\"/>\
                 <text x=\"{:.1}\" y=\"{}\">{speed:.1}</text>",
                y + 11,
                146.0 + width,
                y + 11
            );
            y += 17;
        }
        y += 8;
    }
    format!(
        "<!-- made by: cargo xtask bench-report -->\n\
         <svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 680 {height}\" width=\"680\" height=\"{height}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n<style>\n\
         text {{ fill: #333 }} .operation {{ font-weight: bold }} .ours {{ fill: #c2410c }} .peer {{ fill: #94a3b8 }}\n\
         @media (prefers-color-scheme: dark) {{ text {{ fill: #ddd }} \
         .ours {{ fill: #fb923c }} .peer {{ fill: #64748b }} }}\n\
         </style>\n<text x=\"8\" y=\"18\">GB of input a second, mean over all texts, level {level}; \
         each operation has its own scale</text>\n\
         <text x=\"8\" y=\"34\">{cpu}, {date}</text>\n{body}</svg>\n",
        height = y,
        cpu = text(&record.head, "cpu"),
        date = text(&record.head, "date"),
    )
}

pub(crate) fn write() -> Result {
    let record = Record::newest()?;
    fs::write(home().join("chart.svg"), chart(&record))?;
    fs::write(home().join("record/report.md"), markdown(&record))?;
    Ok(())
}
