//! A small assembler for seccomp's BPF programs.

use libc::sock_filter;

const LOAD_WORD: u16 = 0x20;
const RETURN: u16 = 0x06;
const JUMP: u16 = 0x05;
const JUMP_IF_EQUAL: u16 = 0x15;
const JUMP_IF_GREATER: u16 = 0x25;
const JUMP_IF_ANY_BIT: u16 = 0x45;

// Where the kernel lays out what a program can look at.
const NUMBER: u32 = 0;
const ARCHITECTURE: u32 = 4;
const ARGUMENTS: u32 = 16;

const ALLOW: u32 = 0x7fff_0000;
const ERRNO: u32 = 0x0005_0000;

/// When a call is refused, judged by the low half of one argument: the kernel reads no more of
/// those that are looked at here.
#[derive(Clone, Copy)]
pub enum Test {
    OneOf(&'static [u32]),
    NoneOf(&'static [u32]),
    AnyBit(u32),
    NoBit(u32),
}

/// A program under construction: refusals first, then everything else is allowed.
#[derive(Default)]
pub struct Program(Vec<sock_filter>);

impl Program {
    /// Refuses everything made through another calling convention than ours.
    pub fn only_architecture(&mut self, architecture: u32, errno: i32) {
        self.emit(LOAD_WORD, ARCHITECTURE, 0, 0);
        self.emit(JUMP_IF_EQUAL, architecture, 1, 0);
        self.refuse(errno);
        self.emit(LOAD_WORD, NUMBER, 0, 0);
    }

    /// Refuses every call with a number above the last one.
    pub fn nothing_above(&mut self, last: u32, errno: i32) {
        self.emit(JUMP_IF_GREATER, last, 0, 1);
        self.refuse(errno);
    }

    pub fn never(&mut self, call: u32, errno: i32) {
        self.emit(JUMP_IF_EQUAL, call, 0, 1);
        self.refuse(errno);
    }

    /// Refuses a call when the test holds for one of its arguments.
    pub fn not_when(&mut self, call: u32, argument: u32, test: Test, errno: i32) {
        let start = self.0.len();
        self.emit(JUMP_IF_EQUAL, call, 0, 0);
        // Little-endian: the low half comes first.
        self.emit(LOAD_WORD, ARGUMENTS + 8 * argument, 0, 0);
        match test {
            Test::OneOf(values) => {
                for (index, value) in values.iter().enumerate() {
                    self.emit(JUMP_IF_EQUAL, *value, (values.len() - index) as u8, 0);
                }
                self.emit(JUMP, 1, 0, 0);
            }
            Test::NoneOf(values) => {
                for (index, value) in values.iter().enumerate() {
                    self.emit(JUMP_IF_EQUAL, *value, (values.len() - index) as u8, 0);
                }
            }
            Test::AnyBit(bits) => self.emit(JUMP_IF_ANY_BIT, bits, 0, 1),
            Test::NoBit(bits) => self.emit(JUMP_IF_ANY_BIT, bits, 1, 0),
        }
        self.refuse(errno);
        self.emit(LOAD_WORD, NUMBER, 0, 0);
        self.0[start].jf = (self.0.len() - start - 1) as u8;
    }

    pub fn allow_the_rest(mut self) -> Vec<sock_filter> {
        self.emit(RETURN, ALLOW, 0, 0);
        self.0
    }

    fn refuse(&mut self, errno: i32) {
        self.emit(RETURN, ERRNO | errno as u32, 0, 0);
    }

    fn emit(&mut self, code: u16, k: u32, jt: u8, jf: u8) {
        self.0.push(sock_filter { code, jt, jf, k });
    }
}

/// Runs a program as the kernel would; `None` is "allowed", otherwise the error number.
#[cfg(test)]
pub fn interpret(program: &[sock_filter], architecture: u32, call: u32, arguments: [u64; 6]) -> Option<i32> {
    let (mut at, mut accumulator) = (0, 0);
    loop {
        let step = program[at];
        at += 1;
        let branch = |taken: bool| usize::from(if taken { step.jt } else { step.jf });
        match step.code {
            LOAD_WORD => {
                accumulator = match step.k {
                    NUMBER => call,
                    ARCHITECTURE => architecture,
                    offset => arguments[(offset - ARGUMENTS) as usize / 8] as u32,
                }
            }
            JUMP => at += step.k as usize,
            JUMP_IF_EQUAL => at += branch(accumulator == step.k),
            JUMP_IF_GREATER => at += branch(accumulator > step.k),
            JUMP_IF_ANY_BIT => at += branch(accumulator & step.k != 0),
            RETURN if step.k == ALLOW => return None,
            RETURN => return Some((step.k & 0xffff) as i32),
            code => panic!("no such instruction: {:#x}", code),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(test: Test, argument: u64) -> Option<i32> {
        let mut program = Program::default();
        program.only_architecture(7, 38);
        program.not_when(50, 2, test, 1);
        program.never(51, 13);
        let program = program.allow_the_rest();
        assert_eq!(Some(38), interpret(&program, 8, 50, [0; 6]), "another architecture");
        assert_eq!(Some(13), interpret(&program, 7, 51, [argument; 6]), "a later rule");
        assert_eq!(None, interpret(&program, 7, 52, [argument; 6]), "another call");
        interpret(&program, 7, 50, [9, 9, argument, 9, 9, 9])
    }

    #[test]
    fn tests_one_argument() {
        for value in [3, 4, 5] {
            assert_eq!(Some(1), outcome(Test::OneOf(&[3, 4, 5]), value));
            assert_eq!(None, outcome(Test::NoneOf(&[3, 4, 5]), value));
        }
        assert_eq!(None, outcome(Test::OneOf(&[3, 4, 5]), 6));
        assert_eq!(Some(1), outcome(Test::NoneOf(&[3, 4, 5]), 6));
        assert_eq!(Some(1), outcome(Test::AnyBit(6), 4));
        assert_eq!(None, outcome(Test::AnyBit(6), 9));
        assert_eq!(None, outcome(Test::NoBit(6), 4));
        assert_eq!(Some(1), outcome(Test::NoBit(6), 9));
    }

    #[test]
    fn looks_only_at_the_half_the_kernel_reads() {
        assert_eq!(Some(1), outcome(Test::OneOf(&[3]), 0xffff_ffff_0000_0003));
    }
}
