//! Pages with numbers.

use std::borrow::Cow;

use http::header::LINK;
use serde::Serialize;

use super::Paging;
use super::links::Links;
use crate::head::Head;
use crate::response::Response;

/// A page of a list, by its number. Made by [`Paging::page`].
///
/// ```
/// use innkeeper_rest::{Head, Method, Paging, Request};
///
/// let request = Request::new(Head::new(Method::GET, "/rooms?floor=2&page=3"), "");
/// let page = Paging::of(20).page(&request).unwrap();
/// assert_eq!((page.number(), page.offset(), page.limit()), (3, 40, 20));
/// assert_eq!(
///     page.links(false),
///     "</rooms?floor=2&page=1>; rel=\"first\", </rooms?floor=2&page=2>; rel=\"prev\""
/// );
/// ```
#[derive(Debug, Clone)]
pub struct Page {
    number: u64,
    offset: usize,
    limit: usize,
    /// Whether the client has said the limit, so that links repeat it.
    said: bool,
    links: Links,
    number_name: Cow<'static, str>,
    limit_name: Cow<'static, str>,
}

impl Page {
    pub(super) fn new(
        paging: &Paging,
        head: &Head,
        number: u64,
        offset: usize,
        (limit, said): (usize, bool),
    ) -> Self {
        Self {
            number,
            offset,
            limit,
            said,
            links: Links::of(head, paging.query, &[&paging.page, &paging.limit]),
            number_name: paging.page.clone(),
            limit_name: paging.limit.clone(),
        }
    }

    /// Its number; the first page is 1.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// How many items are before it.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// How many items it may have.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Sends the items of this page, with links to the pages before and after it.
    ///
    /// Give one item more than [`limit`](Self::limit), if there is one: it is not sent, but tells
    /// that there is a next page, without counting the whole list.
    pub fn respond<T: Serialize + Send + 'static>(
        &self,
        items: impl IntoIterator<Item = T>,
    ) -> Response {
        let mut items = items.into_iter();
        let sent: Vec<T> = items.by_ref().take(self.limit).collect();
        let more = sent.len() == self.limit && items.next().is_some();
        linked(self.links(more)).entity(sent)
    }

    /// Sends the items of this page of a list of known length, with links to all neighbours and to
    /// the last page.
    pub fn respond_of<T: Serialize + Send + 'static>(
        &self,
        items: impl IntoIterator<Item = T>,
        total: u64,
    ) -> Response {
        let sent: Vec<T> = items.into_iter().take(self.limit).collect();
        linked(self.links_of(total)).entity(sent)
    }

    /// The value of the `Link` header, for a response of your own: first, previous and, if there are
    /// more items, next page.
    pub fn links(&self, more: bool) -> String {
        let mut links = self.before();
        if more {
            self.add(&mut links, "next", self.number.saturating_add(1));
        }
        links.into_text()
    }

    /// The same for a list of known length, with the last page.
    pub fn links_of(&self, total: u64) -> String {
        let last = total.div_ceil(self.limit as u64).max(1);
        let mut links = self.before();
        if self.number < last {
            self.add(&mut links, "next", self.number + 1);
        }
        self.add(&mut links, "last", last);
        links.into_text()
    }

    /// One link, for a `Link` header of your own: to the page with this number, under this relation.
    ///
    /// ```
    /// use innkeeper_rest::{Head, Method, Paging, Request};
    ///
    /// let request = Request::new(Head::new(Method::GET, "/rooms?floor=2"), "");
    /// let page = Paging::of(20).page_first().page(&request).unwrap();
    /// assert_eq!(page.link("last", 5), "</rooms?page=5&floor=2>; rel=\"last\"");
    /// ```
    pub fn link(&self, relation: &str, number: u64) -> String {
        let mut links = self.links.clone();
        self.add(&mut links, relation, number);
        links.into_text()
    }

    fn before(&self) -> Links {
        let mut links = self.links.clone();
        self.add(&mut links, "first", 1);
        if self.number > 1 {
            self.add(&mut links, "prev", self.number - 1);
        }
        links
    }

    fn add(&self, links: &mut Links, relation: &str, number: u64) {
        let (number, limit) = (number.to_string(), self.limit.to_string());
        let page = (self.number_name.as_ref(), number.as_str());
        let limit = (self.limit_name.as_ref(), limit.as_str());
        if self.said {
            links.add(relation, &[page, limit]);
        } else {
            links.add(relation, &[page]);
        }
    }
}

/// A response with links.
pub(super) fn linked(links: String) -> Response {
    Response::ok().header(LINK.as_str(), links)
}
