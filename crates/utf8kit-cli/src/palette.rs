//! The colours of everything that is drawn, in the terminal and in the HTML report. Heat is viridis: its lightness
//! grows monotonically, so it is legible for colour-blind people and on paper.

use std::fmt::Write as _;

use anstyle::{AnsiColor, RgbColor};
use colorous::VIRIDIS;

/// Number of steps on the heat scale.
pub(crate) const HEAT_STEPS: usize = 16;

/// A colour: the terminal's, and those for light and dark pages.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shade {
    pub(crate) terminal: AnsiColor,
    pub(crate) light: &'static str,
    pub(crate) dark: &'static str,
}

/// One colour for each byte of a sequence.
pub(crate) const BYTES: [Shade; 6] = [
    Shade { terminal: AnsiColor::Cyan, light: "#0b7285", dark: "#66d9e8" },
    Shade { terminal: AnsiColor::Yellow, light: "#8a5a00", dark: "#ffd43b" },
    Shade { terminal: AnsiColor::Magenta, light: "#9c36b5", dark: "#e599f7" },
    Shade { terminal: AnsiColor::Green, light: "#2b7a0b", dark: "#8ce99a" },
    Shade { terminal: AnsiColor::Blue, light: "#1c5fb8", dark: "#91c1ff" },
    Shade { terminal: AnsiColor::BrightRed, light: "#c92a2a", dark: "#ff9c9c" },
];

/// The colour of errors.
pub(crate) const BAD: Shade = Shade { terminal: AnsiColor::Red, light: "#b3261e", dark: "#ff8a80" };

/// The colour of valid text.
pub(crate) const GOOD: Shade = Shade { terminal: AnsiColor::Green, light: "#1f7a3d", dark: "#7bd88f" };

/// Returns the step for a count on a logarithmic scale: 0 only for a count of zero, the last step for `most`.
pub(crate) fn step(count: u64, most: u64) -> usize {
    if count == 0 {
        return 0;
    }
    let share = (count as f64).ln_1p() / (most.max(count) as f64).ln_1p();
    ((share * (HEAT_STEPS - 1) as f64).ceil() as usize).clamp(1, HEAT_STEPS - 1)
}

/// Returns the colour of a step greater than 0.
pub(crate) fn heat(step: usize) -> RgbColor {
    let color = VIRIDIS.eval_rational(step, HEAT_STEPS);
    RgbColor(color.r, color.g, color.b)
}

/// Returns the colour of a step as a CSS colour.
pub(crate) fn heat_code(step: usize) -> String {
    let RgbColor(r, g, b) = heat(step);
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// Returns the colours as CSS variables.
pub(crate) fn variables() -> String {
    let list = |pick: &dyn Fn(&Shade) -> &'static str| {
        let named = [("bad", &BAD), ("good", &GOOD)];
        let mut text = String::new();
        for (name, shade) in named {
            // Infallible: it is a String.
            let _ = write!(text, "--{name}:{};", pick(shade));
        }
        for (index, shade) in BYTES.iter().enumerate() {
            let _ = write!(text, "--byte{index}:{};", pick(shade));
        }
        text
    };
    let (light, dark) = (list(&|shade| shade.light), list(&|shade| shade.dark));
    let mut text = format!(":root{{{light}}}@media(prefers-color-scheme:dark){{:root{{{dark}}}}}");
    for index in 0..BYTES.len() {
        let _ = write!(text, ".b{index}{{color:var(--byte{index})}}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_grow_with_counts() {
        assert_eq!((step(0, 0), step(0, 9), step(9, 9)), (0, 0, HEAT_STEPS - 1));
        let steps: Vec<usize> = [1, 10, 100, 1000].map(|count| step(count, 1000)).to_vec();
        assert!(steps.is_sorted_by(|a, b| a < b), "{steps:?}");
    }
}
