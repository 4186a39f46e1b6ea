//! Chooses the role: first process of the initramfs, or agent.

use std::path::PathBuf;
use std::process::ExitCode;

use boxd_agent::agent::Agent;
use boxd_agent::port::Place;
use boxd_agent::renew::Machine;
use boxd_agent::{init, power};

const USAGE: &str = "usage: boxd-agent [--port PATH [--root DIR]]

Serves the agent's channel of a boxd machine on its virtio-serial port org.boxd.agent.
  --port PATH  serve on this device, or connect to this unix socket until it is removed;
               on a socket the agent changes nothing of the machine it runs on
  --root DIR   with a socket: renewals change the files below this folder
  --version    print the version";

enum Arguments {
    Serve { place: Place, machine: Machine },
    Version,
    Help,
}

fn parse(mut arguments: impl Iterator<Item = String>) -> Option<Arguments> {
    let (mut port, mut root) = (None, None);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--port" => port = Some(PathBuf::from(arguments.next()?)),
            "--root" => root = Some(PathBuf::from(arguments.next()?)),
            "--version" => return Some(Arguments::Version),
            "--help" => return Some(Arguments::Help),
            _ => return None,
        }
    }
    let place = port.map_or(Place::Virtio, |path| Place::of(&path));
    let machine = match (place.is_socket(), root) {
        (true, root) => Machine { root, own_kernel: false },
        (false, None) => Machine { root: Some(PathBuf::from("/")), own_kernel: true },
        (false, Some(_)) => return None,
    };
    Some(Arguments::Serve { place, machine })
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
    let words = std::env::args().skip(1).filter(|_| !first_process);
    match parse(words) {
        Some(Arguments::Serve { place, machine }) => {
            let error = Agent::new(place, machine).and_then(|mut agent| agent.serve());
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
