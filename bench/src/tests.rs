//! Tests that utf8kit on every level, and every peer, have the same results as std for every definition.

use utf8kit::Level;

use crate::corpus::synthetic;
use crate::definition::{Definition, definitions};
use crate::operation::{Input, Operation, Output, Run};
use crate::peers::PEERS;

/// Returns the result of the run, and its output for the last piece.
fn answer(run: Run, input: &Input) -> Vec<u32> {
    let mut output = Output::new(input);
    let mut answer = vec![run(input, &mut output) as u32];
    let Output { bytes, units, words, owned } = output;
    answer.extend(bytes.result().iter().chain(&*owned).copied().map(u32::from));
    answer.extend(units.result().iter().copied().map(u32::from));
    answer.extend(words.result());
    answer
}

#[track_caller]
fn all_agree(definition: Definition, input: &Input, what: &str) {
    let operation = definition.operation;
    let run = |name| PEERS.iter().find(|peer| peer.name == name).unwrap().run(operation).unwrap();
    let expected = answer(run("std"), input);
    for peer in PEERS {
        if let Some(run) = peer.run(operation)
            && peer.name != "utf8kit"
        {
            assert!(answer(run, input) == expected, "{}, {}, {what}", definition.name(), peer.name);
        }
    }
    for level in Level::available() {
        level.force().unwrap();
        let ours = answer(run("utf8kit"), input);
        assert!(ours == expected, "{}, utf8kit on {level}, {what}", definition.name());
    }
}

// A single test, because the level applies to the whole process.
#[test]
fn answers_are_those_of_std() {
    let corpora = synthetic(5_000);
    for definition in definitions() {
        let mut inputs = 0;
        for corpus in &corpora {
            for size in [100, 5_000] {
                if let Some(input) = definition.input(&corpus.text, size) {
                    all_agree(definition, &input, &corpus.name);
                    inputs += 1;
                }
            }
        }
        assert!(inputs > 0, "{} has no text", definition.name());
    }
    for corpus in &corpora {
        for operation in [Operation::Column, Operation::ColumnViews] {
            let column = Definition { operation, damage: 0.01, lengths: Some((5, 15)) };
            all_agree(column, &column.input(&corpus.text, 5_000).unwrap(), "damaged");
        }
    }
    // Operations that are measured only with valid text must still reject other text.
    for (operation, lengths) in
        [(Operation::Validate, None), (Operation::ValidateLocated, None), (Operation::Validate, Some((0, 200)))]
    {
        let broken = Definition { operation: Operation::Repair, damage: 0.01, lengths };
        for corpus in &corpora {
            let input = broken.input(&corpus.text, 5_000).unwrap();
            all_agree(Definition { operation, ..broken }, &input, &corpus.name);
        }
    }
}
