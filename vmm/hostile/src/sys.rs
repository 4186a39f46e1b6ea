//! Raw kernel calls. Being able to pass anything is this program's purpose; what is passed from the
//! other files is nevertheless only integers and pointers to values alive during the call.

use std::ffi::CString;

/// What an attempt gained, or the error number it was refused with (0: allowed, but worth nothing).
pub type Outcome = Result<String, i32>;

/// Makes a kernel call.
pub fn call(number: libc::c_long, arguments: &[usize]) -> Result<usize, i32> {
    let mut all = [0usize; 6];
    all[..arguments.len()].copy_from_slice(arguments);
    // SAFETY: see the head of this file.
    let returned = unsafe { libc::syscall(number, all[0], all[1], all[2], all[3], all[4], all[5]) };
    if returned < 0 {
        // SAFETY: the C library's own error number of this thread.
        return Err(unsafe { *libc::__errno_location() });
    }
    Ok(returned as usize)
}

/// A call that gains something simply by being answered.
pub fn gains(number: libc::c_long, arguments: &[usize]) -> Outcome {
    call(number, arguments).map(|returned| format!("returned {}", returned))
}

/// A path as the kernel takes it.
pub fn text(path: &str) -> CString {
    CString::new(path).expect("no NUL in a path")
}

pub fn address<T>(value: &T) -> usize {
    value as *const T as usize
}

/// The address of something the kernel writes.
pub fn output<T>(value: &mut T) -> usize {
    value as *mut T as usize
}

pub fn open(path: &str, flags: i32) -> Result<usize, i32> {
    let path = text(path);
    let at = libc::AT_FDCWD as usize;
    call(libc::SYS_openat, &[at, path.as_ptr() as usize, flags as usize, 0o644])
}

pub fn close(file: usize) {
    let _ = call(libc::SYS_close, &[file]);
}

/// Does something that would change this process in a child, if a child can be had.
pub fn apart(attempt: impl FnOnce() -> Outcome) -> Outcome {
    // SAFETY: a single thread, so the child may go on.
    let child = unsafe { libc::fork() };
    if child < 0 {
        return attempt();
    }
    if child == 0 {
        let code = attempt().map_or_else(|errno| errno, |_| GAINED);
        end(code)
    }
    let mut status = 0;
    // SAFETY: waits for the child just made.
    unsafe { libc::waitpid(child, &mut status, 0) };
    match libc::WEXITSTATUS(status) {
        GAINED => Ok("in a child".into()),
        errno => Err(errno),
    }
}

/// Ends this process and nothing else.
pub fn end(code: i32) -> ! {
    // SAFETY: does not return.
    unsafe { libc::_exit(code) }
}

/// The exit code of a child that gained something; no error number is that high.
pub const GAINED: i32 = 250;

/// Makes a process that ends at once, without returning twice from a call in between: with shared
/// memory the child would destroy its parent's stack.
pub fn spawn(number: libc::c_long, flags: usize) -> Outcome {
    let returned: isize;
    // SAFETY: the child uses registers only and ends within these lines.
    unsafe {
        std::arch::asm!(
            "syscall",
            "test rax, rax",
            "jnz 2f",
            "mov eax, 231",
            "xor edi, edi",
            "syscall",
            "2:",
            inlateout("rax") number as isize => returned,
            inlateout("rdi") flags => _,
            inlateout("rsi") 0usize => _,
            in("rdx") 0usize, in("r10") 0usize, in("r8") 0usize,
            lateout("rcx") _, lateout("r11") _,
        );
    }
    if returned < 0 {
        return Err(-returned as i32);
    }
    Ok(format!("process {}", returned))
}
