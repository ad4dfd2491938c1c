//! Time-based one-time codes (RFC 6238) as all authenticator apps make them: SHA-1, six digits, steps of 30 seconds.

use aws_lc_rs::constant_time::verify_slices_are_equal;
use aws_lc_rs::hmac;
use jiff::Timestamp;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// The length of a step in seconds.
const STEP: i64 = 30;
/// How many steps a clock may be ahead or behind.
const SKEW: i64 = 1;
const DIGITS: usize = 6;

/// The characters of an `otpauth` URI that are written as they are.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~')
    .remove(b'@');

/// Returns the step of which this is the code: the current one, or one that a clock with an error of up to 30 seconds
/// has. Steps up to `last` were used and match nothing.
pub(crate) fn matching_step(
    secret: &[u8],
    code: &str,
    now: Timestamp,
    last: Option<i64>,
) -> Option<i64> {
    let current = now.as_second().div_euclid(STEP);
    let code = code.trim();
    let mut matching = None;
    // All steps are compared, so that the time of the answer does not tell which one it was.
    for step in current - SKEW..=current + SKEW {
        let expected = code_of(secret, step);
        let is_equal = verify_slices_are_equal(expected.as_bytes(), code.as_bytes()).is_ok();
        if is_equal && last.is_none_or(|last| step > last) {
            matching = Some(step);
        }
    }
    matching
}

/// Returns the code of a step.
fn code_of(secret: &[u8], step: i64) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY, secret);
    let tag = hmac::sign(&key, &step.to_be_bytes());
    let tag = tag.as_ref();
    let offset = usize::from(tag.last().copied().unwrap_or_default() & 0xf);
    let bytes = tag.get(offset..offset + 4).unwrap_or_default();
    let number = bytes
        .iter()
        .fold(0_u32, |number, byte| (number << 8) | u32::from(*byte));
    let number = (number & 0x7fff_ffff) % 10_u32.pow(6);
    format!("{number:0DIGITS$}")
}

/// Returns the URI that an authenticator app reads, from a QR code or from a link.
pub(crate) fn uri(issuer: &str, account: &str, secret: &str) -> String {
    let encode = |text| utf8_percent_encode(text, PLAIN);
    let (issuer, account) = (encode(issuer), encode(account));
    format!(
        "otpauth://totp/{issuer}:{account}?algorithm=SHA1&digits={DIGITS}&issuer={issuer}&period={STEP}&secret={secret}"
    )
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::{code_of, matching_step, uri};

    const SECRET: &[u8] = b"12345678901234567890";

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    /// The examples of RFC 6238 for SHA-1, of which the last six digits count.
    #[test]
    fn the_examples_of_the_rfc_hold() {
        for (second, code) in [
            (59, "287082"),
            (1_111_111_109, "081804"),
            (1_111_111_111, "050471"),
            (1_234_567_890, "005924"),
            (2_000_000_000, "279037"),
            (20_000_000_000, "353130"),
        ] {
            assert_eq!(code_of(SECRET, second / 30), code, "{second}");
            let step = matching_step(SECRET, code, at(second), None);
            assert_eq!(step, Some(second / 30), "{second}");
        }
    }

    #[test]
    fn a_code_is_valid_in_its_step_and_one_before_and_after() {
        let step = 1000;
        let code = code_of(SECRET, step);
        for (second, is_valid) in [
            (step * 30 - 31, false),
            (step * 30 - 30, true),
            (step * 30, true),
            (step * 30 + 29, true),
            (step * 30 + 59, true),
            (step * 30 + 60, false),
        ] {
            let matching = matching_step(SECRET, &code, at(second), None);
            assert_eq!(matching, is_valid.then_some(step), "{second}");
        }
    }

    #[test]
    fn a_step_and_all_before_it_are_used_up() {
        let now = at(30_000);
        for (last, steps) in [
            (None, vec![999, 1000, 1001]),
            (Some(998), vec![999, 1000, 1001]),
            (Some(999), vec![1000, 1001]),
            (Some(1000), vec![1001]),
            (Some(1001), vec![]),
        ] {
            for step in 997..=1003 {
                let matching = matching_step(SECRET, &code_of(SECRET, step), now, last);
                let expected = steps.contains(&step).then_some(step);
                assert_eq!(matching, expected, "{step} after {last:?}");
            }
        }
    }

    #[test]
    fn other_texts_are_no_codes() {
        let code = code_of(SECRET, 1000);
        let now = at(30_000);
        assert!(matching_step(SECRET, &format!(" {code}\n"), now, None).is_some());
        let longer = format!("{code}0");
        for text in ["", "0", &code[..5], &longer, "abcdef", "١٢٣٤٥٦"] {
            assert_eq!(matching_step(SECRET, text, now, None), None, "{text}");
        }
        let other = b"12345678901234567891";
        assert_eq!(matching_step(other, &code, now, None), None);
        // Before 1970 there are steps, too.
        let early = matching_step(SECRET, &code_of(SECRET, -1), at(-1), None);
        assert_eq!(early, Some(-1));
    }

    #[test]
    fn the_uri_escapes_what_is_not_plain() {
        assert_eq!(
            uri("My Shop: A&B", "ada+1@example.com", "MZXW6YTBOI"),
            "otpauth://totp/My%20Shop%3A%20A%26B:ada%2B1@example.com?algorithm=SHA1&digits=6\
             &issuer=My%20Shop%3A%20A%26B&period=30&secret=MZXW6YTBOI"
        );
    }
}
