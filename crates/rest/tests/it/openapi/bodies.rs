//! Request bodies, in every media type they can be read from.

use bytes::Bytes;
use innkeeper_rest::{
    App, Body, ErasedDeserializer, ErasedEntity, Format, Invalid, Multipart, OpenApi, Request,
    RestApi, Value, resource,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{document, keys, operation};

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only described")]
struct Flat {
    name: String,
    age: Option<u8>,
    tags: Vec<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only described")]
struct Deep {
    flat: Flat,
    parent: Option<Box<Deep>>,
}

#[derive(Debug, Deserialize)]
struct Unknown {}

struct Things;

#[resource("/things")]
impl Things {
    #[post("/flat")]
    fn flat(&self, flat: Flat) {
        let _ = flat;
    }

    #[post("/deep")]
    fn deep(&self, deep: Deep) {
        let _ = deep;
    }

    #[post("/scalar")]
    fn scalar(&self, scalar: u64) {
        let _ = scalar;
    }

    #[post("/unknown")]
    fn unknown(&self, unknown: Unknown) {
        let _ = unknown;
    }

    #[post("/optional")]
    fn optional(&self, flat: Option<Flat>) {
        let _ = flat;
    }

    #[post("/named")]
    #[consumes("application/json")]
    fn named(&self, flat: Flat) {
        let _ = flat;
    }

    #[post("/text")]
    fn text(&self, #[body] text: String) {
        let _ = text;
    }

    #[post("/octets")]
    fn octets(&self, #[body] octets: Bytes) {
        let _ = octets;
    }

    #[post("/stream")]
    fn stream(&self, #[stream] stream: Body) {
        let _ = stream;
    }

    #[post("/multipart")]
    fn multipart(&self, #[stream] form: Multipart) {
        let _ = form;
    }

    #[post("/form")]
    fn form(
        &self,
        /// Who it is.
        #[param]
        name: String,
        #[param(default = 3)] age: u8,
        #[param]
        #[separated_by(",")]
        tags: Vec<String>,
        #[request] request: &Request,
    ) {
        let _ = (name, age, tags, request);
    }

    #[post("/taken")]
    fn taken(&self, #[param] name: String, #[request] request: Request) {
        let _ = (name, request);
    }

    #[post("/none")]
    fn none(&self) {}
}

fn body<'d>(document: &'d Value, path: &str) -> &'d Value {
    &operation(document, &format!("/things/{path}"), "post")["requestBody"]
}

const JSON: &str = "application/json";
const URLENCODED: &str = "application/x-www-form-urlencoded";
const MULTIPART: &str = "multipart/form-data";

#[test]
fn an_entity_is_described_in_every_media_type_it_can_be_read_from() {
    let document = document(Things);
    for (path, expected) in [
        ("flat", &[JSON, URLENCODED, MULTIPART][..]),
        ("deep", &[JSON]),
        ("scalar", &[JSON, "text/plain"]),
        (
            "unknown",
            &[
                JSON,
                "application/octet-stream",
                URLENCODED,
                MULTIPART,
                "text/plain",
            ],
        ),
        ("named", &[JSON]),
        ("text", &["text/plain"]),
        ("octets", &["application/octet-stream"]),
        ("stream", &["application/octet-stream"]),
        ("multipart", &[MULTIPART]),
        ("form", &[URLENCODED, MULTIPART]),
    ] {
        assert_eq!(keys(&body(&document, path)["content"]), expected, "{path}");
    }
    assert_eq!(*body(&document, "none"), Value::Null);
}

#[test]
fn an_optional_entity_may_be_missing_or_null() {
    let document = document(Things);
    assert_eq!(body(&document, "flat")["required"], true);
    let optional = body(&document, "optional");
    assert_eq!(optional["required"], false);
    let reference = json!({ "$ref": "#/components/schemas/Flat" });
    assert_eq!(
        optional["content"][JSON]["schema"],
        json!({ "anyOf": [reference, { "type": "null" }] })
    );
}

#[test]
fn a_form_has_no_null() {
    let document = document(Things);
    let content = &body(&document, "flat")["content"];
    assert_eq!(content[JSON]["schema"]["$ref"], "#/components/schemas/Flat");
    let age = &document["components"]["schemas"]["Flat"]["properties"]["age"];
    assert_eq!(age["type"], json!(["integer", "null"]));
    let form = &content[URLENCODED]["schema"];
    assert_eq!(form["properties"]["age"]["type"], "integer");
    assert_eq!(form["required"], json!(["name", "tags"]));
}

#[test]
fn the_parameters_of_a_method_with_a_body_are_the_fields_of_a_form() {
    let document = document(Things);
    let form = body(&document, "form");
    assert_eq!(form["required"], true);
    let described = &form["content"][URLENCODED];
    assert_eq!(
        described["schema"]["properties"]["name"],
        json!({ "type": "string", "description": "Who it is." })
    );
    assert_eq!(described["schema"]["properties"]["age"]["default"], 3);
    assert_eq!(described["schema"]["required"], json!(["name"]));
    assert_eq!(
        described["encoding"]["tags"],
        json!({ "style": "form", "explode": false })
    );
    assert_eq!(
        operation(&document, "/things/form", "post")["parameters"],
        Value::Null
    );
    // A method that takes the request itself reads parameters only from the query.
    let taken = operation(&document, "/things/taken", "post");
    assert_eq!(taken["parameters"][0]["in"], "query");
}

struct Csv;

impl Format for Csv {
    fn media_type(&self) -> &'static str {
        "text/csv"
    }

    fn write(&self, _: &dyn ErasedEntity, _: &mut Vec<u8>) -> Result<(), Invalid> {
        Ok(())
    }

    fn reads(&self) -> bool {
        true
    }

    fn read<'de>(&self, _: &'de [u8]) -> Result<Box<dyn ErasedDeserializer<'de> + 'de>, Invalid> {
        Err(Invalid::because("not today"))
    }
}

#[test]
fn formats_of_the_mount_are_described() {
    let api = RestApi::new(Things).register(Csv);
    let document = OpenApi::new("Test", "1").document(&App::new().mount("/", api));
    let types = keys(&body(&document, "deep")["content"]);
    assert_eq!(types, [JSON, "text/csv"]);
    let api = RestApi::new(Things).read_everything_as_json();
    let document = OpenApi::new("Test", "1").document(&App::new().mount("/", api));
    assert_eq!(keys(&body(&document, "flat")["content"]), [JSON]);
}
