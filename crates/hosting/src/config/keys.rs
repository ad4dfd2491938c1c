//! `KEY_*`: API keys of customers.

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::GeneralPurpose;
use base64::engine::general_purpose::PAD_INDIFFERENT;
use innkeeper_service::secret::Secret;
use innkeeper_service::settings::{Kind, Reader, Setting};

pub(super) const SETTINGS: &[Setting] = &[Setting::new(
    "KEY_PEPPERS",
    Kind::Other("numbered secrets such as `1:BASE64,2:BASE64`, each of at least 32 bytes"),
    "The secrets that key the hashes of API keys. The one with the highest number hashes new keys; a key \
     works as long as the secret that hashed it is listed. Without one there are no API keys, and control \
     endpoints answer 503. `openssl rand -base64 32` makes a secret.",
)
.secret()];

/// The shortest pepper, in bytes.
const MIN_PEPPER: usize = 32;

/// `KEY_*` settings.
#[derive(Debug, Clone, Default)]
pub struct KeyConfig {
    /// `KEY_PEPPERS`: the secrets that key the hashes of API keys.
    pub peppers: Vec<Pepper>,
}

/// A secret that keys the hashes of API keys.
#[derive(Debug, Clone)]
pub struct Pepper {
    /// The number, at least 1. New keys are hashed with the highest.
    pub number: i32,
    /// The secret, of at least 32 bytes.
    pub secret: Secret<Vec<u8>>,
}

impl KeyConfig {
    pub(super) fn read(reader: &mut Reader) -> Self {
        let peppers = reader.parsed("KEY_PEPPERS", |text, _| {
            // The reader does not show the problems of secrets.
            parse(text).ok_or_else(String::new)
        });
        Self {
            peppers: peppers.unwrap_or_default(),
        }
    }
}

fn parse(text: &str) -> Option<Vec<Pepper>> {
    let mut peppers: Vec<Pepper> = Vec::new();
    for part in text.split(',') {
        let pepper = parse_pepper(part.trim())?;
        if peppers.iter().any(|known| known.number == pepper.number) {
            return None;
        }
        peppers.push(pepper);
    }
    Some(peppers)
}

fn parse_pepper(text: &str) -> Option<Pepper> {
    const BASE64: GeneralPurpose = GeneralPurpose::new(&STANDARD, PAD_INDIFFERENT);
    let (number, secret) = text.split_once(':')?;
    let is_number = number.bytes().all(|byte| byte.is_ascii_digit());
    let number = number
        .parse()
        .ok()
        .filter(|number| is_number && *number > 0)?;
    let secret = BASE64.decode(secret).ok()?;
    (secret.len() >= MIN_PEPPER).then(|| Pepper {
        number,
        secret: Secret::new(secret),
    })
}

#[cfg(test)]
mod tests {
    use super::parse;

    /// 32 bytes.
    const SECRET: &str = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";

    #[test]
    fn peppers_have_a_number_and_at_least_32_bytes() {
        let bare = SECRET.trim_end_matches('=');
        let peppers = parse(&format!("1:{SECRET}, 12:{bare}")).unwrap();
        let numbers: Vec<i32> = peppers.iter().map(|pepper| pepper.number).collect();
        assert_eq!(numbers, [1, 12]);
        let expected = b"0123456789abcdef0123456789abcdef";
        assert!(
            peppers
                .iter()
                .all(|pepper| pepper.secret.reveal() == expected)
        );
        for wrong in [
            "",
            ",",
            SECRET,
            &format!("0:{SECRET}"),
            &format!("-1:{SECRET}"),
            &format!("+1:{SECRET}"),
            &format!(":{SECRET}"),
            &format!("one:{SECRET}"),
            &format!("99999999999:{SECRET}"),
            &format!("1:{SECRET},1:{SECRET}"),
            &format!("1:{SECRET},"),
            "1:",
            "1:not base64",
            // 31 bytes.
            "1:MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZQ==",
        ] {
            assert!(parse(wrong).is_none(), "{wrong}");
        }
    }
}
