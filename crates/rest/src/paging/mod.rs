//! Paging: lists that are sent a page at a time.

mod cursor;
mod links;
mod page;
mod parameters;

use std::borrow::Cow;

pub use cursor::CursorPage;
pub use page::Page;

use links::{LinkQuery, Links};
use parameters::{PageLimit, ParameterNames, malformed, parameter};

use crate::rejection::Rejection;
use crate::request::Request;

/// How lists are divided into pages: the default and maximum number of items on a page, and the names
/// of the parameters.
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
    /// The number of items on a page unless the client asks for another.
    default_limit: usize,
    max_limit: usize,
    names: ParameterNames,
    clamps: bool,
    query: LinkQuery,
}

impl Paging {
    /// Creates pages of this many items. Clients may ask for another `limit`, up to 100 or this number,
    /// whichever is larger.
    pub const fn of(items: usize) -> Self {
        let default_limit = if items == 0 { 1 } else { items };
        Self {
            default_limit,
            max_limit: if default_limit > 100 {
                default_limit
            } else {
                100
            },
            names: ParameterNames {
                page: Cow::Borrowed("page"),
                limit: Cow::Borrowed("limit"),
                after: Cow::Borrowed("after"),
            },
            clamps: false,
            query: LinkQuery::AsSent,
        }
    }

    /// Sets how many items a client may ask for; more is 400.
    #[must_use]
    pub const fn at_most(mut self, items: usize) -> Self {
        self.max_limit = if items < self.default_limit {
            self.default_limit
        } else {
            items
        };
        self
    }

    /// Renames the parameters `page`, `limit` and `after`.
    #[must_use]
    pub fn named(
        mut self,
        page: impl Into<Cow<'static, str>>,
        limit: impl Into<Cow<'static, str>>,
        after: impl Into<Cow<'static, str>>,
    ) -> Self {
        self.names = ParameterNames {
            page: page.into(),
            limit: limit.into(),
            after: after.into(),
        };
        self
    }

    /// Uses the nearest allowed number instead of refusing one that is out of range: page 0 is the first,
    /// and a limit is between 1 and the maximum.
    #[must_use]
    pub const fn clamped(mut self) -> Self {
        self.clamps = true;
        self
    }

    /// Writes the parameters of the page first in the query of links, then the others, form-encoded. Some
    /// clients look for the page right after the question mark.
    #[must_use]
    pub const fn page_first(mut self) -> Self {
        self.query = LinkQuery::PageFirst;
        self
    }

    /// Returns the numbered page that a request asks for, by default the first.
    ///
    /// # Errors
    ///
    /// 400 if the page or the limit is repeated, not a number, or out of range.
    pub fn page(&self, request: &Request) -> Result<Page, Rejection> {
        let number = self.number(request, &self.names.page)?;
        let limit = self.number(request, &self.names.limit)?;
        self.at(request, number, limit)
    }

    /// Returns the numbered page for arguments that the handler declares, so that they appear in the
    /// OpenAPI document.
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
    ///
    /// # Errors
    ///
    /// 400 if the page or the limit is out of range.
    pub fn at(
        &self,
        request: &Request,
        number: Option<u64>,
        limit: Option<u64>,
    ) -> Result<Page, Rejection> {
        let limit = self.limit(limit)?;
        let mut number = number.unwrap_or(1);
        if self.clamps {
            number = number.max(1);
        }
        let start = number.checked_sub(1).and_then(|before| {
            let before = usize::try_from(before).ok()?;
            before.checked_mul(limit.items)
        });
        // Databases use signed 64-bit offsets.
        let mut start = start.filter(|start| i64::try_from(*start).is_ok());
        if self.clamps {
            start = start.or(usize::try_from(i64::MAX).ok());
        }
        let Some(start) = start else {
            return Err(self.expected(&self.names.page));
        };
        let links = Links::of(
            request.head(),
            self.query,
            &[&self.names.page, &self.names.limit],
        );
        Ok(Page::new(&self.names, links, number, start, limit))
    }

    /// Returns the page after a cursor, for lists that grow while they are read.
    ///
    /// # Errors
    ///
    /// 400 if the limit is not a number or out of range, or a parameter is repeated.
    pub fn cursor(&self, request: &Request) -> Result<CursorPage, Rejection> {
        let limit = self.number(request, &self.names.limit)?;
        let after = parameter(request.head(), &self.names.after);
        let after = after.map_err(|problem| malformed(&self.names.after, problem))?;
        self.cursor_at(request, after, limit)
    }

    /// Returns the page after a cursor for arguments that the handler declares or reads itself.
    ///
    /// # Errors
    ///
    /// 400 if the limit is out of range.
    pub fn cursor_at(
        &self,
        request: &Request,
        after: Option<String>,
        limit: Option<u64>,
    ) -> Result<CursorPage, Rejection> {
        let limit = self.limit(limit)?;
        let links = Links::of(
            request.head(),
            self.query,
            &[&self.names.after, &self.names.limit],
        );
        Ok(CursorPage::new(&self.names, links, after, limit))
    }

    fn number(&self, request: &Request, name: &str) -> Result<Option<u64>, Rejection> {
        let text = parameter(request.head(), name).map_err(|problem| malformed(name, problem))?;
        let number = text.map(|text| text.parse().map_err(|_| self.expected(name)));
        number.transpose()
    }

    fn limit(&self, requested: Option<u64>) -> Result<PageLimit, Rejection> {
        let Some(limit) = requested else {
            return Ok(PageLimit {
                items: self.default_limit,
                is_requested: false,
            });
        };
        let limit = usize::try_from(limit).ok();
        let items = if self.clamps {
            limit.unwrap_or(usize::MAX).clamp(1, self.max_limit)
        } else {
            let allowed = limit.filter(|limit| (1..=self.max_limit).contains(limit));
            allowed.ok_or_else(|| self.expected(&self.names.limit))?
        };
        Ok(PageLimit {
            items,
            is_requested: true,
        })
    }

    /// The 400 for a page number or limit that is out of range or not a number.
    fn expected(&self, name: &str) -> Rejection {
        if name == self.names.limit {
            let problem = format!("expected a number from 1 to {}", self.max_limit);
            return malformed(name, &problem);
        }
        malformed(name, "expected the number of a page, from 1")
    }
}
