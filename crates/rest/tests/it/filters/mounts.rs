//! Several mounts with different filters and formats, one of them at the root.

use innkeeper_rest::testing::{Client, TestResponse};
use innkeeper_rest::{
    App, ErrorFormat, Filter, Head, Method, Rejection, Response, RestApi, StatusCode, filter,
    resource,
};

/// Writes its own name before the code of an error.
struct Signed(&'static str);

impl ErrorFormat for Signed {
    fn write(&self, rejection: &Rejection, _: &Head, response: Response) -> Response {
        response.body(format!("{}: {}", self.0, rejection.code()))
    }
}

/// Rejects requests without this key.
fn key(known: &'static str) -> impl Filter {
    filter::before(move |request| {
        if request.head().header_text("x-key") == Some(known) {
            return Ok(());
        }
        Err(Rejection::new(
            StatusCode::UNAUTHORIZED,
            "no_key",
            "a key is needed",
        ))
    })
}

struct User;

#[resource("")]
impl User {
    #[get]
    fn show(&self) -> &'static str {
        "user"
    }

    #[get("/identities")]
    fn identities(&self) -> &'static str {
        "identities"
    }
}

struct Users;

#[resource("/users")]
impl Users {
    #[get]
    fn list(&self) -> &'static str {
        "users"
    }
}

struct Health;

#[resource("/health")]
impl Health {
    #[get]
    fn check(&self) -> &'static str {
        "well"
    }
}

struct Page;

#[resource("/")]
impl Page {
    #[get("/{page}")]
    fn page(&self, page: &str) -> String {
        format!("page {page}")
    }
}

fn client() -> Client {
    let user = RestApi::new(User).errors(Signed("user")).filter(key("u"));
    let admin = RestApi::new(Users).errors(Signed("admin")).filter(key("a"));
    let rest = RestApi::new(Health).with(Page).errors(Signed("rest"));
    let app = App::new()
        .mount("/user", user)
        .mount("/admin", admin)
        .mount("/", rest);
    Client::new(app).unwrap()
}

async fn send(client: &Client, method: Method, path: &str, key: &str) -> (u16, String) {
    let request = client.request(method, path).header("x-key", key);
    let response: TestResponse = request.send().await;
    (response.status(), response.text())
}

#[tokio::test]
async fn each_mount_has_its_own_filters_and_the_root_has_none() {
    let client = client();
    for (path, key, answer) in [
        ("/user", "u", "user"),
        ("/user/", "u", "user"),
        ("/user/identities", "u", "identities"),
        ("/admin/users", "a", "users"),
        ("/admin/users/", "a", "users"),
        ("/health", "", "well"),
        ("/health/", "", "well"),
        ("/users", "", "page users"),
        ("/administrator", "", "page administrator"),
    ] {
        let found = send(&client, Method::GET, path, key).await;
        assert_eq!(found, (200, answer.to_owned()), "{path}");
    }
}

#[tokio::test]
async fn a_filter_of_a_mount_comes_before_the_404_and_the_405() {
    let client = client();
    for (path, key, mount) in [
        ("/user", "a", "user"),
        ("/user/", "", "user"),
        ("/user/nothing", "", "user"),
        ("/user/nothing/", "", "user"),
        ("/user//", "", "user"),
        ("/admin", "u", "admin"),
        ("/admin/", "", "admin"),
        ("/admin/nothing", "", "admin"),
    ] {
        for method in [Method::GET, Method::DELETE, Method::OPTIONS] {
            let found = send(&client, method, path, key).await;
            assert_eq!(found, (401, format!("{mount}: no_key")), "{path}");
        }
    }
}

#[tokio::test]
async fn what_is_not_there_is_told_by_the_mount_it_would_be_in() {
    let client = client();
    let not_found = |mount| (404, format!("{mount}: not_found"));
    let not_allowed = |mount| (405, format!("{mount}: method_not_allowed"));
    for (method, path, key, answer) in [
        (Method::GET, "/user/nothing", "u", not_found("user")),
        (Method::GET, "/user/identities/", "u", not_found("user")),
        (Method::GET, "/admin", "a", not_found("admin")),
        (Method::GET, "/admin/", "a", not_found("admin")),
        (Method::GET, "/health/nothing", "", not_found("rest")),
        (Method::GET, "/", "", not_found("rest")),
        (Method::PUT, "/user", "u", not_allowed("user")),
        (Method::PUT, "/user/", "u", not_allowed("user")),
        (Method::PUT, "/admin/users", "a", not_allowed("admin")),
        (Method::PUT, "/health/", "", not_allowed("rest")),
        (Method::PUT, "/userx", "", not_allowed("rest")),
    ] {
        let found = send(&client, method, path, key).await;
        assert_eq!(found, answer, "{path}");
    }
}
