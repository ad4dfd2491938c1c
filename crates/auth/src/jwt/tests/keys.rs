//! Sets of keys: from `JWT_KEYS`, from the secret, and made by this server.

use innkeeper_service::secret::Secret;
use serde_json::{Value, json};

use super::{golden, golden_secret, golden_token, hmac_token, jwt_keys, key_set, now};
use crate::jwt::{
    Algorithm, GeneratedKey, JwtError, KeyFault, KeySet, KeySetError, KeySetOptions, SigningKey,
};

fn options<'a>(secret: &'a str, valid_methods: &'a [String]) -> KeySetOptions<'a> {
    KeySetOptions {
        secret,
        key_id: None,
        valid_methods,
    }
}

fn generated(key: &SigningKey) -> GeneratedKey {
    GeneratedKey {
        kid: key.verifying().kid().unwrap().to_owned(),
        algorithm: key.verifying().algorithm(),
        private: Secret::new(key.private_bytes().unwrap()),
    }
}

const ALL: [Algorithm; 6] = [
    Algorithm::Rs256,
    Algorithm::Rs512,
    Algorithm::Es256,
    Algorithm::Es512,
    Algorithm::EdDsa,
    Algorithm::Hs256,
];

#[test]
fn generated_keys_survive_storage() {
    for algorithm in ALL {
        let key = SigningKey::generate(algorithm).unwrap();
        let token = key.sign(&json!({ "sub": "ada" })).unwrap();
        let set = KeySet::from_generated(vec![generated(&key)], &KeySetOptions::default()).unwrap();
        assert_eq!(
            set.verify(&token, now()).unwrap().sub.as_deref(),
            Some("ada")
        );
        assert_eq!(set.signing().verifying().kid(), key.verifying().kid());
        let again = set.sign(&json!({ "sub": "eve" })).unwrap();
        assert_eq!(
            set.verify(&again, now()).unwrap().sub.as_deref(),
            Some("eve")
        );
    }
}

#[test]
fn generated_keys_survive_as_settings() {
    for algorithm in ALL {
        let key = SigningKey::generate(algorithm).unwrap();
        let token = key.sign(&json!({ "sub": "ada" })).unwrap();
        let keys = json!([key.private_jwk().unwrap()]).to_string();
        let set = KeySet::from_jwks_json(&keys, &KeySetOptions::default()).unwrap();
        assert!(set.verify(&token, now()).is_ok(), "{algorithm}");
        assert_eq!(set.signing().verifying().kid(), key.verifying().kid());
        let again = set.sign(&json!({ "sub": "eve" })).unwrap();
        assert!(set.verify(&again, now()).is_ok(), "{algorithm}");
        assert_eq!(set.signing().private_bytes(), key.private_bytes());
    }
}

#[test]
fn after_a_rotation_the_new_key_signs_and_the_old_one_still_verifies() {
    let old = SigningKey::generate(Algorithm::Rs256).unwrap();
    let new = SigningKey::generate(Algorithm::Es256).unwrap();
    let token = old.sign(&json!({ "sub": "ada" })).unwrap();
    let keys = vec![generated(&new), generated(&old)];
    let set = KeySet::from_generated(keys, &KeySetOptions::default()).unwrap();

    assert!(set.verify(&token, now()).is_ok());
    assert_eq!(set.signing().verifying().algorithm(), Algorithm::Es256);
    let shown: Value = serde_json::from_str(set.jwks_json()).unwrap();
    assert_eq!(shown["keys"][0]["kid"].as_str(), new.verifying().kid());
    assert_eq!(shown["keys"][1]["kid"].as_str(), old.verifying().kid());

    let alone = KeySet::from_generated(vec![generated(&new)], &KeySetOptions::default()).unwrap();
    assert_eq!(alone.verify(&token, now()), Err(JwtError::UnknownKey));
}

#[test]
fn broken_private_keys_are_refused() {
    for algorithm in [Algorithm::Rs256, Algorithm::Es256, Algorithm::EdDsa] {
        for bytes in [&b""[..], b"not a key", &[0x30, 0x82, 1, 0]] {
            let key = SigningKey::from_private_bytes("kid", algorithm, bytes);
            assert_eq!(key.err(), Some(KeyFault::Rejected));
        }
    }
    let key = SigningKey::from_private_bytes("kid", Algorithm::Hs256, b"");
    assert_eq!(key.err(), Some(KeyFault::Empty));
    let none = KeySet::from_generated(Vec::new(), &KeySetOptions::default());
    assert_eq!(none.err(), Some(KeySetError::NoSigningKey));
}

#[test]
fn the_secret_verifies_beside_other_keys_until_the_valid_methods_end_it() {
    let token = golden_token("hs256");
    let secret = golden_secret();
    let text = jwt_keys(&["ec"]);
    let unset = KeySet::from_jwks_json(&text, &options(&secret, &[])).unwrap();
    assert!(unset.verify(&token, now()).is_ok());

    let methods = ["ES256".to_owned()];
    let ended = KeySet::from_jwks_json(&text, &options(&secret, &methods)).unwrap();
    assert_eq!(ended.verify(&token, now()), Err(JwtError::Algorithm));
    assert!(ended.verify(&golden_token("es256"), now()).is_ok());

    let named = hmac_token(r#"{"alg":"HS256","kid":"anon"}"#, "{}", secret.as_bytes());
    assert!(unset.verify(&named, now()).is_ok());
    assert_eq!(ended.verify(&named, now()), Err(JwtError::UnknownKey));
}

#[test]
fn valid_methods_end_keys_too() {
    let methods = ["ES256".to_owned(), "PS512".to_owned()];
    let set = KeySet::from_jwks_json(&jwt_keys(&["ec", "rsa"]), &options("", &methods)).unwrap();
    assert!(set.verify(&golden_token("rs256"), now()).is_err());
    assert!(!set.jwks_json().contains("golden-rsa"));
}

#[test]
fn an_empty_secret_verifies_nothing() {
    let set = KeySet::from_jwks_json(&jwt_keys(&["ec"]), &KeySetOptions::default()).unwrap();
    let token = hmac_token(r#"{"alg":"HS256"}"#, r#"{"role":"service_role"}"#, b"");
    assert_eq!(set.verify(&token, now()), Err(JwtError::Algorithm));
}

#[test]
fn the_secret_has_the_name_it_was_given() {
    let secret = golden_secret();
    let named = KeySetOptions {
        key_id: Some("main"),
        ..options(&secret, &[])
    };
    let set = KeySet::from_secret(&named).unwrap();
    let token = set.sign(&json!({})).unwrap();
    assert!(token.starts_with(&super::encode(
        r#"{"alg":"HS256","kid":"main","typ":"JWT"}"#
    )));
    assert!(set.verify(&token, now()).is_ok());
    assert!(set.verify(&golden_token("hs256"), now()).is_ok());

    // The same name beside other keys: they do not know it, the secret does.
    let beside = KeySet::from_jwks_json(&jwt_keys(&["rsa"]), &named).unwrap();
    assert!(beside.verify(&token, now()).is_ok());
}

#[test]
fn tokens_without_a_name_find_the_key_by_their_algorithm() {
    let mut key = golden()["keys"]["rsa"].clone();
    key["kid"] = json!(null);
    let unnamed = KeySet::from_jwks_json(&json!([key]).to_string(), &options("", &[])).unwrap();
    let token = unnamed.sign(&json!({ "sub": "ada" })).unwrap();
    assert!(unnamed.verify(&token, now()).is_ok());
    assert!(key_set(&["ec", "rsa"]).verify(&token, now()).is_ok());
    assert_eq!(
        key_set(&["ec"]).verify(&token, now()),
        Err(JwtError::Algorithm)
    );
}

#[test]
fn a_public_key_may_stand_beside_the_one_that_signs() {
    let mut rsa = golden()["keys"]["rsa"].clone();
    rsa.as_object_mut()
        .unwrap()
        .retain(|name, _| ["kty", "kid", "n", "e"].contains(&name.as_str()));
    let text = json!([golden()["keys"]["oct"], rsa]).to_string();
    let set = KeySet::from_jwks_json(&text, &KeySetOptions::default()).unwrap();
    assert!(set.verify(&golden_token("rs256"), now()).is_ok());
    assert_eq!(set.signing().verifying().algorithm(), Algorithm::Hs256);
}

fn refusal(text: &str, valid_methods: &[&str]) -> KeySetError {
    let methods: Vec<_> = valid_methods
        .iter()
        .map(|name| (*name).to_owned())
        .collect();
    KeySet::from_jwks_json(text, &options("secret", &methods)).unwrap_err()
}

#[test]
fn unusable_sets_are_refused_with_a_reason() {
    let golden = &golden()["keys"];
    let twice = json!([golden["rsa"], golden["rsa"]]).to_string();
    let both_sign = json!([golden["rsa"], golden["ec"]]).to_string();
    let none_signs = jwt_keys(&["rsa"]).replace("\"sign\",", "");
    let rs256 = jwt_keys(&["rsa"]);
    let not_json = |column| KeySetError::NotJson { line: 1, column };
    for (text, methods, error) in [
        ("", &[][..], not_json(0)),
        ("[{", &[], not_json(2)),
        ("{}", &[], not_json(0)),
        ("[]", &[], KeySetError::NoSigningKey),
        (&none_signs, &[], KeySetError::NoSigningKey),
        (&both_sign, &[], KeySetError::SeveralSigningKeys),
        (&twice, &[], KeySetError::SameKid(2)),
        (
            &rs256,
            &["HS256"],
            KeySetError::SigningMethodNotValid(Algorithm::Rs256),
        ),
        (
            &rs256,
            &["RS257"],
            KeySetError::UnknownMethod("RS257".into()),
        ),
    ] {
        assert_eq!(refusal(text, methods), error, "{text:.80}");
    }
}

#[test]
fn unusable_keys_are_refused_with_a_reason() {
    let golden = &golden()["keys"];
    for (name, member, value, fault) in [
        ("rsa", "kty", json!(null), KeyFault::Missing("kty")),
        (
            "rsa",
            "key_ops",
            json!("sign"),
            KeyFault::WrongType("key_ops", "a list of texts"),
        ),
        ("rsa", "kid", json!(5), KeyFault::WrongType("kid", "a text")),
        ("rsa", "n", json!("!!"), KeyFault::NotBase64("n")),
        ("rsa", "n", json!("AQAB"), KeyFault::Rejected),
        ("rsa", "d", json!("AQAB"), KeyFault::Rejected),
        ("rsa", "dp", json!(null), KeyFault::Missing("dp")),
        ("ec", "d", json!(null), KeyFault::Missing("d")),
        ("ec", "x", golden["ec"]["y"].clone(), KeyFault::Rejected),
        ("ec", "x", golden["ec521"]["x"].clone(), KeyFault::Rejected),
        ("okp", "x", golden["ec"]["x"].clone(), KeyFault::Rejected),
        ("oct", "k", json!(""), KeyFault::Empty),
    ] {
        let mut key = golden[name].clone();
        key[member] = value;
        let error = refusal(&json!([key]).to_string(), &[]);
        assert_eq!(
            error,
            KeySetError::Key { number: 1, fault },
            "{name} {member}"
        );
    }
    let empty = KeySet::from_secret(&KeySetOptions::default()).unwrap_err();
    assert_eq!(empty.to_string(), "key 1: the key is empty");
}

#[test]
fn no_message_shows_key_material() {
    for (name, member) in [("rsa", "d"), ("ec", "d"), ("okp", "d"), ("oct", "k")] {
        let private = golden()["keys"][name][member].as_str().unwrap().to_owned();
        for broken in [
            jwt_keys(&[name]).replace(&format!("\"{private}\""), &format!("[\"{private}\"]")),
            jwt_keys(&[name]).replace(&private, &format!("{private}!")),
            jwt_keys(&[name]).trim_end_matches(']').to_owned(),
            format!("\"{private}\""),
        ] {
            let error = KeySet::from_jwks_json(&broken, &KeySetOptions::default()).unwrap_err();
            assert!(!format!("{error} {error:?}").contains(&private), "{error}");
        }
        let shown = format!("{:?}", key_set(&[name]));
        assert!(!shown.contains(&private), "{shown}");
    }
    let secret = golden_secret();
    assert!(!format!("{:?}", options(&secret, &[])).contains(&secret));
}

/// Prints what one operation costs: `cargo test --release -- --ignored --nocapture cost_of`.
#[test]
#[ignore = "a measurement, not a test"]
#[expect(clippy::print_stdout, reason = "it prints figures")]
fn cost_of_signing_and_verifying() {
    let claims = json!({ "sub": "7f2c1f5e", "email": "ada@example.com", "m": "x".repeat(400) });
    for algorithm in ALL {
        let key = SigningKey::generate(algorithm).unwrap();
        let set = KeySet::from_generated(vec![generated(&key)], &KeySetOptions::default()).unwrap();
        let token = set.sign(&claims).unwrap();
        let cache = crate::jwt::VerifiedCache::with_capacity(16);
        let time = |work: &dyn Fn()| {
            let start = std::time::Instant::now();
            (0..500).for_each(|_| work());
            start.elapsed() / 500
        };
        println!(
            "{algorithm}: sign {:?}, verify {:?}, cached {:?}",
            time(&|| drop(set.sign(&claims).unwrap())),
            time(&|| drop(set.verify(&token, now()).unwrap())),
            time(&|| drop(cache.verify(&set, &token, now()).unwrap())),
        );
    }
}
