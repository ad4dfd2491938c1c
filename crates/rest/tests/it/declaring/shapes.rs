//! Generics, cfg, raw names, borrowed and mutable arguments, type aliases.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::str::FromStr;
use std::sync::{Mutex, PoisonError};

use innkeeper_rest::{ApiError, RestApi, resource};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{client, get, ok, seen};

/// Storage of a cabinet.
trait Store: Send + Sync + 'static {
    type Key: FromStr<Err: Display> + Ord + Send;
    type Thing: Serialize + DeserializeOwned + Clone + Send;

    fn find(&self, key: &Self::Key) -> Option<Self::Thing>;
    fn keep(&self, key: Self::Key, thing: Self::Thing);
}

struct Memory<K, T>(Mutex<BTreeMap<K, T>>);

impl<K, T> Store for Memory<K, T>
where
    K: FromStr<Err: Display> + Ord + Send + 'static,
    T: Serialize + DeserializeOwned + Clone + Send + 'static,
{
    type Key = K;
    type Thing = T;

    fn find(&self, key: &K) -> Option<T> {
        let things = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        things.get(key).cloned()
    }

    fn keep(&self, key: K, thing: T) {
        let mut things = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        things.insert(key, thing);
    }
}

struct Cabinet<S, const DRAWERS: usize> {
    store: S,
}

#[resource("/cabinet")]
impl<S, const DRAWERS: usize> Cabinet<S, DRAWERS>
where
    S: Store,
{
    #[get("/{key}")]
    async fn find(&self, key: S::Key) -> Option<S::Thing> {
        self.store.find(&key)
    }

    #[put("/{key}")]
    async fn keep(&self, key: S::Key, thing: S::Thing) {
        self.store.keep(key, thing);
    }

    #[get("/drawers")]
    fn drawers(&self) -> usize {
        DRAWERS
    }
}

#[tokio::test]
async fn a_resource_may_be_generic_with_where_clauses() {
    let store: Memory<u8, Vec<String>> = Memory(Mutex::default());
    let client = client(RestApi::new(Cabinet::<_, 3> { store }));
    let kept = client.put("/cabinet/7").json(&["tea"]).send().await;
    assert_eq!(kept.status(), 204);
    assert_eq!(get(&client, "/cabinet/7").await, ok("[\"tea\"]"));
    assert_eq!(get(&client, "/cabinet/8").await, ok("null"));
    assert_eq!(get(&client, "/cabinet/drawers").await, ok("3"));
    assert_eq!(get(&client, "/cabinet/seven").await.0, 400);
}

struct Sometimes;

#[resource("/sometimes")]
impl Sometimes {
    #[cfg(not(any()))]
    #[get("/here")]
    fn here(&self) -> &'static str {
        "here"
    }

    #[cfg(any())]
    #[get("/gone")]
    #[filter(no_such_filter())]
    fn gone(&self, thing: NoSuchType) -> NoSuchType {
        thing
    }

    #[cfg(unix)]
    #[get("/system")]
    fn system(&self) -> &'static str {
        "unix"
    }

    #[cfg(not(unix))]
    #[get("/system")]
    fn system(&self) -> &'static str {
        "another"
    }
}

#[tokio::test]
async fn cfg_on_a_method_decides_about_its_route() {
    let client = client(RestApi::new(Sometimes));
    assert_eq!(get(&client, "/sometimes/here").await, ok("here"));
    assert_eq!(get(&client, "/sometimes/gone").await.0, 404);
    let system = if cfg!(unix) { "unix" } else { "another" };
    assert_eq!(get(&client, "/sometimes/system").await, ok(system));
}

struct Raw;

#[resource("/raw")]
impl Raw {
    #[get("/{type}")]
    fn r#match(&self, r#type: &str, r#as: Option<String>) -> String {
        format!("{type} {as:?}", r#type = r#type, r#as = r#as)
    }
}

#[tokio::test]
async fn raw_identifiers_are_plain_names_on_the_wire() {
    let client = client(RestApi::new(Raw));
    assert_eq!(
        get(&client, "/raw/loop?as=while").await,
        ok("loop Some(\"while\")")
    );
    assert_eq!(Raw.r#match("a", None), "a None");
}

struct Words;

#[resource("/words")]
impl Words {
    #[get("/{word}")]
    async fn shout(&self, mut word: String, #[param] mark: Option<&str>) -> String {
        tokio::task::yield_now().await;
        word.push_str(mark.unwrap_or("!"));
        word
    }

    #[get("/{first}/{second}")]
    async fn longer<'a>(&self, first: &'a str, second: &'a str) -> String {
        tokio::task::yield_now().await;
        if first.len() < second.len() {
            second
        } else {
            first
        }
        .to_owned()
    }

    #[post]
    async fn count(&self, #[body] text: &str, #[header("x-word")] word: &str) -> usize {
        text.matches(word).count()
    }
}

#[tokio::test]
async fn arguments_may_be_mutable() {
    let client = client(RestApi::new(Words));
    assert_eq!(get(&client, "/words/hey").await, ok("hey!"));
    assert_eq!(get(&client, "/words/hey?mark=%3F").await, ok("hey?"));
}

#[tokio::test]
async fn arguments_may_be_borrowed_from_the_request() {
    let client = client(RestApi::new(Words));
    assert_eq!(get(&client, "/words/tea/coff%C3%A9e").await, ok("coffée"));
    let request = client.post("/words").header("x-word", "a").body("banana");
    assert_eq!(seen(&request.send().await), ok("3"));
}

#[derive(Debug, Serialize, Deserialize)]
struct Book {
    title: String,
}

#[derive(Debug, ApiError)]
#[api(status = 404, code = "no_such_book")]
struct NoSuchBook;

impl Display for NoSuchBook {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("no such book")
    }
}

type Page = Option<u32>;
type Tags = Vec<String>;
type Title<'a> = &'a str;
type Entity = Book;
type Answer<T = Book> = Result<T, NoSuchBook>;

struct Aliases;

#[resource("/aliases")]
impl Aliases {
    #[get("/list")]
    fn list(&self, page: Page, #[separated_by(",")] tags: Tags) -> String {
        format!("{page:?} {tags:?}")
    }

    #[get("/books/{title}")]
    async fn book(&self, title: Title<'_>) -> Answer {
        match title {
            "Emma" => Ok(Book {
                title: title.to_owned(),
            }),
            _ => Err(NoSuchBook),
        }
    }

    #[post("/books")]
    async fn add(&self, book: Entity) -> Answer<String> {
        Ok(book.title)
    }
}

#[tokio::test]
async fn aliases_of_option_and_list_are_what_they_stand_for() {
    let client = client(RestApi::new(Aliases));
    assert_eq!(get(&client, "/aliases/list").await, ok("None []"));
    let full = "/aliases/list?page=2&tags=a,b";
    assert_eq!(get(&client, full).await, ok("Some(2) [\"a\", \"b\"]"));
}

#[tokio::test]
async fn aliases_of_reference_entity_and_result_are_what_they_stand_for() {
    let client = client(RestApi::new(Aliases));
    assert_eq!(
        get(&client, "/aliases/books/Emma").await,
        ok("{\"title\":\"Emma\"}")
    );
    let missing = client.get("/aliases/books/Persuasion").send().await;
    assert_eq!(missing.status(), 404);
    let problem: serde_json::Value = missing.json().unwrap();
    assert_eq!(problem["detail"], "no such book");
    let book = Book {
        title: "Evelina".to_owned(),
    };
    let added = client.post("/aliases/books").json(&book).send().await;
    assert_eq!(seen(&added), ok("Evelina"));
}

/// Declares a resource as a macro of a caller would.
macro_rules! counter {
    ($name:ident, $path:literal, $number:ty) => {
        struct $name;

        #[resource($path)]
        impl $name {
            #[get("/{number}")]
            fn next(&self, number: $number, step: Option<$number>) -> $number {
                number + step.unwrap_or(1)
            }
        }
    };
}

counter!(Small, "/small", u8);
counter!(Large, "/large", u64);

#[tokio::test]
async fn a_macro_may_declare_resources() {
    let client = client(RestApi::new(Small).with(Large));
    assert_eq!(get(&client, "/small/7").await, ok("8"));
    assert_eq!(get(&client, "/large/700?step=5").await, ok("705"));
    assert_eq!(get(&client, "/small/700").await.0, 400);
}
