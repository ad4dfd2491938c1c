//! CBOR and MessagePack, read and written.

mod hostile;
mod negotiation;
mod shapes;

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::LazyLock;

use innkeeper_rest::testing::{Client, TestResponse};
use innkeeper_rest::{App, Cbor, MessagePack, RestApi, Value, resource};
use serde::{Deserialize, Serialize};

const CBOR: &str = "application/cbor";
const MSGPACK: &str = "application/msgpack";

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Shape {
    Point,
    Circle(f64),
    Line(i32, i32),
    Box { width: u32, height: u32 },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Unit;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Metres(f64);

/// Fields of many kinds in serde's data model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Everything {
    small: i8,
    large: u64,
    negative: i64,
    number: f64,
    short: f32,
    flag: bool,
    letter: char,
    text_field: String,
    list: Vec<u32>,
    pair: (u8, String),
    maybe: Option<u8>,
    nothing: (),
    unit: Unit,
    metres: Metres,
    by_name: BTreeMap<String, i32>,
    shapes: Vec<Shape>,
    address: IpAddr,
    any: Value,
    #[serde(default)]
    octets: Octets,
}

/// Bytes serialized as bytes instead of a list of numbers.
#[derive(Debug, Clone, Default, PartialEq)]
struct Octets(Vec<u8>);

impl Serialize for Octets {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for Octets {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = Octets;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("bytes")
            }
            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Octets, E> {
                Ok(Octets(bytes.to_vec()))
            }
            fn visit_seq<A: serde::de::SeqAccess<'de>>(
                self,
                mut items: A,
            ) -> Result<Octets, A::Error> {
                let mut all = Vec::new();
                while let Some(byte) = items.next_element()? {
                    all.push(byte);
                }
                Ok(Octets(all))
            }
        }
        deserializer.deserialize_byte_buf(Visitor)
    }
}

#[derive(Debug, Serialize, Deserialize)]
struct Nested {
    children: Vec<Nested>,
}

/// A type that recurses as deep as its input.
#[derive(Debug, Serialize, Deserialize)]
enum Chain {
    End,
    Next(Box<Chain>),
}

struct Echo;

#[resource("/echo")]
impl Echo {
    #[post("/any")]
    fn any(&self, any: Value) -> Value {
        any
    }

    #[post("/everything")]
    fn everything(&self, everything: Everything) -> Everything {
        everything
    }

    #[post("/nested")]
    fn nested(&self, nested: Nested) -> Nested {
        nested
    }

    #[post("/chain")]
    fn chain(&self, chain: Chain) -> Chain {
        chain
    }

    #[post("/names")]
    fn names(&self, names: BTreeMap<String, Option<u8>>) -> BTreeMap<String, Option<u8>> {
        names
    }

    #[post("/pair")]
    fn pair(&self, pair: (u8, u8)) -> (u8, u8) {
        pair
    }

    #[post("/unit")]
    fn unit(&self, unit: Unit) -> &'static str {
        let Unit = unit;
        "unit"
    }

    #[post("/numbers")]
    fn numbers(&self, numbers: Vec<f64>) -> Vec<f64> {
        numbers
    }

    #[post("/large")]
    fn large(&self, number: u128) -> String {
        number.to_string()
    }

    #[post("/shape")]
    fn shape(&self, shape: Shape) -> Shape {
        shape
    }
}

/// Built once: building the routes takes longer than a case of a property test.
static CLIENT: LazyLock<Client> = LazyLock::new(|| {
    let api = RestApi::new(Echo)
        .register(Cbor)
        .register(MessagePack)
        .body_limit(1024 * 1024);
    Client::new(App::new().mount("/", api)).unwrap()
});

/// Sends a body of one media type and accepts another.
async fn send(path: &str, body: Vec<u8>, content_type: &str, accept: &str) -> TestResponse {
    let request = CLIENT.post(format!("/echo{path}"));
    let request = request.header("content-type", content_type);
    request.header("accept", accept).body(body).send().await
}

/// Sends JSON and returns the response in another format.
async fn from_json(path: &str, value: &impl Serialize, accept: &str) -> Vec<u8> {
    let body = serde_json::to_vec(value).unwrap();
    let response = send(path, body, "application/json", accept).await;
    assert_eq!(response.status(), 200, "{}", response.text());
    assert_eq!(response.header("content-type"), Some(accept));
    response.bytes().to_vec()
}

/// Sends another format and returns the response in JSON.
async fn to_json(path: &str, body: Vec<u8>, content_type: &str) -> Value {
    let response = send(path, body, content_type, "application/json").await;
    assert_eq!(response.status(), 200, "{}", response.text());
    response.json().unwrap()
}

fn everything() -> Everything {
    Everything {
        small: -7,
        large: u64::MAX,
        negative: i64::MIN,
        number: -0.1,
        short: 1.5,
        flag: true,
        letter: 'ü',
        text_field: "text".repeat(100),
        list: vec![0, 23, 24, 255, 256, 65_536, u32::MAX],
        pair: (1, "two".to_owned()),
        maybe: None,
        nothing: (),
        unit: Unit,
        metres: Metres(2.5),
        by_name: BTreeMap::from([("a".to_owned(), -1), ("b".to_owned(), i32::MIN)]),
        shapes: vec![
            Shape::Point,
            Shape::Circle(1.0),
            Shape::Line(-1, 1),
            Shape::Box {
                width: 1,
                height: 2,
            },
        ],
        address: [127, 0, 0, 1].into(),
        any: serde_json::json!({"null": null, "list": [1, "a", null, {}]}),
        octets: Octets(vec![0, 255, 128]),
    }
}
