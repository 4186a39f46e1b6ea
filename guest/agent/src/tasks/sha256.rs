//! SHA-256, as FIPS 180-4 has it.

use crate::sys::sha;

pub const HASH_BYTES: usize = 32;
const BLOCK_BYTES: usize = 64;

/// The first 32 bits of the fractional parts of the square roots of the first eight primes.
const START: [u32; 8] =
    [0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19];

/// The same of the cube roots of the first 64 primes.
#[rustfmt::skip]
const ROUNDS: [u32; 64] = [
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
];

/// The hash of bytes that come in pieces.
pub struct Sha256 {
    state: [u32; 8],
    block: [u8; BLOCK_BYTES],
    held: usize,
    bytes: u64,
}

impl Default for Sha256 {
    fn default() -> Self {
        Self::new()
    }
}

impl Sha256 {
    pub fn new() -> Self {
        Sha256 { state: START, block: [0; BLOCK_BYTES], held: 0, bytes: 0 }
    }

    pub fn update(&mut self, mut input: &[u8]) {
        self.bytes += input.len() as u64;
        if self.held > 0 {
            let (now, later) = input.split_at(input.len().min(BLOCK_BYTES - self.held));
            self.block[self.held..self.held + now.len()].copy_from_slice(now);
            self.held += now.len();
            input = later;
            if self.held < BLOCK_BYTES {
                return;
            }
            compress(&mut self.state, &self.block);
            self.held = 0;
        }
        let (whole, rest) = input.split_at(input.len() - input.len() % BLOCK_BYTES);
        compress(&mut self.state, whole);
        self.block[..rest.len()].copy_from_slice(rest);
        self.held = rest.len();
    }

    pub fn finish(mut self) -> [u8; HASH_BYTES] {
        let bits = self.bytes.wrapping_mul(8);
        let zeros = (BLOCK_BYTES * 2 - 9 - self.held) % BLOCK_BYTES;
        let mut end = vec![0x80];
        end.resize(1 + zeros, 0);
        end.extend_from_slice(&bits.to_be_bytes());
        self.update(&end);
        let mut hash = [0; HASH_BYTES];
        for (bytes, word) in hash.chunks_exact_mut(4).zip(self.state) {
            bytes.copy_from_slice(&word.to_be_bytes());
        }
        hash
    }
}

/// Whole blocks, the fastest way that this processor has.
fn compress(state: &mut [u32; 8], blocks: &[u8]) {
    if sha::is_there() {
        return sha::compress(state, blocks, &ROUNDS);
    }
    blocks.chunks_exact(BLOCK_BYTES).for_each(|block| compress_plainly(state, block));
}

fn compress_plainly(state: &mut [u32; 8], block: &[u8]) {
    let mut words = [0u32; 64];
    for (word, bytes) in words.iter_mut().zip(block.chunks_exact(4)) {
        *word = u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    }
    for at in 16..64 {
        let (early, late) = (words[at - 15], words[at - 2]);
        let small = early.rotate_right(7) ^ early.rotate_right(18) ^ (early >> 3);
        let large = late.rotate_right(17) ^ late.rotate_right(19) ^ (late >> 10);
        words[at] = words[at - 16].wrapping_add(small).wrapping_add(words[at - 7]).wrapping_add(large);
    }
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
    for (round, word) in ROUNDS.iter().zip(words) {
        let mixed = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
        let chosen = (e & f) ^ (!e & g);
        let first = h.wrapping_add(mixed).wrapping_add(chosen).wrapping_add(*round).wrapping_add(word);
        let mixed = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
        let majority = (a & b) ^ (a & c) ^ (b & c);
        let second = mixed.wrapping_add(majority);
        h = g;
        g = f;
        f = e;
        e = d.wrapping_add(first);
        d = c;
        c = b;
        b = a;
        a = first.wrapping_add(second);
    }
    for (word, added) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
        *word = word.wrapping_add(added);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(pieces: &[&[u8]]) -> String {
        let mut hash = Sha256::new();
        pieces.iter().for_each(|piece| hash.update(piece));
        hash.finish().iter().map(|byte| format!("{byte:02x}")).collect()
    }

    #[test]
    fn knows_the_published_examples() {
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        let short = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        let two_blocks = "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1";
        let million = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0";
        assert_eq!(hex(&[]), empty);
        assert_eq!(hex(&[b"abc"]), short);
        assert_eq!(hex(&[b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"]), two_blocks);
        assert_eq!(hex(&[&[b'a'; 1_000_000]]), million);
    }

    #[test]
    fn the_processor_agrees() {
        let text: Vec<u8> = (0..BLOCK_BYTES * 100).map(|at| (at * at % 251) as u8).collect();
        let (mut plain, mut quick) = (START, START);
        text.chunks_exact(BLOCK_BYTES).for_each(|block| compress_plainly(&mut plain, block));
        compress(&mut quick, &text);
        assert_eq!(plain, quick);
    }

    #[test]
    fn pieces_make_no_difference() {
        let text = [7u8; 1000];
        for cut in 0..text.len() {
            assert_eq!(hex(&[&text[..cut], &text[cut..]]), hex(&[&text]));
        }
    }
}
