//! An authenticator in software: makes keys, and signs challenges as a browser with a security key would.

use std::collections::BTreeMap;

use aws_lc_rs::digest::{SHA256, digest};
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use innkeeper_auth::config::{Config, RelyingPartyConfig};
use serde_cbor_2::Value as Cbor;
use serde_json::{Value, json};

/// The page that uses the authenticator.
pub(crate) const ORIGIN: &str = "http://localhost:5173";
/// The domain that its credentials belong to.
pub(crate) const RP_ID: &str = "localhost";

/// Somebody has touched the authenticator.
const PRESENT: u8 = 0b0000_0001;
/// The authenticator has recognised its owner.
const VERIFIED: u8 = 0b0000_0100;
/// The answer contains a new credential.
const ATTESTED: u8 = 0b0100_0000;

/// Lets a server accept this kind of authenticator, as passkey and as second factor.
pub(crate) fn accept_authenticators(config: &mut Config) {
    config.webauthn.relying_party = Some(RelyingPartyConfig {
        id: RP_ID.to_owned(),
        display_name: "Test".to_owned(),
        origins: vec![ORIGIN.parse().unwrap()],
    });
    config.webauthn.passkeys_enabled = true;
    config.mfa.webauthn.enroll = true;
    config.mfa.webauthn.verify = true;
}

/// An authenticator with one credential. A test changes its members to make it lie.
pub(crate) struct Authenticator {
    key: EcdsaKeyPair,
    pub(crate) id: Vec<u8>,
    pub(crate) aaguid: [u8; 16],
    pub(crate) origin: String,
    pub(crate) rp_id: String,
    pub(crate) flags: u8,
    /// How often it has signed; it stays zero if the authenticator does not count.
    pub(crate) counter: u32,
    pub(crate) counts: bool,
    pub(crate) cross_origin: bool,
    /// The user that the credential was made for, in base64url.
    pub(crate) user_handle: Option<String>,
}

impl Authenticator {
    pub(crate) fn new() -> Self {
        let mut id = vec![0; 32];
        aws_lc_rs::rand::fill(&mut id).unwrap();
        Self {
            key: EcdsaKeyPair::generate(&ECDSA_P256_SHA256_ASN1_SIGNING).unwrap(),
            id,
            aaguid: [0; 16],
            origin: ORIGIN.to_owned(),
            rp_id: RP_ID.to_owned(),
            flags: PRESENT | VERIFIED,
            counter: 0,
            counts: true,
            cross_origin: false,
            user_handle: None,
        }
    }

    /// Nobody has touched it.
    pub(crate) fn untouched(mut self) -> Self {
        self.flags = 0;
        self
    }

    /// Answers `navigator.credentials.create()` with these options.
    pub(crate) fn create(&mut self, options: &Value) -> Value {
        self.user_handle = options["user"]["id"].as_str().map(str::to_owned);
        let attestation = serde_cbor_2::to_vec(&self.attestation()).unwrap();
        let client_data = self.client_data("webauthn.create", options);
        json!({
            "id": encode(&self.id),
            "rawId": encode(&self.id),
            "type": "public-key",
            "authenticatorAttachment": "cross-platform",
            "clientExtensionResults": {},
            "response": {
                "attestationObject": encode(&attestation),
                "clientDataJSON": encode(&client_data),
                "transports": ["usb"],
            },
        })
    }

    /// Answers `navigator.credentials.get()` with these options.
    pub(crate) fn get(&mut self, options: &Value) -> Value {
        let data = self.authenticator_data(self.flags);
        let client_data = self.client_data("webauthn.get", options);
        let mut signed = data.clone();
        signed.extend(digest(&SHA256, &client_data).as_ref());
        let signature = self.key.sign(&SystemRandom::new(), &signed).unwrap();
        json!({
            "id": encode(&self.id),
            "rawId": encode(&self.id),
            "type": "public-key",
            "clientExtensionResults": {},
            "response": {
                "authenticatorData": encode(&data),
                "clientDataJSON": encode(&client_data),
                "signature": encode(signature.as_ref()),
                "userHandle": self.user_handle,
            },
        })
    }

    fn client_data(&self, kind: &str, options: &Value) -> Vec<u8> {
        let data = json!({
            "type": kind,
            "challenge": options["challenge"],
            "origin": self.origin,
            "crossOrigin": self.cross_origin,
        });
        data.to_string().into_bytes()
    }

    /// The part of every answer that is signed: the hash of the domain, flags and the counter.
    fn authenticator_data(&mut self, flags: u8) -> Vec<u8> {
        self.counter += u32::from(self.counts);
        let mut data = digest(&SHA256, self.rp_id.as_bytes()).as_ref().to_vec();
        data.push(flags);
        data.extend(self.counter.to_be_bytes());
        data
    }

    fn attestation(&mut self) -> Cbor {
        let mut data = self.authenticator_data(self.flags | ATTESTED);
        data.extend(self.aaguid);
        data.extend(u16::try_from(self.id.len()).unwrap().to_be_bytes());
        data.extend(&self.id);
        data.extend(serde_cbor_2::to_vec(&self.public_key()).unwrap());
        map([
            (text("fmt"), text("none")),
            (text("attStmt"), map([])),
            (text("authData"), Cbor::Bytes(data)),
        ])
    }

    /// The key in the form of COSE: type, algorithm, curve and the coordinates.
    fn public_key(&self) -> Cbor {
        let point = self.key.public_key().as_ref();
        let number = |number: i128| Cbor::Integer(number);
        map([
            (number(1), number(2)),
            (number(3), number(-7)),
            (number(-1), number(1)),
            (number(-2), Cbor::Bytes(point[1..33].to_vec())),
            (number(-3), Cbor::Bytes(point[33..65].to_vec())),
        ])
    }
}

fn map<const N: usize>(members: [(Cbor, Cbor); N]) -> Cbor {
    Cbor::Map(BTreeMap::from(members))
}

fn text(text: &str) -> Cbor {
    Cbor::Text(text.to_owned())
}

pub(crate) fn encode(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}
