//! The agent's one loop: readiness in, system calls out, nothing that blocks in between.

use std::io::Result;
use std::os::unix::io::OwnedFd;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::{Duration, Instant};

use crate::executions::Executions;
use crate::grow::grow;
use crate::launch::refused;
use crate::link::{Inbound, Link, Sources};
use crate::local::Local;
use crate::message::{Channel, RenewRequest, Request, ShutdownMode};
use crate::port::{Place, Port};
use crate::power;
use crate::programs::Programs;
use crate::renew::Machine;
use crate::renewal::Renewal;
use crate::reply::{Facts, Reply};
use crate::sys::errno;
use crate::sys::io::{self, Poller, READABLE};
use crate::sys::kernel;
use crate::sys::process::{self, Inherited, Reaped};
use crate::tunnels::Tunnels;

const PORT_TOKEN: u64 = u64::MAX;
const SIGNAL_TOKEN: u64 = u64::MAX - 1;
/// The first of those for programs inside the machine; executions have small numbers.
const LOCAL_TOKENS: u64 = 1 << 62;
const READ_BYTES: usize = 64 * 1024;
/// Reads and writes of one turn, so that a flood in one direction does not hold up the other.
const READS_PER_TURN: usize = 8;
const WRITES_PER_TURN: usize = 16;
const DRAIN_PAUSE: Duration = Duration::from_millis(5);
/// The host should hear that the machine is going down, but cannot prevent it.
const FAREWELL_LIMIT: Duration = Duration::from_millis(500);

/// What this agent can do beyond version 2 of the protocol; a bit for each. The first: programs whose bytes pass
/// through, serving files, names and addresses to dial, listeners.
const FEATURES: u32 = 1;

/// Where the agent keeps things and is found inside its machine.
pub struct Places {
    /// For output of executions that does not fit in memory.
    pub output: Option<PathBuf>,
    /// The socket for programs that are busy.
    pub local: Option<PathBuf>,
}

/// Everything that data for the host comes from.
struct Flows<'a> {
    executions: &'a mut Executions,
    programs: &'a mut Programs,
    tunnels: &'a mut Tunnels,
}

impl Sources for Flows<'_> {
    fn pull(&mut self, stream: u32, channel: Channel, buffer: &mut [u8]) -> usize {
        match channel {
            Channel::Data => self.tunnels.pull(stream, channel, buffer),
            Channel::Stdout | Channel::Stderr if self.programs.has_stream(stream) => {
                self.programs.pull(stream, channel, buffer)
            }
            Channel::Stdout | Channel::Stderr => self.executions.pull(stream, channel, buffer),
        }
    }
}

pub struct Agent {
    poller: Rc<Poller>,
    signals: OwnedFd,
    signalled: bool,
    port: Port,
    link: Link,
    executions: Executions,
    programs: Programs,
    local: Option<Local>,
    tunnels: Tunnels,
    machine: Machine,
    inherited: Inherited,
    renewal: Option<Renewal>,
    shutdown: Option<(ShutdownMode, Instant)>,
    drain_again: Option<Instant>,
    /// Some program with a client has more to say.
    hungry: bool,
    buffer: Vec<u8>,
}

impl Agent {
    pub fn new(place: Place, machine: Machine, places: Places) -> Result<Self> {
        let poller = Rc::new(Poller::new()?);
        let signals = io::child_signals()?;
        poller.add(&signals, READABLE, SIGNAL_TOKEN)?;
        let inherited = process::raise_priority();
        let facts = Facts {
            first_process: std::process::id() == 1,
            features: FEATURES,
            kernel: kernel::release(),
            version: env!("CARGO_PKG_VERSION").to_string(),
        };
        let local = places.local.and_then(|path| match Local::open(&path, LOCAL_TOKENS, &poller) {
            Ok(local) => Some(local),
            Err(error) => {
                eprintln!("boxd-agent: nobody can say that the machine is busy: {}: {error}", path.display());
                None
            }
        });
        Ok(Agent {
            executions: Executions::new(Rc::clone(&poller), inherited.clone(), places.output),
            programs: Programs::new(Rc::clone(&poller), inherited.clone()),
            tunnels: Tunnels::new(Rc::clone(&poller), inherited.clone()),
            local,
            poller,
            signals,
            signalled: true,
            port: Port::new(place, PORT_TOKEN),
            link: Link::new(facts),
            machine,
            inherited,
            renewal: None,
            shutdown: None,
            drain_again: None,
            hungry: false,
            buffer: vec![0; READ_BYTES],
        })
    }

    /// Serves for ever; ends only when its socket was removed or the kernel fails it.
    pub fn serve(&mut self) -> Result<()> {
        loop {
            let events = self.poller.wait(self.timeout_millis())?;
            let now = Instant::now();
            for event in events {
                match event.token {
                    PORT_TOKEN => self.port.notice(),
                    SIGNAL_TOKEN => self.signalled = true,
                    token if Tunnels::has(token) => self.tunnels.notice(token, &mut self.link),
                    token if Programs::has(token) => self.programs.notice(token, &mut self.link),
                    token if token >= LOCAL_TOKENS => {
                        self.local.iter_mut().for_each(|local| local.notice(token, now));
                    }
                    token => self.executions.notice(token, &mut self.link),
                }
            }
            self.port.revive(&self.poller, now)?;
            self.executions.wake(now);
            self.programs.wake(now);
            self.tunnels.wake(now);
            self.reap();
            self.receive();
            self.advance_local(now);
            self.hungry = self.executions.fill(&self.link);
            self.settle();
            self.transmit();
            self.drain(now);
            self.settle();
            self.advance_renewal(now);
            self.shut_down(now);
        }
    }

    fn settle(&mut self) {
        self.executions.settle(&mut self.link);
        self.programs.settle(&mut self.link);
        self.tunnels.settle(&mut self.link);
    }

    /// How long nothing is to be done unless an event comes.
    fn timeout_millis(&self) -> i32 {
        let may_read = self.port.is_readable() && self.link.may_receive();
        let may_write = self.port.is_writable() && self.link.has_work();
        if may_read || may_write || self.signalled || self.hungry {
            return 0;
        }
        let renewal = self.renewal.as_ref().and_then(Renewal::next_deadline);
        let shutdown = self.shutdown.map(|(_, at)| at);
        let resting = self.executions.next_deadline();
        let programs = self.programs.next_deadline();
        let tunnels = self.tunnels.next_deadline();
        let local = self.local.as_ref().and_then(Local::next_deadline);
        let deadlines =
            [self.port.next_deadline(), renewal, shutdown, self.drain_again, resting, programs, tunnels, local];
        match deadlines.iter().flatten().min() {
            None => -1,
            // Rounded up: to wake too early would mean to spin.
            Some(next) => next.saturating_duration_since(Instant::now()).as_millis() as i32 + 1,
        }
    }

    fn reap(&mut self) {
        if !std::mem::take(&mut self.signalled) {
            return;
        }
        let mut ignored = [0; 1024];
        while let Ok(Some(_)) = io::read(&self.signals, &mut ignored) {}
        while let Some(Reaped { pid, ending, cpu_micros }) = process::reap() {
            self.executions.ended(pid, ending, cpu_micros, &mut self.link);
            self.programs.ended(pid, ending, &mut self.link);
            self.tunnels.process_ended(pid);
            if let Some(renewal) = &mut self.renewal {
                renewal.process_ended(pid, ending, &mut self.link);
            }
        }
    }

    fn receive(&mut self) {
        let mut buffer = std::mem::take(&mut self.buffer);
        for _ in 0..READS_PER_TURN {
            if !self.port.is_readable() || !self.link.may_receive() {
                break;
            }
            match self.port.read(&mut buffer, &self.poller) {
                Ok(None) => break,
                Ok(Some(bytes)) => self.take(&buffer[..bytes]),
                Err(_) => self.disconnected(),
            }
        }
        self.buffer = buffer;
    }

    fn take(&mut self, mut input: &[u8]) {
        while let Some(inbound) = self.link.receive(&mut input) {
            match inbound {
                Inbound::SessionStarted | Inbound::SessionLost => self.session_over(),
                Inbound::Exec(stream, Ok(request)) if request.passing => {
                    self.programs.start(stream, &request, &mut self.link);
                }
                Inbound::Exec(stream, Ok(request)) => self.executions.start(stream, &request, &mut self.link),
                Inbound::Exec(stream, Err(malformed)) => {
                    self.link.send(stream, &refused(libc::EINVAL, malformed.0.to_string()));
                }
                Inbound::Request(stream, request) => self.perform(stream, request),
            }
        }
    }

    fn disconnected(&mut self) {
        if self.link.disconnect().is_some() {
            self.session_over();
        }
    }

    fn session_over(&mut self) {
        self.executions.orphan_all();
        // Whatever leads to another host's client must not outlive its session; a fork begins with a new one.
        #[cfg(not(feature = "red-controls"))]
        {
            self.programs.end_all();
            self.tunnels.end_all();
        }
        if let Some(renewal) = &mut self.renewal {
            renewal.orphan();
        }
    }

    fn perform(&mut self, stream: u32, request: Request) {
        match request {
            Request::Ping => self.link.send(stream, &Reply::Pong),
            Request::Stdin(_) | Request::StdinClose | Request::Signal(_) | Request::Detach
                if self.programs.has_stream(stream) =>
            {
                self.programs.perform(stream, request, &mut self.link);
            }
            Request::Stdin(data) => self.executions.write(stream, &data, &mut self.link),
            Request::StdinClose => self.executions.close_input(stream, &mut self.link),
            Request::Resize(size) => self.executions.resize(stream, size),
            Request::Signal(number) => self.executions.signal(stream, number),
            // The link has used it.
            Request::Credit(..) => {}
            Request::Attach { id, offset } => self.executions.attach(stream, &id, offset, &mut self.link),
            Request::Detach => self.executions.detach(stream, &mut self.link),
            Request::List { after } => {
                let page = self.executions.list(after);
                self.link.send(stream, &page);
            }
            Request::Kill { id, signal } => {
                let reply = self.executions.kill(&id, signal);
                self.link.send(stream, &reply);
            }
            Request::Forget { id } => {
                let reply = self.executions.forget(&id, &mut self.link);
                self.link.send(stream, &reply);
            }
            Request::Leases => {
                let none = || 0u16.to_be_bytes().to_vec();
                let leases = self.local.as_ref().map_or_else(none, |local| local.leases.encode(Instant::now()));
                self.link.send(stream, &Reply::LeaseList(leases));
            }
            Request::Task { user, task } => self.tunnels.start(stream, &user, &task, &mut self.link),
            Request::Dial(dial) => self.tunnels.dial(stream, &dial, &mut self.link),
            Request::Take { listener, number } => self.tunnels.take(stream, listener, number, &mut self.link),
            Request::Data(data) => self.tunnels.write(stream, &data, &mut self.link),
            Request::DataEnd(ending) => self.tunnels.close_input(stream, &ending, &mut self.link),
            Request::Cancel => self.tunnels.cancel(stream, &mut self.link),
            Request::Renew(request) => self.renew(stream, &request),
            Request::Grow => {
                let reply = match grow(&self.machine) {
                    Ok(bytes) => Reply::Grown { bytes },
                    Err(error) => refused(errno(&error), format!("cannot grow the file system: {error}")),
                };
                self.link.send(stream, &reply);
            }
            Request::Shutdown(_) if !self.machine.own_kernel => {
                self.link.send(stream, &refused(libc::EPERM, "this machine is not the agent's".to_string()));
            }
            Request::Shutdown(mode) => {
                self.link.send(stream, &Reply::ShuttingDown);
                self.shutdown = Some((mode, Instant::now() + FAREWELL_LIMIT));
            }
        }
    }

    fn renew(&mut self, stream: u32, request: &RenewRequest) {
        match self.renewal.take() {
            Some(renewal) if renewal.is_heard() => {
                self.renewal = Some(renewal);
                return self.link.send(stream, &refused(libc::EBUSY, "another renewal is under way".to_string()));
            }
            // Begun by this machine's source before it was forked.
            Some(renewal) => renewal.abandon(),
            None => {}
        }
        self.renewal = Some(Renewal::begin(stream, request, &self.machine, &mut self.link));
    }

    fn transmit(&mut self) {
        for _ in 0..WRITES_PER_TURN {
            if !self.port.is_writable() {
                return;
            }
            let mut flows =
                Flows { executions: &mut self.executions, programs: &mut self.programs, tunnels: &mut self.tunnels };
            let bytes = self.link.outgoing(&mut flows);
            if bytes.is_empty() {
                return;
            }
            match self.port.write(bytes, &self.poller) {
                Ok(Some(written)) => self.link.sent(written),
                Ok(None) => return,
                Err(_) => return self.disconnected(),
            }
            self.settle();
        }
    }

    fn drain(&mut self, now: Instant) {
        if self.drain_again.map_or(true, |at| now >= at) {
            self.drain_again = if self.executions.drain() { Some(now + DRAIN_PAUSE) } else { None };
        }
    }

    fn advance_local(&mut self, now: Instant) {
        if let Some(local) = &mut self.local {
            local.advance(&self.poller, now);
            if let Some(leases) = local.news(now) {
                self.link.send(0, &Reply::LeasesChanged(leases));
            }
        }
    }

    fn advance_renewal(&mut self, now: Instant) {
        if let Some(renewal) = &mut self.renewal {
            if renewal.advance(&self.inherited, &mut self.link, now) {
                self.renewal = None;
            }
        }
    }

    fn shut_down(&mut self, now: Instant) {
        if let Some((mode, at)) = self.shutdown {
            if self.link.flushed() || now >= at {
                self.shutdown = None;
                // Files that are open would keep their file systems from being unmounted.
                self.executions.close_shelves();
                power::end(mode);
            }
        }
    }
}
