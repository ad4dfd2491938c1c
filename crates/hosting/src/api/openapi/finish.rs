//! What the routes themselves do not say: names, headers, media types, and values of parameters.

use serde_json::{Map, Value, json};

/// Answers that are no JSON, by the path of their operation.
const MEDIA_TYPES: [(&str, &str); 9] = [
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
    ("/v1/docs", "text/html"),
    ("/v1/docs/{file}", "text/css"),
];

/// What is below this path is run by browsers, its errors too.
const SCRIPTS: &str = "/v1/heo-status";

/// Paths whose answers are never the same twice.
const UNCACHED: [&str; 2] = ["/health", "/v1/kb/feedback"];

/// The words for what is below a path.
const TAGS: [(&str, &str, &str); 7] = [
    ("/health", "Health", "Whether the server answers."),
    (
        "/v1/status",
        "Status",
        "How the service is, and how it was.",
    ),
    ("/v1/plans", "Plans", "What can be ordered."),
    ("/v1/blog", "Blog", "News."),
    (
        "/v1/kb",
        "Knowledge base",
        "Help, and what readers say about it.",
    ),
    ("/v1/heo-status", "Widget", "The status in pages of others."),
    (
        "/v1/",
        "Site",
        "What search engines, browsers and programmers look for.",
    ),
];

/// Headers by their name: what they say, and the type of their value.
const HEADERS: [(&str, &str, &str); 9] = [
    ("X-Request-Id", "Names the request in logs.", "string"),
    (
        "RateLimit-Policy",
        "How often this client may ask.",
        "string",
    ),
    ("RateLimit", "What is left of that.", "string"),
    (
        "X-RateLimit-Limit",
        "How many requests may come at once.",
        "integer",
    ),
    ("X-RateLimit-Remaining", "How many are left.", "integer"),
    (
        "X-RateLimit-Reset",
        "In how many seconds all are there again.",
        "integer",
    ),
    (
        "Retry-After",
        "In how many seconds to try again.",
        "integer",
    ),
    ("ETag", "Names this version.", "string"),
    ("Location", "Where it is now.", "string"),
];
/// So many of them are in every answer.
const ALWAYS: usize = 6;

pub(super) fn finish(document: &mut Value) {
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
    if let Some(components) = document.get_mut("components") {
        set(components, "headers", Value::Object(headers));
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
    if let Some(responses) = operation
        .get_mut("responses")
        .and_then(Value::as_object_mut)
    {
        answers(path, responses);
    }
}

/// Such as `getBlogFeedAtom`.
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

/// What a parameter may be, where the type of the argument does not say it.
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

/// What a parameter is in the demo content.
fn example(path: &str, name: &str) -> Option<&'static str> {
    Some(match (path, name) {
        ("/v1/blog/article", "path") => "/blog/turku-is-open",
        ("/v1/kb/article", "path") => "/kb/vps/first-steps",
        ("/v1/assets/{path}", _) => "images/covers/kb.svg",
        ("/v1/docs/{file}", _) => "docs.css",
        (_, "version") => crate::api::widget::VERSION,
        _ => return None,
    })
}

fn answers(path: &str, responses: &mut Map<String, Value>) {
    // All there are is listed.
    let errors = responses.remove("default");
    let errors = errors.as_ref().or(responses.get("408"));
    let errors = errors.and_then(|errors| errors.get("content")).cloned();
    let mut add = |status: &str, text: &str| {
        let answer = json!({ "description": text, "content": errors });
        responses.entry(status).or_insert(answer);
    };
    add("429", "This client asks too often");
    if !UNCACHED.contains(&path) {
        add("412", "It is not the version that `If-Match` names");
        let unchanged = json!({ "description": "It is still the version that the client has" });
        responses.insert("304".to_owned(), unchanged);
    }
    let media_type = MEDIA_TYPES.iter().find(|(known, _)| *known == path);
    for (status, answer) in responses {
        if let (Some((_, media_type)), "200" | "206") = (media_type, status.as_str()) {
            let text = json!({ "schema": { "type": "string" } });
            let described = answer.pointer("/content/application~1json").cloned();
            set(
                answer,
                "content",
                json!({ *media_type: described.unwrap_or(text) }),
            );
        }
        if path.starts_with(SCRIPTS) && status.starts_with('4') {
            let script = json!({ "application/javascript": { "schema": { "type": "string" } } });
            set(answer, "content", script);
        }
        set(answer, "headers", headers(status, UNCACHED.contains(&path)));
    }
}

fn headers(status: &str, uncached: bool) -> Value {
    let wanted = |number: usize, name: &str| match name {
        "Retry-After" => matches!(status, "429" | "503"),
        "ETag" => !uncached && matches!(status, "200" | "206" | "304"),
        "Location" => status == "301",
        _ => number < ALWAYS,
    };
    let named = HEADERS.iter().enumerate();
    let named = named.filter(|(number, (name, ..))| wanted(*number, name));
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
