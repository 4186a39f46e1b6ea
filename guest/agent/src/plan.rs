//! From a request and an account to what exactly is to be executed, as a login would do it.

use crate::accounts::Account;
use crate::message::{ExecRequest, Program};

const ROOT_PATH: &[u8] = b"/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
const USER_PATH: &[u8] = b"/usr/local/bin:/usr/bin:/bin:/usr/local/games:/usr/games";
/// The program of whoever opens it, wherever that lies.
const OURSELVES: &[u8] = b"/proc/self/exe";
/// The agent's argument by which it serves files.
pub const FILES_WORD: &str = "sftp";
const TERMINAL_TYPE: &[u8] = b"xterm-256color";

#[derive(Debug, PartialEq, Eq)]
pub struct Plan {
    /// Files to try in this order.
    pub candidates: Vec<Vec<u8>>,
    pub arguments: Vec<Vec<u8>>,
    pub environment: Vec<Vec<u8>>,
    /// Folders to try in this order.
    pub directories: Vec<Vec<u8>>,
}

pub fn plan(request: &ExecRequest, account: &Account) -> Plan {
    let environment = environment(request, account);
    let (program, arguments) = match &request.program {
        Program::Arguments(arguments) => (arguments[0].clone(), arguments.clone()),
        Program::Shell(text) => {
            let arguments = vec![account.shell.clone(), b"-lc".to_vec(), text.clone()];
            (account.shell.clone(), arguments)
        }
        Program::Login => (account.shell.clone(), vec![login_name(&account.shell)]),
        Program::Files => (OURSELVES.to_vec(), vec![b"boxd-agent".to_vec(), FILES_WORD.as_bytes().to_vec()]),
    };
    Plan {
        candidates: candidates(&program, value_of(&environment, b"PATH")),
        arguments,
        directories: directories(request, account),
        environment,
    }
}

/// A shell that finds a dash before its name behaves as a login shell.
fn login_name(shell: &[u8]) -> Vec<u8> {
    let base = shell.rsplit(|&byte| byte == b'/').next().unwrap_or(shell);
    [b"-", base].concat()
}

fn environment(request: &ExecRequest, account: &Account) -> Vec<Vec<u8>> {
    let path = if account.uid == 0 { ROOT_PATH } else { USER_PATH };
    let mut environment = Vec::new();
    set(&mut environment, [b"HOME=", account.home.as_slice()].concat());
    set(&mut environment, [b"USER=", account.name.as_slice()].concat());
    set(&mut environment, [b"LOGNAME=", account.name.as_slice()].concat());
    set(&mut environment, [b"SHELL=", account.shell.as_slice()].concat());
    set(&mut environment, [b"PATH=", path].concat());
    if request.terminal.is_some() {
        set(&mut environment, [b"TERM=", TERMINAL_TYPE].concat());
    }
    for variable in &request.environment {
        set(&mut environment, variable.clone());
    }
    environment
}

fn set(environment: &mut Vec<Vec<u8>>, variable: Vec<u8>) {
    let name = name_of(&variable).to_vec();
    environment.retain(|other| name_of(other) != name);
    environment.push(variable);
}

fn name_of(variable: &[u8]) -> &[u8] {
    variable.split(|&byte| byte == b'=').next().unwrap_or(variable)
}

fn value_of<'a>(environment: &'a [Vec<u8>], name: &[u8]) -> &'a [u8] {
    let variable = environment.iter().find(|variable| name_of(variable) == name);
    variable.map_or(&[], |variable| &variable[name.len() + 1..])
}

fn candidates(program: &[u8], path: &[u8]) -> Vec<Vec<u8>> {
    if program.contains(&b'/') {
        return vec![program.to_vec()];
    }
    let folders = path.split(|&byte| byte == b':');
    folders.filter(|folder| !folder.is_empty()).map(|folder| [folder, b"/", program].concat()).collect()
}

/// A home that is missing must not keep anybody out; a folder that was asked for must exist.
fn directories(request: &ExecRequest, account: &Account) -> Vec<Vec<u8>> {
    if request.directory.is_empty() {
        vec![account.home.clone(), b"/".to_vec()]
    } else {
        vec![request.directory.clone()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accounts::find;

    fn request(program: Program) -> ExecRequest {
        ExecRequest {
            id: [0; 16],
            keep_bytes: 0,
            fleeting: false,
            passing: false,
            program,
            terminal: None,
            stdin: false,
            user: Vec::new(),
            directory: Vec::new(),
            environment: vec![b"PATH=/a::/b".to_vec(), b"X=1".to_vec(), b"X=2".to_vec()],
        }
    }

    #[test]
    fn looks_a_program_up_in_the_path_it_will_see() {
        let root = find(b"", b"", b"").unwrap();
        let plan = plan(&request(Program::Arguments(vec![b"ls".to_vec()])), &root);
        assert_eq!(plan.candidates, [b"/a/ls".to_vec(), b"/b/ls".to_vec()]);
        assert_eq!(plan.directories, [b"/root".to_vec(), b"/".to_vec()]);
        assert!(plan.environment.contains(&b"X=2".to_vec()));
        assert!(!plan.environment.contains(&b"X=1".to_vec()));
        assert!(plan.environment.contains(&b"HOME=/root".to_vec()));
    }

    #[test]
    fn runs_texts_and_logins_through_the_login_shell() {
        let root = find(b"", b"root:x:0:0:::/bin/bash", b"").unwrap();
        let text = plan(&request(Program::Shell(b"echo".to_vec())), &root);
        assert_eq!(text.arguments, [b"/bin/bash".to_vec(), b"-lc".to_vec(), b"echo".to_vec()]);
        let login = plan(&request(Program::Login), &root);
        assert_eq!(login.candidates, [b"/bin/bash".to_vec()]);
        assert_eq!(login.arguments, [b"-bash".to_vec()]);
    }
}
