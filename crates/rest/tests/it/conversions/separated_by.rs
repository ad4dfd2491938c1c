//! `#[separated_by]`: lists in a single value.

use innkeeper_rest::resource;
use serde::{Deserialize, Serialize};

use crate::sources::{assert_malformed, assert_missing, client};

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum State {
    Open,
    Done,
}

struct Lists;

#[resource("/lists")]
impl Lists {
    #[get("/names")]
    fn names(&self, #[separated_by(",")] names: Vec<String>) -> Vec<String> {
        names
    }

    #[get("/borrowed")]
    fn borrowed(&self, #[separated_by(",")] names: Vec<&str>) -> String {
        names.join("|")
    }

    #[get("/numbers")]
    fn numbers(&self, #[separated_by(",")] numbers: Vec<u8>) -> Vec<u8> {
        numbers
    }

    #[get("/states")]
    fn states(&self, #[separated_by(",")] states: Vec<State>) -> Vec<State> {
        states
    }

    #[get("/optional")]
    fn optional(&self, #[separated_by(",")] names: Option<Vec<String>>) -> String {
        format!("{names:?}")
    }

    #[get("/default")]
    fn default(
        &self,
        #[param(default = vec![1])]
        #[separated_by(",")]
        numbers: Vec<u8>,
    ) -> Vec<u8> {
        numbers
    }

    #[get("/one")]
    fn one(&self, #[separated_by(",")] number: u8) -> u8 {
        number
    }

    #[get("/pipes")]
    fn pipes(&self, #[separated_by("||")] names: Vec<String>) -> Vec<String> {
        names
    }

    #[get("/spaces")]
    fn spaces(
        &self,
        #[param("q")]
        #[separated_by(" ")]
        words: Vec<String>,
    ) -> Vec<String> {
        words
    }

    #[get("/path/{ids}")]
    fn path(&self, #[separated_by("-")] ids: Vec<u8>) -> Vec<u8> {
        ids
    }

    #[get("/header")]
    fn header(
        &self,
        #[header("X-Ids")]
        #[separated_by(",")]
        ids: Vec<u8>,
    ) -> Vec<u8> {
        ids
    }

    #[get("/header-names")]
    fn header_names(
        &self,
        #[header("X-Names")]
        #[separated_by(",")]
        names: Vec<&str>,
    ) -> String {
        names.join("|")
    }

    #[get("/cookie")]
    fn cookie(
        &self,
        #[cookie("ids")]
        #[separated_by(".")]
        ids: Vec<u8>,
    ) -> Vec<u8> {
        ids
    }

    #[post("/form")]
    fn form(
        &self,
        #[param]
        #[separated_by(",")]
        ids: Vec<u8>,
    ) -> Vec<u8> {
        ids
    }

    #[post("/body")]
    fn body(
        &self,
        #[body]
        #[separated_by("\n")]
        lines: Vec<String>,
    ) -> Vec<String> {
        lines
    }

    #[post("/entity")]
    fn entity(&self, #[separated_by(",")] words: Vec<String>) -> Vec<String> {
        words
    }
}

#[tokio::test]
async fn a_text_is_split_at_the_separator() {
    let client = client(Lists);
    for (target, expected) in [
        ("names?names=A,B", r#"["A","B"]"#),
        ("names?names=A", r#"["A"]"#),
        ("names?names=A%2CB", r#"["A","B"]"#),
        ("names?names=A,,B,", r#"["A","","B",""]"#),
        ("borrowed?names=a+b,c", "a b|c"),
        ("pipes?names=a|b||c", r#"["a|b","c"]"#),
        ("spaces?q=a+b%20c", r#"["a","b","c"]"#),
    ] {
        let response = client.get(format!("/lists/{target}")).send().await;
        assert_eq!(response.text(), expected, "{target}");
    }
}

#[tokio::test]
async fn repeated_occurrences_are_one_list() {
    let response = client(Lists)
        .get("/lists/names?names=A,B&names=&names=C")
        .send()
        .await;
    assert_eq!(response.text(), r#"["A","B","C"]"#);
}

#[tokio::test]
async fn an_empty_text_is_an_empty_list() {
    let client = client(Lists);
    for target in ["names?names=", "names?names", "names", "numbers?numbers="] {
        let response = client.get(format!("/lists/{target}")).send().await;
        assert_eq!(response.text(), "[]", "{target}");
    }
    let optional = client.get("/lists/optional?names=").send().await;
    assert_eq!(optional.text(), "Some([])");
    let optional = client.get("/lists/optional").send().await;
    assert_eq!(optional.text(), "None");
    let default = client.get("/lists/default").send().await;
    assert_eq!(default.text(), "[1]");
    let default = client.get("/lists/default?numbers=").send().await;
    assert_eq!(default.text(), "[]");
}

#[tokio::test]
async fn items_are_typed() {
    let client = client(Lists);
    let numbers = client.get("/lists/numbers?numbers=1,2,255").send().await;
    assert_eq!(numbers.text(), "[1,2,255]");
    let states = client.get("/lists/states?states=done,open").send().await;
    assert_eq!(states.text(), r#"["done","open"]"#);
}

#[tokio::test]
async fn a_malformed_item_is_named_by_its_index() {
    let client = client(Lists);
    let whole = "expected a whole number between 0 and 255";
    for target in [
        "numbers=1,2,x",
        "numbers=1,2&numbers=x",
        "numbers=1,2,",
        "numbers=1,2,256",
    ] {
        let response = client.get(format!("/lists/numbers?{target}")).send().await;
        let detail = format!("parameter `numbers`: item 2: {whole}");
        assert_malformed(&response, "numbers", &detail);
    }
    let states = client.get("/lists/states?states=open,x").send().await;
    let detail = "parameter `states`: item 1: expected one of `open`, `done`";
    assert_malformed(&states, "states", detail);
}

#[tokio::test]
async fn a_list_is_no_single_value() {
    let response = client(Lists).get("/lists/one?number=1,2").send().await;
    let detail = "parameter `number`: expected one value, found several";
    assert_malformed(&response, "number", detail);
}

#[tokio::test]
async fn every_source_with_text_can_be_split() {
    let client = client(Lists);
    let path = client.get("/lists/path/1-2").send().await;
    assert_eq!(path.text(), "[1,2]");
    let header = client.get("/lists/header").header("x-ids", "1,2");
    assert_eq!(header.header("x-ids", "3").send().await.text(), "[1,2,3]");
    let cookie = client.get("/lists/cookie").header("cookie", "ids=1.2");
    assert_eq!(cookie.send().await.text(), "[1,2]");
    let form = client.post("/lists/form").form("ids=1,2&ids=3");
    assert_eq!(form.send().await.text(), "[1,2,3]");
    let body = client.post("/lists/body").body("a\nb");
    assert_eq!(body.send().await.text(), r#"["a","b"]"#);
    let entity = client.post("/lists/entity").json(&"a,b");
    assert_eq!(entity.send().await.text(), r#"["a","b"]"#);
}

#[tokio::test]
async fn a_malformed_item_names_its_source() {
    let client = client(Lists);
    let whole = "expected a whole number between 0 and 255";
    let path = client.get("/lists/path/1-x").send().await;
    assert_malformed(
        &path,
        "ids",
        &format!("path parameter `ids`: item 1: {whole}"),
    );
    let header = client
        .get("/lists/header")
        .header("x-ids", "x")
        .send()
        .await;
    assert_malformed(
        &header,
        "X-Ids",
        &format!("header `X-Ids`: item 0: {whole}"),
    );
    let cookie = client.get("/lists/cookie").header("cookie", "ids=1.2.3.x");
    assert_malformed(
        &cookie.send().await,
        "ids",
        &format!("cookie `ids`: item 3: {whole}"),
    );
    let missing = client.get("/lists/one").send().await;
    assert_missing(&missing, "parameter", "number");
}

#[tokio::test]
async fn spaces_around_the_items_of_a_header_do_not_count() {
    let client = client(Lists);
    for (sent, names) in [
        ("a, b", "a|b"),
        ("a ,\tb c ,d", "a|b c|d"),
        ("a,,b", "a||b"),
        ("", ""),
    ] {
        let request = client.get("/lists/header-names").header("x-names", sent);
        assert_eq!(request.send().await.text(), names, "{sent:?}");
    }
    let request = client.get("/lists/header").header("x-ids", "1, 2");
    assert_eq!(
        request.header("x-ids", "3 , 4").send().await.text(),
        "[1,2,3,4]"
    );
    let request = client.get("/lists/names?names=a,%20b").send();
    assert_eq!(
        request.await.text(),
        r#"["a"," b"]"#,
        "elsewhere a space is a space"
    );
}
