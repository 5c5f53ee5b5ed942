//! The pictures of the page, in SVG.

use std::fmt::Write as _;

use utf8kit_detect::stats::BytePairs;
use utf8kit_encodings::display::counted;

use crate::palette::{HEAT_STEPS, heat_code, step};
use crate::render::bars::grouped;
use crate::render::heatmap::cell_range;

/// Bytes at which the map of pairs has a label and a guide line: where ASCII ends, and where lead bytes begin.
const GUIDE_BYTES: [u32; 6] = [0x20, 0x40, 0x80, 0xC0, 0xE0, 0xF0];

/// Draws a bar of length `count` out of `most`.
pub(super) fn bar(count: u64, most: u64) -> String {
    let width = 100.0 * count as f64 / most.max(1) as f64;
    format!(
        "<svg aria-hidden=\"true\" viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\">\
         <rect width=\"{:.2}\" height=\"10\" fill=\"{}\"/></svg>",
        width.max(0.5),
        heat_code(HEAT_STEPS / 2)
    )
}

/// Draws the colours of the heat scale, from low to high.
pub(super) fn legend() -> String {
    let cells = (1..HEAT_STEPS)
        .map(|step| format!("<rect x=\"{}\" width=\"1.02\" height=\"1\" fill=\"{}\"/>", step - 1, heat_code(step)));
    format!(
        "<svg class=\"legend\" role=\"img\" aria-label=\"up to\" viewBox=\"0 0 {} 1\" \
         preserveAspectRatio=\"none\">{}</svg>",
        HEAT_STEPS - 1,
        cells.collect::<String>()
    )
}

/// Draws where the errors of a file lie.
pub(super) fn heat_map(cells: &[u64], size: u64) -> String {
    let most = cells.iter().copied().max().unwrap_or(0);
    let mut text = format!(
        "<svg class=\"heatmap\" role=\"img\" aria-label=\"where the errors lie\" viewBox=\"0 0 {} 1\" \
         preserveAspectRatio=\"none\">",
        cells.len()
    );
    for (cell, &count) in cells.iter().enumerate().filter(|cell| *cell.1 > 0) {
        let (first, end) = cell_range(cell, cells.len(), size);
        // Infallible: it is a String.
        let _ = write!(
            text,
            "<rect x=\"{cell}\" width=\"1.02\" height=\"1\" fill=\"{}\"><title>{} from byte {} to {}</title></rect>",
            heat_code(step(count, most)),
            counted(count, "error"),
            grouped(first),
            grouped(end.saturating_sub(1))
        );
    }
    text + "</svg>"
}

/// Draws how often each byte follows each other byte: the first byte down, the second across, four values of each per
/// cell.
pub(super) fn pair_map(pairs: &BytePairs) -> String {
    let four = |cell: u8| cell * 4..=cell * 4 + 3;
    let count = |down, across| -> u64 {
        four(down).map(|first| four(across).map(|second| pairs.of(first, second)).sum::<u64>()).sum()
    };
    let cells: Vec<Vec<u64>> = (0..64).map(|down| (0..64).map(|across| count(down, across)).collect()).collect();
    let most = cells.iter().flatten().copied().max().unwrap_or(0);
    // One path per colour. Adjacent cells of one colour are one piece of it.
    let mut paths = vec![String::new(); HEAT_STEPS];
    for (down, row) in cells.iter().enumerate() {
        let mut at = 0;
        for run in row.chunk_by(|&a, &b| step(a, most) == step(b, most)) {
            let (step, len) = (run.first().map_or(0, |&count| step(count, most)), run.len());
            if step > 0 {
                // Infallible: it is a String.
                let (x, y, width) = (at * 4, down * 4, len * 4);
                let _ = write!(paths[step], "M{x} {y}h{width}v4h-{width}z");
            }
            at += len;
        }
    }
    let mut text = String::from(
        "<svg role=\"img\" aria-label=\"how often each byte follows each other byte\" viewBox=\"-14 -10 271 267\" \
         shape-rendering=\"crispEdges\"><rect class=\"ground\" width=\"256\" height=\"256\"/>",
    );
    for (step, path) in paths.iter().enumerate().filter(|path| !path.1.is_empty()) {
        let _ = write!(text, "<path fill=\"{}\" d=\"{path}\"/>", heat_code(step));
    }
    for at in GUIDE_BYTES {
        let _ = write!(
            text,
            "<path class=\"guide\" d=\"M0 {at}H256M{at} 0V256\"/>\
             <text x=\"-12\" y=\"{}\">{at:02X}</text><text x=\"{}\" y=\"-3\">{at:02X}</text>",
            at + 3,
            at - 4
        );
    }
    text + "</svg>"
}
