//! Whole documents.

use innkeeper_rest::{App, OpenApi, RestApi, Value, resource};
use serde_json::json;

use super::keys;

struct Rooms;

#[resource("/rooms")]
impl Rooms {
    /// One room.
    #[get("/{number}")]
    fn get(&self, number: u32) -> String {
        number.to_string()
    }
}

struct Guests;

#[resource("/guests")]
impl Guests {
    #[get]
    fn list(&self) -> Vec<String> {
        Vec::new()
    }
}

fn app() -> App {
    App::new()
        .mount("/public", RestApi::new(Rooms))
        .mount("/internal", RestApi::new(Guests))
        .handler("/ping", async |_| "pong")
}

#[test]
fn an_empty_application_has_an_empty_document() {
    let document = OpenApi::new("Nothing", "0").document(&App::new());
    assert_eq!(
        document,
        json!({ "openapi": "3.1.0", "info": { "title": "Nothing", "version": "0" }, "paths": {} })
    );
}

#[test]
fn a_document_says_what_it_is_told() {
    let openapi = OpenApi::new("Inn", "2.1")
        .summary("Rooms and guests")
        .description("Long.")
        .contact("The desk", "desk@inn.example")
        .license("MIT", Some("MIT"))
        .server("https://inn.example", "the real one")
        .tag("Rooms", "Where guests sleep.")
        .change(|document| document["x-build"] = 7.into());
    let document = openapi.document(&app());
    assert_eq!(
        document["info"],
        json!({
            "title": "Inn",
            "version": "2.1",
            "summary": "Rooms and guests",
            "description": "Long.",
            "contact": { "name": "The desk", "email": "desk@inn.example" },
            "license": { "name": "MIT", "identifier": "MIT" },
        })
    );
    let servers = json!([{ "url": "https://inn.example", "description": "the real one" }]);
    assert_eq!(document["servers"], servers);
    assert_eq!(document["tags"][0]["description"], "Where guests sleep.");
    assert_eq!(document["x-build"], 7);
}

#[test]
fn one_mount_can_have_a_document_of_its_own() {
    let openapi = OpenApi::new("Inn", "1");
    let all = openapi.document(&app());
    assert_eq!(
        keys(&all["paths"]),
        ["/internal/guests", "/public/rooms/{number}"]
    );
    let public = openapi.mount("/public/").document(&app());
    assert_eq!(keys(&public["paths"]), ["/public/rooms/{number}"]);
    assert_eq!(public["tags"], json!([{ "name": "Rooms" }]));
}

/// `UPDATE_DOCS=1` rewrites the file.
#[test]
fn the_printed_document_is_the_one_in_the_repository() {
    let text = OpenApi::new("Inn", "1").mount("/public").json(&app()) + "\n";
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/openapi/rooms.json");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(file, &text).unwrap();
    }
    assert_eq!(text, std::fs::read_to_string(file).unwrap());
    assert!(serde_json::from_str::<Value>(&text).is_ok());
}
