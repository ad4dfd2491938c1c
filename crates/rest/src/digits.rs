//! Numbers as text, without the machinery of formatting.

/// Appends a number in base ten.
pub(crate) fn push_decimal(out: &mut Vec<u8>, mut number: u64) {
    let mut digits = [0; 20];
    let mut start = digits.len();
    for pair in digits.rchunks_exact_mut(2) {
        let [tens, ones] = pair else { break };
        let two = number % 100;
        number /= 100;
        *ones = digit(two % 10);
        *tens = digit(two / 10);
        start -= 2;
        if number == 0 {
            start += usize::from(two < 10);
            break;
        }
    }
    out.extend_from_slice(digits.get(start..).unwrap_or_default());
}

/// Appends a number in base sixteen.
pub(crate) fn push_hexadecimal(out: &mut Vec<u8>, number: u64) {
    let digits = hexadecimal(number);
    let zeros = digits.iter().take(15).take_while(|digit| **digit == b'0');
    out.extend_from_slice(digits.get(zeros.count()..).unwrap_or_default());
}

/// A number in base sixteen, with all its zeros.
pub(crate) fn hexadecimal(number: u64) -> [u8; 16] {
    let mut digits = [0; 16];
    for (eight, half) in digits.chunks_exact_mut(8).zip([number >> 32, number]) {
        eight.copy_from_slice(&eight_digits(half & 0xffff_ffff).to_be_bytes());
    }
    digits
}

/// The digits of a number of 32 bits, all at once, the first in the highest byte.
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

/// A digit less than ten.
fn digit(value: u64) -> u8 {
    // Less than a byte.
    b'0' + u8::try_from(value).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{hexadecimal, push_decimal, push_hexadecimal};

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
            push_decimal(&mut out, number);
            out.push(b' ');
            push_hexadecimal(&mut out, number);
            let expected = format!("{number} {number:x}");
            assert_eq!(String::from_utf8(out).unwrap(), expected);
            assert_eq!(hexadecimal(number), *format!("{number:016x}").as_bytes());
        }
    }
}
