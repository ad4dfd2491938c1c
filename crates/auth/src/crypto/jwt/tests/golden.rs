//! Tokens of an earlier release and of another implementation stay valid.

use uuid::Uuid;

use super::{golden, golden_secret, golden_token, jwt_keys, key_set, now};
use crate::crypto::jwt::{AccessClaims, Algorithm, Amr, KeySet, KeySetOptions};

#[test]
fn tokens_of_the_previous_release_stay_valid() {
    let keys = key_set(&["ec", "rsa", "okp", "ec521"]);
    for name in ["hs256", "rs256", "es256", "eddsa", "es512"] {
        let claims = keys.verify(&golden_token(name), now()).unwrap();
        assert_eq!(
            claims.sub.as_deref(),
            Some("7f2c1f5e-5c4e-4d3e-9b55-0d6b8f0f6f11")
        );
        assert_eq!(claims.aud.as_deref(), Some("authenticated"));
        assert_eq!(claims.role.as_deref(), Some("authenticated"));
        assert_eq!(
            claims.session_id.as_deref(),
            Some("0c0f7a5e-41b5-4f0b-8f6e-6f0b6f0b6f0b")
        );
        assert_eq!(claims.email.as_deref(), Some("ada@example.com"));
        assert_eq!(claims.phone.as_deref(), Some(""));
        assert_eq!(claims.aal.as_deref(), Some("aal1"));
        assert_eq!(
            (claims.iat, claims.exp),
            (Some(1_767_225_600), Some(32_503_680_000))
        );
        assert_eq!(claims.amr[0].method, "password");
        assert!(!claims.is_anonymous);
    }
}

#[test]
fn rs512_is_verified_by_keys_that_say_so() {
    let text = jwt_keys(&["rsa"]).replace("RS256", "RS512");
    let keys = KeySet::from_jwks_json(&text, &KeySetOptions::default()).unwrap();
    assert!(keys.verify(&golden_token("rs512"), now()).is_ok());
    assert!(keys.verify(&golden_token("rs256"), now()).is_err());
}

#[test]
fn tokens_without_chance_in_them_are_signed_letter_by_letter_the_same() {
    let metadata = serde_json::json!({ "provider": "email", "providers": ["email"] });
    let user_metadata = serde_json::json!({ "name": "Ada" });
    let amr = [Amr {
        method: "password".into(),
        timestamp: 1_767_225_600,
        provider: None,
    }];
    let claims = AccessClaims {
        iss: "http://localhost:9999",
        sub: Uuid::from_u128(0x7f2c_1f5e_5c4e_4d3e_9b55_0d6b_8f0f_6f11),
        aud: "authenticated",
        exp: 32_503_680_000,
        iat: 1_767_225_600,
        email: "ada@example.com",
        phone: "",
        app_metadata: &metadata,
        user_metadata: &user_metadata,
        role: "authenticated",
        aal: "aal1",
        amr: &amr,
        session_id: Uuid::from_u128(0x0c0f_7a5e_41b5_4f0b_8f6e_6f0b_6f0b_6f0b),
        is_anonymous: false,
    };
    assert_eq!(
        key_set(&["rsa"]).sign(&claims).unwrap(),
        golden_token("rs256")
    );
    assert_eq!(
        key_set(&["okp"]).sign(&claims).unwrap(),
        golden_token("eddsa")
    );
    let secret = golden_secret();
    let options = KeySetOptions {
        secret: &secret,
        ..KeySetOptions::default()
    };
    let keys = KeySet::from_secret(&options).unwrap();
    assert_eq!(keys.sign(&claims).unwrap(), golden_token("hs256"));
}

#[test]
fn only_public_members_are_shown() {
    let keys = key_set(&["oct", "rsa", "ec", "okp"]);
    let shown: serde_json::Value = serde_json::from_str(keys.jwks_json()).unwrap();
    let expected: Vec<_> = ["rsa", "ec", "okp"]
        .map(|name| {
            let mut key = golden()["keys"][name].clone();
            let members = key.as_object_mut().unwrap();
            members.retain(|name, _| !["d", "p", "q", "dp", "dq", "qi"].contains(&name.as_str()));
            members.insert("use".into(), "sig".into());
            members.insert("key_ops".into(), serde_json::json!(["verify"]));
            key
        })
        .into();
    assert_eq!(shown, serde_json::json!({ "keys": expected }));
}

#[test]
fn a_shared_secret_is_never_shown() {
    for keys in [key_set(&["oct"]), {
        let secret = golden_secret();
        KeySet::from_secret(&KeySetOptions {
            secret: &secret,
            ..KeySetOptions::default()
        })
        .unwrap()
    }] {
        assert_eq!(keys.jwks_json(), r#"{"keys":[]}"#);
        assert_eq!(keys.signing().verifying().algorithm(), Algorithm::Hs256);
    }
}
