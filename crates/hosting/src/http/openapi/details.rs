//! Details of the OpenAPI document that the routes do not declare: names, headers, media types, and values
//! of parameters.

use serde_json::{Map, Value, json};

use super::control;

/// The media types of responses that are not JSON, by the path of the operation.
const MEDIA_TYPES: [(&str, &str); 12] = [
    ("/v1/blog/feed.atom", "application/atom+xml"),
    ("/v1/blog/feed.json", "application/feed+json"),
    ("/v1/sitemap.xml", "application/xml"),
    ("/v1/status/badge.svg", "image/svg+xml"),
    ("/v1/heo-status.js", "application/javascript"),
    (
        "/v1/heo-status/{version}/heo-status.js",
        "application/javascript",
    ),
    ("/v1/assets/{path}", "image/*"),
    ("/v1/console", "text/html"),
    ("/v1/console/{file}", "text/javascript"),
    ("/v1/status.html", "text/html"),
    ("/v1/status.css", "text/css"),
    ("/v1/status.atom", "application/atom+xml"),
];

/// The routes below this path are scripts, and so are their errors.
const SCRIPTS: &str = "/v1/heo-status";

/// Paths whose responses must not be cached, beside those of other methods than GET.
const UNCACHED: [&str; 1] = ["/health"];

/// The tags of paths: prefix, name, description.
const TAGS: [(&str, &str, &str); 11] = [
    ("/health", "Health", "The health of the server."),
    (
        "/v1/status",
        "Status",
        "The status of the service and its history.",
    ),
    ("/v1/plans", "Plans", "Plans that can be ordered."),
    ("/v1/blog", "Blog", "News."),
    (
        "/v1/kb",
        "Knowledge base",
        "Help articles, and feedback on them.",
    ),
    (
        "/v1/heo-status",
        "Widget",
        "The status in pages of other sites.",
    ),
    (
        "/v1/hosting/cloud",
        "Virtual private servers",
        "Your virtual private servers and their power.",
    ),
    (
        "/v1/hosting/game",
        "Game servers",
        "Your game servers, their power, consoles and logs.",
    ),
    (
        "/v1/hosting/actions",
        "Actions",
        "Changes of your servers that take time.",
    ),
    ("/v1/hosting/key", "API keys", "The API key of the request."),
    (
        "/v1/",
        "Site",
        "Resources for search engines, browsers and programmers.",
    ),
];

/// Response headers: name, description, type.
const HEADERS: [(&str, &str, &str); 12] = [
    ("X-Request-Id", "The id of the request in logs.", "string"),
    (
        "RateLimit-Policy",
        "The rate limit of this client.",
        "string",
    ),
    ("RateLimit", "What is left of the rate limit.", "string"),
    (
        "X-RateLimit-Limit",
        "How many requests may be sent at once.",
        "integer",
    ),
    (
        "X-RateLimit-Remaining",
        "How many requests are left.",
        "integer",
    ),
    (
        "X-RateLimit-Reset",
        "The seconds until all requests are available again.",
        "integer",
    ),
    (
        "Retry-After",
        "The seconds to wait before the next attempt.",
        "integer",
    ),
    ("ETag", "The entity tag of this version.", "string"),
    (
        "Location",
        "The current URL, or that of the action.",
        "string",
    ),
    ("Link", "The next page of the list.", "string"),
    (
        "Preference-Applied",
        "The preference of `Prefer` that was applied.",
        "string",
    ),
    ("WWW-Authenticate", "How to send an API key.", "string"),
];
/// The number of headers at the start of the list that every response has.
const COMMON_HEADERS: usize = 6;

/// Adds the details to a document.
pub(super) fn add_details(document: &mut Value) {
    let Some(paths) = document.get_mut("paths").and_then(Value::as_object_mut) else {
        return;
    };
    for (path, methods) in paths {
        let methods = methods.as_object_mut().into_iter().flatten();
        for (method, operation) in methods {
            if let Some(operation) = operation.as_object_mut() {
                describe(path, method, operation);
            }
        }
    }
    let tags = TAGS.map(|(_, name, text)| json!({ "name": name, "description": text }));
    set(document, "tags", json!(tags));
    let headers = HEADERS.iter().map(|(name, text, kind)| {
        let header = json!({ "description": text, "schema": { "type": kind } });
        ((*name).to_owned(), header)
    });
    let headers: Map<String, Value> = headers.collect();
    if let Some(components) = document
        .get_mut("components")
        .and_then(Value::as_object_mut)
    {
        components.insert("headers".to_owned(), Value::Object(headers));
        control::add_schemes(components);
    }
}

fn set(object: &mut Value, name: &str, value: Value) {
    if let Some(object) = object.as_object_mut() {
        object.insert(name.to_owned(), value);
    }
}

fn describe(path: &str, method: &str, operation: &mut Map<String, Value>) {
    let tag = TAGS.iter().find(|(prefix, ..)| path.starts_with(prefix));
    operation.insert("tags".to_owned(), json!(tag.map(|(_, name, _)| [name])));
    operation.insert("operationId".to_owned(), operation_id(method, path).into());
    let parameters = operation
        .get_mut("parameters")
        .and_then(Value::as_array_mut);
    for parameter in parameters.into_iter().flatten() {
        let name = parameter.get("name").and_then(Value::as_str);
        let example = name.and_then(|name| example(path, name));
        if let Some(schema) = name.and_then(|name| schema(path, name)) {
            set(parameter, "schema", schema);
        }
        if let Some(example) = example {
            set(parameter, "example", example.into());
        }
    }
    let body = operation.get_mut("requestBody");
    let body = body.and_then(|body| body.pointer_mut("/content/application~1json"));
    if let (Some(body), Some(example)) = (body, body_example(path)) {
        set(body, "example", example);
    }
    if control::is_control(path) {
        control::describe(path, method, operation);
    }
    if let Some(responses) = operation
        .get_mut("responses")
        .and_then(Value::as_object_mut)
    {
        describe_responses(path, method, responses);
    }
}

/// Returns the id of an operation, such as `getBlogFeedAtom`.
fn operation_id(method: &str, path: &str) -> String {
    let words = path.strip_prefix("/v1").unwrap_or(path);
    let words = words.split(|letter: char| !letter.is_ascii_alphanumeric());
    let words = words.map(|word| {
        let mut letters = word.chars();
        let first = letters.next().map(|letter| letter.to_ascii_uppercase());
        first.into_iter().chain(letters).collect::<String>()
    });
    format!("{method}{}", words.collect::<String>())
}

/// Returns the schema of a parameter that the type of its argument does not describe.
fn schema(path: &str, name: &str) -> Option<Value> {
    Some(match name {
        "limit" => json!({ "type": "integer", "minimum": 1, "maximum": 100, "default": 20 }),
        "sort" => json!({ "enum": ["-date", "date", "title", "-title", "relevance"] }),
        "category" if path == "/v1/plans" => {
            let words = "(vps|game|web)";
            json!({ "type": "string", "pattern": format!("^({words}(,{words})*)?$") })
        }
        "q" | "author" | "category" => json!({ "type": "string", "maxLength": 200 }),
        "currency" => json!({ "type": "string", "pattern": "^[A-Za-z]{3}$" }),
        "locale" => {
            let part = "[A-Za-z0-9]{1,8}";
            json!({ "type": "string", "pattern": format!("^{part}([-_]{part})*$"), "maxLength": 35 })
        }
        "path" if path.ends_with("/article") => {
            json!({ "type": "string", "pattern": "^/", "maxLength": 1024 })
        }
        "deep" => json!({ "enum": ["0", "1"] }),
        _ => return None,
    })
}

/// Returns an example of a parameter from the demo content.
fn example(path: &str, name: &str) -> Option<&'static str> {
    Some(match (path, name) {
        ("/v1/blog/article", "path") => "/blog/turku-is-open",
        ("/v1/kb/article", "path") => "/kb/vps/first-steps",
        ("/v1/assets/{path}", _) => "images/covers/kb.svg",
        (_, "version") => crate::http::widget::VERSION,
        (_, "server_id") => "survival",
        ("/v1/hosting/actions/{id}", "id") => "act_01kx0w3e8hf6s9m2v4c7t5b1qz",
        (_, "id") => "web-1",
        _ => return None,
    })
}

/// Returns an example of the body of an operation.
fn body_example(path: &str) -> Option<Value> {
    Some(match path {
        "/v1/kb/feedback" => json!({
            "path": "/kb/vps/first-steps", "helpful": false, "reason": "unclear", "comment": "Which key?",
        }),
        "/v1/hosting/game/console/{server_id}/command" => json!({ "command": "say hello" }),
        _ => return None,
    })
}

fn describe_responses(path: &str, method: &str, responses: &mut Map<String, Value>) {
    // All errors are listed, so there is no default.
    let errors = responses.remove("default");
    let errors = errors.as_ref().or(responses.get("408"));
    let errors = errors.and_then(|errors| errors.get("content")).cloned();
    let mut add = |status: &str, text: &str| {
        let response = json!({ "description": text, "content": errors });
        responses.entry(status).or_insert(response);
    };
    add("429", "The client exceeded its rate limit");
    if is_cached(path, method) {
        add(
            "412",
            "The current version is not the one that `If-Match` names",
        );
        let unchanged = json!({ "description": "The client has the current version" });
        responses.insert("304".to_owned(), unchanged);
    }
    let media_type = MEDIA_TYPES.iter().find(|(known, _)| *known == path);
    for (status, response) in responses {
        if let (Some((_, media_type)), "200" | "206") = (media_type, status.as_str()) {
            let text = json!({ "schema": { "type": "string" } });
            let described = response.pointer("/content/application~1json").cloned();
            set(
                response,
                "content",
                json!({ *media_type: described.unwrap_or(text) }),
            );
        }
        if path.starts_with(SCRIPTS) && status.starts_with('4') {
            let script = json!({ "application/javascript": { "schema": { "type": "string" } } });
            set(response, "content", script);
        }
        set(response, "headers", headers(path, method, status));
    }
}

/// Tells whether responses of an operation may be cached.
fn is_cached(path: &str, method: &str) -> bool {
    method == "get" && !UNCACHED.contains(&path) && !control::is_control(path)
}

fn headers(path: &str, method: &str, status: &str) -> Value {
    let is_success = status.starts_with('2');
    let applies = |number: usize, name: &str| match name {
        "Retry-After" => matches!(status, "429" | "503"),
        "ETag" => is_cached(path, method) && matches!(status, "200" | "206" | "304"),
        "Location" => status == "301" || is_success && control::is_power_path(path),
        "Preference-Applied" => is_success && control::is_power_path(path),
        "Link" => is_success && control::is_list(path),
        "WWW-Authenticate" => status == "401",
        _ => number < COMMON_HEADERS,
    };
    let named = HEADERS.iter().enumerate();
    let named = named.filter(|(number, (name, ..))| applies(*number, name));
    let headers = named.map(|(_, (name, ..))| {
        let reference = json!({ "$ref": format!("#/components/headers/{name}") });
        ((*name).to_owned(), reference)
    });
    Value::Object(headers.collect())
}

#[cfg(test)]
mod tests {
    use super::operation_id;

    #[test]
    fn operations_are_named_after_their_path() {
        for (path, name) in [
            ("/health", "getHealth"),
            ("/v1/blog/feed.atom", "getBlogFeedAtom"),
            (
                "/v1/heo-status/{version}/heo-status.js",
                "getHeoStatusVersionHeoStatusJs",
            ),
        ] {
            assert_eq!(operation_id("get", path), name);
        }
    }
}
