//! Not a part of xtask: `cargo xtask test` compiles it separately, as a program that only validates, and measures how
//! much of the library is in it.
#![no_std]
#![no_main]

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}

// Only the C library's startup code and memory functions.
#[link(name = "c")]
unsafe extern "C" {}

#[unsafe(no_mangle)]
extern "C" fn main(count: i32, _: *const *const u8) -> i32 {
    // Of any length, so that the kernels of short inputs are also needed.
    let bytes = [count as u8; 300];
    let some = bytes.get(..count as usize).unwrap_or(&bytes);
    utf8kit::validate(some).map_or_else(|error| error.offset as i32 + 1, |_| 0)
}
