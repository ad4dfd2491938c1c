//! `Location`: placeholders, escapes, and the prefix of the mount.

use innkeeper_rest::testing::Client;
use innkeeper_rest::{App, Location, LocationArgs, Response, RestApi, location, resource};

use super::{json, received};
use crate::errors::log::Log;

async fn location_of(make: impl Fn() -> Response + Send + Sync + 'static) -> String {
    let response = received(make).await;
    response.header("location").unwrap_or_default().to_owned()
}

#[tokio::test]
async fn several_placeholders_are_filled_in_order() {
    let make = || Response::created_at("/orgs/{org}/users/{id}", ("north", 7));
    assert_eq!(location_of(make).await, "/api/orgs/north/users/7");
    let make = || Response::see_at("/{a}/{b}/{c}", ('x', 1.5, String::from("z")));
    assert_eq!(location_of(make).await, "/api/x/1.5/z");
}

#[tokio::test]
async fn several_placeholders_are_filled_by_name() {
    let make = || Response::created_at("/orgs/{org}/users/{id}", [("id", "7"), ("org", "north")]);
    assert_eq!(location_of(make).await, "/api/orgs/north/users/7");
}

#[tokio::test]
async fn values_are_percent_encoded() {
    for (value, encoded) in [
        ("a/b", "a%2Fb"),
        ("a b", "a%20b"),
        ("ü", "%C3%BC"),
        ("?a=b#c", "%3Fa%3Db%23c"),
        ("100%", "100%25"),
        ("a-b_c.d~e", "a-b_c.d~e"),
        ("{id}", "%7Bid%7D"),
        ("..", ".."),
    ] {
        let make = move || Response::created_at("/users/{id}", value);
        assert_eq!(location_of(make).await, format!("/api/users/{encoded}"));
    }
}

#[tokio::test]
async fn no_value_and_no_template_can_add_a_header() {
    let evil = "x\r\nSet-Cookie: a=b";
    for make in [
        || Response::created_at("/users/{id}", "x\r\nSet-Cookie: a=b"),
        || Response::see("/users/x\r\nSet-Cookie: a=b"),
        || Response::created_at(location!("/users/{id}", id = "x\r\nSet-Cookie: a=b"), ()),
        || Response::see(Location::literal("/api/users/x\r\nSet-Cookie: a=b")),
    ] {
        let response = received(make).await;
        assert_eq!(response.header("set-cookie"), None);
        let location = response.header("location").unwrap();
        assert!(!location.contains(evil) && location.starts_with("/api/users/x%0D%0A"));
    }
}

#[tokio::test]
async fn a_wrong_count_of_values_is_our_mistake() {
    async fn assert_mistake(
        template: &'static str,
        args: impl LocationArgs + Clone + Send + Sync + 'static,
    ) {
        let log = Log::start();
        let make = move || Response::created_at(template, args.clone()).entity("made");
        let response = received(make).await;
        assert_eq!(response.status(), 500, "{template}");
        assert_eq!(json(&response)["detail"], "internal server error");
        assert_eq!(response.header("location"), None);
        assert!(log.text().contains(template), "{}", log.text());
    }
    assert_mistake("/users/{id}", ()).await;
    assert_mistake("/users/{id}", (1, 2)).await;
    assert_mistake("/users", 1).await;
    assert_mistake("/orgs/{org}/users/{id}", "north").await;
    assert_mistake("/users/{id}", [("name", 1)]).await;
    assert_mistake("/users/{id}", [("id", 1), ("org", 2)]).await;
    assert_mistake("/users/{id", 1).await;
}

#[tokio::test]
async fn the_macro_fills_placeholders_that_were_checked_when_it_was_compiled() {
    let make = || {
        let (org, id) = ("north/south", 7);
        Response::created_at(location!("/orgs/{org}/users/{id}", org, id), ())
    };
    assert_eq!(location_of(make).await, "/api/orgs/north%2Fsouth/users/7");
    let make = || Response::see(location!("/orgs/{org}/users/{id}", id = 1 + 1, org = "n"));
    assert_eq!(location_of(make).await, "/api/orgs/n/users/2");
    let make = || Response::see(location!("/plain"));
    assert_eq!(location_of(make).await, "/api/plain");
}

#[tokio::test]
async fn a_location_of_the_macro_has_nothing_left_to_fill() {
    let log = Log::start();
    let response = received(|| Response::created_at(location!("/a/{id}", id = 1), 2)).await;
    assert_eq!(response.status(), 500);
    assert!(log.text().contains("no placeholder left"), "{}", log.text());
}

struct Users;

#[resource("/users")]
impl Users {
    #[post]
    fn create(&self) -> Response {
        Response::created_at("/users/{id}", 7)
    }

    #[post("/go")]
    fn go(&self, #[param] to: String) -> Response {
        Response::see(location_of_text(&to))
    }

    #[get("/{id}")]
    fn one(&self, id: u32) -> u32 {
        id
    }
}

/// Escapes braces, because braces in client text are not placeholders.
fn location_of_text(text: &str) -> String {
    text.replace('{', "%7B").replace('}', "%7D")
}

struct Orders;

#[resource("/orders")]
impl Orders {
    #[post]
    async fn create(&self) -> Response {
        Response::created_at(location!("/users/{id}", id = 1), ())
    }
}

fn client() -> Client {
    let app = App::new()
        .mount("/api/v1", RestApi::new(Users).with(Orders))
        .handler("/login", async |_| "login");
    Client::new(app).unwrap()
}

async fn sees(client: &Client, to: &str) -> String {
    let target = format!("/api/v1/users/go?to={}", to.replace('#', "%23"));
    let response = client.post(target).send().await;
    response.header("location").unwrap().to_owned()
}

#[tokio::test]
async fn a_path_is_below_the_mount_whatever_routes_exist() {
    let client = client();
    let response = client.post("/api/v1/users").send().await;
    assert_eq!(response.header("location"), Some("/api/v1/users/7"));
    let response = client.post("/api/v1/orders").send().await;
    assert_eq!(
        response.header("location"),
        Some("/api/v1/users/1"),
        "of another resource of the mount"
    );
    for path in [
        "/users/7?a=b#c",
        "/orders/",
        "/",
        // Routes of nobody, and of another mount.
        "/nothing",
        "/users/7/unknown",
        "/login",
        "/api/v1/users/7",
    ] {
        assert_eq!(sees(&client, path).await, format!("/api/v1{path}"));
    }
}

#[tokio::test]
async fn urls_and_relative_references_are_sent_as_they_are() {
    let client = client();
    for elsewhere in [
        "https://example.com/users/7",
        "//example.com/users/7",
        "users/7",
        "?page=2",
        "#top",
    ] {
        assert_eq!(sees(&client, elsewhere).await, elsewhere);
    }
}

#[tokio::test]
async fn a_literal_location_is_sent_as_it_is() {
    let make = || Response::see(Location::literal("/login?next={page}"));
    assert_eq!(location_of(make).await, "/login?next={page}");
    let make = || Response::created_at(Location::literal("/users/7"), ());
    assert_eq!(location_of(make).await, "/users/7");
    let make = || Response::see(Location::literal("/ü \"a\""));
    assert_eq!(location_of(make).await, "/%C3%BC%20%22a%22");
    let log = Log::start();
    let response = received(|| Response::created_at(Location::literal("/a/{id}"), 7)).await;
    assert_eq!(response.status(), 500);
    assert!(log.text().contains("no placeholder left"), "{}", log.text());
}

#[tokio::test]
async fn a_path_that_has_its_prefix_gets_no_other() {
    let make = || Response::see(Users::one_path(7_u32).under("/other"));
    assert_eq!(location_of(make).await, "/other/users/7");
    let make = || Response::see(location!("/login").under("/"));
    assert_eq!(location_of(make).await, "/login");
    let make = || Response::see(Users::one_path(7_u32));
    assert_eq!(location_of(make).await, "/api/users/7");
}

#[tokio::test]
async fn a_mount_at_the_root_adds_nothing() {
    let client = Client::new(App::new().mount("/", RestApi::new(Users))).unwrap();
    let response = client.post("/users").send().await;
    assert_eq!(response.header("location"), Some("/users/7"));
}

#[tokio::test]
async fn a_location_set_as_a_header_is_sent_as_it_is() {
    let make = || Response::created().header("location", "/anything");
    assert_eq!(location_of(make).await, "/anything");
    let make = || Response::created_at("/anything", ());
    assert_eq!(location_of(make).await, "/api/anything");
}
