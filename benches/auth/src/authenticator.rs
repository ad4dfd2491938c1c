//! What people hold in their hands: an authenticator app, and a passkey.

use anyhow::{Context, Result, ensure};
use aws_lc_rs::digest::{SHA256, digest};
use aws_lc_rs::hmac;
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair as _};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use p256::ecdsa::signature::Verifier as _;
use p256::ecdsa::{Signature, VerifyingKey};
use serde_json::{Value, json};

use crate::http::text;
use crate::process::Stat;

/// The domain of the passkeys.
pub(crate) const RP_ID: &str = "localhost";
/// The origin of the page that uses them.
pub(crate) const ORIGIN: &str = "http://localhost:3000";

/// The length of a step of a time-based code, in seconds.
const STEP: i64 = 30;

/// Flags of an answer: touched, owner recognised.
const PRESENT_AND_VERIFIED: u8 = 0b0000_0101;
/// Flag of an answer that contains a new credential.
const ATTESTED: u8 = 0b0100_0000;

/// Returns the current step of time-based codes.
pub(crate) fn current_step() -> i64 {
    jiff::Timestamp::now().as_second().div_euclid(STEP)
}

/// Returns the code of a step for a secret in base32.
pub(crate) fn code(secret: &str, step: i64) -> Result<String> {
    let key = hmac::Key::new(hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY, &base32(secret)?);
    let tag = hmac::sign(&key, &step.to_be_bytes());
    let tag = tag.as_ref();
    let offset = usize::from(tag.last().context("no tag")? & 0xf);
    let bytes = tag.get(offset..offset + 4).context("a short tag")?;
    let number = u32::from_be_bytes(bytes.try_into()?) & 0x7fff_ffff;
    Ok(format!("{:06}", number % 1_000_000))
}

fn base32(text: &str) -> Result<Vec<u8>> {
    let (mut bytes, mut bits, mut held) = (Vec::new(), 0_u32, 0_u32);
    for character in text.bytes() {
        let value = match character {
            b'A'..=b'Z' => character - b'A',
            b'2'..=b'7' => character - b'2' + 26,
            _ => anyhow::bail!("{text} is not base32"),
        };
        held = (held << 5) | u32::from(value);
        bits += 5;
        if bits >= 8 {
            bits -= 8;
            bytes.push(u8::try_from(held >> bits)?);
            held &= (1 << bits) - 1;
        }
    }
    Ok(bytes)
}

/// A passkey of one user.
#[derive(Debug)]
pub(crate) struct Passkey {
    key: EcdsaKeyPair,
    id: [u8; 32],
    counter: u32,
    user_handle: String,
}

impl Passkey {
    /// Creates a passkey, and returns it with the credential for the server.
    pub(crate) fn create(options: &Value) -> Result<(Self, Value)> {
        let mut id = [0; 32];
        aws_lc_rs::rand::fill(&mut id)?;
        let handle = text(options, "/user/id")?;
        let mut passkey = Self {
            key: EcdsaKeyPair::generate(&ECDSA_P256_SHA256_ASN1_SIGNING)?,
            id,
            counter: 0,
            user_handle: handle.to_owned(),
        };
        let attestation = passkey.attestation()?;
        let client_data = client_data("webauthn.create", options);
        let response = json!({
            "attestationObject": encode(&attestation),
            "clientDataJSON": encode(&client_data),
            "transports": ["internal"],
        });
        let credential = passkey.credential(&response);
        Ok((passkey, credential))
    }

    /// Answers the challenge of a sign-in.
    pub(crate) fn sign(&mut self, options: &Value) -> Result<Value> {
        let data = self.authenticator_data(PRESENT_AND_VERIFIED);
        let client_data = client_data("webauthn.get", options);
        let mut signed = data.clone();
        signed.extend(digest(&SHA256, &client_data).as_ref());
        let signature = self.key.sign(&SystemRandom::new(), &signed)?;
        Ok(self.credential(&json!({
            "authenticatorData": encode(&data),
            "clientDataJSON": encode(&client_data),
            "signature": encode(signature.as_ref()),
            "userHandle": self.user_handle,
        })))
    }

    /// Returns the processor time of checking one signature with the library that the server uses, in milliseconds.
    pub(crate) fn check_ms(&self) -> Result<f64> {
        const CHECKS: u32 = 500;
        let key = VerifyingKey::from_sec1_bytes(self.key.public_key().as_ref())?;
        let signature = self.key.sign(&SystemRandom::new(), &self.id)?;
        let signature = Signature::from_der(signature.as_ref())?;
        let before = Stat::own()?.own_cpu();
        for _ in 0..CHECKS {
            std::hint::black_box(&key).verify(&self.id, &signature)?;
        }
        let spent = Stat::own()?.own_cpu().saturating_sub(before);
        Ok(spent.as_secs_f64() * 1000.0 / f64::from(CHECKS))
    }

    fn credential(&self, response: &Value) -> Value {
        let id = encode(&self.id);
        json!({
            "id": id,
            "rawId": id,
            "type": "public-key",
            "clientExtensionResults": {},
            "response": response,
        })
    }

    /// Returns the signed part: the hash of the domain, flags and the counter.
    fn authenticator_data(&mut self, flags: u8) -> Vec<u8> {
        self.counter += 1;
        let mut data = digest(&SHA256, RP_ID.as_bytes()).as_ref().to_vec();
        data.push(flags);
        data.extend(self.counter.to_be_bytes());
        data
    }

    /// Returns an attestation of format `none`, in CBOR.
    fn attestation(&mut self) -> Result<Vec<u8>> {
        let mut data = self.authenticator_data(PRESENT_AND_VERIFIED | ATTESTED);
        data.extend([0; 16]);
        data.extend(u16::try_from(self.id.len())?.to_be_bytes());
        data.extend(self.id);
        let point = self.key.public_key().as_ref();
        ensure!(point.len() == 65, "a key of {} bytes", point.len());
        let (x, y) = point.split_at(33);
        // A map of five: type EC2, algorithm ES256, curve P-256, and the coordinates of 32 bytes each.
        data.extend(b"\xa5\x01\x02\x03\x26\x20\x01\x21\x58\x20");
        data.extend(x.iter().skip(1));
        data.extend(b"\x22\x58\x20");
        data.extend(y);
        let mut attestation = b"\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData\x58".to_vec();
        attestation.push(u8::try_from(data.len())?);
        attestation.extend(data);
        Ok(attestation)
    }
}

fn client_data(kind: &str, options: &Value) -> Vec<u8> {
    let challenge = &options["challenge"];
    let data = json!({
        "type": kind,
        "challenge": challenge,
        "origin": ORIGIN,
        "crossOrigin": false,
    });
    data.to_string().into_bytes()
}

fn encode(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Appendix B of RFC 6238, with the last six digits.
    #[test]
    fn codes_are_those_of_the_standard() {
        let secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
        assert_eq!(base32(secret).unwrap(), b"12345678901234567890");
        assert_eq!(code(secret, 59 / STEP).unwrap(), "287082");
        assert_eq!(code(secret, 20_000_000_000 / STEP).unwrap(), "353130");
        assert!(code("0189", 1).is_err());
    }
}
