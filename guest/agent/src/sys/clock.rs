//! Moments as people of this machine write them.

/// A moment in the machine's own time zone; months begin with 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Local {
    pub year: i64,
    pub month: usize,
    pub day: u32,
    pub hour: u32,
    pub minute: u32,
}

/// Nothing for moments that no calendar reaches.
pub fn local(seconds: i64) -> Option<Local> {
    let time = seconds as libc::time_t;
    // SAFETY: tm is plain data and is filled by the call.
    let mut found: libc::tm = unsafe { std::mem::zeroed() };
    // SAFETY: one number is read and one tm written.
    if unsafe { libc::localtime_r(&time, &mut found) }.is_null() {
        return None;
    }
    Some(Local {
        year: i64::from(found.tm_year) + 1900,
        month: usize::try_from(found.tm_mon).ok()?,
        day: found.tm_mday as u32,
        hour: found.tm_hour as u32,
        minute: found.tm_min as u32,
    })
}
