//! Matching of path templates.

use innkeeper_rest::testing::Client;
use innkeeper_rest::{App, RestApi, resource};

use super::{get, ok, status_of_get};

struct Users;

#[resource("/users")]
impl Users {
    #[get]
    fn list(&self) -> &'static str {
        "list"
    }

    #[post("/")]
    fn create(&self) -> &'static str {
        "create"
    }

    #[get("/me")]
    fn me(&self) -> &'static str {
        "me"
    }

    #[get("/{id}")]
    fn one(&self, id: &str) -> String {
        format!("one {id}")
    }

    #[get("/{id}/posts/{post}")]
    fn post(&self, id: u32, post: &str) -> String {
        format!("post {post} of {id}")
    }

    #[get("/{id}/posts/latest")]
    fn latest(&self, id: u32) -> String {
        format!("latest of {id}")
    }
}

struct Shapes;

#[resource("/")]
impl Shapes {
    #[get("/@{name}")]
    fn profile(&self, name: &str) -> String {
        format!("profile {name}")
    }

    #[get("/{a}/of/{b}")]
    fn of(&self, a: &str, b: &str) -> String {
        format!("{a} of {b}")
    }

    #[get("/export/{file}.json")]
    fn json(&self, file: &str) -> String {
        format!("json {file}")
    }

    #[get("/export/{file}.min.json")]
    fn small(&self, file: &str) -> String {
        format!("small {file}")
    }

    #[get("/export/{file}")]
    fn any(&self, file: &str) -> String {
        format!("any {file}")
    }

    #[get("/versions/v{major}.x")]
    fn version(&self, major: u8) -> String {
        format!("version {major}")
    }

    #[get("/files/{*rest}")]
    fn file(&self, rest: &str) -> String {
        format!("file {rest}")
    }

    #[get("/files/index")]
    fn index(&self) -> &'static str {
        "index"
    }

    #[get("/a%20b")]
    fn escaped(&self) -> &'static str {
        "escaped"
    }

    #[get("/six/{one}/{two}/{three}/{four}/{five}/{six}")]
    fn six(&self, one: &str, two: &str, three: &str, four: &str, five: &str, six: &str) -> String {
        [one, two, three, four, five, six].join("-")
    }
}

struct Everything;

#[resource("/everything/{*rest}")]
impl Everything {
    #[get]
    fn below(&self, rest: &str) -> String {
        format!("below {rest}")
    }
}

struct OfOrg;

#[resource("/orgs/{org}")]
impl OfOrg {
    #[get]
    fn org(&self, org: &str) -> String {
        format!("org {org}")
    }

    #[get("/members/{id}")]
    fn member(&self, id: u8, org: &str) -> String {
        format!("member {id} of {org}")
    }
}

fn client() -> Client {
    let api = RestApi::new(Users)
        .with(Shapes)
        .with(Everything)
        .with(OfOrg);
    Client::new(App::new().mount("/", api)).unwrap()
}

#[tokio::test]
async fn a_base_path_answers_with_and_without_a_slash() {
    let client = client();
    assert_eq!(get(&client, "/users").await, ok("list"));
    assert_eq!(get(&client, "/users/").await, ok("list"));
    assert_eq!(get(&client, "/users?page=2").await, ok("list"));
    assert_eq!(get(&client, "/users/?page=2").await, ok("list"));
    assert_eq!(client.post("/users").send().await.text(), "create");
    assert_eq!(client.post("/users/").send().await.text(), "create");
    assert_eq!(get(&client, "/orgs/north").await, ok("org north"));
    assert_eq!(get(&client, "/orgs/north/").await, ok("org north"));
}

#[tokio::test]
async fn a_slash_at_the_end_of_another_path_is_not_found() {
    let client = client();
    for path in [
        "/users/me/",
        "/users/7/",
        "/users//",
        "//users",
        "/orgs/north/members/1/",
        "/orgs/",
        "/@ada/",
    ] {
        assert_eq!(status_of_get(&client, path).await, 404, "{path}");
    }
}

#[tokio::test]
async fn paths_are_compared_letter_by_letter() {
    let client = client();
    for path in ["/Users", "/user", "/userss", "/users/me/x", "/", ""] {
        assert_eq!(status_of_get(&client, path).await, 404, "{path}");
    }
}

#[tokio::test]
async fn a_literal_wins_over_a_parameter() {
    let client = client();
    assert_eq!(get(&client, "/users/me").await, ok("me"));
    assert_eq!(get(&client, "/users/mel").await, ok("one mel"));
    assert_eq!(get(&client, "/users/m").await, ok("one m"));
    assert_eq!(
        get(&client, "/users/7/posts/latest").await,
        ok("latest of 7")
    );
    assert_eq!(
        get(&client, "/users/7/posts/late").await,
        ok("post late of 7")
    );
    assert_eq!(
        get(&client, "/users/me/posts/x").await.0,
        400,
        "`me` is a parameter here, and no number"
    );
}

#[tokio::test]
async fn an_escaped_slash_never_splits_a_segment() {
    let client = client();
    assert_eq!(get(&client, "/users/a%2Fb").await, ok("one a/b"));
    assert_eq!(
        get(&client, "/users/a%2fposts%2f1").await.1,
        "one a/posts/1"
    );
    assert_eq!(get(&client, "/users%2Fme").await.0, 404);
    assert_eq!(
        get(&client, "/files/a%2Fb/c").await,
        ok("file a/b/c"),
        "a tail is decoded as a whole"
    );
}

#[tokio::test]
async fn escapes_are_decoded_in_parameters_and_a_plus_is_a_plus() {
    let client = client();
    assert_eq!(get(&client, "/users/a+b").await, ok("one a+b"));
    assert_eq!(get(&client, "/users/a%20b%2Bc").await, ok("one a b+c"));
    assert_eq!(get(&client, "/users/%C3%BC").await, ok("one ü"));
    assert_eq!(get(&client, "/users/a;b=1").await, ok("one a;b=1"));
}

#[tokio::test]
async fn a_literal_is_matched_as_it_is_sent() {
    let client = client();
    assert_eq!(get(&client, "/a%20b").await, ok("escaped"));
    // Matching precedes decoding, so an escaped spelling is another path.
    assert_eq!(get(&client, "/users/%6De").await, ok("one me"));
    assert_eq!(get(&client, "/%75sers").await.0, 404);
}

#[tokio::test]
async fn dots_are_ordinary_segments() {
    let client = client();
    assert_eq!(get(&client, "/users/..").await, ok("one .."));
    assert_eq!(get(&client, "/users/.").await, ok("one ."));
    assert_eq!(get(&client, "/files/../users").await, ok("file ../users"));
}

#[tokio::test]
async fn a_parameter_that_is_not_of_its_type_is_a_bad_request() {
    let response = client().get("/users/x/posts/1").send().await;
    assert_eq!(response.status(), 400);
    assert_eq!(
        response.json::<serde_json::Value>().unwrap()["parameter"],
        "id"
    );
}

#[tokio::test]
async fn a_parameter_is_never_empty() {
    let client = client();
    for path in [
        "/users//posts/1",
        "/@",
        "/export/.json",
        "/versions/v.x",
        "/files/",
    ] {
        let (status, _) = get(&client, path).await;
        let expected = if path == "/export/.json" { 200 } else { 404 };
        assert_eq!(status, expected, "{path}");
    }
    assert_eq!(
        get(&client, "/export/.json").await,
        ok("any .json"),
        "too short for the suffix, long enough for the whole segment"
    );
}

#[tokio::test]
async fn a_segment_may_have_text_before_or_after_its_parameter() {
    let client = client();
    assert_eq!(get(&client, "/@ada").await, ok("profile ada"));
    assert_eq!(get(&client, "/@@").await, ok("profile @"));
    assert_eq!(get(&client, "/@ada/of/b").await, ok("@ada of b"));
    assert_eq!(get(&client, "/export/users.json").await, ok("json users"));
    assert_eq!(get(&client, "/export/users.xml").await, ok("any users.xml"));
    assert_eq!(
        get(&client, "/export/users.min.json").await,
        ok("small users"),
        "the longest suffix wins"
    );
    assert_eq!(get(&client, "/versions/v2.x").await, ok("version 2"));
    assert_eq!(get(&client, "/versions/v2.y").await.0, 404);
    assert_eq!(get(&client, "/versions/vtwo.x").await.0, 400);
}

#[tokio::test]
async fn a_tail_takes_the_rest_of_the_path() {
    let client = client();
    assert_eq!(get(&client, "/files/a").await, ok("file a"));
    assert_eq!(get(&client, "/files/a/b.txt").await, ok("file a/b.txt"));
    assert_eq!(get(&client, "/files/a/").await, ok("file a/"));
    assert_eq!(get(&client, "/files/a//b").await, ok("file a//b"));
    assert_eq!(get(&client, "/files/index").await, ok("index"));
    assert_eq!(get(&client, "/files/index/x").await, ok("file index/x"));
    assert_eq!(get(&client, "/files").await.0, 404);
}

#[tokio::test]
async fn a_base_path_may_end_in_a_tail() {
    let client = client();
    assert_eq!(get(&client, "/everything/a/b").await, ok("below a/b"));
    assert_eq!(get(&client, "/everything/a/").await, ok("below a/"));
}

#[tokio::test]
async fn a_base_path_may_have_parameters() {
    let client = client();
    assert_eq!(
        get(&client, "/orgs/north/members/3").await,
        ok("member 3 of north")
    );
}

#[tokio::test]
async fn a_path_may_have_many_parameters() {
    let client = client();
    assert_eq!(get(&client, "/six/1/2/3/4/5/6").await, ok("1-2-3-4-5-6"));
}
