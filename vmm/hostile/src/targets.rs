//! What the test has put outside, and inside, for the attacks to aim at: `KIND=VALUE` arguments.

#[derive(Default)]
pub struct Targets {
    /// `layer=`: frozen layers in `/disk`, which belong to root.
    pub layers: Vec<String>,
    /// `own-file=`, `own-folder=`: entries of `/disk` that belong to the cell.
    pub own_files: Vec<String>,
    pub own_folders: Vec<String>,
    /// `secret=`: files of the host that anybody may read.
    pub secrets: Vec<String>,
    /// `port=`: TCP ports served on the host's loopback.
    pub ports: Vec<u16>,
    /// `socket=`, `abstract=`: local sockets served on the host.
    pub sockets: Vec<String>,
    pub abstracts: Vec<String>,
    /// `pid=`: processes of the host.
    pub pids: Vec<i32>,
}

impl Targets {
    pub fn parse(words: impl Iterator<Item = String>) -> Self {
        let mut targets = Targets::default();
        for word in words {
            let (kind, value) = word.split_once('=').unwrap_or((&word, ""));
            let value = value.to_owned();
            match kind {
                "layer" => targets.layers.push(value),
                "own-file" => targets.own_files.push(value),
                "own-folder" => targets.own_folders.push(value),
                "secret" => targets.secrets.push(value),
                "port" => targets.ports.push(value.parse().expect("a port")),
                "socket" => targets.sockets.push(value),
                "abstract" => targets.abstracts.push(value),
                "pid" => targets.pids.push(value.parse().expect("a process id")),
                _ => panic!("no such target: {}", word),
            }
        }
        targets
    }
}
