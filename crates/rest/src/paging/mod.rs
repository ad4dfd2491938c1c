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
        let number = number.unwrap_or(1);
        let start = number.checked_sub(1).and_then(|before| {
            let before = usize::try_from(before).ok()?;
            before.checked_mul(limit)
        });
        // Databases count in 64 bits with a sign.
        let Some(start) = start.filter(|start| i64::try_from(*start).is_ok()) else {
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
        let head = request.head();
        let limit = self.number(request, &self.limit)?;
        let said = limit.is_some();
        let limit = self.limit(limit)?;
        let after = links::parameter(head, &self.after);
        let after = after.map_err(|problem| wrong(&self.after, problem))?;
        Ok(CursorPage::new(self, head, after, (limit, said)))
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
