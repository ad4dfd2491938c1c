//! Paths built from a handler and its arguments: `Users::get_path(7)`.

use std::borrow::Cow;
use std::fmt::{self, Display};
use std::marker::PhantomData;
use std::str::FromStr;

use innkeeper_rest::testing::Client;
use innkeeper_rest::{App, Location, PathValue, Response, RestApi, Value, resource};
use proptest::prelude::*;
use serde_json::Map;

use super::{client, get, ok};

/// A number with its own text form: `n7`.
#[derive(Debug, PartialEq)]
struct Number(u32);

impl FromStr for Number {
    type Err = std::num::ParseIntError;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.trim_start_matches('n').parse().map(Self)
    }
}

impl Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "n{}", self.0)
    }
}

/// Implements `FromStr` but not `Display`, which is an error only when a path is built from it.
struct Mute;

impl FromStr for Mute {
    type Err = fmt::Error;
    fn from_str(_: &str) -> Result<Self, fmt::Error> {
        Ok(Self)
    }
}

struct Pages;

#[resource("/orgs/{org}")]
impl Pages {
    #[get]
    fn all(&self, org: &str) -> String {
        org.to_owned()
    }

    #[get("/pages/{name}")]
    fn one(&self, org: String, name: Cow<'_, str>) -> String {
        format!("{org}: {name}")
    }

    #[get("/by-number/{number}")]
    #[delete("/by-number/{number}")]
    fn by_number(&self, number: Number, org: &str) -> String {
        format!("{org}: {number:?}")
    }

    #[get("/codes/{code:[a-z]{2}}-x")]
    fn code(&self, org: &str, code: String) -> String {
        org.to_owned() + &code
    }

    #[get("/files/{*rest}")]
    fn file(&self, org: &str, rest: String) -> String {
        org.to_owned() + " " + &rest
    }

    #[get("/sorted/{by}/{type}")]
    fn sorted(
        &self,
        org: &str,
        #[separated_by(",")] by: Vec<String>,
        r#type: Option<u8>,
    ) -> String {
        format!("{org} {by:?} {type:?}")
    }

    #[get("/matrix/{filter}")]
    fn matrix(&self, org: &str, #[matrix] filter: Map<String, Value>) -> String {
        format!("{org} {}", Value::Object(filter))
    }

    #[get("/mute/{mute}")]
    fn mute(&self, org: &str, mute: Mute) -> String {
        let Mute = mute;
        org.to_owned()
    }

    #[get("/first")]
    #[get("/second")]
    fn both(&self, org: &str) -> String {
        org.to_owned()
    }

    #[cfg(any())]
    #[get("/never")]
    fn never(&self, org: NoSuchType) {}

    #[get("/gone")]
    fn gone(&self, org: &str) -> Response {
        let _ = org;
        Response::see(Self::one_path("a", "b/c"))
    }

    #[get("/made/{name}")]
    fn made(&self, org: &str, name: String) -> Response {
        Response::created_at(Self::one_path(org, name), ())
    }
}

/// Has a method with the name that would be generated.
struct Own;

#[resource("/own")]
impl Own {
    #[get("/{id}")]
    fn get(&self, id: u8) -> u8 {
        id
    }

    fn get_path() -> &'static str {
        "my own"
    }
}

/// Has such a method in another `impl` block.
struct Elsewhere;

#[resource("/elsewhere", no_paths)]
impl Elsewhere {
    #[get("/{id}")]
    fn get(&self, id: u8) -> u8 {
        id
    }
}

impl Elsewhere {
    fn get_path() -> &'static str {
        "elsewhere"
    }
}

trait Kind: Send + Sync + 'static {
    type Id: FromStr<Err: Display> + Display;
}

struct Small;

impl Kind for Small {
    type Id = u8;
}

struct Items<K>(PhantomData<K>);

#[resource("/items")]
impl<K: Kind> Items<K> {
    #[get("/{id}")]
    fn get(&self, id: K::Id) -> String {
        id.to_string()
    }
}

/// A type that paths accept in place of a number.
struct Owner(Number);

impl PathValue<Number> for &Owner {
    fn in_path(&self) -> &dyn Display {
        &self.0
    }
}

#[test]
fn a_path_is_made_of_the_arguments_in_the_order_of_the_path() {
    let (number, text) = (Number(7), "x".to_owned());
    for (path, expected) in [
        (Pages::all_path("a"), "/orgs/a"),
        (Pages::one_path("a", "b"), "/orgs/a/pages/b"),
        (Pages::one_path(&text, text.clone()), "/orgs/x/pages/x"),
        (Pages::by_number_path("a", &number), "/orgs/a/by-number/n7"),
        (Pages::by_number_path("a", number), "/orgs/a/by-number/n7"),
        (
            Pages::by_number_path("a", &Owner(Number(8))),
            "/orgs/a/by-number/n8",
        ),
        (Pages::code_path("a", "de"), "/orgs/a/codes/de-x"),
        (
            Pages::file_path("a", "b/c d.txt"),
            "/orgs/a/files/b/c%20d.txt",
        ),
        (Pages::sorted_path("a", "b,c", 7), "/orgs/a/sorted/b%2Cc/7"),
        (Pages::matrix_path("a", "k=1,2;l"), "/orgs/a/matrix/k=1,2;l"),
        (Pages::both_path("a"), "/orgs/a/first"),
        (Items::<Small>::get_path(9), "/items/9"),
        (
            Pages::one_path("ü?#", "a/b%"),
            "/orgs/%C3%BC%3F%23/pages/a%2Fb%25",
        ),
    ] {
        assert_eq!(path.checked().unwrap().as_str(), expected);
    }
}

#[tokio::test]
async fn a_path_leads_to_its_handler() {
    let client = client(RestApi::new(Pages));
    for (path, answer) in [
        (Pages::all_path("a/b"), "a/b"),
        (Pages::one_path("ü", "100%;+"), "ü: 100%;+"),
        (Pages::by_number_path("o", Number(7)), "o: Number(7)"),
        (Pages::code_path("o", "de"), "ode"),
        (Pages::file_path("o", "a//b c/.d"), "o a//b c/.d"),
        (
            Pages::sorted_path("o", "b,c", 7),
            "o [\"b\", \"c\"] Some(7)",
        ),
        (
            Pages::matrix_path("o", "k=1,2;l=a b"),
            "o {\"k\":[\"1\",\"2\"],\"l\":\"a b\"}",
        ),
    ] {
        assert_eq!(get(&client, path.as_str()).await, ok(answer), "{path}");
    }
}

#[test]
fn a_method_of_the_same_name_is_the_authors_own() {
    assert_eq!(Own::get_path(), "my own");
    assert_eq!(Elsewhere::get_path(), "elsewhere");
    assert_eq!((Own.get(1), Elsewhere.get(2)), (1, 2));
}

#[test]
fn what_would_lead_elsewhere_is_noticed() {
    let told = |path: Location| path.checked().unwrap_err().to_string();
    for (path, expected) in [
        (Pages::all_path(""), "path parameter `org` is empty"),
        (
            Pages::one_path("a", "."),
            "`/orgs/a/pages/.` does not lead to its route: no segment can be `.` or `..`",
        ),
        (
            Pages::one_path("..", "a"),
            "`/orgs/../pages/a` does not lead to its route: no segment can be `.` or `..`",
        ),
        (
            Pages::file_path("a", "b/../../c"),
            "`/orgs/a/files/b/../../c` does not lead to its route: no segment can be `.` or `..`",
        ),
        (Pages::file_path("a", ""), "path parameter `rest` is empty"),
        (
            Pages::one_path("a", "b\0"),
            "path parameter `name` has a NUL in it",
        ),
        (
            Pages::code_path("a", "deu"),
            "path parameter `code` does not match `[a-z]{2}`",
        ),
        (
            Pages::code_path("a", "de\n"),
            "path parameter `code` does not match `[a-z]{2}`",
        ),
        (Pages::code_path("", "DE"), "path parameter `org` is empty"),
    ] {
        assert_eq!(told(path), expected);
    }
    // Any other segment of dots is an ordinary name.
    assert!(Pages::one_path("a", "...").checked().is_ok());
}

#[tokio::test]
async fn responses_take_a_path_and_add_the_prefix_of_their_mount() {
    let app = App::new().mount("/api", RestApi::new(Pages));
    let client = Client::new(app).unwrap();
    let gone = client.get("/api/orgs/x/gone").send().await;
    assert_eq!(
        (gone.status(), gone.header("location")),
        (302, Some("/api/orgs/a/pages/b%2Fc"))
    );
    let made = client.get("/api/orgs/o/made/n").send().await;
    assert_eq!(
        (made.status(), made.header("location")),
        (201, Some("/api/orgs/o/pages/n"))
    );
    let link = Pages::all_path("o").under("/api/");
    assert_eq!(link.as_str(), "/api/orgs/o");
    assert_eq!(client.get(link.as_str()).send().await.text(), "o");
}

#[tokio::test]
async fn a_response_that_would_lead_elsewhere_is_a_mistake() {
    let client = client(RestApi::new(Pages));
    // The client sends `..` as a value; in a path, servers and browsers would resolve it.
    let response = client.get("/orgs/o/made/%2E%2E").send().await;
    assert_eq!(
        (response.status(), response.header("location")),
        (500, None)
    );
    assert!(!response.text().contains(".."));
}

proptest! {
    /// For any values, the path leads back to them or is reported as invalid.
    #[test]
    fn paths_lead_back_to_their_values(org in any::<String>(), name in any::<String>()) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let client = client(RestApi::new(Pages));
        if let Ok(path) = Pages::one_path(&org, &name).checked() {
            let answer = runtime.block_on(get(&client, path.as_str()));
            prop_assert_eq!(answer, (200, format!("{org}: {name}")));
        } else {
            let odd = |text: &str| matches!(text, "" | "." | "..") || text.contains('\0');
            prop_assert!(odd(&org) || odd(&name));
        }
    }
}
