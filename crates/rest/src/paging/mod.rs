//! Lists, a page at a time.

mod cursor;
mod links;
mod page;

use std::borrow::Cow;

pub use cursor::CursorPage;
pub use page::Page;

use crate::rejection::Rejection;
use crate::request::Request;

/// How lists are cut into pages: how long a page is, how long it may be, and what the parameters are
/// called.
///
/// ```
/// use innkeeper_rest::{Paging, Rejection, Request, Response, resource};
///
/// const PAGING: Paging = Paging::of(20).at_most(100);
///
/// struct Rooms;
///
/// #[resource("/rooms")]
/// impl Rooms {
///     /// `/rooms?page=2&limit=50`
///     #[get]
///     fn list(&self, #[request] request: &Request) -> Result<Response, Rejection> {
///         let page = PAGING.page(request)?;
///         // One more than is shown tells whether there is a next page.
///         let rooms = (1..=1000_u32).skip(page.offset()).take(page.limit() + 1);
///         Ok(page.respond(rooms))
///     }
/// }
/// ```
#[derive(Debug, Clone)]
pub struct Paging {
    usual: usize,
    most: usize,
    page: Cow<'static, str>,
    limit: Cow<'static, str>,
    after: Cow<'static, str>,
    clamps: bool,
    query: LinkQuery,
}

/// How links write the query of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LinkQuery {
    /// The other parameters as the client sent them, then those of the page.
    AsSent,
    /// The parameters of the page, then the others, form-encoded.
    PageFirst,
}

impl Paging {
    /// Pages of this many items, unless the client says another `limit`, up to 100 or as many as
    /// this.
    pub const fn of(items: usize) -> Self {
        let usual = if items == 0 { 1 } else { items };
        Self {
            usual,
            most: if usual > 100 { usual } else { 100 },
            page: Cow::Borrowed("page"),
            limit: Cow::Borrowed("limit"),
            after: Cow::Borrowed("after"),
            clamps: false,
            query: LinkQuery::AsSent,
        }
    }

    /// The most items that a client may ask for; more is 400.
    #[must_use]
    pub const fn at_most(mut self, items: usize) -> Self {
        self.most = if items < self.usual {
            self.usual
        } else {
            items
        };
        self
    }

    /// Other names for the parameters `page`, `limit` and `after`.
    #[must_use]
    pub fn named(
        mut self,
        page: impl Into<Cow<'static, str>>,
        limit: impl Into<Cow<'static, str>>,
        after: impl Into<Cow<'static, str>>,
    ) -> Self {
        self.page = page.into();
        self.limit = limit.into();
        self.after = after.into();
        self
    }

    /// Takes the nearest number that is allowed instead of refusing one that is not: page 0 is the first,
    /// and a limit is at least 1 and at most the largest.
    #[must_use]
    pub const fn clamped(mut self) -> Self {
        self.clamps = true;
        self
    }

    /// Writes the parameters of the page first in the query of links, and the others after them,
    /// form-encoded. Some clients look for the page right behind the question mark.
    #[must_use]
    pub const fn page_first(mut self) -> Self {
        self.query = LinkQuery::PageFirst;
        self
    }

    /// The numbered page that a request asks for; the first if it does not say.
    pub fn page(&self, request: &Request) -> Result<Page, Rejection> {
        let number = self.number(request, &self.page)?;
        let limit = self.number(request, &self.limit)?;
        self.at(request, number, limit)
    }

    /// The same, from arguments that the handler has declared: they appear in its description.
    ///
    /// ```
    /// use innkeeper_rest::{Paging, Rejection, Request, Response, resource};
    ///
    /// struct Rooms;
    ///
    /// #[resource("/rooms")]
    /// impl Rooms {
    ///     #[get]
    ///     fn list(
    ///         &self,
    ///         page: Option<u64>,
    ///         limit: Option<u64>,
    ///         #[request] request: &Request,
    ///     ) -> Result<Response, Rejection> {
    ///         let page = Paging::of(20).at(request, page, limit)?;
    ///         Ok(page.respond_of(["Attic"], 1))
    ///     }
    /// }
    /// ```
    pub fn at(
        &self,
        request: &Request,
        number: Option<u64>,
        limit: Option<u64>,
    ) -> Result<Page, Rejection> {
        let said = limit.is_some();
        let limit = self.limit(limit)?;
        let mut number = number.unwrap_or(1);
        if self.clamps {
            number = number.max(1);
        }
        let start = number.checked_sub(1).and_then(|before| {
            let before = usize::try_from(before).ok()?;
            before.checked_mul(limit)
        });
        // Databases count in 64 bits with a sign.
        let mut start = start.filter(|start| i64::try_from(*start).is_ok());
        if self.clamps {
            start = start.or(usize::try_from(i64::MAX).ok());
        }
        let Some(start) = start else {
            return Err(wrong(&self.page, "expected the number of a page, from 1"));
        };
        Ok(Page::new(
            self,
            request.head(),
            number,
            start,
            (limit, said),
        ))
    }

    /// The page after a position, for lists that grow while they are read.
    pub fn cursor(&self, request: &Request) -> Result<CursorPage, Rejection> {
        let limit = self.number(request, &self.limit)?;
        let after = links::parameter(request.head(), &self.after);
        let after = after.map_err(|problem| wrong(&self.after, problem))?;
        self.cursor_at(request, after, limit)
    }

    /// The same, from arguments that the handler has declared or read itself.
    pub fn cursor_at(
        &self,
        request: &Request,
        after: Option<String>,
        limit: Option<u64>,
    ) -> Result<CursorPage, Rejection> {
        let said = limit.is_some();
        let limit = self.limit(limit)?;
        Ok(CursorPage::new(self, request.head(), after, (limit, said)))
    }

    fn number(&self, request: &Request, name: &str) -> Result<Option<u64>, Rejection> {
        let text =
            links::parameter(request.head(), name).map_err(|problem| wrong(name, problem))?;
        let number = text.map(|text| text.parse().map_err(|_| self.expected(name)));
        number.transpose()
    }

    fn limit(&self, limit: Option<u64>) -> Result<usize, Rejection> {
        let Some(limit) = limit else {
            return Ok(self.usual);
        };
        if self.clamps {
            let limit = usize::try_from(limit).unwrap_or(usize::MAX);
            return Ok(limit.clamp(1, self.most));
        }
        let limit = usize::try_from(limit).ok();
        let allowed = limit.filter(|limit| (1..=self.most).contains(limit));
        allowed.ok_or_else(|| self.expected(&self.limit))
    }

    fn expected(&self, name: &str) -> Rejection {
        if name == self.limit {
            return wrong(name, &format!("expected a number from 1 to {}", self.most));
        }
        wrong(name, "expected the number of a page, from 1")
    }
}

fn wrong(name: &str, problem: &str) -> Rejection {
    Rejection::malformed_parameter("parameter", name.to_owned(), problem)
}
