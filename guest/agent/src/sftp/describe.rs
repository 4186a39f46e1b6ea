//! What is told about files: attributes, and the lines that `ls -l` would print.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;

use super::packet::Attributes;
use crate::sys::clock::{local, Local};
use crate::tasks::attributes::Names;

const HALF_A_YEAR_SECONDS: i64 = 182 * 24 * 3600;
const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

pub fn attributes(metadata: &Metadata) -> Attributes {
    Attributes {
        size: Some(metadata.size()),
        owner: Some((metadata.uid(), metadata.gid())),
        mode: Some(metadata.mode()),
        times: Some((seconds(metadata.atime()), seconds(metadata.mtime()))),
    }
}

/// This version of the protocol knows no time before 1970 and none after 2106.
fn seconds(time: i64) -> u32 {
    time.clamp(0, i64::from(u32::MAX)) as u32
}

/// One line about a file, as `ls -l` has it.
pub fn line(name: &[u8], metadata: &Metadata, names: &Names, now: i64) -> Vec<u8> {
    let named = |name: &[u8], number: u32| match name {
        [] => number.to_string(),
        name => String::from_utf8_lossy(name).into_owned(),
    };
    let user = named(names.user(metadata.uid()), metadata.uid());
    let group = named(names.group(metadata.gid()), metadata.gid());
    let mut line = format!(
        "{} {:>4} {:<8} {:<8} {:>8} {} ",
        permissions(metadata.mode()),
        metadata.nlink(),
        user,
        group,
        metadata.size(),
        moment(local(metadata.mtime()), metadata.mtime(), now),
    )
    .into_bytes();
    line.extend_from_slice(name);
    line
}

/// Old files show their year and young ones their hour.
fn moment(time: Option<Local>, seconds: i64, now: i64) -> String {
    match time {
        None => format!("{seconds}"),
        Some(time) => {
            let month = MONTHS.get(time.month).copied().unwrap_or("???");
            if (0..HALF_A_YEAR_SECONDS).contains(&(now.saturating_sub(seconds))) {
                format!("{month} {:>2} {:02}:{:02}", time.day, time.hour, time.minute)
            } else {
                format!("{month} {:>2} {:>5}", time.day, time.year)
            }
        }
    }
}

fn permissions(mode: u32) -> String {
    let kind = match mode & libc::S_IFMT {
        libc::S_IFDIR => 'd',
        libc::S_IFLNK => 'l',
        libc::S_IFCHR => 'c',
        libc::S_IFBLK => 'b',
        libc::S_IFIFO => 'p',
        libc::S_IFSOCK => 's',
        _ => '-',
    };
    let mut shown = String::from(kind);
    for (shift, special, both, alone) in
        [(6, libc::S_ISUID, 's', 'S'), (3, libc::S_ISGID, 's', 'S'), (0, libc::S_ISVTX, 't', 'T')]
    {
        let bits = mode >> shift;
        shown.push(if bits & 4 != 0 { 'r' } else { '-' });
        shown.push(if bits & 2 != 0 { 'w' } else { '-' });
        shown.push(match (mode & special != 0, bits & 1 != 0) {
            (true, true) => both,
            (true, false) => alone,
            (false, true) => 'x',
            (false, false) => '-',
        });
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permissions_look_as_in_a_listing() {
        assert_eq!(permissions(libc::S_IFDIR | 0o1777), "drwxrwxrwt");
        assert_eq!(permissions(libc::S_IFREG | 0o4644), "-rwSr--r--");
        assert_eq!(permissions(libc::S_IFLNK | 0o2755), "lrwxr-sr-x");
    }

    #[test]
    fn old_files_show_their_year() {
        let time = || Some(Local { year: 2001, month: 8, day: 9, hour: 1, minute: 46 });
        assert_eq!(moment(time(), 1_000_000_000, 1_000_000_100), "Sep  9 01:46");
        assert_eq!(moment(time(), 1_000_000_000, 1_700_000_000), "Sep  9  2001");
        assert_eq!(moment(time(), 1_000_000_100, 1_000_000_000), "Sep  9  2001");
    }
}
