//! Not a part of xtask: `cargo xtask test` compiles it separately. If the library used std there would be two panic
//! handlers, and if it used alloc there would be no allocator.
#![no_std]
#![no_main]

use utf8kit::{Piece, Encoding, Policy, Status, Utf8, validate};

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}

/// The prebuilt core library refers to this function; nothing unwinds here.
#[unsafe(no_mangle)]
extern "C" fn rust_eh_personality() {}

// Only the C library's startup code and memory functions.
#[link(name = "c")]
unsafe extern "C" {}

#[unsafe(no_mangle)]
extern "C" fn main() -> i32 {
    let bytes = b"caf\xC3\xA9 \xC0\xAF";
    let mut repaired = [0; 16];
    let progress = Utf8.repair_into(bytes, Piece::Last, Policy::REPLACE, &mut repaired);
    let found = validate(bytes).is_err_and(|error| error.offset == 6);
    let repaired_well = progress.status == Status::Done
        && validate(&repaired[..progress.written]) == Ok("caf\u{E9} \u{FFFD}\u{FFFD}");
    i32::from(!(found && repaired_well))
}
