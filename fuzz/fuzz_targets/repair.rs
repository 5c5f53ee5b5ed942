//! Every policy in every encoding; for UTF-8 also `from_utf8_lossy`.
#![no_main]

use libfuzzer_sys::fuzz_target;
use utf8kit::{Encoding as _, Piece, Policy, repair};
use utf8kit_fuzz::{choice, encoding, same_on_every_level};

const POLICIES: &[Policy<'static>] = &[
    Policy::REPLACE,
    Policy::REPLACE_BYTE,
    Policy::REPLACE_RUN,
    Policy::JAVA,
    Policy::Remove,
    Policy::Escape,
    Policy::SameLength,
];

fuzz_target!(|data: &[u8]| {
    let mut bytes = data;
    let encoding = encoding(&mut bytes);
    let policy = POLICIES[choice(&mut bytes) % POLICIES.len()];
    let capacity = choice(&mut bytes) * 4;
    same_on_every_level(|| {
        let mut out = vec![0; capacity];
        let progress = encoding.repair_into(bytes, Piece::Last, policy, &mut out);
        out.truncate(progress.written);
        (encoding.repair(bytes, policy).into_owned(), progress, out)
    });
    assert_eq!(repair(bytes), String::from_utf8_lossy(bytes));
});
