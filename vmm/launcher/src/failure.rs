//! What goes wrong, told as one line: the step and the reason.

use std::fmt;
use std::io;

/// A step of the launch that could not be done.
#[derive(Debug, PartialEq, Eq)]
pub struct Failure(String);

impl Failure {
    pub fn new(step: &str, reason: impl fmt::Display) -> Self {
        Failure(format!("{}: {}", step, reason))
    }

    /// A failure of the child, as it reported it.
    pub fn told(report: &[u8]) -> Self {
        Failure(String::from_utf8_lossy(report).into_owned())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// Names the step in which a kernel call failed.
pub trait Step<T> {
    fn step(self, step: &str) -> Result<T, Failure>;
}

impl<T> Step<T> for io::Result<T> {
    fn step(self, step: &str) -> Result<T, Failure> {
        self.map_err(|error| Failure::new(step, error))
    }
}
