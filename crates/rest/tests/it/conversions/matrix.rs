//! `#[matrix]`: parameters within a segment of the path.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::str::FromStr;

use innkeeper_rest::{Value, resource};
use serde::de::{Deserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::{Map, json};

use crate::sources::{assert_malformed, client};

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
enum Status {
    Open,
    Done,
}

#[derive(Debug, Serialize, Deserialize)]
struct Filter {
    status: Option<Status>,
    #[serde(default)]
    orgs: Vec<String>,
    #[serde(default)]
    years: Vec<u16>,
    page: Option<u32>,
    #[serde(default)]
    mine: Option<bool>,
}

/// Implements `FromStr` too, which matrix parameters do not use.
#[derive(Debug, Serialize, Deserialize)]
struct Range {
    from: u16,
    to: u16,
}

impl FromStr for Range {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let read = || {
            let (from, to) = text.split_once('-')?;
            Some(Self {
                from: from.parse().ok()?,
                to: to.parse().ok()?,
            })
        };
        read().ok_or("expected `from-to`")
    }
}

/// A map that keeps the order of its entries.
#[derive(Debug)]
struct Entries(Vec<(String, Value)>);

impl<'de> Deserialize<'de> for Entries {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;

        impl<'de> Visitor<'de> for InOrder {
            type Value = Entries;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entries, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Entries(entries))
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}

struct Tasks;

#[resource("/tasks")]
impl Tasks {
    #[get("/{filter}/authors")]
    fn authors(&self, #[matrix] filter: Map<String, Value>) -> Map<String, Value> {
        filter
    }

    #[get("/{filter}/value")]
    fn value(&self, #[matrix] filter: Value) -> Value {
        filter
    }

    #[get("/{filter}/pairs")]
    fn pairs(&self, #[matrix] filter: Vec<(String, Value)>) -> Vec<(String, Value)> {
        filter
    }

    #[get("/{filter}/ordered")]
    fn ordered(&self, #[matrix] filter: Entries) -> Vec<(String, Value)> {
        filter.0
    }

    #[get("/{filter}/lists")]
    fn lists(
        &self,
        #[matrix] filter: BTreeMap<String, Vec<String>>,
    ) -> BTreeMap<String, Vec<String>> {
        filter
    }

    #[get("/{filter}/texts")]
    async fn texts(
        &self,
        #[matrix] filter: HashMap<String, Option<String>>,
    ) -> HashMap<String, Option<String>> {
        filter
    }

    #[get("/{filter}/typed")]
    async fn typed(&self, #[matrix] filter: Filter) -> Filter {
        filter
    }

    #[get("/{range}/range")]
    fn range(&self, #[matrix] range: Range) -> Range {
        range
    }

    #[get("/{range}/some-range")]
    fn some_range(&self, #[matrix] range: Option<Range>, other: Range) -> Value {
        json!([range, other])
    }

    #[get("/{a}/and/{b}/{c}")]
    fn several(&self, #[matrix] a: Value, b: String, #[matrix] c: Value) -> Value {
        json!([a, b, c])
    }

    #[get("/{id}")]
    fn plain(&self, id: String) -> String {
        id
    }

    #[get("/{id}/files/{*path}")]
    fn tail(&self, id: String, path: String) -> String {
        format!("{id} {path}")
    }
}

#[tokio::test]
async fn a_segment_becomes_a_map_of_names_to_values_or_lists() {
    let client = client(Tasks);
    for (segment, expected) in [
        (
            "status=DONE;orgs=A,B",
            json!({"status": "DONE", "orgs": ["A", "B"]}),
        ),
        ("a=1", json!({"a": "1"})),
        ("a=", json!({"a": ""})),
        ("a=1=2", json!({"a": "1=2"})),
        ("a=1+1", json!({"a": "1+1"})),
        (";a=1;;b=2;", json!({"a": "1", "b": "2"})),
        ("a=1;a=2,3", json!({"a": ["1", "2", "3"]})),
        (";", json!({})),
    ] {
        for kind in ["authors", "value"] {
            let target = format!("/tasks/{segment}/{kind}");
            let response = client.get(target).send().await;
            assert_eq!(response.json::<Value>().unwrap(), expected, "{segment}");
        }
    }
}

#[tokio::test]
async fn names_keep_their_order() {
    let client = client(Tasks);
    let segment = "status=DONE;orgs=A,B;author;b=1;orgs=C;a=2";
    for kind in ["pairs", "ordered"] {
        let response = client.get(format!("/tasks/{segment}/{kind}")).send().await;
        assert_eq!(
            response.text(),
            r#"[["status","DONE"],["orgs",["A","B","C"]],["author",null],["b","1"],["a","2"]]"#,
            "{kind}"
        );
    }
}

#[tokio::test]
async fn a_name_without_value_is_null() {
    let client = client(Tasks);
    let response = client.get("/tasks/open;a=1/authors").send().await;
    assert_eq!(response.text(), r#"{"a":"1","open":null}"#);
    let typed = client.get("/tasks/open/texts").send().await;
    assert_eq!(typed.text(), r#"{"open":null}"#);
}

#[tokio::test]
async fn a_segment_is_split_before_it_is_decoded() {
    let client = client(Tasks);
    let response = client
        .get("/tasks/a%3Db=x%3By%2Cz%3D%2F;c=%C3%BC,%20/authors")
        .send()
        .await;
    assert_eq!(response.text(), r#"{"a=b":"x;y,z=/","c":["ü"," "]}"#);
}

#[tokio::test]
async fn a_segment_may_be_a_map_of_lists() {
    let client = client(Tasks);
    let response = client.get("/tasks/a=1;b=2,3;c/lists").send().await;
    assert_eq!(response.text(), r#"{"a":["1"],"b":["2","3"],"c":[]}"#);
}

#[tokio::test]
async fn a_segment_may_be_a_typed_struct() {
    let client = client(Tasks);
    let response = client
        .get("/tasks/status=DONE;orgs=A,B;years=2024;page=2;mine=true/typed")
        .send()
        .await;
    assert_eq!(
        response.text(),
        r#"{"status":"DONE","orgs":["A","B"],"years":[2024],"page":2,"mine":true}"#
    );
    let response = client.get("/tasks/status;other=1/typed").send().await;
    assert_eq!(
        response.text(),
        r#"{"status":null,"orgs":[],"years":[],"page":null,"mine":null}"#
    );
}

#[tokio::test]
async fn a_malformed_entry_is_named_with_what_was_expected() {
    let client = client(Tasks);
    for (segment, expected) in [
        ("status=LATE", "`status`: expected one of `OPEN`, `DONE`"),
        (
            "page=x",
            "`page`: expected a whole number between 0 and 4294967295",
        ),
        (
            "years=2024,x",
            "`years`: item 1: expected a whole number between 0 and 65535",
        ),
        ("=1", "expected a name before `=`"),
        ("a=%zz", "expected two hexadecimal digits after `%`"),
        ("a=%FF", "expected UTF-8"),
        ("%FF", "expected UTF-8"),
    ] {
        let response = client.get(format!("/tasks/{segment}/typed")).send().await;
        let detail = format!("matrix parameter `filter`: {expected}");
        assert_malformed(&response, "filter", &detail);
    }
}

#[tokio::test]
async fn several_segments_may_have_parameters() {
    let response = client(Tasks).get("/tasks/x=1/and/y=2/z").send().await;
    assert_eq!(response.text(), r#"[{"x":"1"},"y=2",{"z":null}]"#);
}

#[tokio::test]
async fn elsewhere_a_semicolon_is_an_ordinary_character() {
    let client = client(Tasks);
    let plain = client.get("/tasks/a;b=1,2").send().await;
    assert_eq!(plain.text(), "a;b=1,2");
    let tail = client.get("/tasks/a;b/files/c;d=1/e").send().await;
    assert_eq!(tail.text(), "a;b c;d=1/e");
    // Parameters are not removed before matching: this is another path.
    let other = client.get("/tasks;v=1").send().await;
    assert_eq!(other.status(), 404);
    let other = client.get("/tasks/x=1/authors;v=1").send().await;
    assert_eq!(other.status(), 404);
}

#[tokio::test]
async fn a_type_that_also_reads_text_is_filled_from_the_map() {
    let client = client(Tasks);
    let response = client.get("/tasks/from=1;to=5/range").send().await;
    assert_eq!(response.text(), r#"{"from":1,"to":5}"#);
    let request = client.get("/tasks/to=5;from=1/some-range?other=7-9");
    assert_eq!(
        request.send().await.text(),
        r#"[{"from":1,"to":5},{"from":7,"to":9}]"#
    );
    let refused = client.get("/tasks/from=1/range").send().await;
    assert_eq!(refused.status(), 400);
}
