//! The claims of access tokens, as they are read and as they are issued.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Deserializer, Serialize};
use uuid::Uuid;

use super::error::JwtError;
use crate::model::{Amr, seconds};

/// How far in the future a token may have been issued, to tolerate differing clocks.
const MAX_IAT_AHEAD: SignedDuration = SignedDuration::from_mins(5);

/// The claims of a verified token.
///
/// Every claim may be missing or null: a service token carries little more than a role. A claim of the
/// wrong type is an error. Claims not listed here are ignored.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct Claims {
    /// The user's id.
    #[serde(default)]
    pub sub: Option<String>,
    /// The audience, or the first of several.
    #[serde(default, deserialize_with = "first_audience")]
    pub aud: Option<String>,
    /// The user's role.
    #[serde(default)]
    pub role: Option<String>,
    /// The id of the session that the token belongs to.
    #[serde(default)]
    pub session_id: Option<String>,
    /// The time of expiry, in seconds since 1970.
    #[serde(default, deserialize_with = "seconds")]
    pub exp: Option<i64>,
    /// The time from which the token is valid, in seconds since 1970.
    #[serde(default, deserialize_with = "seconds")]
    pub nbf: Option<i64>,
    /// The time of issue, in seconds since 1970.
    #[serde(default, deserialize_with = "seconds")]
    pub iat: Option<i64>,
    /// The user's email address.
    #[serde(default)]
    pub email: Option<String>,
    /// The user's phone number.
    #[serde(default)]
    pub phone: Option<String>,
    /// The authenticator assurance level of the session.
    #[serde(default)]
    pub aal: Option<String>,
    /// The methods with which the user signed in.
    #[serde(default, deserialize_with = "methods")]
    pub amr: Vec<Amr>,
    /// The user has neither an email address nor a phone number.
    #[serde(default, deserialize_with = "flag")]
    pub is_anonymous: bool,
}

impl Claims {
    /// Checks that the token is valid at this time. `exp` and `nbf` have no leeway.
    pub(super) fn check_times(&self, now: Timestamp) -> Result<(), JwtError> {
        let now = now.as_second();
        if self.exp.is_some_and(|exp| now >= exp) {
            return Err(JwtError::Expired);
        }
        if self.nbf.is_some_and(|nbf| now < nbf) {
            return Err(JwtError::NotYetValid);
        }
        Ok(())
    }

    /// Checks that the token was not issued in the future, with some leeway.
    pub(super) fn check_issued(&self, now: Timestamp) -> Result<(), JwtError> {
        let latest = now.as_second().saturating_add(MAX_IAT_AHEAD.as_secs());
        if self.iat.is_some_and(|iat| iat > latest) {
            return Err(JwtError::IssuedAhead);
        }
        Ok(())
    }
}

/// The claims of an access token that this server issues.
#[derive(Debug, Clone, Serialize)]
pub struct AccessClaims<'a, M: Serialize = serde_json::Value> {
    /// `JWT_ISSUER`, omitted when empty.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub iss: &'a str,
    /// The user's id.
    pub sub: Uuid,
    /// The user's audience.
    pub aud: &'a str,
    /// The time of expiry, in seconds since 1970.
    pub exp: i64,
    /// The time of issue, in seconds since 1970.
    pub iat: i64,
    /// The user's email address, or the empty string.
    pub email: &'a str,
    /// The user's phone number, or the empty string.
    pub phone: &'a str,
    /// Metadata that only admins can change.
    pub app_metadata: &'a M,
    /// Metadata that the user can change.
    pub user_metadata: &'a M,
    /// The user's role.
    pub role: &'a str,
    /// `aal1` or `aal2`.
    pub aal: &'a str,
    /// The methods with which the user signed in.
    pub amr: &'a [Amr],
    /// The id of the session that the token belongs to.
    pub session_id: Uuid,
    /// The user has neither an email address nor a phone number.
    pub is_anonymous: bool,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

fn first_audience<'de, D: Deserializer<'de>>(input: D) -> Result<Option<String>, D::Error> {
    Ok(match Option::<OneOrMany>::deserialize(input)? {
        Some(OneOrMany::One(text)) => Some(text),
        Some(OneOrMany::Many(texts)) => texts.into_iter().next(),
        None => None,
    })
}

fn methods<'de, D: Deserializer<'de>>(input: D) -> Result<Vec<Amr>, D::Error> {
    Ok(Option::deserialize(input)?.unwrap_or_default())
}

fn flag<'de, D: Deserializer<'de>>(input: D) -> Result<bool, D::Error> {
    Ok(Option::deserialize(input)?.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use serde_json::json;
    use uuid::Uuid;

    use super::{AccessClaims, Claims, JwtError};
    use crate::model::Amr;

    fn claims_from(value: serde_json::Value) -> Claims {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn a_service_token_has_a_role_and_little_else() {
        let claims = claims_from(json!({ "role": "service_role", "iss": "supabase", "ref": 5 }));
        let expected = Claims {
            role: Some("service_role".into()),
            ..Claims::default()
        };
        assert_eq!(claims, expected);
    }

    #[test]
    fn null_counts_as_missing() {
        let claims = claims_from(json!({
            "sub": null, "aud": null, "role": null, "session_id": null, "exp": null, "nbf": null,
            "iat": null, "email": null, "phone": null, "aal": null, "amr": null, "is_anonymous": null
        }));
        assert_eq!(claims, Claims::default());
    }

    #[test]
    fn a_claim_of_the_wrong_type_is_an_error() {
        for (name, value) in [
            ("sub", json!(7)),
            ("aud", json!({})),
            ("aud", json!([7])),
            ("role", json!(["service_role"])),
            ("session_id", json!(true)),
            ("exp", json!("tomorrow")),
            ("nbf", json!([])),
            ("iat", json!(false)),
            ("email", json!(1)),
            ("amr", json!("password")),
            ("amr", json!([{ "timestamp": 5 }])),
            ("is_anonymous", json!("yes")),
        ] {
            let claims = json!({ name: value });
            assert!(
                serde_json::from_value::<Claims>(claims.clone()).is_err(),
                "{claims}"
            );
        }
    }

    #[test]
    fn an_audience_may_be_a_list() {
        assert_eq!(claims_from(json!({ "aud": "a" })).aud.as_deref(), Some("a"));
        assert_eq!(
            claims_from(json!({ "aud": ["a", "b"] })).aud.as_deref(),
            Some("a")
        );
        assert_eq!(claims_from(json!({ "aud": [] })).aud, None);
    }

    #[test]
    fn times_may_be_fractions_and_of_any_size() {
        for (value, seconds) in [
            (json!(100), 100),
            (json!(100.9), 100),
            (json!(1e3), 1000),
            (json!(-0.5), -1),
            (json!(u64::MAX), i64::MAX),
            (json!(1e300), i64::MAX),
            (json!(-1e300), i64::MIN),
        ] {
            assert_eq!(
                claims_from(json!({ "exp": value })).exp,
                Some(seconds),
                "{value}"
            );
        }
    }

    #[test]
    fn methods_are_read_in_both_spellings() {
        let claims = claims_from(json!({ "amr": ["pwd", { "method": "otp", "timestamp": 7.0 }] }));
        let amr = |method: &str, timestamp| Amr {
            method: method.into(),
            timestamp,
            provider: None,
        };
        assert_eq!(claims.amr, [amr("pwd", 0), amr("otp", 7)]);
    }

    #[test]
    fn times_are_checked_to_the_second() {
        let at = |second| Timestamp::from_second(second).unwrap();
        let exp = claims_from(json!({ "exp": 1000 }));
        assert_eq!(exp.check_times(at(999)), Ok(()));
        assert_eq!(exp.check_times(at(1000)), Err(JwtError::Expired));
        let nbf = claims_from(json!({ "nbf": 1000 }));
        assert_eq!(nbf.check_times(at(999)), Err(JwtError::NotYetValid));
        assert_eq!(nbf.check_times(at(1000)), Ok(()));
        let iat = claims_from(json!({ "iat": 1300 }));
        assert_eq!(iat.check_issued(at(999)), Err(JwtError::IssuedAhead));
        assert_eq!(iat.check_issued(at(1000)), Ok(()));
    }

    #[test]
    fn issued_claims_have_their_order_and_shape() {
        let amr = [
            Amr {
                method: "password".into(),
                timestamp: 5,
                provider: None,
            },
            Amr {
                method: "oauth".into(),
                timestamp: 6,
                provider: Some("x".into()),
            },
        ];
        let metadata = json!({});
        let mut claims = AccessClaims {
            iss: "http://localhost",
            sub: Uuid::nil(),
            aud: "",
            exp: 7,
            iat: 6,
            email: "ada@example.com",
            phone: "",
            app_metadata: &metadata,
            user_metadata: &metadata,
            role: "authenticated",
            aal: "aal1",
            amr: &amr,
            session_id: Uuid::max(),
            is_anonymous: false,
        };
        assert_eq!(
            serde_json::to_string(&claims).unwrap(),
            concat!(
                r#"{"iss":"http://localhost","sub":"00000000-0000-0000-0000-000000000000","aud":"","#,
                r#""exp":7,"iat":6,"email":"ada@example.com","phone":"","app_metadata":{},"#,
                r#""user_metadata":{},"role":"authenticated","aal":"aal1","#,
                r#""amr":[{"method":"password","timestamp":5},"#,
                r#"{"method":"oauth","timestamp":6,"provider":"x"}],"#,
                r#""session_id":"ffffffff-ffff-ffff-ffff-ffffffffffff","is_anonymous":false}"#,
            )
        );
        claims.iss = "";
        assert!(serde_json::to_value(&claims).unwrap().get("iss").is_none());
    }
}
