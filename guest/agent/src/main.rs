//! Chooses the role: first process of the initramfs, or agent.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::unix::io::AsFd;
use std::path::PathBuf;
use std::process::ExitCode;

use boxd_agent::agent::{Agent, Places};
use boxd_agent::plan::FILES_WORD;
use boxd_agent::port::Place;
use boxd_agent::renew::Machine;
use boxd_agent::{busy, init, local, power, sftp};

const USAGE: &str = "usage: boxd-agent [--port PATH [--root DIR] [--output DIR] [--local PATH]]
       boxd-agent busy …, or boxd busy …
       boxd-agent sftp

Serves the agent's channel of a boxd machine on its virtio-serial port org.boxd.agent.
  --port PATH  serve on this device, or connect to this unix socket until it is removed;
               on a socket the agent changes nothing of the machine it runs on
  --root DIR   with a socket: renewals change the files below this folder
  --output DIR with a socket: where output of commands is kept that memory is too small for
  --local PATH with a socket: where programs say that they are busy
  --version    print the version";

enum Arguments {
    Serve { place: Place, machine: Machine, places: Places },
    Version,
    Help,
}

fn parse(mut arguments: impl Iterator<Item = String>) -> Option<Arguments> {
    let (mut port, mut root, mut output, mut local) = (None, None, None, None);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--port" => port = Some(PathBuf::from(arguments.next()?)),
            "--root" => root = Some(PathBuf::from(arguments.next()?)),
            "--output" => output = Some(PathBuf::from(arguments.next()?)),
            "--local" => local = Some(PathBuf::from(arguments.next()?)),
            "--version" => return Some(Arguments::Version),
            "--help" => return Some(Arguments::Help),
            _ => return None,
        }
    }
    let place = port.map_or(Place::Virtio, |path| Place::of(&path));
    if place.is_socket() {
        let machine = Machine { root, own_kernel: false };
        return Some(Arguments::Serve { place, machine, places: Places { output, local } });
    }
    if root.is_some() || output.is_some() || local.is_some() {
        return None;
    }
    let machine = Machine { root: Some(PathBuf::from("/")), own_kernel: true };
    let places = Places { output: Some(output_folder()), local: Some(PathBuf::from(local::SOCKET)) };
    Some(Arguments::Serve { place, machine, places })
}

/// On the machine's disk, which in the smallest image is not where its root is.
fn output_folder() -> PathBuf {
    let folder = if std::process::id() == 1 { "/data/.boxd-output" } else { "/var/lib/boxd/output" };
    PathBuf::from(folder)
}

/// The words of somebody inside the machine who calls us by our other name.
fn busy_words() -> Option<Vec<String>> {
    let mut words = std::env::args();
    let name = words.next().unwrap_or_default();
    let words: Vec<String> = words.collect();
    if name.rsplit('/').next() == Some("boxd") || words.first().map_or(false, |word| word == "busy") {
        return Some(words);
    }
    None
}

/// For a client at the other end of standard input and output.
fn serve_files() -> ExitCode {
    // Straight to the descriptors: this end collects what belongs together itself.
    let input = io::stdin().as_fd().try_clone_to_owned().map(File::from);
    let output = io::stdout().as_fd().try_clone_to_owned().map(File::from);
    match input.and_then(|mut input| sftp::serve(&mut input, &mut output?)) {
        Ok(()) => ExitCode::SUCCESS,
        // Nobody is there any more.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("boxd-agent: {error}");
            ExitCode::FAILURE
        }
    }
}

fn main() -> ExitCode {
    // The kernel hands unknown words of its command line to the first process: none are for us.
    let first_process = std::process::id() == 1;
    if init::is_wanted() {
        if let Err(error) = init::prepare() {
            eprintln!("boxd-agent: cannot start the machine: {error}");
            power::end_now(false);
            return ExitCode::FAILURE;
        }
    }
    if let Some(words) = busy_words().filter(|_| !first_process) {
        return ExitCode::from(busy::run(&words));
    }
    if !first_process && std::env::args().nth(1).as_deref() == Some(FILES_WORD) {
        return serve_files();
    }
    let words = std::env::args().skip(1).filter(|_| !first_process);
    match parse(words) {
        Some(Arguments::Serve { place, machine, places }) => {
            let error = Agent::new(place, machine, places).and_then(|mut agent| agent.serve());
            if let Err(error) = error {
                eprintln!("boxd-agent: {error}");
            }
            if first_process {
                power::end_now(false);
            }
            ExitCode::FAILURE
        }
        Some(Arguments::Version) => {
            println!("boxd-agent {}", env!("CARGO_PKG_VERSION"));
            ExitCode::SUCCESS
        }
        Some(Arguments::Help) => {
            println!("{USAGE}");
            ExitCode::SUCCESS
        }
        None => {
            eprintln!("{USAGE}");
            ExitCode::from(2)
        }
    }
}
