//! Operations: paths, names, texts, tags, security and methods OpenAPI does not know.

use innkeeper_rest::{App, OpenApi, RestApi, SecurityScheme, Value, resource};
use serde_json::json;

use super::{document, keys, operation};

struct Users;

/// People who have signed up.
#[resource("/users")]
#[security(account)]
#[meta(area = "people")]
impl Users {
    /// Finds a user,
    /// by number.
    ///
    /// Reads the *whole* table.
    #[get("/{id:[0-9]+}")]
    #[security(account("read"))]
    #[security(region)]
    #[meta(rate_limit = 60)]
    fn find(&self, id: u64) {
        let _ = id;
    }

    #[get("/{name:[a-z]+}")]
    fn by_name(&self, name: &str) {
        let _ = name;
    }

    #[delete("/{number}")]
    #[deprecated]
    fn remove(&self, number: u64) {
        let _ = number;
    }

    #[post]
    #[put]
    fn save(&self) {}

    #[route(method = "QUERY", path = "/")]
    fn query(&self) {}

    #[head("/seen")]
    fn seen(&self) {}
}

struct Root;

#[resource("/")]
impl Root {
    #[get]
    fn root(&self) {}

    #[get("/@{name}")]
    fn profile(&self, name: &str) {
        let _ = name;
    }
}

#[test]
fn the_doc_comment_is_the_summary_and_the_description() {
    let document = document(Users);
    let find = operation(&document, "/users/{id}", "get");
    assert_eq!(find["summary"], "Finds a user, by number.");
    assert_eq!(find["description"], "Reads the *whole* table.");
    assert_eq!(find["tags"], json!(["Users"]));
    assert_eq!(find["x-area"], "people");
    assert_eq!(find["x-rate-limit"], 60);
    assert_eq!(find["deprecated"], Value::Null);
    let tags = json!([{ "name": "Users", "description": "People who have signed up." }]);
    assert_eq!(document["tags"], tags);
}

#[test]
fn every_operation_has_a_name_of_its_own() {
    let app = App::new()
        .mount("/a", RestApi::new(Users))
        .mount("/b", RestApi::new(Users));
    let document = OpenApi::new("Test", "1").document(&app);
    let name = |path: &str, verb: &str| operation(&document, path, verb)["operationId"].clone();
    assert_eq!(name("/a/users", "post"), "Users_save");
    assert_eq!(name("/a/users", "put"), "Users_save_put");
    assert_eq!(name("/b/users", "post"), "Users_save_post");
    assert_eq!(name("/b/users", "put"), "Users_save_2");
}

#[test]
fn paths_have_the_prefix_of_their_mount_and_no_expressions() {
    let app = App::new()
        .mount("/", RestApi::new(Root))
        .mount("/api/", RestApi::new(Root));
    let document = OpenApi::new("Test", "1").document(&app);
    assert_eq!(
        keys(&document["paths"]),
        ["/", "/@{name}", "/api", "/api/@{name}"]
    );
}

#[test]
fn paths_that_differ_in_names_only_are_one() {
    let document = document(Users);
    let all = ["/users", "/users/seen", "/users/{id}"];
    assert_eq!(keys(&document["paths"]), all);
    let remove = operation(&document, "/users/{id}", "delete");
    assert_eq!(remove["parameters"][0]["name"], "id");
    assert_eq!(remove["deprecated"], true);
    // Two methods differ only in their regular expressions: an OpenAPI path holds one of them.
    let others = &document["paths"]["/users/{id}"]["x-alternatives"];
    assert_eq!(others[0]["operationId"], "Users_by_name");
    assert_eq!(
        (&others[0]["x-path"], &others[0]["x-method"]),
        (&json!("/users/{name}"), &json!("GET"))
    );
}

#[test]
fn methods_that_openapi_does_not_know_are_an_extension() {
    let document = document(Users);
    let item = &document["paths"]["/users"];
    assert_eq!(keys(item), ["post", "put", "x-additional-operations"]);
    let query = &item["x-additional-operations"]["QUERY"];
    assert_eq!(query["operationId"], "Users_query");
}

#[test]
fn derived_methods_are_not_listed_and_declared_ones_are() {
    let document = document(Users);
    assert_eq!(keys(&document["paths"]["/users/seen"]), ["head"]);
    assert!(document["paths"]["/users/{id}"]["head"].is_null());
    assert!(document["paths"]["/users/{id}"]["options"].is_null());
}

#[test]
fn security_is_asked_for_together_and_its_schemes_are_declared() {
    let app = App::new().mount("/", RestApi::new(Users));
    let document = OpenApi::new("Test", "1")
        .security("account", SecurityScheme::bearer().format("JWT"))
        .document(&app);
    let find = operation(&document, "/users/{id}", "get");
    assert_eq!(
        find["security"],
        json!([{ "account": ["read"], "region": [] }])
    );
    let schemes = &document["components"]["securitySchemes"];
    assert_eq!(
        schemes["account"],
        json!({ "type": "http", "scheme": "bearer", "bearerFormat": "JWT" })
    );
    // An undeclared scheme is listed as well; without it the document would be invalid.
    assert!(schemes["region"].is_object());
}
