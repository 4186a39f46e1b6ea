//! Users and groups from the machine's own files; a static program cannot ask the C library for them.

/// The files are read whole, up to this size.
pub const MAX_FILE_BYTES: u64 = 4 * 1024 * 1024;
pub const MAX_GROUPS: usize = 1024;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    pub name: Vec<u8>,
    pub uid: u32,
    pub gid: u32,
    pub groups: Vec<u32>,
    pub home: Vec<u8>,
    pub shell: Vec<u8>,
}

/// Finds a user by name or, like other tools, by number; root exists even without a passwd file.
pub fn find(user: &[u8], passwd: &[u8], group: &[u8]) -> Option<Account> {
    let wanted: &[u8] = if user.is_empty() { b"root" } else { user };
    let mut account = by_field(passwd, 0, wanted)
        .or_else(|| by_field(passwd, 2, wanted).filter(|_| number(wanted).is_some()))
        .or_else(|| Some(bare_root()).filter(|_| wanted == b"root"))?;
    account.groups = groups_of(&account, group);
    Some(account)
}

fn by_field(passwd: &[u8], field: usize, wanted: &[u8]) -> Option<Account> {
    passwd.split(|&byte| byte == b'\n').find_map(|line| {
        let fields: Vec<&[u8]> = line.split(|&byte| byte == b':').collect();
        if fields.len() < 7 || fields[field] != wanted || fields[0].is_empty() {
            return None;
        }
        Some(Account {
            name: fields[0].to_vec(),
            uid: number(fields[2])?,
            gid: number(fields[3])?,
            groups: Vec::new(),
            home: or_default(fields[5], b"/"),
            shell: or_default(fields[6], b"/bin/sh"),
        })
    })
}

fn bare_root() -> Account {
    Account {
        name: b"root".to_vec(),
        uid: 0,
        gid: 0,
        groups: Vec::new(),
        home: b"/root".to_vec(),
        shell: b"/bin/sh".to_vec(),
    }
}

fn groups_of(account: &Account, group: &[u8]) -> Vec<u32> {
    let mut groups = vec![account.gid];
    for line in group.split(|&byte| byte == b'\n') {
        let fields: Vec<&[u8]> = line.split(|&byte| byte == b':').collect();
        if fields.len() < 4 || !fields[3].split(|&byte| byte == b',').any(|member| member == account.name) {
            continue;
        }
        if let Some(gid) = number(fields[2]) {
            if !groups.contains(&gid) && groups.len() < MAX_GROUPS {
                groups.push(gid);
            }
        }
    }
    groups
}

fn number(text: &[u8]) -> Option<u32> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

fn or_default(text: &[u8], default: &[u8]) -> Vec<u8> {
    if text.is_empty() {
        default.to_vec()
    } else {
        text.to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PASSWD: &[u8] = b"root:x:0:0:root:/root:/bin/bash\nbroken\nann:x:1000:1001::/home/ann:\n";
    const GROUP: &[u8] = b"root:x:0:\nsudo:x:27:ann,bob\nann:x:1001:\ndocker:x:999:ann\n";

    #[test]
    fn finds_a_user_with_all_groups() {
        let ann = find(b"ann", PASSWD, GROUP).unwrap();
        assert_eq!((ann.uid, ann.gid), (1000, 1001));
        assert_eq!(ann.groups, [1001, 27, 999]);
        assert_eq!(ann.shell, b"/bin/sh");
        assert_eq!(find(b"1000", PASSWD, GROUP), Some(ann));
    }

    #[test]
    fn root_is_the_default_and_always_there() {
        assert_eq!(find(b"", PASSWD, GROUP).unwrap().shell, b"/bin/bash");
        assert_eq!(find(b"root", b"", b"").unwrap().home, b"/root");
        assert_eq!(find(b"nobody", PASSWD, GROUP), None);
        assert_eq!(find(b"x", b"a:x:x:x:::\n", GROUP), None);
    }
}
