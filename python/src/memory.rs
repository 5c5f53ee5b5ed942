//! Allocates the memory of large results from the system, with huge pages.
//!
//! The system clears every page of fresh memory when it is first written to. With 4 KiB pages, this takes several times
//! as long as copying them, so a repaired column of 64 MB costs ten times as much as checking it; with 2 MiB pages, it
//! costs twice as much. NumPy requests huge pages from the same size.
#![expect(unsafe_code, reason = "an allocator is made of pointers")]

use std::alloc::{GlobalAlloc, Layout, System};

#[global_allocator]
static MEMORY: Memory = Memory;

/// The system's allocator.
struct Memory;

/// Minimum size for huge pages, in bytes.
#[cfg(target_os = "linux")]
const MIN_BYTES_FOR_HUGE_PAGES: usize = 4 << 20;

// SAFETY: everything is delegated to the system's allocator.
unsafe impl GlobalAlloc for Memory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise.
        in_huge_pages(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise.
        in_huge_pages(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise; the memory is from the same allocator.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller's promise; the memory is from the same allocator.
        in_huge_pages(unsafe { System.realloc(memory, layout, size) }, size)
    }
}

/// Asks for huge pages if the memory is large. Failure does not matter.
fn in_huge_pages(memory: *mut u8, size: usize) -> *mut u8 {
    #[cfg(target_os = "linux")]
    if size >= MIN_BYTES_FOR_HUGE_PAGES && !memory.is_null() {
        use rustix::mm::{Advice, madvise};
        // Whole pages of any size.
        let skip = memory.align_offset(BYTES_PER_PAGE);
        let whole = (size - skip) / BYTES_PER_PAGE * BYTES_PER_PAGE;
        // SAFETY: the pages lie within the memory, and the advice changes nothing that they hold.
        let _ = unsafe { madvise(memory.wrapping_add(skip).cast(), whole, Advice::LinuxHugepage) };
    }
    memory
}

/// A multiple of every system's page size.
#[cfg(target_os = "linux")]
const BYTES_PER_PAGE: usize = 64 << 10;
