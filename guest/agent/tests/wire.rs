//! Frames on the wire, whole, cut, padded and broken.

mod common;

use boxd_agent::wire::{put_frame, tag_of, Decoded, Decoder, MAX_LENGTH, MAX_PAYLOAD, PREAMBLE_BYTES};
use common::{frame, frames, hello, TAG};

#[test]
fn cuts_frames_wherever_the_bytes_are_split() {
    let bytes = [frame(5, 1, b"abc"), frame(6, 2, b""), frame(5, 3, &[9; 5000])].concat();
    for step in [1, 2, 3, 7, 64, 4096] {
        let (mut decoder, mut found) = (Decoder::new(), Vec::new());
        for mut piece in bytes.chunks(step) {
            while let Some(Decoded::Frame(frame)) = decoder.next(&mut piece) {
                found.push((frame.kind, frame.stream, frame.payload.len(), frame.tag));
            }
        }
        assert_eq!(found, [(5, 1, 3, TAG), (6, 2, 0, TAG), (5, 3, 5000, TAG)]);
    }
}

#[test]
fn a_preamble_completes_any_cut_frame() {
    let mut whole = Vec::new();
    put_frame(&mut whole, 5, 1, &[0xff; MAX_PAYLOAD], [9, 9, 9, 9]);
    assert!(whole.len() < PREAMBLE_BYTES);
    for cut in (0..20).chain(whole.len() - 20..whole.len()) {
        let found = frames(&[&whole[..cut], &hello()].concat());
        let last = found.last().unwrap();
        assert_eq!((last.kind, last.tag), (1, TAG), "cut at {cut}");
        // What was completed by zeros can never carry the tag of a session.
        assert!(found[..found.len() - 1].iter().all(|frame| frame.tag.contains(&0)), "cut at {cut}");
    }
}

#[test]
fn after_bytes_that_are_no_frame_only_a_preamble_is_believed() {
    let mut decoder = Decoder::new();
    let bytes = [&[0xff, 0xff, 0xff, 0xff][..], &frame(5, 1, b"abc"), &[0; 100], &frame(5, 1, b"x"), &hello()].concat();
    let mut input = bytes.as_slice();
    assert_eq!(decoder.next(&mut input), Some(Decoded::Lost));
    match decoder.next(&mut input) {
        Some(Decoded::Frame(frame)) => assert_eq!(frame.kind, 1),
        other => panic!("{other:?}"),
    }
    assert_eq!(decoder.next(&mut input), None);
}

#[test]
fn lengths_are_checked_before_memory_is_taken() {
    for length in [1u32, 8, MAX_LENGTH as u32 + 1, u32::MAX] {
        let mut decoder = Decoder::new();
        assert_eq!(decoder.next(&mut length.to_be_bytes().as_slice()), Some(Decoded::Lost));
        assert!(decoder.held() < 64);
    }
}

#[test]
fn a_nonce_with_a_zero_in_its_tag_is_not_allowed() {
    let mut nonce = [1; 16];
    assert_eq!(tag_of(&nonce), Some([1; 4]));
    nonce[3] = 0;
    assert_eq!(tag_of(&nonce), None);
}
