//! The codes that authenticator apps show, written apart from the server that checks them.

use aws_lc_rs::hmac;

const LETTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// Returns the code of six digits that an app with this secret, in Base32 without padding, shows in a step of 30 seconds
/// since 1970 (RFC 6238). `None` if the secret is not one.
pub fn totp_code(secret: &str, step: i64) -> Option<String> {
    let key = hmac::Key::new(hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY, &base32(secret)?);
    let tag = hmac::sign(&key, &step.to_be_bytes());
    let tag = tag.as_ref();
    let offset = usize::from(tag.last()? & 15);
    let bytes: [u8; 4] = tag.get(offset..offset + 4)?.try_into().ok()?;
    let number = u32::from_be_bytes(bytes) & 0x7fff_ffff;
    Some(format!("{:06}", number % 1_000_000))
}

fn base32(text: &str) -> Option<Vec<u8>> {
    let (mut bits, mut count) = (0, 0);
    let mut bytes = Vec::new();
    for letter in text.chars() {
        bits = bits << 5 | LETTERS.find(letter)?;
        count += 5;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from(bits >> count).ok()?);
            bits &= (1 << count) - 1;
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::totp_code;

    /// The last six digits of the codes in RFC 6238, appendix B.
    #[test]
    fn codes_are_those_of_the_rfc() {
        let secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
        for (second, code) in [
            (59, "287082"),
            (1_111_111_109, "081804"),
            (1_234_567_890, "005924"),
            (20_000_000_000, "353130"),
        ] {
            assert_eq!(totp_code(secret, second / 30).as_deref(), Some(code));
        }
        assert_eq!(totp_code("lower", 1), None);
    }
}
