//! `boxd busy`, the command with which programs inside a machine keep it awake.

use std::io::{Error, ErrorKind, Read, Result, Write};
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use crate::leases::{is_name, MAX_DURATION};
use crate::local::SOCKET;
use crate::sys::process::run_in_foreground;

pub const USAGE: &str = "usage: boxd busy [--for TIME] [--name NAME]              keep this machine awake for so long
       boxd busy [--for TIME] [--name NAME] -- COMMAND   … while the command runs
       boxd busy --clear [--name NAME]                   let it sleep again
       boxd busy --list                                  who keeps it awake

TIME is a number with s, m, h or d (10m unless given, at most 24h; with a command 24h).";

const DEFAULT_TIME: Duration = Duration::from_secs(600);
const DEFAULT_NAME: &str = "busy";
const ANSWER_LIMIT: Duration = Duration::from_secs(10);
const MAX_ANSWER_BYTES: u64 = 64 * 1024;
/// Another place of the socket, for tests.
const SOCKET_VARIABLE: &str = "BOXD_BUSY_SOCKET";
const MISUSE: u8 = 2;
const CANNOT_EXECUTE: u8 = 126;
const NOT_FOUND: u8 = 127;

#[derive(Debug, PartialEq, Eq)]
enum Wish {
    Set { time: Duration, name: String },
    Run { time: Duration, name: String, command: Vec<String> },
    Clear { name: Option<String> },
    List,
    Help,
}

/// Does what the words behind `boxd` say; the exit status.
pub fn run(words: &[String]) -> u8 {
    let wish = match words.split_first() {
        Some((verb, rest)) if verb == "busy" => parse(rest),
        Some((verb, _)) if verb == "--help" || verb == "help" => Some(Wish::Help),
        _ => None,
    };
    let done = match wish {
        Some(Wish::Help) => {
            println!("{USAGE}");
            return 0;
        }
        None => {
            eprintln!("{USAGE}");
            return MISUSE;
        }
        Some(Wish::Set { time, name }) => ask(&format!("set {} {name}\n", time.as_secs())).map(|_| 0),
        Some(Wish::Clear { name: None }) => ask("clear\n").map(|_| 0),
        Some(Wish::Clear { name: Some(name) }) => ask(&format!("clear {name}\n")).map(|_| 0),
        Some(Wish::List) => list().map(|()| 0),
        Some(Wish::Run { time, name, command }) => hold(time, &name, &command),
    };
    done.unwrap_or_else(|error| {
        eprintln!("boxd busy: {error}");
        1
    })
}

fn parse(words: &[String]) -> Option<Wish> {
    let (mut time, mut name, mut clear, mut list) = (None, None, false, false);
    let mut words = words.iter();
    let mut command = Vec::new();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--for" => time = Some(duration(words.next()?)?),
            "--name" => name = Some(words.next().filter(|name| is_name(name))?.clone()),
            "--clear" => clear = true,
            "--list" => list = true,
            "--help" => return Some(Wish::Help),
            "--" => {
                command = words.cloned().collect();
                if command.is_empty() {
                    return None;
                }
                break;
            }
            _ => return None,
        }
    }
    match (clear, list, command.is_empty()) {
        (true, false, true) if time.is_none() => Some(Wish::Clear { name }),
        (false, true, true) if time.is_none() && name.is_none() => Some(Wish::List),
        (false, false, true) => Some(Wish::Set {
            time: time.unwrap_or(DEFAULT_TIME),
            name: name.unwrap_or_else(|| DEFAULT_NAME.to_string()),
        }),
        (false, false, false) => Some(Wish::Run {
            time: time.unwrap_or(MAX_DURATION),
            name: name.unwrap_or_else(|| name_of(&command[0])),
            command,
        }),
        _ => None,
    }
}

/// The program's own name, if it can be the name of a lease.
fn name_of(program: &str) -> String {
    let base = program.rsplit('/').next().unwrap_or(program);
    if is_name(base) { base } else { DEFAULT_NAME }.to_string()
}

fn duration(text: &str) -> Option<Duration> {
    let digits = text.trim_end_matches(|unit: char| unit.is_ascii_alphabetic());
    let unit = match &text[digits.len()..] {
        "" | "s" => 1,
        "m" => 60,
        "h" => 60 * 60,
        "d" => 24 * 60 * 60,
        _ => return None,
    };
    let seconds = digits.parse::<u64>().ok()?.checked_mul(unit)?;
    if seconds == 0 {
        return None;
    }
    Some(Duration::from_secs(seconds))
}

fn connect() -> Result<UnixStream> {
    let path = std::env::var_os(SOCKET_VARIABLE).map_or_else(|| PathBuf::from(SOCKET), PathBuf::from);
    let stream = UnixStream::connect(&path).map_err(|error| {
        let text = format!("the machine's agent does not answer at {}: {error}", path.display());
        Error::new(error.kind(), text)
    })?;
    stream.set_read_timeout(Some(ANSWER_LIMIT))?;
    stream.set_write_timeout(Some(ANSWER_LIMIT))?;
    Ok(stream)
}

/// Asks once; what stands behind `ok`.
fn ask(line: &str) -> Result<String> {
    let mut stream = connect()?;
    stream.write_all(line.as_bytes())?;
    let mut answer = String::new();
    stream.take(MAX_ANSWER_BYTES).read_to_string(&mut answer)?;
    accepted(&answer)
}

fn accepted(answer: &str) -> Result<String> {
    match (answer.strip_prefix("ok"), answer.strip_prefix("error ")) {
        (Some(rest), _) => Ok(rest.to_string()),
        (_, Some(reason)) => Err(Error::new(ErrorKind::Other, reason.trim_end().to_string())),
        _ => Err(Error::new(ErrorKind::InvalidData, "the agent's answer is not understood")),
    }
}

fn list() -> Result<()> {
    for line in ask("list\n")?.lines().filter(|line| !line.trim().is_empty()) {
        if let [name, uid, pid, seconds] = line.split(' ').collect::<Vec<_>>()[..] {
            println!("{name}\tuser {uid}\tprocess {pid}\t{seconds} s left");
        }
    }
    Ok(())
}

/// Runs a command with a lease that ends with it, or with us.
fn hold(time: Duration, name: &str, command: &[String]) -> Result<u8> {
    let mut stream = connect()?;
    stream.write_all(format!("hold {} {name}\n", time.as_secs()).as_bytes())?;
    let mut answer = Vec::new();
    let mut byte = [0];
    while stream.read(&mut byte)? == 1 && byte[0] != b'\n' {
        answer.push(byte[0]);
    }
    accepted(&String::from_utf8_lossy(&answer))?;
    match run_in_foreground(Command::new(&command[0]).args(&command[1..])) {
        Ok(status) => Ok(status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(1) as u8),
        Err(error) => {
            eprintln!("boxd busy: cannot run {}: {error}", command[0]);
            Ok(if error.kind() == ErrorKind::NotFound { NOT_FOUND } else { CANNOT_EXECUTE })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wish(line: &str) -> Option<Wish> {
        parse(&line.split_whitespace().map(str::to_string).collect::<Vec<_>>())
    }

    #[test]
    fn understands_its_words() {
        let set = |seconds, name: &str| Some(Wish::Set { time: Duration::from_secs(seconds), name: name.to_string() });
        assert_eq!(wish(""), set(600, "busy"));
        assert_eq!(wish("--for 90 --name a"), set(90, "a"));
        assert_eq!(wish("--for 2h"), set(7200, "busy"));
        assert_eq!(wish("--clear"), Some(Wish::Clear { name: None }));
        assert_eq!(wish("--clear --name x"), Some(Wish::Clear { name: Some("x".to_string()) }));
        assert_eq!(wish("--list"), Some(Wish::List));
        let run = Wish::Run {
            time: MAX_DURATION,
            name: "make".to_string(),
            command: vec!["/usr/bin/make".to_string(), "--list".to_string()],
        };
        assert_eq!(wish("-- /usr/bin/make --list"), Some(run));
        for wrong in ["--", "--for", "--for 0", "--for 5x", "--name a\tb --for", "--clear --list", "x", "--clear -- ls"]
        {
            assert_eq!(wish(wrong), None, "{wrong}");
        }
        assert_eq!(duration("99999999999999999999d"), None);
    }
}
