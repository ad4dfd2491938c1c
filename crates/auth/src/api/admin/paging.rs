//! Pages of a list: which one is wanted, and how the others are found.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use innkeeper_rest::{Head, Response};
use jiff::Timestamp;
use url::form_urlencoded;
use uuid::Uuid;

use crate::error::{AuthError, Result};

const DEFAULT_SIZE: i64 = 50;
const LARGEST: i64 = 1000;

/// Which page is wanted. Empty values mean the defaults.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Page {
    pub(crate) number: i64,
    pub(crate) size: i64,
}

impl Page {
    pub(crate) fn read(page: Option<&str>, size: Option<&str>) -> Result<Self> {
        Ok(Self {
            number: number(page, "page", 1)?.max(1),
            size: number(size, "per_page", DEFAULT_SIZE)?.clamp(1, LARGEST),
        })
    }

    /// How many entries come before it.
    pub(crate) fn skipped(self) -> i64 {
        (self.number - 1).saturating_mul(self.size)
    }

    /// Says how many entries there are and where the next and the last page is.
    pub(crate) fn describe(self, response: Response, head: &Head, total: i64) -> Response {
        let last = total.saturating_add(self.size - 1) / self.size;
        let size = self.size.to_string();
        let link = |number: i64, relation: &str| {
            let place = [("page", number.to_string()), ("per_page", size.clone())];
            link(head, &place, relation)
        };
        let mut links = Vec::new();
        if self.number < last {
            links.push(link(self.number + 1, "next"));
        }
        links.push(link(last, "last"));
        response
            .header("link", links.join(", "))
            .header("x-total-count", total.to_string())
    }
}

/// A link to the same list with another place in it. The place comes first in the query: clients look
/// for it there.
fn link(head: &Head, place: &[(&str, String)], relation: &str) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.extend_pairs(place);
    let given = head.query().unwrap_or_default();
    let others = form_urlencoded::parse(given.as_bytes())
        .filter(|(name, _)| place.iter().all(|(known, _)| name != known));
    query.extend_pairs(others);
    format!("<{}?{}>; rel=\"{relation}\"", head.path(), query.finish())
}

/// The place after an entry of a list, newest first. It stays where it is when entries are added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cursor {
    pub(crate) at: Timestamp,
    pub(crate) id: Uuid,
}

impl Cursor {
    pub(crate) fn read(text: &str) -> Result<Self> {
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

    pub(crate) fn write(self) -> String {
        let Self { at, id } = self;
        URL_SAFE_NO_PAD.encode(format!("{}.{id}", at.as_microsecond()))
    }

    /// The link to the page after this place.
    pub(crate) fn link(self, head: &Head, size: i64) -> String {
        let place = [("cursor", self.write()), ("limit", size.to_string())];
        link(head, &place, "next")
    }
}

fn number(text: Option<&str>, name: &str, default: i64) -> Result<i64> {
    let Some(text) = text.filter(|text| !text.is_empty()) else {
        return Ok(default);
    };
    match text.parse::<i64>() {
        Ok(number) if number >= 0 => Ok(number),
        _ => Err(AuthError::validation(format!(
            "Bad Pagination Parameters: {name} must be a number that is not negative"
        ))),
    }
}

/// The size of a page that a cursor asks for.
pub(crate) fn limit(text: Option<&str>) -> Result<i64> {
    Ok(number(text, "limit", DEFAULT_SIZE)?.clamp(1, LARGEST))
}

/// Takes its meaning from what SQL's `like` gives a meaning.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        if matches!(character, '%' | '_' | '\\') {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use innkeeper_rest::{Head, Method, Response};

    use jiff::Timestamp;
    use uuid::Uuid;

    use super::{Cursor, Page};

    fn links(page: Page, target: &str, total: i64) -> String {
        let head = Head::new(Method::GET, target);
        let response = page.describe(Response::ok(), &head, total);
        response.headers()["link"].to_str().unwrap().to_owned()
    }

    #[test]
    fn pages_are_read_with_their_defaults() {
        let page = Page::read(None, Some("")).unwrap();
        assert_eq!((page.number, page.size, page.skipped()), (1, 50, 0));
        let page = Page::read(Some("3"), Some("20")).unwrap();
        assert_eq!(page.skipped(), 40);
        assert_eq!(Page::read(Some("0"), None).unwrap().number, 1);
        assert_eq!(Page::read(None, Some("100000")).unwrap().size, 1000);
        for bad in ["-1", "one", "1.5", "99999999999999999999"] {
            assert!(Page::read(Some(bad), None).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_cursor_is_read_as_it_was_written_and_nothing_else_is_one() {
        let cursor = Cursor {
            at: Timestamp::from_microsecond(1_700_000_000_123_456).unwrap(),
            id: Uuid::from_u128(7),
        };
        let text = cursor.write();
        assert_eq!(Cursor::read(&text).unwrap(), cursor);
        let head = Head::new(Method::GET, "/admin/users?limit=5&filter=a%25&cursor=x");
        assert_eq!(
            cursor.link(&head, 5),
            format!("</admin/users?cursor={text}&limit=5&filter=a%25>; rel=\"next\"")
        );
        for bad in ["", "x", "MTIz", "MTIzLnh5eg", &text[1..], "Lg", "\u{e9}"] {
            assert!(Cursor::read(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_page_comes_first_in_links_and_the_last_page_has_no_next() {
        let first = Page {
            number: 1,
            size: 10,
        };
        assert_eq!(
            links(first, "/admin/users?filter=a%26b&per_page=10", 25),
            "</admin/users?page=2&per_page=10&filter=a%26b>; rel=\"next\", \
             </admin/users?page=3&per_page=10&filter=a%26b>; rel=\"last\""
        );
        let last = Page {
            number: 3,
            size: 10,
        };
        assert_eq!(
            links(last, "/admin/users", 25),
            "</admin/users?page=3&per_page=10>; rel=\"last\""
        );
        assert_eq!(
            links(first, "/admin/users", 0),
            "</admin/users?page=0&per_page=10>; rel=\"last\""
        );
    }
}
