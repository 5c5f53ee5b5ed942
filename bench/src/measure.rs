//! Measures time: all peers run an operation alternately, with many short samples each, and the median counts. A
//! disturbance of the machine affects all of them, so ratios are more stable than times. A disturbance that lasts for
//! all samples of a row does not affect all peers equally, nor does the position of the buffers. Therefore, everything
//! is measured in several processes, one after the other, and the median over these counts.

use std::env;
use std::hint::black_box;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};
use utf8kit::Level;

use crate::corpus::{self, Corpus, real, synthetic};
use crate::definition::{Definition, definitions};
use crate::operation::{Input, Operation, Output, Run};
use crate::peers::PEERS;
use crate::{Options, Result, record, report};

const PASSES: usize = 5;
const ROUNDS: usize = 15;
const SAMPLE: Duration = Duration::from_micros(40);

/// Measures on every level, each in separate processes, because simdutf chooses its level once per process.
pub(crate) fn all(options: &Options, words: &[&str]) -> Result {
    let every = || Level::available().filter(|&level| level > Level::Scalar).map(|level| level.name().into());
    let levels = if options.levels.is_empty() { every().collect() } else { options.levels.clone() };
    let mut rows = Vec::new();
    for level in levels {
        let passes: Result<Vec<_>> = (0..PASSES).map(|_| pass(&level, words)).collect();
        rows.extend(medians(&passes?));
    }
    let record = record::Record::new(words, rows);
    print!("{}", report::plain(&record));
    let file = record.write(options.out.as_deref())?;
    println!("\n{}", file.display());
    Ok(())
}

/// Measures on one level in a separate process, and returns the rows.
fn pass(level: &str, words: &[&str]) -> Result<Vec<Value>> {
    let mut command = Command::new(env::current_exe()?);
    command.arg("one-level").arg(level).args(words);
    command.env("SIMDUTF_FORCE_IMPLEMENTATION", simdutf_level(level));
    let output = command.output()?;
    if !output.status.success() {
        return Err(format!("{level}: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    String::from_utf8(output.stdout)?.lines().map(|line| Ok(serde_json::from_str(line)?)).collect()
}

/// Returns the rows of the first pass, each peer with the median of its times in all passes, which have the same rows.
fn medians(passes: &[Vec<Value>]) -> Vec<Value> {
    let mut rows = passes.first().cloned().unwrap_or_default();
    for (at, row) in rows.iter_mut().enumerate() {
        for (peer, time) in row["ns"].as_object_mut().into_iter().flatten() {
            let times = passes.iter().filter_map(|rows| rows.get(at)?["ns"][peer].as_f64());
            *time = json!(median(times.collect()));
        }
    }
    rows
}

/// Returns simdutf's name for a level.
fn simdutf_level(level: &str) -> &'static str {
    match level {
        "avx512" => "icelake",
        "avx2" => "haswell",
        "sse4" => "westmere",
        "neon" => "arm64",
        _ => "fallback",
    }
}

/// Measures on one level. Prints a line of JSON for each definition and text.
pub(crate) fn level(level: &str, options: &Options) -> Result {
    level.parse::<Level>()?.force()?;
    let corpora = match &options.corpora {
        Some(folder) => real(folder)?,
        None => synthetic(options.size),
    };
    let asked = |definition: &Definition| {
        options.only.is_empty() || options.only.iter().any(|text| definition.name().contains(text))
    };
    let mixed = [corpus::mixed(&corpora, options.size)];
    for definition in definitions().filter(asked) {
        for Corpus { name, text } in if definition.lengths.is_some() { &mixed[..] } else { &corpora } {
            let Some(input) = definition.input(text, options.size) else { continue };
            let times = times(definition.operation, &input);
            let times: Map<_, _> = times.into_iter().map(|(peer, ns)| (peer.into(), rounded(ns))).collect();
            println!(
                "{}",
                json!({
                    "operation": definition.name(), "level": level, "corpus": name, "bytes": input.size, "ns": times
                })
            );
        }
    }
    Ok(())
}

/// Rounds to four digits: the clock is not more precise.
fn rounded(ns: f64) -> Value {
    let unit = 10f64.powf(ns.log10().floor() - 3.0);
    json!(((ns / unit).round() * unit * 100.0).round() / 100.0)
}

/// Returns the time that each peer takes, in nanoseconds.
fn times(operation: Operation, input: &Input) -> Vec<(&'static str, f64)> {
    let mut output = Output::new(input);
    let able: Vec<(&str, Run)> = PEERS.iter().filter_map(|peer| Some((peer.name, peer.run(operation)?))).collect();
    let repeats: Vec<u32> = able
        .iter()
        .map(|&(_, run)| {
            sample(run, 1, input, &mut output);
            let once = sample(run, 1, input, &mut output);
            (SAMPLE.as_nanos() as f64 / once.max(1.0)).clamp(1.0, 10_000.0) as u32
        })
        .collect();
    let mut samples = vec![Vec::with_capacity(ROUNDS); able.len()];
    for round in 0..ROUNDS {
        for turn in 0..able.len() {
            let i = (round + turn) % able.len();
            samples[i].push(sample(able[i].1, repeats[i], input, &mut output));
        }
    }
    able.iter().zip(samples).map(|(&(name, _), samples)| (name, median(samples))).collect()
}

/// Returns the time of one run in nanoseconds, averaged over `repeats`. If these are few, an extra run comes first.
/// Otherwise, a peer that follows a slow one would miss the cache where others hit it.
fn sample<'i>(run: Run, repeats: u32, input: &'i Input, output: &mut Output<'i>) -> f64 {
    if repeats < 4 {
        black_box(run(black_box(input), black_box(output)));
    }
    let start = Instant::now();
    for _ in 0..repeats {
        black_box(run(black_box(input), black_box(output)));
    }
    start.elapsed().as_nanos() as f64 / f64::from(repeats)
}

fn median(mut samples: Vec<f64>) -> f64 {
    samples.sort_by(f64::total_cmp);
    samples[samples.len() / 2]
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::medians;

    #[test]
    fn a_pass_that_was_disturbed_does_not_count() {
        let pass = |ours: f64, peer: f64| vec![json!({"corpus": "text", "ns": {"utf8kit": ours, "std": peer}})];
        assert_eq!(medians(&[pass(9.0, 4.0), pass(1.0, 5.0), pass(2.0, 70.0)]), pass(2.0, 5.0));
        assert!(medians(&[]).is_empty());
    }
}
