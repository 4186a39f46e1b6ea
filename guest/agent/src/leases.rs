//! Who has said that the machine is busy, and until when. Knows no system call.

use std::time::{Duration, Instant};

use crate::fields::put_string;

/// No lease lasts longer without being renewed.
pub const MAX_DURATION: Duration = Duration::from_secs(24 * 60 * 60);
pub const MAX_NAME_BYTES: usize = 64;
/// Leases of all users together, and of one user that is not root.
pub const MAX_LEASES: usize = 64;
pub const MAX_USER_LEASES: usize = 16;
const ROOT: u32 = 0;

/// The process that asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asker {
    pub uid: u32,
    pub pid: u32,
}

/// Something in the machine does not want it to be put to sleep.
#[derive(Clone, Debug)]
struct Lease {
    name: String,
    owner: Asker,
    until: Instant,
    /// The connection that holds it and whose end ends it.
    holder: Option<u64>,
}

#[derive(Default)]
pub struct Leases {
    all: Vec<Lease>,
    changed: bool,
}

impl Leases {
    /// Sets or renews a lease; a user's leases have different names.
    pub fn set(
        &mut self,
        name: &str,
        owner: Asker,
        duration: Duration,
        holder: Option<u64>,
        now: Instant,
    ) -> Result<Duration, &'static str> {
        if !is_name(name) {
            return Err("a name has 1 to 64 letters, digits or characters of .-_/:@");
        }
        let duration = duration.min(MAX_DURATION);
        if duration.is_zero() {
            return Err("a lease lasts at least a second");
        }
        let lease = Lease { name: name.to_string(), owner, until: now + duration, holder };
        let same = |other: &&mut Lease| other.name == name && other.owner.uid == owner.uid && other.holder == holder;
        if let Some(present) = self.all.iter_mut().find(same) {
            *present = lease;
        } else {
            let of_user = self.all.iter().filter(|other| other.owner.uid == owner.uid).count();
            if self.all.len() >= MAX_LEASES || (owner.uid != ROOT && of_user >= MAX_USER_LEASES) {
                return Err("there are too many leases: clear some with boxd busy --clear");
            }
            self.all.push(lease);
        }
        self.changed = true;
        Ok(duration)
    }

    /// Removes a user's leases that no connection holds, or one of them; root's word counts for all users.
    pub fn clear(&mut self, name: Option<&str>, uid: u32) -> usize {
        self.remove(|lease| {
            let own = uid == ROOT || lease.owner.uid == uid;
            own && lease.holder.is_none() && name.map_or(true, |name| lease.name == name)
        })
    }

    /// A connection has ended, and with it what it held.
    pub fn release(&mut self, holder: u64) {
        self.remove(|lease| lease.holder == Some(holder));
    }

    pub fn expire(&mut self, now: Instant) {
        self.remove(|lease| lease.until <= now);
    }

    fn remove(&mut self, unwanted: impl Fn(&Lease) -> bool) -> usize {
        let before = self.all.len();
        self.all.retain(|lease| !unwanted(lease));
        self.changed |= self.all.len() < before;
        before - self.all.len()
    }

    pub fn next_deadline(&self) -> Option<Instant> {
        self.all.iter().map(|lease| lease.until).min()
    }

    pub fn changed(&self) -> bool {
        self.changed
    }

    pub fn told(&mut self) {
        self.changed = false;
    }

    /// For people: a line for each lease.
    pub fn describe(&self, now: Instant) -> String {
        let line = |lease: &Lease| {
            let left = lease.until.saturating_duration_since(now).as_secs();
            format!("{} {} {} {}\n", lease.name, lease.owner.uid, lease.owner.pid, left)
        };
        self.all.iter().map(line).collect()
    }

    /// For the host.
    pub fn encode(&self, now: Instant) -> Vec<u8> {
        let mut out = (self.all.len() as u16).to_be_bytes().to_vec();
        for lease in &self.all {
            put_string(&mut out, lease.name.as_bytes(), MAX_NAME_BYTES);
            out.extend_from_slice(&lease.owner.uid.to_be_bytes());
            out.extend_from_slice(&lease.owner.pid.to_be_bytes());
            let left = lease.until.saturating_duration_since(now).as_millis() as u64;
            out.extend_from_slice(&left.to_be_bytes());
            out.push(lease.holder.is_some() as u8);
        }
        out
    }
}

pub fn is_name(name: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b".-_/:@".contains(&byte);
    !name.is_empty() && name.len() <= MAX_NAME_BYTES && name.bytes().all(allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANN: Asker = Asker { uid: 1000, pid: 7 };
    const ADMIN: Asker = Asker { uid: 0, pid: 8 };
    const MINUTE: Duration = Duration::from_secs(60);

    fn count(leases: &Leases, now: Instant) -> usize {
        leases.describe(now).lines().count()
    }

    #[test]
    fn leases_end_at_their_time_and_renewals_move_it() {
        let (mut leases, now) = (Leases::default(), Instant::now());
        assert_eq!(leases.set("build", ANN, MINUTE, None, now), Ok(MINUTE));
        assert_eq!(leases.set("build", ANN, 100 * MAX_DURATION, None, now), Ok(MAX_DURATION));
        assert_eq!(leases.next_deadline(), Some(now + MAX_DURATION));
        assert_eq!(leases.describe(now), "build 1000 7 86400\n");
        leases.told();
        leases.expire(now + MAX_DURATION - MINUTE);
        assert!(!leases.changed());
        leases.expire(now + MAX_DURATION);
        assert!(leases.changed());
        assert_eq!(leases.encode(now), [0, 0]);
    }

    #[test]
    fn users_cannot_touch_the_leases_of_others() {
        let (mut leases, now) = (Leases::default(), Instant::now());
        leases.set("a", ANN, MINUTE, None, now).unwrap();
        leases.set("a", ADMIN, MINUTE, None, now).unwrap();
        leases.set("held", ANN, MINUTE, Some(5), now).unwrap();
        assert_eq!(leases.clear(None, 1001), 0);
        assert_eq!(leases.clear(Some("a"), ANN.uid), 1);
        assert_eq!(leases.clear(None, 0), 1);
        assert_eq!(leases.describe(now), "held 1000 7 60\n");
        leases.release(5);
        assert_eq!(count(&leases, now), 0);
    }

    #[test]
    fn numbers_and_names_are_bounded() {
        let (mut leases, now) = (Leases::default(), Instant::now());
        for name in ["", "a b", "a\n", "ü", &"x".repeat(65)] {
            assert!(leases.set(name, ANN, MINUTE, None, now).is_err(), "{name}");
        }
        assert!(leases.set("a", ANN, Duration::ZERO, None, now).is_err());
        let taken = (0..100).filter(|i| leases.set(&format!("n{i}"), ANN, MINUTE, None, now).is_ok()).count();
        assert_eq!(taken, MAX_USER_LEASES);
        let taken = (0..100).filter(|i| leases.set(&format!("n{i}"), ADMIN, MINUTE, None, now).is_ok()).count();
        assert_eq!(taken, MAX_LEASES - MAX_USER_LEASES);
        assert!(leases.encode(now).len() < 16 * 1024);
    }
}
