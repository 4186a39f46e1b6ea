//! Preloaded into a server to show that the tests of power cuts notice a missing sync.

/// Says that the file is on disk, and does nothing.
#[no_mangle]
pub extern "C" fn fsync(_fd: i32) -> i32 {
    0
}

/// Says that the file's content is on disk, and does nothing.
#[no_mangle]
pub extern "C" fn fdatasync(_fd: i32) -> i32 {
    0
}
