//! Pages of the lists that operators read, by number or by cursor.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use innkeeper_rest::{CursorPage, Page, Paging, Request, Response};
use jiff::Timestamp;
use url::form_urlencoded;
use uuid::Uuid;

use crate::base::error::{AuthError, Result};
use crate::base::input::non_empty;
use crate::config::Profile;
use crate::http::api::client::query_value;

/// The number of items of a page, unless the client says another one.
const DEFAULT_SIZE: u64 = 50;

/// Pages by number: `page` and `per_page`. Clients of GoTrue look for the page first in links.
fn numbered() -> Paging {
    paging().named("page", "per_page", "cursor")
}

/// Pages by cursor: `cursor` and `limit`.
fn by_cursor() -> Paging {
    paging().named("page", "limit", "cursor")
}

fn paging() -> Paging {
    Paging::of(50).at_most(1000).clamped().page_first()
}

/// Reads the page that a request asks for. Empty values count as absent.
pub(crate) fn read_page(
    request: &Request,
    number: Option<&str>,
    size: Option<&str>,
) -> Result<Page> {
    let number = parse_number(number, "page")?;
    // Links always name the size.
    let size = parse_number(size, "per_page")?.or(Some(DEFAULT_SIZE));
    numbered()
        .at(request, number, size)
        .map_err(|rejection| AuthError::validation(rejection.message().to_owned()))
}

/// Returns a response with the total number of items, and links to the next and the last page.
pub(crate) fn describe_page(
    request: &Request,
    profile: Profile,
    page: &Page,
    total: i64,
) -> Response {
    let total = total.unsigned_abs();
    let last = total.div_ceil(page.limit() as u64);
    let link = |relation: &str, number: u64| match profile {
        Profile::Std => page.link(relation, number),
        Profile::Gotrue => gotrue_link(request, relation, number),
    };
    // GoTrue counts on from zero if that was asked for.
    let asked = query_value(request.head(), "page");
    let number = match (profile, asked.as_deref()) {
        (Profile::Gotrue, Some("0")) => 0,
        _ => page.number(),
    };
    let mut links = Vec::new();
    if number < last {
        links.push(link("next", number + 1));
    }
    links.push(link("last", last));
    Response::ok()
        .header("link", links.join(", "))
        .header("x-total-count", total.to_string())
}

/// Writes a link as GoTrue does: with the parameters of the request, sorted by name, and the page.
fn gotrue_link(request: &Request, relation: &str, number: u64) -> String {
    let query = request.head().query().unwrap_or_default();
    let mut pairs: Vec<(String, String)> = form_urlencoded::parse(query.as_bytes())
        .filter(|(name, _)| name != "page")
        .map(|(name, value)| (name.into_owned(), value.into_owned()))
        .collect();
    pairs.push(("page".to_owned(), number.to_string()));
    pairs.sort_by(|(left, _), (right, _)| left.cmp(right));
    let query = form_urlencoded::Serializer::new(String::new())
        .extend_pairs(pairs)
        .finish();
    format!("<{}?{query}>; rel=\"{relation}\"", request.path())
}

/// Reads the page after a cursor, and the cursor.
pub(crate) fn read_cursor(
    request: &Request,
    cursor: Option<String>,
    limit: Option<&str>,
) -> Result<(CursorPage, Option<Cursor>)> {
    let limit = parse_number(limit, "limit")?.or(Some(DEFAULT_SIZE));
    let page = by_cursor()
        .cursor_at(request, cursor, limit)
        .map_err(|rejection| AuthError::validation(rejection.message().to_owned()))?;
    let cursor = page.after_text().map(Cursor::parse).transpose()?;
    Ok((page, cursor))
}

/// Converts an offset or a limit for the database, which counts in `i64`.
pub(crate) fn to_i64(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// A position in a list, newest first: the page begins after it. It stays valid when items are added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cursor {
    pub(crate) at: Timestamp,
    pub(crate) id: Uuid,
}

impl Cursor {
    fn parse(text: &str) -> Result<Self> {
        let parse = || {
            let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
            let text = String::from_utf8(bytes).ok()?;
            let (at, id) = text.split_once('.')?;
            let at = Timestamp::from_microsecond(at.parse().ok()?).ok()?;
            let id = Uuid::parse_str(id).ok()?;
            Some(Self { at, id })
        };
        parse().ok_or_else(|| AuthError::validation("The cursor is not one of this server"))
    }

    /// Returns the cursor as clients send it back.
    pub(crate) fn encode(self) -> String {
        let Self { at, id } = self;
        URL_SAFE_NO_PAD.encode(format!("{}.{id}", at.as_microsecond()))
    }
}

fn parse_number(text: Option<&str>, name: &str) -> Result<Option<u64>> {
    let Some(text) = non_empty(text) else {
        return Ok(None);
    };
    let number = text
        .parse::<i64>()
        .ok()
        .and_then(|number| number.try_into().ok());
    match number {
        Some(number) => Ok(Some(number)),
        None => Err(AuthError::validation(format!(
            "Bad Pagination Parameters: {name} must be a number that is not negative"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use innkeeper_rest::{Head, Method, Request};

    use jiff::Timestamp;
    use uuid::Uuid;

    use super::{Cursor, describe_page, read_cursor, read_page};
    use crate::config::Profile;

    fn request(target: &str) -> Request {
        Request::new(Head::new(Method::GET, target), "")
    }

    fn links(number: &str, target: &str, total: i64) -> String {
        links_of(Profile::Std, number, target, total)
    }

    fn links_of(profile: Profile, number: &str, target: &str, total: i64) -> String {
        let request = request(target);
        let page = read_page(&request, Some(number), Some("10")).unwrap();
        let response = describe_page(&request, profile, &page, total);
        assert_eq!(response.headers()["x-total-count"], total.to_string());
        response.headers()["link"].to_str().unwrap().to_owned()
    }

    #[test]
    fn gotrue_repeats_what_was_sent_in_order() {
        let target = "/admin/users?sort=created_at+asc&page=1&filter=a%26b";
        assert_eq!(
            links_of(Profile::Gotrue, "1", target, 25),
            "</admin/users?filter=a%26b&page=2&sort=created_at+asc>; rel=\"next\", \
             </admin/users?filter=a%26b&page=3&sort=created_at+asc>; rel=\"last\""
        );
        assert_eq!(
            links_of(Profile::Gotrue, "1", "/admin/users", 0),
            "</admin/users?page=0>; rel=\"last\""
        );
    }

    #[test]
    fn pages_are_read_with_their_defaults() {
        let request = request("/admin/users");
        let page = |number, size| read_page(&request, number, size);
        let first = page(None, Some("")).unwrap();
        assert_eq!((first.number(), first.limit(), first.offset()), (1, 50, 0));
        assert_eq!(page(Some("3"), Some("20")).unwrap().offset(), 40);
        assert_eq!(page(Some("0"), None).unwrap().number(), 1);
        assert_eq!(page(None, Some("100000")).unwrap().limit(), 1000);
        assert_eq!(page(None, Some("0")).unwrap().limit(), 1);
        for bad in ["-1", "one", "1.5", "99999999999999999999"] {
            assert!(page(Some(bad), None).is_err(), "{bad}");
        }
        let far = page(Some("9223372036854775807"), None).unwrap();
        assert_eq!(i64::try_from(far.offset()), Ok(i64::MAX));
    }

    #[test]
    fn a_cursor_is_read_as_it_was_written_and_nothing_else_is_one() {
        let cursor = Cursor {
            at: Timestamp::from_microsecond(1_700_000_000_123_456).unwrap(),
            id: Uuid::from_u128(7),
        };
        let text = cursor.encode();
        let request = request("/admin/users?limit=5&filter=a%25&cursor=x");
        let (page, read) = read_cursor(&request, Some(text.clone()), Some("5")).unwrap();
        assert_eq!(read, Some(cursor));
        assert_eq!(
            page.link("next", &text),
            format!("</admin/users?cursor={text}&limit=5&filter=a%25>; rel=\"next\"")
        );
        for bad in ["", "x", "MTIz", "MTIzLnh5eg", &text[1..], "Lg", "\u{e9}"] {
            assert!(Cursor::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_page_comes_first_in_links_and_the_last_page_has_no_next() {
        assert_eq!(
            links("1", "/admin/users?filter=a%26b&per_page=10", 25),
            "</admin/users?page=2&per_page=10&filter=a%26b>; rel=\"next\", \
             </admin/users?page=3&per_page=10&filter=a%26b>; rel=\"last\""
        );
        assert_eq!(
            links("3", "/admin/users", 25),
            "</admin/users?page=3&per_page=10>; rel=\"last\""
        );
        assert_eq!(
            links("1", "/admin/users", 0),
            "</admin/users?page=0&per_page=10>; rel=\"last\""
        );
        assert_eq!(
            links("1", "/admin/users?filter=ada@example.com%20x", 0),
            "</admin/users?page=0&per_page=10&filter=ada%40example.com+x>; rel=\"last\""
        );
    }
}
