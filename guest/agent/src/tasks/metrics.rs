//! Figures of the machine, from the kernel's own tables.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use super::attributes::put_room;
use super::{Failure, Outcome};
use crate::accounts::MAX_FILE_BYTES;
use crate::fields::put_string;
use crate::files::read_bounded;
use crate::message::MAX_NAME_BYTES;
use crate::sys::file;

/// The kernel's unit of processor time.
const TICKS_PER_SECOND: u32 = 100;
const DISKS: [&str; 2] = ["/", "/data"];
const KIB: u64 = 1024;

fn table(path: &str) -> Result<String, Failure> {
    let bytes = read_bounded(Path::new(path), MAX_FILE_BYTES).map_err(Failure::at("read", Path::new(path)))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

pub fn metrics() -> Outcome {
    let mut out = Vec::new();
    put_processor(&mut out, &table("/proc/stat")?);
    put_load(&mut out, &table("/proc/uptime")?, &table("/proc/loadavg")?);
    let processes = fs::read_dir("/proc").map_err(Failure::at("list", Path::new("/proc")))?;
    let count = processes.flatten().filter(|entry| is_number(&entry.file_name().to_string_lossy())).count();
    out.extend_from_slice(&(count as u32).to_be_bytes());
    put_memory(&mut out, &table("/proc/meminfo")?);
    put_network(&mut out, &table("/proc/net/dev")?);
    put_disks(&mut out)?;
    Ok(out)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// User, nice, system, idle, waiting, interrupts, soft interrupts and stolen; then how many processors.
fn put_processor(out: &mut Vec<u8>, stat: &str) {
    const KINDS: usize = 8;
    let all = stat.lines().next().unwrap_or_default();
    let mut ticks = all.split_whitespace().skip(1).map(|text| text.parse::<u64>().unwrap_or(0));
    for _ in 0..KINDS {
        out.extend_from_slice(&ticks.next().unwrap_or(0).to_be_bytes());
    }
    let processors = stat.lines().skip(1).take_while(|line| line.starts_with("cpu")).count();
    out.extend_from_slice(&TICKS_PER_SECOND.to_be_bytes());
    out.extend_from_slice(&(processors as u32).to_be_bytes());
}

/// Time since the start in hundredths of a second, and the three loads in hundredths.
fn put_load(out: &mut Vec<u8>, uptime: &str, load: &str) {
    let hundredths = |text: &str| text.replace('.', "").parse::<u64>().unwrap_or(0);
    out.extend_from_slice(&hundredths(uptime.split_whitespace().next().unwrap_or_default()).to_be_bytes());
    let mut loads = load.split_whitespace();
    for _ in 0..3 {
        out.extend_from_slice(&(hundredths(loads.next().unwrap_or_default()) as u32).to_be_bytes());
    }
}

fn put_memory(out: &mut Vec<u8>, meminfo: &str) {
    for name in ["MemTotal:", "MemAvailable:", "MemFree:", "Cached:", "SwapTotal:", "SwapFree:"] {
        let row = meminfo.lines().find(|line| line.starts_with(name)).unwrap_or_default();
        let kib = row.split_whitespace().nth(1).and_then(|text| text.parse::<u64>().ok()).unwrap_or(0);
        out.extend_from_slice(&kib.saturating_mul(KIB).to_be_bytes());
    }
}

/// Bytes and packets received and sent by all interfaces but the loopback.
fn put_network(out: &mut Vec<u8>, devices: &str) {
    let mut totals = [0u64; 4];
    for line in devices.lines().skip(2) {
        let (name, rest) = line.split_once(':').unwrap_or_default();
        if name.trim() == "lo" {
            continue;
        }
        let numbers: Vec<u64> = rest.split_whitespace().map(|text| text.parse().unwrap_or(0)).collect();
        for (total, at) in totals.iter_mut().zip([0, 8, 1, 9]) {
            *total = total.wrapping_add(numbers.get(at).copied().unwrap_or(0));
        }
    }
    totals.iter().for_each(|total| out.extend_from_slice(&total.to_be_bytes()));
}

/// The root file system, and what is mounted on /data if it is another one.
fn put_disks(out: &mut Vec<u8>) -> Result<(), Failure> {
    let root = fs::metadata("/").map_err(Failure::at("look at", Path::new("/")))?.dev();
    let mounted = |path: &&str| *path == "/" || fs::metadata(path).map_or(false, |found| found.dev() != root);
    let disks: Vec<&str> = DISKS.iter().copied().filter(|path| mounted(path)).collect();
    out.push(disks.len() as u8);
    for path in disks {
        put_string(out, path.as_bytes(), MAX_NAME_BYTES);
        put_room(out, &file::room(Path::new(path)).map_err(Failure::at("look at", Path::new(path)))?);
    }
    Ok(())
}
