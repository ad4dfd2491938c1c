//! Numbered pages.

use std::borrow::Cow;

use serde::Serialize;

use super::links::{Links, linked};
use super::parameters::{PageLimit, ParameterNames};
use crate::response::Response;

/// A numbered page of a list, from [`Paging::page`](crate::Paging::page).
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
    limit: PageLimit,
    links: Links,
    number_name: Cow<'static, str>,
    limit_name: Cow<'static, str>,
}

impl Page {
    pub(super) fn new(
        names: &ParameterNames,
        links: Links,
        number: u64,
        offset: usize,
        limit: PageLimit,
    ) -> Self {
        Self {
            number,
            offset,
            limit,
            links,
            number_name: names.page.clone(),
            limit_name: names.limit.clone(),
        }
    }

    /// Returns the number of the page; the first is 1.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Returns the number of items before this page.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Returns the largest number of items on this page.
    pub fn limit(&self) -> usize {
        self.limit.items
    }

    /// Sends the items of this page, with links to the pages before and after it.
    ///
    /// Pass one item more than [`limit`](Self::limit), if there is one: it is not sent, but shows that
    /// there is a next page without counting the whole list.
    pub fn respond<T: Serialize + Send + 'static>(
        &self,
        items: impl IntoIterator<Item = T>,
    ) -> Response {
        let mut items = items.into_iter();
        let sent: Vec<T> = items.by_ref().take(self.limit.items).collect();
        let more = sent.len() == self.limit.items && items.next().is_some();
        linked(self.links(more)).entity(sent)
    }

    /// Sends the items of this page of a list of known length, with links to the pages before and after
    /// it and to the last page.
    pub fn respond_of<T: Serialize + Send + 'static>(
        &self,
        items: impl IntoIterator<Item = T>,
        total: u64,
    ) -> Response {
        let sent: Vec<T> = items.into_iter().take(self.limit.items).collect();
        linked(self.links_of(total)).entity(sent)
    }

    /// Returns the value of the `Link` header, for a response of your own: the first, the previous and,
    /// if there are more items, the next page.
    pub fn links(&self, more: bool) -> String {
        let mut links = self.before();
        if more {
            self.add(&mut links, "next", self.number.saturating_add(1));
        }
        links.into_text()
    }

    /// Returns the value of the `Link` header for a list of known length, with the last page.
    pub fn links_of(&self, total: u64) -> String {
        let last = total.div_ceil(self.limit.items as u64).max(1);
        let mut links = self.before();
        if self.number < last {
            self.add(&mut links, "next", self.number + 1);
        }
        self.add(&mut links, "last", last);
        links.into_text()
    }

    /// Returns a link to the page with this number, for a `Link` header of your own.
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
        let (number, limit) = (number.to_string(), self.limit.items.to_string());
        let page = (self.number_name.as_ref(), number.as_str());
        let limit = (self.limit_name.as_ref(), limit.as_str());
        if self.limit.is_requested {
            links.add(relation, &[page, limit]);
        } else {
            links.add(relation, &[page]);
        }
    }
}
