//! The rate of the processor's time stamp counter, which an emulated guest reads directly.

use std::time::{Duration, Instant};

/// Long enough that the moment between reading one clock and the other does not matter.
const WINDOW: Duration = Duration::from_millis(100);

/// Measured against the monotonic clock, since the kernel keeps its own figure to itself.
#[cfg(target_arch = "x86_64")]
pub fn tsc_kilohertz() -> u64 {
    let (from, counted_from) = reading();
    while from.elapsed() < WINDOW {
        std::thread::sleep(WINDOW / 4);
    }
    let (to, counted_to) = reading();
    let nanoseconds = to.duration_since(from).as_nanos();
    (u128::from(counted_to - counted_from) * 1_000_000 / nanoseconds) as u64
}

#[cfg(not(target_arch = "x86_64"))]
pub fn tsc_kilohertz() -> u64 {
    0
}

/// Both clocks at one moment: of several tries the one that nothing came in between.
#[cfg(target_arch = "x86_64")]
fn reading() -> (Instant, u64) {
    (0..16)
        .map(|_| {
            let before = crate::sys::time_stamp_counter();
            let now = Instant::now();
            let after = crate::sys::time_stamp_counter();
            (after - before, (now, before + (after - before) / 2))
        })
        .min_by_key(|(width, _)| *width)
        .map(|(_, reading)| reading)
        .expect("at least one try")
}
