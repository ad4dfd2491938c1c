//! Components: names, schemas for reading and for sending, and recursive types.

use innkeeper_rest::{Value, resource};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{document, keys, operation};

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(example = User { id: 7, name: "Ada".to_owned(), note: String::new() })]
struct User {
    #[serde(skip_deserializing)]
    id: u64,
    #[schemars(length(min = 1, max = 80))]
    name: String,
    #[serde(default)]
    note: String,
}

/// Has the same fields in requests and responses, except for the nested user.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Team {
    lead: User,
    room: Room,
}

/// Has the same fields in requests and responses.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Room {
    number: i32,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Tree {
    children: Vec<Tree>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Page<T> {
    items: Vec<T>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "odd name/1")]
struct Odd {
    odd: bool,
}

mod other {
    use super::{JsonSchema, Serialize};

    #[derive(Debug, Serialize, JsonSchema)]
    pub(super) struct Room {
        pub(super) view: String,
    }
}

struct Things;

#[resource("/things")]
impl Things {
    #[put("/user")]
    fn user(&self, user: User) -> User {
        user
    }

    #[put("/team")]
    fn team(&self, team: Team) -> Team {
        team
    }

    #[put("/tree")]
    fn tree(&self, tree: Tree) -> Tree {
        tree
    }

    #[get("/page")]
    fn page(&self) -> Page<Room> {
        Page { items: Vec::new() }
    }

    #[get("/odd")]
    fn odd(&self) -> Odd {
        Odd { odd: true }
    }

    #[get("/view")]
    fn view(&self) -> other::Room {
        other::Room {
            view: "sea".to_owned(),
        }
    }
}

fn schema<'d>(document: &'d Value, name: &str) -> &'d Value {
    &document["components"]["schemas"][name]
}

/// Returns the components that the request body and the response refer to.
fn references(document: &Value, path: &str) -> (String, String) {
    let put = operation(document, &format!("/things/{path}"), "put");
    let reference = |place: &Value| {
        let text = place["content"]["application/json"]["schema"]["$ref"].as_str();
        text.unwrap().replace("#/components/schemas/", "")
    };
    (
        reference(&put["requestBody"]),
        reference(&put["responses"]["200"]),
    )
}

#[test]
fn what_is_read_and_what_is_sent_are_apart_where_they_differ() {
    let document = document(Things);
    let both = |read: &str, sent: &str| (read.to_owned(), sent.to_owned());
    assert_eq!(references(&document, "user"), both("UserInput", "User"));
    assert_eq!(
        schema(&document, "User")["required"],
        json!(["id", "name", "note"])
    );
    assert_eq!(schema(&document, "UserInput")["required"], json!(["name"]));
    assert_eq!(
        keys(&schema(&document, "UserInput")["properties"]),
        ["name", "note"]
    );
    // A type that contains such a type differs, too.
    assert_eq!(references(&document, "team"), both("TeamInput", "Team"));
    assert_eq!(references(&document, "tree"), both("Tree", "Tree"));
    assert_eq!(schema(&document, "RoomInput"), &Value::Null);
}

#[test]
fn types_of_the_same_name_have_components_of_their_own() {
    let document = document(Things);
    let view = operation(&document, "/things/view", "get");
    let reference = &view["responses"]["200"]["content"]["application/json"]["schema"]["$ref"];
    let name = reference
        .as_str()
        .unwrap()
        .replace("#/components/schemas/", "");
    assert_ne!(name, "Room");
    assert_eq!(keys(&schema(&document, &name)["properties"]), ["view"]);
    assert_eq!(keys(&schema(&document, "Room")["properties"]), ["number"]);
}

#[test]
fn names_are_those_that_openapi_allows() {
    let document = document(Things);
    let all = keys(&document["components"]["schemas"]);
    let allowed = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    assert!(all.iter().all(|name| name.chars().all(allowed)), "{all:?}");
    let odd = operation(&document, "/things/odd", "get");
    let reference = &odd["responses"]["200"]["content"]["application/json"]["schema"]["$ref"];
    assert_eq!(*reference, "#/components/schemas/odd_name_1");
}

#[test]
fn every_reference_leads_somewhere() {
    fn walk(document: &Value, value: &Value, count: &mut usize) {
        match value {
            Value::Object(entries) => {
                if let Some(reference) = entries.get("$ref").and_then(Value::as_str) {
                    let pointer = reference.strip_prefix('#').unwrap();
                    assert!(document.pointer(pointer).is_some(), "{reference}");
                    *count += 1;
                }
                entries
                    .values()
                    .for_each(|value| walk(document, value, count));
            }
            Value::Array(items) => items.iter().for_each(|value| walk(document, value, count)),
            _ => {}
        }
    }
    let document = document(Things);
    let mut count = 0;
    walk(&document, &document, &mut count);
    assert!(count > 20, "{count}");
}

#[test]
fn bounds_and_examples_of_types_are_kept() {
    let document = document(Things);
    let name = &schema(&document, "User")["properties"]["name"];
    assert_eq!(
        (&name["minLength"], &name["maxLength"]),
        (&json!(1), &json!(80))
    );
    assert_eq!(schema(&document, "User")["examples"][0]["name"], "Ada");
    let number = &schema(&document, "Room")["properties"]["number"];
    assert_eq!(
        (&number["minimum"], &number["maximum"]),
        (&json!(i32::MIN), &json!(i32::MAX))
    );
}
