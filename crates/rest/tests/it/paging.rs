//! Paging of lists.

use innkeeper_rest::testing::{Client, TestResponse};
use innkeeper_rest::{App, Head, Method, Paging, Rejection, Request, Response, RestApi, resource};
use serde_json::Value;

const PAGING: Paging = Paging::of(3).at_most(5);

/// Lists the numbers from 1 to 10.
struct Numbers;

#[resource("/numbers")]
impl Numbers {
    #[get]
    fn list(&self, #[request] request: &Request) -> Result<Response, Rejection> {
        let page = PAGING.page(request)?;
        Ok(page.respond((1..=10).skip(page.offset()).take(page.limit() + 1)))
    }

    #[get("/counted")]
    fn counted(&self, #[request] request: &Request) -> Result<Response, Rejection> {
        let page = PAGING.page(request)?;
        Ok(page.respond_of((1..=10).skip(page.offset()), 10))
    }

    #[get("/none")]
    fn none(&self, #[request] request: &Request) -> Result<Response, Rejection> {
        Ok(PAGING.page(request)?.respond_of(Vec::<u32>::new(), 0))
    }

    #[get("/declared")]
    fn declared(
        &self,
        page: Option<u64>,
        limit: Option<u64>,
        #[request] request: &Request,
    ) -> Result<Response, Rejection> {
        let page = PAGING.at(request, page, limit)?;
        Ok(page.respond((1..=10).skip(page.offset())))
    }

    #[get("/named")]
    fn named(&self, #[request] request: &Request) -> Result<Response, Rejection> {
        let page = Paging::of(3).named("p", "per page", "from").page(request)?;
        Ok(page.respond((1..=10).skip(page.offset())))
    }

    #[get("/cursor")]
    fn cursor(&self, #[request] request: &Request) -> Result<Response, Rejection> {
        let page = PAGING.cursor(request)?;
        let (after, _) = page.after::<(u32, String)>()?.unwrap_or_default();
        let numbers = (after + 1..=10).take(page.limit() + 1);
        page.respond(numbers, |number| (*number, format!("n {number}")))
    }
}

fn client() -> Client {
    Client::new(App::new().mount("/api", RestApi::new(Numbers))).unwrap()
}

async fn get(target: &str) -> TestResponse {
    client().get(format!("/api/numbers{target}")).send().await
}

/// Returns the relation and the target of each link.
fn links(answer: &TestResponse) -> Vec<(String, String)> {
    let header = answer.header("link").unwrap_or_default();
    let links = header.split(", ").filter(|link| !link.is_empty());
    let parsed = links.map(|link| {
        let (target, relation) = link.split_once("; ").unwrap();
        let target = target
            .strip_prefix("</api/numbers")
            .unwrap()
            .strip_suffix('>')
            .unwrap();
        let relation = relation
            .strip_prefix("rel=\"")
            .unwrap()
            .strip_suffix('"')
            .unwrap();
        (relation.to_owned(), target.to_owned())
    });
    parsed.collect()
}

async fn check(target: &str, items: &str, expected: &[(&str, &str)]) {
    let answer = get(target).await;
    assert_eq!(
        (answer.status(), answer.text().as_str()),
        (200, items),
        "{target}"
    );
    let links = links(&answer);
    let links: Vec<(&str, &str)> = links
        .iter()
        .map(|(a, b)| (a.as_str(), b.as_str()))
        .collect();
    assert_eq!(links, expected, "{target}");
}

#[tokio::test]
async fn a_page_links_to_its_neighbours() {
    check("", "[1,2,3]", &[("first", "?page=1"), ("next", "?page=2")]).await;
    let middle = [
        ("first", "?page=1"),
        ("prev", "?page=1"),
        ("next", "?page=3"),
    ];
    check("?page=2", "[4,5,6]", &middle).await;
    check(
        "?page=4",
        "[10]",
        &[("first", "?page=1"), ("prev", "?page=3")],
    )
    .await;
    check(
        "?page=9",
        "[]",
        &[("first", "?page=1"), ("prev", "?page=8")],
    )
    .await;
}

#[tokio::test]
async fn a_full_last_page_has_no_next_one() {
    let last = [("first", "?page=1&limit=5"), ("prev", "?page=1&limit=5")];
    check("?page=2&limit=5", "[6,7,8,9,10]", &last).await;
}

#[tokio::test]
async fn a_list_of_known_length_has_a_last_page() {
    let first = [
        ("first", "/counted?page=1"),
        ("next", "/counted?page=2"),
        ("last", "/counted?page=4"),
    ];
    check("/counted", "[1,2,3]", &first).await;
    let last = [
        ("first", "/counted?page=1"),
        ("prev", "/counted?page=3"),
        ("last", "/counted?page=4"),
    ];
    check("/counted?page=4", "[10]", &last).await;
    check(
        "/none",
        "[]",
        &[("first", "/none?page=1"), ("last", "/none?page=1")],
    )
    .await;
}

#[tokio::test]
async fn other_parameters_stay_as_they_were_sent() {
    let expected = [
        ("first", "?q=a%20b&x=%3C&empty&page=1&limit=2"),
        ("next", "?q=a%20b&x=%3C&empty&page=2&limit=2"),
    ];
    check("?q=a%20b&page=1&x=<&empty&limit=2", "[1,2]", &expected).await;
}

#[tokio::test]
async fn pages_can_come_from_declared_arguments_and_other_names() {
    let expected = [
        ("first", "/declared?page=1&limit=2"),
        ("prev", "/declared?page=1&limit=2"),
        ("next", "/declared?page=3&limit=2"),
    ];
    check("/declared?page=2&limit=2", "[3,4]", &expected).await;
    let expected = [
        ("first", "/named?p=1&per%20page=5"),
        ("prev", "/named?p=1&per%20page=5"),
    ];
    check("/named?p=2&per+page=5", "[6,7,8,9,10]", &expected).await;
}

#[tokio::test]
async fn what_is_no_page_is_400() {
    let page = "parameter `page`: expected the number of a page, from 1";
    let limit = "parameter `limit`: expected a number from 1 to 5";
    for (query, problem) in [
        ("page=0", page),
        ("page=-1", page),
        ("page=x", page),
        ("page=", page),
        ("page=18446744073709551615", page),
        ("page=9223372036854775807&limit=5", page),
        ("page=99999999999999999999", page),
        ("limit=0", limit),
        ("limit=6", limit),
        ("limit=x", limit),
        ("limit=18446744073709551615", limit),
        ("page=1&page=2", "parameter `page`: expected one value"),
        (
            "page=%f",
            "parameter `page`: expected two hexadecimal digits after `%`",
        ),
    ] {
        let answer = get(&format!("?{query}")).await;
        assert_eq!(answer.status(), 400, "{query}");
        assert_eq!(
            answer.json::<Value>().unwrap()["detail"],
            problem,
            "{query}"
        );
    }
}

#[tokio::test]
async fn a_cursor_leads_through_the_list_to_its_end() {
    let mut target = "/cursor?limit=4&q=x".to_owned();
    let mut seen = Vec::new();
    loop {
        let answer = get(&target).await;
        assert_eq!(answer.status(), 200, "{target}");
        seen.extend(answer.json::<Vec<u32>>().unwrap());
        let links = links(&answer);
        assert_eq!(
            links[0],
            ("first".to_owned(), "/cursor?q=x&limit=4".to_owned())
        );
        match links.get(1) {
            Some((relation, next)) => {
                assert_eq!(relation, "next");
                target = next.clone();
            }
            None => break,
        }
    }
    assert_eq!(seen, (1..=10).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_position_that_no_link_has_said_is_400() {
    for after in ["", "x", "%00", "bnVsbA", "WzEsMl0", "&after="] {
        let answer = get(&format!("/cursor?after={after}")).await;
        assert_eq!(answer.status(), 400, "{after}");
        assert_eq!(
            answer.json::<Value>().unwrap()["code"],
            "malformed_parameter"
        );
    }
}

#[test]
fn numbers_can_be_clamped_instead_of_refused() {
    let page = |number, limit| {
        let request = Request::new(Head::new(Method::GET, "/numbers"), "");
        let page = PAGING.clamped().at(&request, number, limit).unwrap();
        (page.number(), page.offset(), page.limit())
    };
    assert_eq!(page(Some(0), Some(0)), (1, 0, 1));
    assert_eq!(page(Some(2), Some(100)), (2, 5, 5));
    let last = usize::try_from(i64::MAX).unwrap();
    assert_eq!(page(Some(u64::MAX), None), (u64::MAX, last, 3));
}

#[test]
fn the_page_can_come_first_in_links_and_the_others_form_encoded_after_it() {
    let target = "/numbers?filter=a%26b%20c&page=2&limit=5&to=ada@example.com&flag&bad=%ff";
    let request = Request::new(Head::new(Method::GET, target), "");
    let paging = PAGING.page_first();
    assert_eq!(
        paging.page(&request).unwrap().link("next", 3),
        "</numbers?page=3&limit=5&filter=a%26b+c&to=ada%40example.com&flag=&bad=%ff>; rel=\"next\""
    );
    let cursor = paging.cursor_at(&request, Some("x".to_owned()), None);
    let cursor = cursor.unwrap();
    assert_eq!((cursor.after_text(), cursor.limit()), (Some("x"), 3));
    let link = cursor.link("next", "y z");
    assert!(link.starts_with("</numbers?after=y%20z&filter="), "{link}");
}
