//! Finding the addresses of a name as programs of this machine would: its own file of hosts, then its name servers.

use std::io::{Error, ErrorKind, Read, Result, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream, UdpSocket};
use std::path::Path;
use std::time::{Duration, Instant};

use super::dns::{answer, question, Answer, Kind, MAX_MESSAGE_BYTES};
use super::{Failure, Outcome};
use crate::fields::put_address;
use crate::files::read_bounded;
use crate::message::MAX_ADDRESSES;
use crate::sys::file::random_bytes;

const MAX_HOSTS_BYTES: u64 = 4 * 1024 * 1024;
const MAX_SETTINGS_BYTES: u64 = 64 * 1024;
const MAX_SERVERS: usize = 3;
const MAX_DOMAINS: usize = 6;
const PORT: u16 = 53;
/// How long one server has for one question, and how often all are asked.
const SERVER_LIMIT: Duration = Duration::from_secs(3);
const ROUNDS: usize = 2;
const LOOPBACK: [IpAddr; 2] = [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)];

/// What /etc/resolv.conf says.
#[derive(Debug, Default, PartialEq, Eq)]
struct Settings {
    servers: Vec<IpAddr>,
    domains: Vec<String>,
    /// A name with so many dots is first asked for as it is.
    dots: usize,
}

pub fn resolve(host: &[u8]) -> Outcome {
    let text = std::str::from_utf8(host).map_err(|_| Failure::new(libc::EINVAL, "a host's name is no text"))?;
    let found = addresses(text)?;
    if found.is_empty() {
        return Err(Failure::new(libc::ENOENT, format!("no such host: {text}")));
    }
    let mut out = vec![found.len().min(MAX_ADDRESSES) as u8];
    found.iter().take(MAX_ADDRESSES).for_each(|address| put_address(&mut out, address));
    Ok(out)
}

fn addresses(host: &str) -> std::result::Result<Vec<IpAddr>, Failure> {
    if let Ok(address) = host.parse() {
        return Ok(vec![address]);
    }
    let file = read_bounded(Path::new("/etc/hosts"), MAX_HOSTS_BYTES).unwrap_or_default();
    let known = in_hosts(&String::from_utf8_lossy(&file), host);
    if !known.is_empty() {
        return Ok(known);
    }
    let plain = host.trim_end_matches('.').to_ascii_lowercase();
    if plain == "localhost" || plain.ends_with(".localhost") {
        return Ok(LOOPBACK.to_vec());
    }
    let file = read_bounded(Path::new("/etc/resolv.conf"), MAX_SETTINGS_BYTES).unwrap_or_default();
    let settings = settings(&String::from_utf8_lossy(&file));
    let mut failed = false;
    for name in candidates(host, &settings) {
        match ask(&name, &settings.servers) {
            Some(found) if !found.is_empty() => return Ok(found),
            Some(_) => {}
            None => failed = true,
        }
    }
    if failed {
        return Err(Failure::new(libc::EHOSTUNREACH, format!("no name server answers for {host}")));
    }
    Ok(Vec::new())
}

fn in_hosts(file: &str, host: &str) -> Vec<IpAddr> {
    let wanted = host.trim_end_matches('.');
    let mut found = Vec::new();
    for line in file.lines() {
        let mut words = line.split('#').next().unwrap_or_default().split_whitespace();
        let address = words.next().and_then(|word| word.parse::<IpAddr>().ok());
        if let (Some(address), true) = (address, words.any(|name| name.eq_ignore_ascii_case(wanted))) {
            if !found.contains(&address) {
                found.push(address);
            }
        }
    }
    found
}

fn settings(file: &str) -> Settings {
    let mut settings = Settings { dots: 1, ..Settings::default() };
    for line in file.lines() {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("nameserver") => settings.servers.extend(words.next().and_then(|word| word.parse::<IpAddr>().ok())),
            Some("domain" | "search") => settings.domains = words.take(MAX_DOMAINS).map(str::to_string).collect(),
            Some("options") => {
                let mut dots =
                    words.filter_map(|word| word.strip_prefix("ndots:")).filter_map(|text| text.parse().ok());
                settings.dots = dots.next_back().unwrap_or(settings.dots).min(15);
            }
            _ => {}
        }
    }
    settings.servers.truncate(MAX_SERVERS);
    settings
}

/// The names that a name can stand for, the likeliest first.
fn candidates(host: &str, settings: &Settings) -> Vec<String> {
    if host.ends_with('.') {
        return vec![host.to_string()];
    }
    let mut names: Vec<String> = settings.domains.iter().map(|domain| format!("{host}.{domain}")).collect();
    let own = if host.matches('.').count() >= settings.dots { 0 } else { names.len() };
    names.insert(own, host.to_string());
    names
}

/// Addresses of both kinds, or none if there is no such name; nothing if nobody answers.
fn ask(name: &str, servers: &[IpAddr]) -> Option<Vec<IpAddr>> {
    let mut found = Vec::new();
    let mut answered = false;
    for kind in [Kind::Four, Kind::Six] {
        match ask_all(name.as_bytes(), kind, servers) {
            Some(Answer::Addresses(addresses)) => {
                answered = true;
                found.extend(addresses);
            }
            // It has none of the other kind either.
            Some(_) => return Some(found),
            // The addresses that are known will do.
            None if answered => break,
            None => return None,
        }
    }
    Some(found)
}

/// A name that cannot be one has no addresses.
fn ask_all(name: &[u8], kind: Kind, servers: &[IpAddr]) -> Option<Answer> {
    let random = random_bytes();
    let asked = match question(u16::from_be_bytes([random[0], random[1]]), name, kind) {
        Some(asked) => asked,
        None => return Some(Answer::NoSuchName),
    };
    for _ in 0..ROUNDS {
        for &server in servers {
            match ask_one(&asked, kind, SocketAddr::new(server, PORT)) {
                Ok(Answer::Failed | Answer::Cut) | Err(_) => {}
                Ok(answer) => return Some(answer),
            }
        }
    }
    None
}

fn ask_one(asked: &[u8], kind: Kind, server: SocketAddr) -> Result<Answer> {
    let until = Instant::now() + SERVER_LIMIT;
    let any: IpAddr = if server.is_ipv4() { Ipv4Addr::UNSPECIFIED.into() } else { Ipv6Addr::UNSPECIFIED.into() };
    let socket = UdpSocket::bind((any, 0))?;
    socket.connect(server)?;
    socket.send(asked)?;
    let mut buffer = [0; MAX_MESSAGE_BYTES];
    loop {
        let left = until.checked_duration_since(Instant::now()).filter(|left| !left.is_zero());
        socket.set_read_timeout(Some(left.ok_or_else(|| Error::from(ErrorKind::TimedOut))?))?;
        let length = socket.recv(&mut buffer)?;
        match answer(asked, &buffer[..length], kind) {
            Some(Answer::Cut) => return ask_long(asked, kind, server),
            Some(answer) => return Ok(answer),
            // Of somebody else, or to an older question.
            None => {}
        }
    }
}

fn ask_long(asked: &[u8], kind: Kind, server: SocketAddr) -> Result<Answer> {
    let mut stream = TcpStream::connect_timeout(&server, SERVER_LIMIT)?;
    stream.set_read_timeout(Some(SERVER_LIMIT))?;
    stream.set_write_timeout(Some(SERVER_LIMIT))?;
    stream.write_all(&[&(asked.len() as u16).to_be_bytes(), asked].concat())?;
    let mut length = [0; 2];
    stream.read_exact(&mut length)?;
    let mut message = vec![0; usize::from(u16::from_be_bytes(length))];
    stream.read_exact(&mut message)?;
    answer(asked, &message, kind).ok_or_else(|| Error::from(ErrorKind::InvalidData))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_found_by_any_of_their_names() {
        let file =
            "127.0.0.1 localhost\n# 1.1.1.1 db\n10.0.0.7 db.example DB # the database\nfe80::1%eth0 db\n::7 db\n";
        let expected: [IpAddr; 2] = ["10.0.0.7".parse().unwrap(), "::7".parse().unwrap()];
        assert_eq!(in_hosts(file, "db"), expected);
        assert_eq!(in_hosts(file, "Db.Example."), expected[..1]);
        assert!(in_hosts(file, "the").is_empty());
    }

    #[test]
    fn settings_say_whom_to_ask_and_for_what() {
        let found = settings("nameserver 10.0.2.3\nsearch a.example b.example\noptions edns0 ndots:2\nnameserver x\n");
        assert_eq!(found.servers, ["10.0.2.3".parse::<IpAddr>().unwrap()]);
        assert_eq!(candidates("x.y", &found), ["x.y.a.example", "x.y.b.example", "x.y"]);
        assert_eq!(candidates("x.y.z", &found), ["x.y.z", "x.y.z.a.example", "x.y.z.b.example"]);
        assert_eq!(candidates("x.", &found), ["x."]);
        assert_eq!(settings(""), Settings { dots: 1, ..Settings::default() });
    }

    #[test]
    fn addresses_and_loopback_need_nobody() {
        assert_eq!(addresses("::1").unwrap(), [LOOPBACK[1]]);
        assert!(addresses("any.localhost").unwrap().contains(&LOOPBACK[0]));
    }
}
