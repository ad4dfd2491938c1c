//! Parameters with a regular expression.

use innkeeper_rest::testing::Client;
use innkeeper_rest::{App, RestApi, resource};

use super::{get, header, ok};

struct Things;

#[resource("/things")]
impl Things {
    #[get("/{id:[0-9]+}")]
    fn by_number(&self, id: u8) -> String {
        format!("number {id}")
    }

    #[delete("/{id:[0-9]+}")]
    fn delete(&self, id: u8) -> String {
        format!("deleted {id}")
    }

    #[get("/{name:[a-z]{2,}}")]
    fn by_name(&self, name: &str) -> String {
        format!("name {name}")
    }

    #[put("/{name:[a-z]{2,}}")]
    fn put(&self, name: &str) -> String {
        format!("put {name}")
    }

    #[get("/{any:[^.]*}")]
    fn by_anything(&self, any: &str) -> String {
        format!("anything {any}")
    }

    #[get("/{id:[0-9]+}/parts/{part:a|b}")]
    fn part(&self, id: u8, part: &str) -> String {
        format!("part {part} of {id}")
    }
}

struct More;

#[resource("/things")]
impl More {
    #[get("/{file:.*[.]txt}")]
    fn file(&self, file: &str) -> String {
        format!("file {file}")
    }
}

struct Wide;

#[resource("/wide")]
impl Wide {
    #[get("/{any}")]
    fn any(&self, any: &str) -> String {
        format!("any {any}")
    }

    #[get("/{id:[0-9]+}")]
    fn number(&self, id: u32) -> String {
        format!("number {id}")
    }
}

fn client() -> Client {
    let api = RestApi::new(Things).with(More).with(Wide);
    Client::new(App::new().mount("/", api)).unwrap()
}

#[tokio::test]
async fn expressions_of_one_shape_are_tried_in_the_order_of_declaration() {
    let client = client();
    assert_eq!(get(&client, "/things/7").await, ok("number 7"));
    assert_eq!(get(&client, "/things/seven").await, ok("name seven"));
    assert_eq!(get(&client, "/things/s").await, ok("anything s"));
    assert_eq!(
        get(&client, "/things/a.txt").await,
        ok("file a.txt"),
        "those of a later resource come last"
    );
    assert_eq!(
        get(&client, "/wide/7").await,
        ok("any 7"),
        "a parameter without expression takes everything that comes after it"
    );
}

#[tokio::test]
async fn a_value_that_no_expression_fits_is_not_found() {
    let client = client();
    assert_eq!(get(&client, "/things/a.b").await.0, 404);
    assert_eq!(get(&client, "/things/x/parts/a").await.0, 404);
    assert_eq!(get(&client, "/things/1/parts/c").await.0, 404);
    assert_eq!(get(&client, "/things/1/parts/a").await, ok("part a of 1"));
}

#[tokio::test]
async fn a_value_that_fits_the_expression_but_not_the_type_is_a_bad_request() {
    assert_eq!(get(&client(), "/things/256").await.0, 400);
}

#[tokio::test]
async fn an_expression_fits_the_whole_decoded_segment() {
    let client = client();
    assert_eq!(get(&client, "/things/1/parts/ab").await.0, 404);
    assert_eq!(get(&client, "/things/1/parts/%61").await, ok("part a of 1"));
    assert_eq!(get(&client, "/things/%37").await, ok("number 7"));
    assert_eq!(
        get(&client, "/things/7%0A").await,
        ok("anything 7\n"),
        "a line break is not the end of the text"
    );
}

#[tokio::test]
async fn an_escape_that_cannot_be_decoded_fits_no_expression() {
    let client = client();
    assert_eq!(get(&client, "/things/%zz").await.0, 404);
    assert_eq!(get(&client, "/things/%FF").await.0, 404);
}

#[tokio::test]
async fn only_routes_whose_expression_fits_count_for_other_methods() {
    let client = client();
    let deleted = client.delete("/things/7").send().await;
    assert_eq!(deleted.text(), "deleted 7");
    let put = client.put("/things/7").send().await;
    assert_eq!(put.status(), 405);
    assert_eq!(header(&put, "allow"), "GET, HEAD, DELETE, OPTIONS");
    let deleted = client.delete("/things/seven").send().await;
    assert_eq!(deleted.status(), 405);
    assert_eq!(header(&deleted, "allow"), "GET, HEAD, PUT, OPTIONS");
    let deleted = client.delete("/things/a.b").send().await;
    assert_eq!(deleted.status(), 404);
}

#[tokio::test]
async fn head_and_options_know_expressions_too() {
    let client = client();
    let head = innkeeper_rest::Method::HEAD;
    let response = client.request(head.clone(), "/things/7").send().await;
    assert_eq!(response.status(), 200);
    assert_eq!(header(&response, "content-length"), "8");
    let response = client.request(head, "/things/a.b").send().await;
    assert_eq!(response.status(), 404);
    let options = innkeeper_rest::Method::OPTIONS;
    let response = client.request(options, "/things/7").send().await;
    assert_eq!(response.status(), 204);
    assert_eq!(header(&response, "allow"), "GET, HEAD, DELETE, OPTIONS");
}
