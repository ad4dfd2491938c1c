//! Details of the control endpoints in the OpenAPI document: credentials, headers, error codes and examples.

use innkeeper_rest::SecurityScheme;
use serde_json::{Map, Value, json};

use crate::base::error_code::ControlErrorCode::{
    self, ActionInProgress, DiskFull, HostTimeout, HostUnreachable, IdempotencyMismatch,
    InsufficientScope, InvalidRequest, InvalidState, IpNotAllowed, KeyExpired, KeyRevoked,
    NotAcceptable, NotFound, OriginNotAllowed, Overloaded, PayloadTooLarge, RateLimited,
    RequestTimeout, ServerNotRunning, ServerSuspended, Unauthenticated, Unavailable,
    UnsupportedMediaType, UpgradeRequired,
};

/// The prefix of the control endpoints.
const PREFIX: &str = "/v1/hosting/";
/// The name of the scheme in `#[security]`, which stands for the two below.
const DECLARED: &str = "api_key";
const BEARER: &str = "bearer";
const API_KEY: &str = "apiKey";

/// The codes of errors that every control endpoint has.
const COMMON: [ControlErrorCode; 9] = [
    InvalidRequest,
    Unauthenticated,
    KeyExpired,
    KeyRevoked,
    InsufficientScope,
    IpNotAllowed,
    RequestTimeout,
    RateLimited,
    Unavailable,
];
/// The codes of errors of endpoints that read a body.
const BODY: [ControlErrorCode; 2] = [PayloadTooLarge, UnsupportedMediaType];
/// The codes of errors of power requests.
const POWER: [ControlErrorCode; 5] = [
    ActionInProgress,
    InvalidState,
    ServerSuspended,
    HostUnreachable,
    IdempotencyMismatch,
];
/// The codes of errors of the endpoints of the console and the log, by the end of their path.
const CONSOLE: [(&str, &[ControlErrorCode]); 4] = [
    (
        "/websocket",
        &[
            ServerSuspended,
            OriginNotAllowed,
            UpgradeRequired,
            Overloaded,
        ],
    ),
    (
        "/command",
        &[
            ServerNotRunning,
            ServerSuspended,
            DiskFull,
            HostUnreachable,
            HostTimeout,
            Overloaded,
        ],
    ),
    ("/latest", &[NotAcceptable, ServerSuspended]),
    ("/ticket", &[ServerSuspended]),
];

/// Tells whether a path is a control endpoint.
pub(super) fn is_control(path: &str) -> bool {
    path.starts_with(PREFIX)
}

/// Tells whether a path is that of a power request.
pub(super) fn is_power_path(path: &str) -> bool {
    let commands = ["/start", "/stop", "/reset", "/restart", "/kill"];
    is_control(path) && commands.iter().any(|command| path.ends_with(command))
}

/// Tells whether a path is that of a list.
pub(super) fn is_list(path: &str) -> bool {
    let lists = ["cloud/vps-custom", "game", "actions"];
    path.strip_prefix(PREFIX)
        .is_some_and(|rest| lists.contains(&rest))
}

/// Returns the schemes by which a key is sent.
pub(super) fn security_schemes() -> [(&'static str, SecurityScheme); 2] {
    let about = "An API key, such as `<API_KEY>`, that your hosting company gave you.";
    let header = SecurityScheme::api_key("X-API-Key");
    [
        (BEARER, SecurityScheme::bearer().description(about)),
        (API_KEY, header.description(about)),
    ]
}

/// Adds the schemes to a document, instead of the one that the routes declare.
pub(super) fn add_schemes(components: &mut Map<String, Value>) {
    let schemes = components
        .entry("securitySchemes")
        .or_insert_with(|| json!({}));
    if let Some(schemes) = schemes.as_object_mut() {
        schemes.remove(DECLARED);
    }
}

/// Adds the details to an operation.
pub(super) fn describe(path: &str, method: &str, operation: &mut Map<String, Value>) {
    describe_security(operation);
    if is_power_path(path) {
        add_headers(operation);
    }
    let command = example(path, method, operation);
    let sample = json!([{ "lang": "Shell", "label": "curl", "source": command }]);
    operation.insert("x-codeSamples".to_owned(), sample);
    let has_body = operation.contains_key("requestBody");
    let codes = codes(path, has_body);
    let responses = operation.get_mut("responses");
    if let Some(responses) = responses.and_then(Value::as_object_mut) {
        describe_errors(responses, &codes);
    }
}

/// Replaces the declared scheme by the two ways to send a key.
fn describe_security(operation: &mut Map<String, Value>) {
    let scopes = operation.get("security");
    let scopes = scopes.and_then(|security| security.pointer(&format!("/0/{DECLARED}")));
    let scopes = scopes.cloned().unwrap_or_else(|| json!([]));
    let security = json!([{ BEARER: scopes }, { API_KEY: scopes }]);
    operation.insert("security".to_owned(), security);
}

/// Adds the headers that power requests may have.
fn add_headers(operation: &mut Map<String, Value>) {
    let parameters = operation.entry("parameters").or_insert_with(|| json!([]));
    let Some(parameters) = parameters.as_array_mut() else {
        return;
    };
    parameters.push(json!({
        "name": "Idempotency-Key",
        "in": "header",
        "description": "A text that is different for each intended request. A request that is repeated with it \
                        within 24 hours is answered with the same action.",
        "schema": { "type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[ -~]+$" },
        "example": "7d9f1a62-restart-after-update",
    }));
    parameters.push(json!({
        "name": "Prefer",
        "in": "header",
        "description": "`wait=` and a number of seconds from 1 to 30: how long to wait for the end of the action.",
        "schema": { "type": "string", "pattern": "^wait=([1-9]|[12][0-9]|30)$" },
        "example": "wait=10",
    }));
}

/// Returns the codes of the errors of an operation.
fn codes(path: &str, has_body: bool) -> Vec<ControlErrorCode> {
    let mut codes = COMMON.to_vec();
    if path.contains('{') {
        codes.push(NotFound);
    }
    if has_body {
        codes.extend(BODY);
    }
    if is_power_path(path) {
        codes.extend(POWER);
    }
    for (end, more) in CONSOLE {
        if path.ends_with(end) {
            codes.extend(more);
        }
    }
    codes
}

/// Lists the errors of each status, with their codes.
fn describe_errors(responses: &mut Map<String, Value>, codes: &[ControlErrorCode]) {
    let known = responses.remove("default");
    let known = known.or_else(|| {
        let mut errors = responses
            .iter()
            .filter(|(status, _)| status.starts_with('4'));
        errors.next().map(|(_, response)| response.clone())
    });
    let content = known.and_then(|response| response.get("content").cloned());
    let content = content.unwrap_or_else(|| json!({}));
    responses.retain(|status, _| !status.starts_with(['4', '5']));
    let mut by_status: Map<String, Value> = Map::new();
    for code in codes {
        for status in code.statuses() {
            let line = format!("`{code}`: {}", code.meaning());
            let response = by_status
                .entry(status.as_str())
                .or_insert_with(|| json!({ "description": "", "content": content }));
            let text = response.get("description").and_then(Value::as_str);
            let text = match text.unwrap_or_default() {
                "" => line,
                earlier => format!("{earlier} {line}"),
            };
            if let Some(response) = response.as_object_mut() {
                response.insert("description".to_owned(), text.into());
            }
        }
    }
    responses.extend(by_status);
}

/// Returns a command that sends the request.
fn example(path: &str, method: &str, operation: &Map<String, Value>) -> String {
    let target = path
        .replace("{server_id}", "survival")
        .replace("/actions/{id}", "/actions/act_01kx0w3e8hf6s9m2v4c7t5b1qz")
        .replace("{id}", "web-1");
    let verb = match method {
        "get" => String::new(),
        method => format!("-X {} ", method.to_uppercase()),
    };
    let needs_body = operation
        .get("requestBody")
        .and_then(|body| body.get("required"));
    let body = if needs_body == Some(&Value::Bool(true)) && path.ends_with("/command") {
        " --json '{\"command\":\"say hello\"}'"
    } else {
        ""
    };
    // `$URL` is the base address, which ends in `/v1`.
    let target = target.strip_prefix("/v1").unwrap_or(&target);
    format!("curl {verb}\"$URL{target}\" -H 'Authorization: Bearer <API_KEY>'{body}")
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value};

    use super::{example, is_control, is_list, is_power_path};

    #[test]
    fn paths_are_recognised() {
        assert!(is_power_path("/v1/hosting/game/power/{server_id}/kill"));
        assert!(!is_power_path(
            "/v1/hosting/game/console/{server_id}/command"
        ));
        assert!(is_control("/v1/hosting/key") && !is_control("/v1/hostings"));
        assert!(is_list("/v1/hosting/game") && !is_list("/v1/hosting/game/{server_id}"));
    }

    #[test]
    fn examples_name_no_real_key() {
        let command = example(
            "/v1/hosting/game/{server_id}",
            "get",
            &Map::<String, Value>::new(),
        );
        let expected = "curl \"$URL/hosting/game/survival\" -H 'Authorization: Bearer <API_KEY>'";
        assert_eq!(command, expected);
    }
}
