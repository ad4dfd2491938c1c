//! Types of arguments: `FromParam`, `FromStr` or `Deserialize`, in this order.

use std::borrow::Cow;
use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use innkeeper_rest::{FromParam, Invalid, resource};
use serde::Deserialize;

use super::{assert_malformed, assert_missing, client};

/// Has its own error message.
#[derive(Debug)]
struct Even(u32);

impl FromParam<'_> for Even {
    fn from_param(text: &str) -> Result<Self, Invalid> {
        match text.parse() {
            Ok(number) if number % 2 == 0 => Ok(Self(number)),
            _ => Err(Invalid::expected("an even number")),
        }
    }
}

/// Borrows from the request.
struct FirstWord<'r>(&'r str);

impl<'r> FromParam<'r> for FirstWord<'r> {
    fn from_param(text: &'r str) -> Result<Self, Invalid> {
        Ok(Self(text.split(' ').next().unwrap_or_default()))
    }
}

#[derive(Debug, PartialEq)]
struct Celsius(i32);

#[derive(Debug)]
struct NoTemperature;

impl fmt::Display for NoTemperature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a temperature ends with C")
    }
}

impl FromStr for Celsius {
    type Err = NoTemperature;

    fn from_str(text: &str) -> Result<Self, NoTemperature> {
        let number = text.strip_suffix('C').ok_or(NoTemperature)?;
        number.parse().map(Self).map_err(|_| NoTemperature)
    }
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Colour {
    Red,
    Green,
}

#[derive(Debug, PartialEq, Deserialize)]
struct Metres(f64);

/// Implements all three: `FromParam` is used.
#[derive(Debug, Deserialize)]
struct Everything(String);

impl FromStr for Everything {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        Ok(Self(format!("FromStr {text}")))
    }
}

impl FromParam<'_> for Everything {
    fn from_param(text: &str) -> Result<Self, Invalid> {
        Ok(Self(format!("FromParam {text}")))
    }
}

/// Implements `FromStr` and `Deserialize`: `FromStr` is used.
#[derive(Debug, Deserialize)]
struct Two(String);

impl FromStr for Two {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        Ok(Self(format!("FromStr {text}")))
    }
}

type Count = u16;
type Maybe<T> = Option<T>;
type Tags = Vec<String>;
/// A name like that of a list, for a type that is not a list.
type Vector = Celsius;

struct Types;

#[resource("/types")]
impl Types {
    #[get("/own")]
    fn own(&self, even: Even) -> u32 {
        even.0
    }

    #[get("/borrowed")]
    fn borrowed(&self, word: FirstWord<'_>, plain: &str, cow: Cow<'_, str>) -> String {
        format!("{} {plain} {cow}", word.0)
    }

    #[get("/parsed")]
    fn parsed(&self, heat: Celsius, address: Option<IpAddr>) -> String {
        format!("{heat:?} {address:?}")
    }

    #[get("/read")]
    fn read(&self, colour: Colour, width: Option<Metres>) -> String {
        format!("{colour:?} {width:?}")
    }

    #[get("/order")]
    fn order(&self, three: Everything, two: Two) -> String {
        format!("{} {}", three.0, two.0)
    }

    #[get("/lists")]
    fn lists(
        &self,
        even: Vec<Even>,
        heat: Vec<Celsius>,
        colour: Vec<Colour>,
        maybe: Option<Vec<Colour>>,
    ) -> String {
        format!("{even:?} {heat:?} {colour:?} {maybe:?}")
    }

    #[get("/aliases")]
    fn aliases(&self, count: Count, maybe: Maybe<Count>, tags: Tags, heat: Vector) -> String {
        format!("{count} {maybe:?} {tags:?} {heat:?}")
    }

    #[get("/scalars")]
    fn scalars(&self, flag: bool, letter: char, float: f32, small: i8, large: u128) -> String {
        format!("{flag} {letter} {float} {small} {large}")
    }

    #[get("/defaults")]
    #[expect(clippy::too_many_arguments, reason = "one of each kind")]
    fn defaults(
        &self,
        #[param(default = 10)] page: u32,
        #[param(default = "none")] text: String,
        #[param("order", default = "name")] by: &str,
        #[param(default = vec![1, 2])] list: Vec<u8>,
        #[param(default = Celsius(20))] heat: Celsius,
        #[header("x-limit", default = 5)] limit: u8,
        #[cookie("theme", default = "light")] theme: String,
    ) -> String {
        format!("{page} {text} {by} {list:?} {heat:?} {limit} {theme}")
    }

    #[get("/changed")]
    fn changed(&self, mut list: Vec<String>) -> Vec<String> {
        list.push("more".to_owned());
        list
    }
}

#[tokio::test]
async fn types_of_your_own_are_read_by_what_they_implement() {
    let client = client(Types);
    for (target, expected) in [
        ("own?even=4", "4"),
        ("borrowed?word=a%20b&plain=c&cow=%C3%BC", "a c ü"),
        ("parsed?heat=-3C", "Celsius(-3) None"),
        ("parsed?heat=3C&address=::1", "Celsius(3) Some(::1)"),
        ("read?colour=red&width=2.5", "Red Some(Metres(2.5))"),
        ("order?three=a&two=b", "FromParam a FromStr b"),
        (
            "scalars?flag=true&letter=%C3%BC&float=-1.5&small=-128&large=1",
            "true ü -1.5 -128 1",
        ),
        ("changed?list=some", r#"["some","more"]"#),
    ] {
        let response = client.get(format!("/types/{target}")).send().await;
        assert_eq!(response.text(), expected, "{target}");
    }
}

#[tokio::test]
async fn types_are_chosen_by_type_and_never_by_written_name() {
    let client = client(Types);
    let response = client
        .get("/types/aliases?count=1&tags=a&tags=b&heat=9C")
        .send()
        .await;
    assert_eq!(response.text(), r#"1 None ["a", "b"] Celsius(9)"#);
}

#[tokio::test]
async fn each_kind_of_type_says_what_it_expected() {
    let client = client(Types);
    for (target, name, expected) in [
        ("own?even=3", "even", "expected an even number"),
        ("parsed?heat=3", "heat", "a temperature ends with C"),
        (
            "read?colour=blue",
            "colour",
            "expected one of `red`, `green`",
        ),
        ("read?colour=red&width=wide", "width", "expected a number"),
        ("read?colour=red&width=NaN", "width", "expected a number"),
        ("scalars?flag=yes", "flag", "expected `true` or `false`"),
        (
            "scalars?flag=true&letter=ab",
            "letter",
            "expected a single character",
        ),
        (
            "scalars?flag=true&letter=a&float=inf",
            "float",
            "expected a number",
        ),
        (
            "lists?even=2&even=3",
            "even",
            "item 1: expected an even number",
        ),
        (
            "lists?heat=2C&heat=3",
            "heat",
            "item 1: a temperature ends with C",
        ),
        (
            "lists?colour=red&colour=x",
            "colour",
            "item 1: expected one of `red`, `green`",
        ),
        (
            "lists?maybe=red&maybe=",
            "maybe",
            "item 1: expected one of `red`, `green`",
        ),
    ] {
        let response = client.get(format!("/types/{target}")).send().await;
        assert_malformed(&response, name, &format!("parameter `{name}`: {expected}"));
    }
}

#[tokio::test]
async fn a_missing_parameter_is_named_whatever_its_type() {
    let client = client(Types);
    for (target, name) in [
        ("own", "even"),
        ("own?Even=2", "even"),
        ("borrowed?word=a", "plain"),
        ("parsed", "heat"),
        ("read", "colour"),
        ("order?three=a", "two"),
    ] {
        let response = client.get(format!("/types/{target}")).send().await;
        assert_missing(&response, "parameter", name);
    }
}

#[tokio::test]
async fn an_optional_parameter_is_none_only_when_absent() {
    let client = client(Types);
    let absent = client.get("/types/read?colour=green").send().await;
    assert_eq!(absent.text(), "Green None");
    let empty = client.get("/types/read?colour=green&width=").send().await;
    assert_malformed(&empty, "width", "parameter `width`: expected a number");
    let empty = client.get("/types/parsed?heat=1C&address").send().await;
    assert_eq!(empty.status(), 400);
}

#[tokio::test]
async fn a_list_takes_repeated_parameters_in_order() {
    let client = client(Types);
    let all = client
        .get("/types/lists?even=2&heat=1C&even=4&colour=green&colour=red&maybe=red")
        .send()
        .await;
    assert_eq!(
        all.text(),
        "[Even(2), Even(4)] [Celsius(1)] [Green, Red] Some([Red])"
    );
    let none = client.get("/types/lists").send().await;
    assert_eq!(none.text(), "[] [] [] None");
}

#[tokio::test]
async fn a_repeated_parameter_where_one_is_expected_is_refused() {
    let client = client(Types);
    for (target, name) in [
        ("own?even=2&even=2", "even"),
        ("parsed?heat=1C&heat=1C", "heat"),
        ("parsed?heat=1C&address=::1&address=::1", "address"),
        ("read?colour=red&colour=red", "colour"),
        ("read?colour=red&width=1&width=2", "width"),
        ("defaults?page=1&page=2", "page"),
    ] {
        let response = client.get(format!("/types/{target}")).send().await;
        assert_malformed(
            &response,
            name,
            &format!("parameter `{name}`: expected one value, found several"),
        );
    }
}

#[tokio::test]
async fn a_default_applies_when_the_parameter_is_absent() {
    let client = client(Types);
    let absent = client.get("/types/defaults").send().await;
    assert_eq!(absent.text(), "10 none name [1, 2] Celsius(20) 5 light");
    let given = client
        .get("/types/defaults?page=3&text=&order=age&list=9&heat=0C")
        .header("x-limit", "7")
        .header("cookie", "theme=dark")
        .send()
        .await;
    assert_eq!(given.text(), "3  age [9] Celsius(0) 7 dark");
}

#[tokio::test]
async fn a_default_does_not_stand_for_an_empty_parameter() {
    let client = client(Types);
    for query in ["page=", "page"] {
        let response = client.get(format!("/types/defaults?{query}")).send().await;
        assert_malformed(
            &response,
            "page",
            "parameter `page`: expected a whole number between 0 and 4294967295",
        );
    }
    let header = client.get("/types/defaults").header("x-limit", "");
    assert_malformed(
        &header.send().await,
        "x-limit",
        "header `x-limit`: expected a whole number between 0 and 255",
    );
}

/// Accepts what is not text, too.
struct DoorName<'r>(&'r str);

impl<'r> FromParam<'r> for DoorName<'r> {
    fn from_param(text: &'r str) -> Result<Self, Invalid> {
        Ok(Self(text))
    }

    fn from_undecodable(problem: Invalid) -> Result<Self, Invalid> {
        match problem.to_string().as_str() {
            "expected UTF-8" => Err(Invalid::because("the door has no name")),
            _ => Ok(Self("no door")),
        }
    }
}

impl fmt::Display for DoorName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

struct Doors;

#[resource("/doors")]
impl Doors {
    #[get("/{name}")]
    fn door(&self, name: DoorName<'_>) -> String {
        name.0.to_owned()
    }

    #[get("/{names}/all")]
    fn all(&self, #[separated_by(",")] names: Vec<String>) -> String {
        names.join(" ")
    }
}

#[tokio::test]
async fn a_type_decides_about_a_segment_that_is_not_text() {
    let client = client(Doors);
    for (path, expected) in [
        ("/doors/front%20door", "front door"),
        ("/doors/%zz", "no door"),
        ("/doors/%00", "no door"),
    ] {
        assert_eq!(client.get(path).send().await.text(), expected, "{path}");
    }
    let refused = client.get("/doors/%FF").send().await;
    let problem = "path parameter `name`: the door has no name";
    assert_malformed(&refused, "name", problem);
    // A conversion does not get it.
    let refused = client.get("/doors/%FF/all").send().await;
    let problem = "path parameter `names`: expected UTF-8";
    assert_malformed(&refused, "names", problem);
}
