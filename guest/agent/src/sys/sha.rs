//! The processor's own instructions for SHA-256, where it has them.

/// Whether `compress` can be used on this processor.
#[cfg(target_arch = "x86_64")]
pub fn is_there() -> bool {
    std::is_x86_feature_detected!("sha") && std::is_x86_feature_detected!("sse4.1")
}

#[cfg(not(target_arch = "x86_64"))]
pub fn is_there() -> bool {
    false
}

/// Takes whole blocks of 64 bytes into the state; panics where `is_there` is false.
#[cfg(target_arch = "x86_64")]
pub fn compress(state: &mut [u32; 8], blocks: &[u8], rounds: &[u32; 64]) {
    assert!(is_there());
    // SAFETY: the processor has the instructions, as was just found out.
    unsafe { x86::compress(state, blocks, rounds) };
}

#[cfg(not(target_arch = "x86_64"))]
pub fn compress(_: &mut [u32; 8], _: &[u8], _: &[u32; 64]) {
    unreachable!("there are no such instructions");
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    const BLOCK_BYTES: usize = 64;

    /// The instructions want the eight words as two halves, ABEF and CDGH, and do two rounds at a time.
    #[target_feature(enable = "sha,sse2,ssse3,sse4.1")]
    pub unsafe fn compress(state: &mut [u32; 8], blocks: &[u8], rounds: &[u32; 64]) {
        let swap_bytes = _mm_set_epi64x(0x0c0d_0e0f_0809_0a0b, 0x0405_0607_0001_0203);
        let place = state.as_mut_ptr().cast::<__m128i>();
        let badc = _mm_shuffle_epi32(_mm_loadu_si128(place), 0xb1);
        let hgfe = _mm_shuffle_epi32(_mm_loadu_si128(place.add(1)), 0x1b);
        let mut abef = _mm_alignr_epi8(badc, hgfe, 8);
        let mut cdgh = _mm_blend_epi16(hgfe, badc, 0xf0);
        for block in blocks.chunks_exact(BLOCK_BYTES) {
            let (abef_before, cdgh_before) = (abef, cdgh);
            let source = block.as_ptr().cast::<__m128i>();
            let load = |at| _mm_shuffle_epi8(_mm_loadu_si128(source.add(at)), swap_bytes);
            let mut words = [load(0), load(1), load(2), load(3)];
            for four in 0..16 {
                let (now, last) = (four % 4, (four + 3) % 4);
                if four >= 4 {
                    let early = _mm_sha256msg1_epu32(words[now], words[(four + 1) % 4]);
                    let middle = _mm_alignr_epi8(words[last], words[(four + 2) % 4], 4);
                    words[now] = _mm_sha256msg2_epu32(_mm_add_epi32(early, middle), words[last]);
                }
                let constants = _mm_loadu_si128(rounds.as_ptr().cast::<__m128i>().add(four));
                let mixed = _mm_add_epi32(words[now], constants);
                cdgh = _mm_sha256rnds2_epu32(cdgh, abef, mixed);
                abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(mixed, 0x0e));
            }
            abef = _mm_add_epi32(abef, abef_before);
            cdgh = _mm_add_epi32(cdgh, cdgh_before);
        }
        let feba = _mm_shuffle_epi32(abef, 0x1b);
        let dchg = _mm_shuffle_epi32(cdgh, 0xb1);
        _mm_storeu_si128(place, _mm_blend_epi16(feba, dchg, 0xf0));
        _mm_storeu_si128(place.add(1), _mm_alignr_epi8(dchg, feba, 8));
    }
}
