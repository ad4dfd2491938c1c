//! `name[]`, as many clients write the items of a list.

use std::net::IpAddr;

use innkeeper_rest::resource;
use serde::Deserialize;

use super::{assert_malformed, client};

#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Colour {
    Red,
    Green,
}

struct Lists;

#[resource("/lists")]
impl Lists {
    #[get("/texts")]
    fn texts(&self, select: Vec<String>) -> Vec<String> {
        select
    }

    /// Lists that are read by `FromParam`, `FromStr` and `Deserialize`.
    #[get("/typed")]
    fn typed(
        &self,
        number: Vec<u8>,
        address: Vec<IpAddr>,
        colour: Vec<Colour>,
        maybe: Option<Vec<Colour>>,
    ) -> String {
        format!("{number:?} {address:?} {colour:?} {maybe:?}")
    }

    #[get("/single")]
    fn single(
        &self,
        #[param(default = 1)] number: u8,
        address: Option<IpAddr>,
        colour: Option<Colour>,
    ) -> String {
        format!("{number} {address:?} {colour:?}")
    }

    #[get("/named")]
    fn named(&self, #[param("select[]")] select: Vec<String>) -> Vec<String> {
        select
    }

    #[get("/separated")]
    fn separated(&self, #[separated_by(",")] select: Vec<String>) -> Vec<String> {
        select
    }
}

#[tokio::test]
async fn a_list_takes_parameters_with_brackets_in_order() {
    let client = client(Lists);
    for (query, expected) in [
        ("select[]=a&select[]=b", r#"["a","b"]"#),
        ("select%5B%5D=a&select%5b%5d=b", r#"["a","b"]"#),
        ("select[]=a", r#"["a"]"#),
        ("select[]=a&select=b&select[]=c%26", r#"["a","b","c&"]"#),
        ("select=a&select[]=b", r#"["a","b"]"#),
        ("select[]", r#"[""]"#),
        // More pairs than are found beforehand.
        ("a&b&c&d&e&f&g&h&select[]=a&select%5B%5D=b", r#"["a","b"]"#),
        // Other parameters, whose values are not even decoded.
        (
            "select[0]=a&select[=b&select]=c&select[][]=d&selec[]=e&xselect[]=f&select%5B=%zz",
            "[]",
        ),
    ] {
        let response = client.get(format!("/lists/texts?{query}")).send().await;
        assert_eq!(response.text(), expected, "{query}");
    }
    let typed = client
        .get("/lists/typed?number[]=2&address[]=::1&number[]=4&colour[]=green&maybe[]=red")
        .send()
        .await;
    assert_eq!(typed.text(), "[2, 4] [::1] [Green] Some([Red])");
    let named = client.get("/lists/named?select[]=a&select=b").send().await;
    assert_eq!(named.text(), r#"["a"]"#);
    let separated = client
        .get("/lists/separated?select[]=a,b&select[]=c")
        .send()
        .await;
    assert_eq!(separated.text(), r#"["a","b","c"]"#);
}

#[tokio::test]
async fn a_parameter_with_brackets_where_one_is_expected_is_refused() {
    let client = client(Lists);
    for (query, name, found) in [
        ("number[]=2", "number", "a list"),
        ("number[]=2&number[]=4", "number", "several"),
        ("number=2&number[]=4", "number", "several"),
        ("address[]=::1", "address", "a list"),
        ("colour[]=red", "colour", "a list"),
        ("colour[]=red&colour[]=green", "colour", "several"),
    ] {
        let response = client.get(format!("/lists/single?{query}")).send().await;
        let detail = format!("parameter `{name}`: expected one value, found {found}");
        assert_malformed(&response, name, &detail);
    }
}
