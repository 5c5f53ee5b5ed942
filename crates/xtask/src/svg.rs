//! Draws a terminal's text with its colours as SVG, with one `<text>` per line and one `<tspan>` per run of a style.

use std::fmt::Write;

/// The size of a character cell in pixels, and the margin around the text.
const CELL_WIDTH: f32 = 8.4;
const CELL_HEIGHT: usize = 19;
const MARGIN: usize = 16;

/// Classes by the number of an SGR colour, 30 to 37 and 90 to 97.
const COLOURS: [&str; 8] = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];

/// Two palettes, so that the picture fits a light and a dark page.
const STYLE: &str = "\
text { font: 14px ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace; fill: #1f2328; white-space: pre }
.screen { fill: #f6f8fa; stroke: #d1d9e0 } .bold { font-weight: 700 } .dim { opacity: .65 }
.underline { text-decoration: underline }
.red { fill: #b42318 } .green { fill: #1a7f37 } .yellow { fill: #8a6100 } .blue { fill: #0969da }
.magenta { fill: #8250df } .cyan { fill: #0b7285 }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 } .screen { fill: #0d1117; stroke: #30363d }
.red { fill: #ff7b72 } .green { fill: #3fb950 } .yellow { fill: #d29922 } .blue { fill: #58a6ff }
.magenta { fill: #bc8cff } .cyan { fill: #39c5cf } }
";

/// Draws the output of a program to a terminal, with its escape sequences for colours.
pub(crate) fn draw(title: &str, printed: &str) -> String {
    let mut body = String::new();
    let mut columns = 0;
    let mut classes = Vec::new();
    let mut rows = 0;
    for line in printed.trim_end().lines() {
        let y = MARGIN + CELL_HEIGHT * rows + 14;
        let _ = write!(body, "<text x=\"{MARGIN}\" y=\"{y}\">");
        let mut width = 0;
        for (index, part) in line.split("\u{1B}[").enumerate() {
            let text = match (index, part.split_once('m')) {
                (0, _) | (_, None) => part,
                (_, Some((codes, text))) => {
                    restyle(&mut classes, codes);
                    text
                }
            };
            width += text.chars().count();
            run(&mut body, &classes, text);
        }
        body += "</text>\n";
        columns = columns.max(width);
        rows += 1;
    }
    #[expect(clippy::cast_precision_loss, reason = "a few hundred columns")]
    let width = (columns as f32 * CELL_WIDTH).ceil() + 2.0 * MARGIN as f32;
    let height = 2 * MARGIN + CELL_HEIGHT * rows;
    format!(
        "<!-- made by: cargo xtask gen -->\n<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"{width}\" \
         height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n<title>{title}</title>\n<style>\n{STYLE}</style>\n\
         <rect class=\"screen\" x=\".5\" y=\".5\" width=\"{}\" height=\"{}\" rx=\"8\"/>\n{body}</svg>\n",
        width - 1.0,
        height - 1,
    )
}

/// Applies the codes of one escape sequence, such as `1;31`.
fn restyle(classes: &mut Vec<&'static str>, codes: &str) {
    for code in codes.split(';') {
        match code.parse().unwrap_or(0_usize) {
            1 => classes.push("bold"),
            2 => classes.push("dim"),
            4 => classes.push("underline"),
            colour @ (30..=37 | 90..=97) => classes.push(COLOURS[colour % 10]),
            _ => classes.clear(),
        }
    }
}

fn run(body: &mut String, classes: &[&str], text: &str) {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let _ = match (classes.is_empty(), text.is_empty()) {
        (_, true) => Ok(()),
        (true, false) => write!(body, "{text}"),
        (false, false) => write!(body, "<tspan class=\"{}\">{text}</tspan>", classes.join(" ")),
    };
}
