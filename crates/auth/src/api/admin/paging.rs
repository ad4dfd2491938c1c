//! Pages of a list: which one is wanted, and how the others are found.

use innkeeper_rest::{Head, Response};
use url::form_urlencoded;

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

    /// Says how many entries there are and where the next and the last page is. The number of the
    /// page comes first in each query: clients look for it there.
    pub(crate) fn describe(self, response: Response, head: &Head, total: i64) -> Response {
        let last = total.saturating_add(self.size - 1) / self.size;
        let link = |number: i64, relation: &str| {
            let mut query = form_urlencoded::Serializer::new(String::new());
            query.append_pair("page", &number.to_string());
            query.append_pair("per_page", &self.size.to_string());
            let given = head.query().unwrap_or_default();
            for (name, value) in form_urlencoded::parse(given.as_bytes()) {
                if name != "page" && name != "per_page" {
                    query.append_pair(&name, &value);
                }
            }
            format!("<{}?{}>; rel=\"{relation}\"", head.path(), query.finish())
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

#[cfg(test)]
mod tests {
    use innkeeper_rest::{Head, Method, Response};

    use super::Page;

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
    fn the_page_comes_first_in_links_and_the_last_page_has_no_next() {
        let first = Page { number: 1, size: 10 };
        assert_eq!(
            links(first, "/admin/users?filter=a%26b&per_page=10", 25),
            "</admin/users?page=2&per_page=10&filter=a%26b>; rel=\"next\", \
             </admin/users?page=3&per_page=10&filter=a%26b>; rel=\"last\""
        );
        let last = Page { number: 3, size: 10 };
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
