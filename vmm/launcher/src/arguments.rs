//! The command line. Every value is checked here, before anything on the host is touched.

use crate::descriptors::PROGRAM;
use crate::failure::Failure;
use std::ffi::{CString, OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

/// Ids below belong to the host's own users and services.
const LOWEST_UID: u64 = 1000;
const HIGHEST_UID: u64 = i32::MAX as u64;
const DEFAULT_OPEN_FILES: u64 = 512;
/// Below this a machine cannot even load its libraries.
const FEWEST_OPEN_FILES: u64 = 32;
/// Interface names end within sixteen bytes.
const LONGEST_TAP_NAME: usize = 15;

/// One launch, as asked for by the server.
#[derive(Debug, Default)]
pub struct Arguments {
    pub folder: CString,
    pub uid: u32,
    pub bundle: CString,
    pub program: CString,
    pub memory: Option<Memory>,
    pub images: Vec<Image>,
    pub disks: CString,
    pub cgroups: Vec<CString>,
    pub open_files: u64,
    pub file_bytes: Option<u64>,
    pub tap: Option<Vec<u8>>,
    pub network: Option<CString>,
    pub kvm: bool,
    pub niceness: i32,
    pub rest: Vec<CString>,
    #[cfg(feature = "red-controls")]
    pub without: Vec<Vec<u8>>,
}

/// The base file behind the guest's memory.
#[derive(Debug)]
pub struct Memory {
    pub file: CString,
    pub writable: bool,
}

/// A file shown read-only under a name of its own.
#[derive(Debug)]
pub struct Image {
    pub file: CString,
    pub name: CString,
}

impl Arguments {
    pub fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Self, Failure> {
        let mut parsed = Arguments { open_files: DEFAULT_OPEN_FILES, ..Arguments::default() };
        let mut words = words.into_iter();
        while let Some(word) = words.next() {
            let name = word.as_bytes();
            match name {
                b"--" => {
                    parsed.rest = words.map(text).collect::<Result<_, _>>()?;
                    return parsed.complete();
                }
                b"--kvm" => parsed.kvm = true,
                _ => {
                    let value = words.next().ok_or_else(|| refusal(&word, "needs a value"))?;
                    parsed.set(&word, value)?;
                }
            }
        }
        Err(refusal(OsStr::new("--"), "is missing"))
    }

    fn set(&mut self, name: &OsStr, value: OsString) -> Result<(), Failure> {
        match name.as_bytes() {
            b"--folder" => self.folder = text(value)?,
            b"--bundle" => self.bundle = text(value)?,
            b"--program" => self.program = text(value)?,
            b"--disks" => self.disks = text(value)?,
            b"--cgroup" => self.cgroups.push(text(value)?),
            b"--memory" => self.memory = Some(memory(value)?),
            b"--read-only" => self.images.push(image(name, value)?),
            b"--uid" => self.uid = number(name, &value, LOWEST_UID, HIGHEST_UID)? as u32,
            b"--nofile" => {
                self.open_files = number(name, &value, FEWEST_OPEN_FILES, PROGRAM as u64 - 1)?;
            }
            b"--fsize" => self.file_bytes = Some(number(name, &value, 1, i64::MAX as u64)?),
            b"--niceness" => self.niceness = number(name, &value, 0, 19)? as i32,
            b"--tap" => self.tap = Some(plain_name(name, value.as_bytes(), LONGEST_TAP_NAME)?),
            b"--network" => self.network = Some(text(value)?),
            #[cfg(feature = "red-controls")]
            b"--without" => self.without.push(value.into_vec()),
            _ => return Err(refusal(name, "is unknown")),
        }
        Ok(())
    }

    fn complete(self) -> Result<Self, Failure> {
        let needed = [
            ("--folder", &self.folder),
            ("--bundle", &self.bundle),
            ("--program", &self.program),
            ("--disks", &self.disks),
        ];
        for (name, value) in needed {
            if value.as_bytes().is_empty() {
                return Err(refusal(OsStr::new(name), "is missing"));
            }
        }
        if self.uid == 0 {
            return Err(refusal(OsStr::new("--uid"), "is missing"));
        }
        if self.network.is_some() && self.tap.is_none() {
            return Err(refusal(OsStr::new("--network"), "needs --tap"));
        }
        Ok(self)
    }

    /// Whether a layer of the jail is to be built: always, but for red controls of a test.
    pub fn wants(&self, layer: &str) -> bool {
        #[cfg(feature = "red-controls")]
        return !self.without.iter().any(|left_out| left_out == layer.as_bytes());
        #[cfg(not(feature = "red-controls"))]
        return !layer.is_empty();
    }
}

fn refusal(name: &OsStr, why: &str) -> Failure {
    Failure::new("arguments", format!("{} {}", name.to_string_lossy(), why))
}

fn text(value: OsString) -> Result<CString, Failure> {
    CString::new(value.into_vec()).map_err(|_| Failure::new("arguments", "a value contains NUL"))
}

fn number(name: &OsStr, value: &OsStr, least: u64, most: u64) -> Result<u64, Failure> {
    let parsed = value.to_str().and_then(|digits| digits.parse().ok());
    match parsed {
        Some(number) if (least..=most).contains(&number) => Ok(number),
        _ => Err(refusal(name, &format!("must be a number from {} to {}", least, most))),
    }
}

fn memory(value: OsString) -> Result<Memory, Failure> {
    let bytes = value.as_bytes();
    let (file, writable) = match bytes.strip_suffix(b":rw") {
        Some(file) => (file, true),
        None => (bytes, false),
    };
    Ok(Memory { file: text(OsString::from_vec(file.to_vec()))?, writable })
}

fn image(option: &OsStr, value: OsString) -> Result<Image, Failure> {
    let bytes = value.as_bytes();
    let split = bytes.iter().rposition(|byte| *byte == b'=');
    let split = split.ok_or_else(|| refusal(option, "must be FILE=NAME"))?;
    let name = plain_name(option, &bytes[split + 1..], 64)?;
    let file = text(OsString::from_vec(bytes[..split].to_vec()))?;
    Ok(Image { file, name: text(OsString::from_vec(name))? })
}

/// A name that can be nothing but a name: no separators, no dots in front.
fn plain_name(option: &OsStr, name: &[u8], longest: usize) -> Result<Vec<u8>, Failure> {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"._-".contains(byte);
    if name.is_empty() || name.len() > longest || name[0] == b'.' || !name.iter().all(plain) {
        return Err(refusal(option, "has an unfit name"));
    }
    Ok(name.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEAST: &str = "--folder /f --uid 20001 --bundle /b --program /q --disks /d";

    fn parse(line: &str) -> Result<Arguments, Failure> {
        Arguments::parse(line.split_whitespace().map(OsString::from))
    }

    fn reason(line: &str) -> String {
        parse(line).unwrap_err().to_string()
    }

    #[test]
    fn takes_what_is_needed_and_fills_in_the_rest() {
        let parsed = parse(&format!("{} -- -M microvm", LEAST)).unwrap();
        assert_eq!(20001, parsed.uid);
        assert_eq!(DEFAULT_OPEN_FILES, parsed.open_files);
        assert_eq!(2, parsed.rest.len());
        assert!(!parsed.kvm && parsed.memory.is_none() && parsed.tap.is_none());
    }

    #[test]
    fn takes_everything() {
        let more = "--memory /m:rw --read-only /k=v=kernel --cgroup /c1 --cgroup /c2 --nofile 256 \
                    --fsize 1024 --tap tap0 --network /run/netns/n --kvm --niceness 5 --";
        let parsed = parse(&format!("{} {}", LEAST, more)).unwrap();
        let memory = parsed.memory.unwrap();
        assert_eq!((b"/m".as_ref(), true), (memory.file.as_bytes(), memory.writable));
        assert_eq!(b"/k=v", parsed.images[0].file.as_bytes());
        assert_eq!(b"kernel", parsed.images[0].name.as_bytes());
        assert_eq!(2, parsed.cgroups.len());
        assert_eq!(Some(1024), parsed.file_bytes);
        assert_eq!(Some(b"tap0".to_vec()), parsed.tap);
        assert_eq!(b"/run/netns/n", parsed.network.unwrap().as_bytes());
        assert_eq!((256, 5, true), (parsed.open_files, parsed.niceness, parsed.kvm));
    }

    #[test]
    fn refuses_ids_of_the_host_and_the_id_that_means_no_change() {
        for uid in ["0", "999", "4294967295", "2147483648", "-1", "x", ""] {
            let line = LEAST.replace("20001", if uid.is_empty() { "''" } else { uid });
            assert!(reason(&format!("{} --", line)).starts_with("arguments: --uid"), "{}", uid);
        }
    }

    #[test]
    fn refuses_an_open_file_limit_that_would_let_the_exec_number_be_used_again() {
        assert!(reason(&format!("{} --nofile 1000 --", LEAST)).contains("--nofile"));
    }

    #[test]
    fn refuses_names_that_lead_elsewhere() {
        for name in ["/k=", "/k", "/k=..", "/k=a/b", "/k=.hidden"] {
            let line = format!("{} --read-only {} --", LEAST, name);
            assert!(reason(&line).contains("--read-only"), "{}", name);
        }
        assert!(reason(&format!("{} --tap sixteen-bytes-xx --", LEAST)).contains("--tap"));
    }

    #[test]
    fn refuses_what_is_missing_or_unknown() {
        assert_eq!("arguments: -- is missing", reason(LEAST));
        assert!(reason("--folder").contains("needs a value"));
        assert!(reason("--uid 20001 --").contains("--folder is missing"));
        assert!(reason("--folder /f --bundle /b --program /q --disks /d --").contains("--uid"));
        assert!(reason(&format!("{} --shell yes --", LEAST)).contains("is unknown"));
        assert!(reason(&format!("{} --network /n --", LEAST)).contains("needs --tap"));
    }

    #[cfg(not(feature = "red-controls"))]
    #[test]
    fn offers_no_way_to_leave_out_a_layer() {
        assert!(reason(&format!("{} --without seccomp --", LEAST)).contains("is unknown"));
    }
}
