//! The frame of every page: head, name of the site, messages, languages.

use innkeeper_rest::Response;

use super::html::{Element, Html, element, text};
use super::paths::PagePath;
use super::policy::policy;
use super::problem::Problem;
use super::visit::Visit;
use crate::base::error::Result;
use crate::config::redirect::with_query;

/// A page, without its frame.
#[derive(Debug)]
pub(super) struct Page {
    /// The address at which the page is shown again.
    address: String,
    title: String,
    content: Html,
    /// Why a form was not accepted.
    problem: Option<Problem>,
    /// Where forms of the page may end besides this server.
    targets: Vec<String>,
    /// Whether a form of the page asks an authenticator, which needs a script.
    has_script: bool,
}

impl Page {
    /// Makes a page of this server.
    pub(super) fn new(
        visit: &Visit<'_>,
        path: PagePath,
        title: &str,
        content: impl Into<Html>,
    ) -> Self {
        Self::at(visit.pages.paths.to(path), title, content)
    }

    /// Makes a page at another address of this server.
    pub(super) fn at(address: String, title: &str, content: impl Into<Html>) -> Self {
        Self {
            address,
            title: title.to_owned(),
            content: content.into(),
            problem: None,
            targets: Vec::new(),
            has_script: false,
        }
    }

    #[must_use]
    pub(super) fn with_problem(mut self, problem: Option<Problem>) -> Self {
        self.problem = problem;
        self
    }

    /// Allows the forms of the page to end at these addresses.
    #[must_use]
    pub(super) fn with_targets(mut self, targets: &[String]) -> Self {
        self.targets = targets.to_vec();
        self
    }

    /// Loads the script that lets forms ask an authenticator, if the page has such a form.
    #[must_use]
    pub(super) fn with_script(mut self, has_script: bool) -> Self {
        self.has_script = has_script;
        self
    }

    /// Writes the page, with the cookies of the visit.
    pub(super) fn respond(self, visit: &mut Visit<'_>) -> Result<Response> {
        let status = self.problem.as_ref().map_or(200, |it| it.status);
        let notice = visit.take_notice();
        let html = self.write(visit, notice.as_deref());
        let response = Response::status(status)
            .content_type("text/html; charset=utf-8")
            .header("cache-control", "no-store")
            .header("content-language", visit.language.code.as_str())
            .header(
                "content-security-policy",
                policy(&self.targets, self.has_script),
            )
            .header("cross-origin-opener-policy", "same-origin")
            .header("referrer-policy", "no-referrer")
            .header("x-frame-options", "DENY")
            .body(html);
        visit.finish(response)
    }

    fn write(&self, visit: &Visit<'_>, notice: Option<&str>) -> String {
        let words = visit.words();
        let problem = self.problem.as_ref();
        let main = element("main")
            .child(text("h1", &self.title))
            .maybe(notice.map(|it| text("p", it).class("notice").attribute("role", "status")))
            .maybe(problem.map(|it| {
                text("p", &it.text)
                    .class("problem")
                    .attribute("role", "alert")
            }))
            .child(self.content.clone());
        let body = element("body")
            .child(header(visit))
            .child(main)
            .child(footer(visit, &self.address));
        let about = match problem {
            Some(_) => format!("{}: {}", words.problem, self.title),
            None => self.title.clone(),
        };
        let title = format!("{about} – {}", visit.pages.site_name);
        let page: Html = element("html")
            .attribute("lang", &visit.language.code)
            .child(head(visit, &title, self.has_script))
            .child(body)
            .into();
        format!("<!doctype html>\n{}\n", page.as_str())
    }
}

fn head(visit: &Visit<'_>, title: &str, has_script: bool) -> Element {
    let (assets, paths) = (&visit.pages.assets, &visit.pages.paths);
    let meta = |name, content| {
        element("meta")
            .attribute("name", name)
            .attribute("content", content)
    };
    let sheet = |address: String| {
        element("link")
            .attribute("rel", "stylesheet")
            .attribute("href", &address)
    };
    let script = has_script.then(|| {
        element("script")
            .attribute("src", &assets.script.address(&paths.to(PagePath::Script)))
            .flag("defer", true)
    });
    let theme = assets.theme.as_ref();
    element("head")
        .child(element("meta").attribute("charset", "utf-8"))
        .child(meta("viewport", "width=device-width, initial-scale=1"))
        .child(meta("color-scheme", "light dark"))
        .child(meta("robots", "noindex"))
        .child(text("title", title))
        .child(sheet(assets.style.address(&paths.to(PagePath::Style))))
        .maybe(theme.map(|theme| sheet(theme.address(&paths.to(PagePath::Theme)))))
        .maybe(script)
}

/// The logo and the name of the site, with a link to it.
fn header(visit: &Visit<'_>) -> Element {
    let pages = visit.pages;
    let logo = pages.assets.logo.as_ref().map(|logo| {
        let address = logo.address(&pages.paths.to(PagePath::Logo));
        element("img")
            .attribute("src", &address)
            .attribute("alt", "")
    });
    let link = element("a")
        .attribute("href", pages.app.redirects.site())
        .maybe(logo)
        .child(text("span", &pages.site_name));
    element("header").child(link)
}

/// The other languages.
fn footer(visit: &Visit<'_>, address: &str) -> Element {
    let links = visit.pages.languages.iter().map(|language| {
        let name = &language.words.language_name;
        let target = with_query(address, &[("language", &language.code)]);
        let is_current = language.code == visit.language.code;
        let link = text("a", name)
            .attribute("href", &target)
            .attribute("lang", &language.code)
            .attribute("hreflang", &language.code);
        let link = if is_current {
            link.attribute("aria-current", "true")
        } else {
            link
        };
        element("li").child(link)
    });
    let languages = element("ul").child(links.collect::<Html>());
    let label = &visit.words().languages;
    let navigation = element("nav")
        .attribute("aria-label", label)
        .child(languages);
    element("footer").child(navigation)
}
