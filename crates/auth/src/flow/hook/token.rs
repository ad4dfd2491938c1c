//! `customize-access-token`: the application replaces the claims of an access token.

use innkeeper_service::database::Executor;
use serde_json::{Value, json};

use crate::app::App;
use crate::base::client::ClientInfo;
use crate::base::error::{AuthError, Result};
use crate::config::HookKind;
use crate::crypto::jwt::{AccessClaims, Claims};
use crate::flow::user::Object;
use crate::outside::hook::HookError;

/// The longest claims, in bytes: this server must be able to read the tokens that it signs.
const MAX_CLAIMS: usize = 128 * 1024;

/// The JSON type of a claim.
#[derive(Debug, Clone, Copy)]
enum ClaimType {
    Text,
    TextOrList,
    Integer,
    Boolean,
    Object,
    List,
}

/// The claims that must be set.
const REQUIRED: [(&str, ClaimType); 10] = [
    ("aud", ClaimType::TextOrList),
    ("exp", ClaimType::Integer),
    ("iat", ClaimType::Integer),
    ("sub", ClaimType::Text),
    ("email", ClaimType::Text),
    ("phone", ClaimType::Text),
    ("role", ClaimType::Text),
    ("aal", ClaimType::Text),
    ("session_id", ClaimType::Text),
    ("is_anonymous", ClaimType::Boolean),
];

/// The claims that may be set.
const OPTIONAL: [(&str, ClaimType); 3] = [
    ("app_metadata", ClaimType::Object),
    ("user_metadata", ClaimType::Object),
    ("amr", ClaimType::List),
];

/// Returns the claims that the application puts in place of these; `None` if the hook is off.
pub(crate) async fn customize(
    app: &App,
    conn: &dyn Executor,
    claims: &AccessClaims<'_, Object>,
    method: &str,
    client: &ClientInfo,
) -> Result<Option<Object>> {
    let kind = HookKind::CustomAccessToken;
    if !app.hooks.is_on(kind) {
        return Ok(None);
    }
    let mut input = Object::new();
    input.insert("user_id".to_owned(), json!(claims.sub));
    let claims = serde_json::to_value(claims).map_err(AuthError::internal)?;
    input.insert("claims".to_owned(), claims);
    input.insert("authentication_method".to_owned(), json!(method));
    let call = app.hooks.prepare(kind, input, client);
    let mut output = app.hooks.call_in(conn, &call).await?;
    let checked = check(output.remove("claims"));
    if let Err(error) = &checked {
        let (name, cause) = (kind.name(), error.cause());
        tracing::warn!(hook.name = name, hook.id = %call.id, cause, "a hook failed");
    }
    Ok(Some(checked?))
}

/// Checks that claims are complete and can be read back.
fn check(claims: Option<Value>) -> std::result::Result<Object, HookError> {
    let invalid = |problem: String| Err(HookError::InvalidOutput(problem));
    let Some(Value::Object(claims)) = claims else {
        return invalid("`claims` must be an object".to_owned());
    };
    let mut problems = Vec::new();
    for (name, kind) in REQUIRED {
        match claims.get(name) {
            None => problems.push(format!("`{name}` is missing")),
            Some(value) if !kind.matches(value) => problems.push(kind.mismatch(name)),
            Some(_) => {}
        }
    }
    for (name, kind) in OPTIONAL {
        if claims.get(name).is_some_and(|value| !kind.matches(value)) {
            problems.push(kind.mismatch(name));
        }
    }
    if !problems.is_empty() {
        return invalid(problems.join(", "));
    }
    let claims = Value::Object(claims);
    if claims.to_string().len() > MAX_CLAIMS {
        return Err(HookError::TooLarge(MAX_CLAIMS));
    }
    // The server reads its own tokens too.
    if <Claims as serde::Deserialize>::deserialize(&claims).is_err() {
        return invalid("a claim has a value that is never read".to_owned());
    }
    match claims {
        Value::Object(claims) => Ok(claims),
        _ => invalid("`claims` must be an object".to_owned()),
    }
}

impl ClaimType {
    fn matches(self, value: &Value) -> bool {
        match self {
            Self::Text => value.is_string(),
            Self::TextOrList => value.is_string() || value.is_array(),
            Self::Integer => value.is_i64(),
            Self::Boolean => value.is_boolean(),
            Self::Object => value.is_object(),
            Self::List => value.is_array(),
        }
    }

    fn mismatch(self, name: &str) -> String {
        let kind = match self {
            Self::Text => "a text",
            Self::TextOrList => "a text or a list",
            Self::Integer => "a whole number",
            Self::Boolean => "true or false",
            Self::Object => "an object",
            Self::List => "a list",
        };
        format!("`{name}` must be {kind}")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{HookError, check};

    fn good() -> Value {
        json!({
            "aud": "authenticated", "exp": 2000, "iat": 1000, "sub": "b1", "email": "", "phone": "",
            "role": "authenticated", "aal": "aal1", "session_id": "c2", "is_anonymous": false,
        })
    }

    fn problem_with(name: &str, value: Value) -> String {
        let mut claims = good();
        claims[name] = value;
        match check(Some(claims)) {
            Err(HookError::InvalidOutput(problem)) => problem,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn complete_claims_are_accepted() {
        check(Some(good())).unwrap();
        let mut more = good();
        more["aud"] = json!(["authenticated", "other"]);
        more["amr"] = json!([{ "method": "password", "timestamp": 5 }]);
        more["plan"] = json!({ "name": "gold", "seats": [1, 2] });
        assert_eq!(Value::Object(check(Some(more.clone())).unwrap()), more);
    }

    #[test]
    fn each_required_claim_must_be_there() {
        for (name, _) in super::REQUIRED {
            let mut claims = good();
            claims.as_object_mut().unwrap().remove(name);
            let Err(HookError::InvalidOutput(problem)) = check(Some(claims)) else {
                panic!("{name}");
            };
            assert_eq!(problem, format!("`{name}` is missing"));
        }
    }

    #[test]
    fn each_claim_must_have_its_type() {
        for (name, value, problem) in [
            ("exp", json!("tomorrow"), "`exp` must be a whole number"),
            ("exp", json!(1.5), "`exp` must be a whole number"),
            ("iat", json!(null), "`iat` must be a whole number"),
            ("sub", json!(7), "`sub` must be a text"),
            ("aud", json!(7), "`aud` must be a text or a list"),
            (
                "is_anonymous",
                json!("no"),
                "`is_anonymous` must be true or false",
            ),
            (
                "app_metadata",
                json!([]),
                "`app_metadata` must be an object",
            ),
            ("amr", json!("password"), "`amr` must be a list"),
            ("amr", json!([7]), "a claim has a value that is never read"),
            ("aud", json!([7]), "a claim has a value that is never read"),
        ] {
            assert_eq!(problem_with(name, value), problem);
        }
    }

    #[test]
    fn claims_are_an_object_of_bounded_size() {
        for claims in [None, Some(json!(null)), Some(json!([])), Some(json!("all"))] {
            assert!(matches!(check(claims), Err(HookError::InvalidOutput(_))));
        }
        let mut huge = good();
        huge["padding"] = json!("x".repeat(super::MAX_CLAIMS));
        assert!(matches!(check(Some(huge)), Err(HookError::TooLarge(_))));
    }
}
