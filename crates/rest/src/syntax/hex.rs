//! Hexadecimal numbers, faster than with `format!`.

/// Appends a number without leading zeros.
pub(crate) fn push_hex(out: &mut Vec<u8>, number: u64) {
    let digits = hex_digits(number);
    let zeros = digits.iter().take(15).take_while(|digit| **digit == b'0');
    out.extend_from_slice(digits.get(zeros.count()..).unwrap_or_default());
}

/// Returns all 16 digits of a number.
pub(crate) fn hex_digits(number: u64) -> [u8; 16] {
    let mut digits = [0; 16];
    for (eight, half) in digits.chunks_exact_mut(8).zip([number >> 32, number]) {
        eight.copy_from_slice(&eight_digits(half & 0xffff_ffff).to_be_bytes());
    }
    digits
}

/// Returns the digits of a 32-bit number, computed at once, the first in the highest byte.
fn eight_digits(number: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    // Each digit into a byte of its own.
    let spread = (number | number << 16) & 0x0000_ffff_0000_ffff;
    let spread = (spread | spread << 8) & 0x00ff_00ff_00ff_00ff;
    let spread = (spread | spread << 4) & 0x0f0f_0f0f_0f0f_0f0f;
    // One in the bytes of ten and more, which are letters.
    let letters = ((spread + 6 * ONES) >> 4) & ONES;
    spread + u64::from(b'0') * ONES + letters * u64::from(b'a' - b'0' - 10)
}

#[cfg(test)]
mod tests {
    use super::{hex_digits, push_hex};

    #[test]
    fn numbers_are_written_as_formatting_writes_them() {
        for number in [
            0,
            7,
            10,
            99,
            100,
            255,
            4096,
            1_000_000_007,
            0x0123_4567_89ab_cdef,
            u64::MAX,
        ] {
            let mut out = Vec::new();
            push_hex(&mut out, number);
            let expected = format!("{number:x}");
            assert_eq!(String::from_utf8(out).unwrap(), expected);
            assert_eq!(hex_digits(number), *format!("{number:016x}").as_bytes());
        }
    }
}
