//! Numbers as text, without the machinery of formatting.

/// Appends a number in base ten.
pub(crate) fn push_decimal(out: &mut Vec<u8>, number: u64) {
    push(out, number, 10);
}

/// Appends a number in base sixteen.
pub(crate) fn push_hexadecimal(out: &mut Vec<u8>, number: u64) {
    push(out, number, 16);
}

#[inline]
fn push(out: &mut Vec<u8>, mut number: u64, base: u64) {
    let mut digits = [0; 20];
    let mut start = digits.len();
    for place in digits.iter_mut().rev() {
        // Less than the base.
        let digit = u8::try_from(number % base).unwrap_or_default();
        *place = if digit < 10 {
            b'0' + digit
        } else {
            b'a' + digit - 10
        };
        start -= 1;
        number /= base;
        if number == 0 {
            break;
        }
    }
    out.extend_from_slice(digits.get(start..).unwrap_or_default());
}

#[cfg(test)]
mod tests {
    use super::{push_decimal, push_hexadecimal};

    #[test]
    fn numbers_are_written_as_formatting_writes_them() {
        for number in [0, 7, 10, 255, 4096, 1_000_000_007, u64::MAX] {
            let mut out = Vec::new();
            push_decimal(&mut out, number);
            out.push(b' ');
            push_hexadecimal(&mut out, number);
            let expected = format!("{number} {number:x}");
            assert_eq!(String::from_utf8(out).unwrap(), expected);
        }
    }
}
