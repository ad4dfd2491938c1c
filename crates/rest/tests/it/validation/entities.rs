//! Entities whose type implements `garde::Validate`.

use std::collections::BTreeMap;

use garde::Validate;
use innkeeper_rest::testing::Client;
use innkeeper_rest::{
    App, ErrorFormat, Head, PlainText, Rejection, Response, RestApi, Value, resource,
};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{assert_invalid, client};

#[derive(Debug, Serialize, Deserialize, Validate)]
struct Item {
    #[garde(length(chars, min = 1, max = 5))]
    name: String,
    #[garde(range(min = 1))]
    count: u32,
}

#[derive(Debug, Serialize, Deserialize, Validate)]
#[serde(rename_all = "camelCase")]
struct Order {
    #[garde(email)]
    email: String,
    #[garde(length(max = 2), dive)]
    items: Vec<Item>,
    #[garde(dive)]
    extra_item: Option<Item>,
    #[garde(dive)]
    #[serde(default)]
    by_key: BTreeMap<String, Item>,
    #[garde(skip)]
    #[serde(default)]
    note: String,
}

/// Does not implement `Validate`.
#[derive(Debug, Serialize, Deserialize)]
struct Free {
    count: u32,
}

struct Orders;

#[resource("/orders")]
impl Orders {
    #[post]
    fn create(&self, order: Order) -> Order {
        order
    }

    #[post("/items")]
    fn items(&self, items: Vec<Item>) -> usize {
        items.len()
    }

    #[post("/maybe")]
    fn maybe(&self, item: Option<Item>) -> bool {
        item.is_some()
    }

    #[post("/free")]
    fn free(&self, free: Free) -> u32 {
        free.count
    }

    #[post("/wide")]
    fn wide(&self, #[validate(length(min = 1))] names: Vec<String>) -> usize {
        names.len()
    }

    #[put("/{id}")]
    async fn replace(
        &self,
        #[validate(range(max = 9))] id: u32,
        #[param]
        #[validate(length(min = 3))]
        reason: &str,
        item: Item,
    ) -> String {
        format!("{id} {reason} {}", item.name)
    }

    #[post("/detached")]
    #[detached]
    async fn detached(&self, item: Item) -> u32 {
        item.count
    }
}

fn order(body: &Value) -> Value {
    let mut order = json!({"email": "a@example.com", "items": [{"name": "pen", "count": 1}]});
    for (name, value) in body.as_object().unwrap() {
        order[name] = value.clone();
    }
    order
}

#[tokio::test]
async fn a_valid_entity_reaches_its_handler() {
    let client = client(Orders);
    let sent = order(&json!({"note": "ok", "extraItem": null, "byKey": {}}));
    let response = client.post("/orders").json(&sent).send().await;
    assert_eq!(
        (response.status(), response.json::<Value>().unwrap()),
        (200, sent)
    );
}

#[tokio::test]
async fn every_error_of_an_entity_is_told_with_its_place() {
    let sent = order(&json!({
        "email": "nobody",
        "items": [{"name": "", "count": 1}, {"name": "toolong", "count": 0}],
        "extraItem": {"name": "üüüüüü", "count": 1},
        "byKey": {"a/b~": {"name": "pen", "count": 0}},
    }));
    let response = client(Orders).post("/orders").json(&sent).send().await;
    let errors: Value = response.json().unwrap();
    let mut places: Vec<(&str, &str)> = errors["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|error| {
            (
                error["pointer"].as_str().unwrap(),
                error["detail"].as_str().unwrap(),
            )
        })
        .collect();
    places.sort_unstable();
    assert_eq!(
        places,
        [
            ("/byKey/a~1b~0/count", "lower than 1"),
            ("/email", "not a valid email: value is missing `@`"),
            ("/extraItem/name", "length is greater than 5"),
            ("/items/0/name", "length is lower than 1"),
            ("/items/1/count", "lower than 1"),
            ("/items/1/name", "length is greater than 5"),
        ]
    );
}

#[tokio::test]
async fn the_whole_answer_names_entity_and_parameters_together() {
    let client = client(Orders);
    let request = client
        .put("/orders/10?reason=no")
        .json(&json!({"name": "", "count": 1}));
    assert_invalid(
        &request.send().await,
        "the request is not valid: path parameter `id`: greater than 9; \
         parameter `reason`: length is lower than 3; `/name`: length is lower than 1",
        &json!([
            {"parameter": "id", "in": "path", "detail": "greater than 9"},
            {"parameter": "reason", "in": "query", "detail": "length is lower than 3"},
            {"pointer": "/name", "detail": "length is lower than 1"},
        ]),
    );
    let request = client
        .put("/orders/9?reason=yes")
        .json(&json!({"name": "pen", "count": 1}));
    assert_eq!(request.send().await.text(), "9 yes pen");
}

#[tokio::test]
async fn lists_and_options_of_entities_are_validated() {
    let client = client(Orders);
    let request = client.post("/orders/items").json(&json!([
        {"name": "pen", "count": 1},
        {"name": "pen", "count": 0},
    ]));
    assert_invalid(
        &request.send().await,
        "the request is not valid: `/1/count`: lower than 1",
        &json!([{"pointer": "/1/count", "detail": "lower than 1"}]),
    );
    assert_eq!(client.post("/orders/maybe").send().await.text(), "false");
    let request = client
        .post("/orders/maybe")
        .json(&json!({"name": "pen", "count": 0}));
    assert_eq!(request.send().await.status(), 422);
    let request = client.post("/orders/wide").json(&json!([]));
    assert_invalid(
        &request.send().await,
        "the request is not valid: the body: length is lower than 1",
        &json!([{"pointer": "", "detail": "length is lower than 1"}]),
    );
}

#[tokio::test]
async fn a_type_that_says_nothing_is_taken_as_it_is() {
    let request = client(Orders)
        .post("/orders/free")
        .json(&json!({"count": 0}))
        .send()
        .await;
    assert_eq!((request.status(), request.text()), (200, "0".to_owned()));
}

#[tokio::test]
async fn an_entity_of_a_detached_handler_is_validated() {
    let client = client(Orders);
    let request = client
        .post("/orders/detached")
        .json(&json!({"name": "a", "count": 0}));
    assert_eq!(request.send().await.status(), 422);
}

#[tokio::test]
async fn forms_are_validated_like_json() {
    let response = client(Orders)
        .post("/orders/detached")
        .form("name=toolong&count=0")
        .send()
        .await;
    assert_eq!(
        response.json::<Value>().unwrap()["errors"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
}

#[tokio::test]
async fn what_cannot_be_read_is_not_validated() {
    let client = client(Orders);
    let shape = client
        .post("/orders/items")
        .body(r#"[{"name":"","count":"x"}]"#)
        .send()
        .await;
    assert_eq!(
        shape.json::<Value>().unwrap()["code"],
        "unprocessable_entity"
    );
    let syntax = client.post("/orders/items").body("[{").send().await;
    assert_eq!(syntax.status(), 400);
}

#[tokio::test]
async fn a_million_faults_are_not_all_told() {
    let many = vec![json!({"name": "", "count": 0}); 5_000];
    let response = client(Orders)
        .post("/orders/items")
        .json(&many)
        .send()
        .await;
    let problem: Value = response.json().unwrap();
    assert_eq!(problem["errors"].as_array().unwrap().len(), 1000);
    assert!(
        problem["detail"]
            .as_str()
            .unwrap()
            .ends_with("; and 995 more")
    );
}

/// An error format that lists pointers.
struct Places;

impl ErrorFormat for Places {
    fn write(&self, rejection: &Rejection, _: &Head, response: Response) -> Response {
        let places: Vec<String> = rejection.errors().iter().map(ToString::to_string).collect();
        response.entity(json!({"code": rejection.code(), "places": places}))
    }
}

#[tokio::test]
async fn the_error_format_of_the_mount_writes_them() {
    let app = App::new()
        .mount("/own", RestApi::new(Orders).errors(Places))
        .mount("/text", RestApi::new(Orders).errors(PlainText));
    let client = Client::new(app).unwrap();
    let bad = json!({"name": "", "count": 1});
    let own = client
        .put("/own/orders/10?reason=yes")
        .json(&bad)
        .send()
        .await;
    assert_eq!(
        own.json::<Value>().unwrap(),
        json!({
            "code": "validation_failed",
            "places": ["path parameter `id`: greater than 9", "`/name`: length is lower than 1"],
        })
    );
    let text = client
        .put("/text/orders/10?reason=yes")
        .json(&bad)
        .send()
        .await;
    assert_eq!(
        text.text(),
        "the request is not valid: path parameter `id`: greater than 9; `/name`: length is lower than 1\n"
    );
}
