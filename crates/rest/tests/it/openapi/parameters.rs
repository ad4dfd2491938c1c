//! Parameters: locations, whether they are required, defaults, and lists.

use std::collections::HashMap;

use innkeeper_rest::{Conversion, Invalid, Value, resource};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{document, operation, parameter};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Colour {
    Red,
    Green,
}

/// Has no schema.
#[derive(Debug)]
struct Mystery;

impl std::str::FromStr for Mystery {
    type Err = Invalid;

    fn from_str(_: &str) -> Result<Self, Invalid> {
        Ok(Self)
    }
}

/// Is read from text, and written as an object.
#[derive(Debug, JsonSchema)]
#[expect(dead_code, reason = "only described")]
struct Point {
    x: i32,
}

impl std::str::FromStr for Point {
    type Err = Invalid;

    fn from_str(_: &str) -> Result<Self, Invalid> {
        Ok(Self { x: 0 })
    }
}

#[derive(Debug)]
struct Reversed;

impl Conversion for Reversed {
    fn convert(&self, value: Value) -> Result<Value, Invalid> {
        Ok(value)
    }
}

const LIMIT: u8 = 9;

struct Things;

#[resource("/things")]
#[expect(clippy::too_many_arguments, reason = "one of each kind")]
impl Things {
    #[get("/{id}/{code:[a-z]{2}}/{number:[0-9]+}/{*rest}")]
    fn in_path(&self, id: u64, code: &str, number: i16, rest: String) {
        let _ = (id, code, number, rest);
    }

    #[get("/matrix/{filter}")]
    fn in_matrix(&self, #[matrix] filter: HashMap<String, String>) {
        let _ = filter;
    }

    #[get("/query")]
    fn in_query(
        &self,
        /// How many to leave out.
        #[param(default = 10)]
        skip: u32,
        #[param(default = "name")] by: String,
        #[param(default = LIMIT)] limit: u8,
        word: String,
        note: Option<&str>,
        colour: Vec<Colour>,
        mystery: Mystery,
        point: Point,
        #[convert(Reversed)] reversed: u8,
    ) {
        let _ = (
            skip, by, limit, word, note, colour, mystery, point, reversed,
        );
    }

    #[get("/lists")]
    fn in_lists(
        &self,
        #[separated_by(",")] commas: Vec<u8>,
        #[separated_by(" ")] spaces: Vec<u8>,
        #[separated_by("|")] pipes: Vec<u8>,
        #[separated_by(";")] others: Vec<u8>,
        #[header("X-Tags")]
        #[separated_by(",")]
        tags: Vec<String>,
    ) {
        let _ = (commas, spaces, pipes, others, tags);
    }

    #[get("/elsewhere")]
    fn elsewhere(
        &self,
        #[header("X-Trace")] trace: u64,
        #[header("Accept")] accept: Option<String>,
        #[cookie("sid")] sid: Option<String>,
        #[value] count: Option<u64>,
    ) {
        let _ = (trace, accept, sid, count);
    }
}

#[test]
fn path_parameters_have_their_type_their_expression_and_their_tail() {
    let document = document(Things);
    let get = operation(&document, "/things/{id}/{code}/{number}/{rest}", "get");
    assert_eq!(
        *parameter(get, "id"),
        json!({
            "name": "id",
            "in": "path",
            "required": true,
            "schema": { "type": "integer", "format": "uint64", "minimum": 0, "maximum": u64::MAX }
        })
    );
    assert_eq!(
        parameter(get, "code")["schema"],
        json!({ "type": "string", "pattern": "^(?:[a-z]{2})$" })
    );
    assert_eq!(parameter(get, "number")["schema"]["pattern"], Value::Null);
    assert_eq!(parameter(get, "rest")["x-tail"], true);
}

#[test]
fn matrix_parameters_are_an_object_in_that_style() {
    let document = document(Things);
    let get = operation(&document, "/things/matrix/{filter}", "get");
    let filter = parameter(get, "filter");
    assert_eq!(
        (&filter["style"], &filter["explode"]),
        (&json!("matrix"), &json!(true))
    );
    assert_eq!(filter["schema"]["type"], "object");
    assert_eq!(filter["schema"]["additionalProperties"]["type"], "string");
}

#[test]
fn a_parameter_is_needed_unless_it_is_optional_a_list_or_has_a_default() {
    let document = document(Things);
    let get = operation(&document, "/things/query", "get");
    let needed: Vec<_> = get["parameters"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|one| one["required"] == true)
        .map(|one| one["name"].as_str().unwrap())
        .collect();
    assert_eq!(needed, ["word", "mystery", "point", "reversed"]);
}

#[test]
fn literal_defaults_are_values_and_others_are_shown_as_written() {
    let document = document(Things);
    let get = operation(&document, "/things/query", "get");
    assert_eq!(parameter(get, "skip")["schema"]["default"], 10);
    assert_eq!(parameter(get, "by")["schema"]["default"], "name");
    assert_eq!(parameter(get, "limit")["schema"]["default"], Value::Null);
    assert_eq!(parameter(get, "limit")["schema"]["x-default"], "LIMIT");
}

#[test]
fn the_doc_comment_of_an_argument_describes_the_parameter() {
    let document = document(Things);
    let get = operation(&document, "/things/query", "get");
    assert_eq!(
        parameter(get, "skip")["description"],
        "How many to leave out."
    );
    assert_eq!(parameter(get, "by")["description"], Value::Null);
}

#[test]
fn a_type_without_a_schema_or_behind_a_conversion_has_an_empty_one() {
    let document = document(Things);
    let get = operation(&document, "/things/query", "get");
    assert_eq!(parameter(get, "mystery")["schema"], json!({}));
    assert_eq!(parameter(get, "reversed")["schema"], json!({}));
    // A query parameter cannot hold an object, so it is described as text.
    assert_eq!(
        parameter(get, "point")["schema"],
        json!({ "type": "string" })
    );
}

#[test]
fn lists_are_repeated_or_separated() {
    let document = document(Things);
    let style = |operation: &Value, name: &str| {
        let found = parameter(operation, name);
        (found["style"].clone(), found["explode"].clone())
    };
    let query = operation(&document, "/things/query", "get");
    assert_eq!(style(query, "colour"), (json!("form"), json!(true)));
    let lists = operation(&document, "/things/lists", "get");
    for (name, expected) in [
        ("commas", "form"),
        ("spaces", "spaceDelimited"),
        ("pipes", "pipeDelimited"),
        ("X-Tags", "simple"),
    ] {
        assert_eq!(
            style(lists, name),
            (json!(expected), json!(false)),
            "{name}"
        );
        assert_eq!(parameter(lists, name)["schema"]["type"], "array", "{name}");
    }
    let others = &parameter(lists, "others")["schema"];
    assert_eq!(
        (&others["type"], &others["x-separator"]),
        (&json!("string"), &json!(";"))
    );
}

#[test]
fn headers_and_cookies_are_parameters_and_values_of_filters_are_not() {
    let document = document(Things);
    let get = operation(&document, "/things/elsewhere", "get");
    let told: Vec<_> = get["parameters"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["in"].as_str().unwrap(), one["name"].as_str().unwrap()))
        .collect();
    // OpenAPI describes `Accept` by the media types of the responses.
    assert_eq!(told, [("header", "X-Trace"), ("cookie", "sid")]);
}

struct Bounded;

#[resource("/bounded")]
impl Bounded {
    #[get]
    fn list(
        &self,
        #[validate(range(min = 1, max = 100))] limit: u32,
        #[validate(range(min = 0.5))] share: f64,
        #[validate(length(min = 2, max = 8), pattern("^[a-z]+$"))] word: String,
        #[validate(email)] address: Option<String>,
        #[validate(length(max = 3), inner(length(max = 5)))] tags: Vec<String>,
        #[validate(prefix("x"))] told: String,
    ) {
        let _ = (limit, share, word, address, tags, told);
    }
}

#[test]
fn what_validation_allows_is_in_the_schema_of_the_parameter() {
    let document = document(Bounded);
    let get = operation(&document, "/bounded", "get");
    let schema = |name| &parameter(get, name)["schema"];
    assert_eq!(
        *schema("limit"),
        json!({ "type": "integer", "format": "uint32", "minimum": 1, "maximum": 100 })
    );
    assert_eq!(schema("share")["minimum"], 0.5);
    assert_eq!(
        *schema("word"),
        json!({ "type": "string", "minLength": 2, "maxLength": 8, "pattern": "^[a-z]+$" })
    );
    assert_eq!(schema("address")["format"], "email");
    assert_eq!(
        *schema("tags"),
        json!({ "type": "array", "maxItems": 3, "items": { "type": "string", "maxLength": 5 } })
    );
    // JSON Schema has no keyword for a prefix, but the 422 is described.
    assert_eq!(*schema("told"), json!({ "type": "string" }));
    assert!(get["responses"]["422"].is_object());
}
