//! Headers that tell browsers to be careful with an answer.

use std::sync::Arc;
use std::time::Duration;

use http::header::{
    CONTENT_SECURITY_POLICY, HeaderName, HeaderValue, REFERRER_POLICY, STRICT_TRANSPORT_SECURITY,
    X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};

use super::{Filter, FilterError, Next};
use crate::request::Request;
use crate::response::{NOSNIFF, Response};

/// Tells browsers to be careful with answers. What a handler or an inner filter has set stays.
///
/// | Header | Without a setting | Setting |
/// |---|---|---|
/// | `X-Content-Type-Options` | `nosniff` | |
/// | `Referrer-Policy` | `no-referrer` | [`referrer_policy`](SecurityHeadersBuilder::referrer_policy) |
/// | `Content-Security-Policy` | `frame-ancestors 'none'` | [`frame_ancestors`](SecurityHeadersBuilder::frame_ancestors), [`any_frame_ancestor`](SecurityHeadersBuilder::any_frame_ancestor), [`content_security_policy`](SecurityHeadersBuilder::content_security_policy) |
/// | `X-Frame-Options`, for old browsers | `DENY` | follows the ancestors |
/// | `Strict-Transport-Security` | not sent | [`hsts`](SecurityHeadersBuilder::hsts), [`hsts_subdomains`](SecurityHeadersBuilder::hsts_subdomains) |
/// | `Permissions-Policy` | not sent | [`permissions_policy`](SecurityHeadersBuilder::permissions_policy) |
/// | any other | not sent | [`header`](SecurityHeadersBuilder::header) |
///
/// ```
/// use std::time::Duration;
///
/// use innkeeper_rest::App;
/// use innkeeper_rest::filter::SecurityHeaders;
///
/// let usual = SecurityHeaders::new();
/// let strict = SecurityHeaders::builder()
///     .content_security_policy("default-src 'none'")
///     .hsts(Duration::from_hours(365 * 24))
///     .permissions_policy("camera=(), geolocation=()")
///     .build()
///     .unwrap();
/// let app = App::new().filter(strict);
/// ```
#[derive(Debug, Clone)]
pub struct SecurityHeaders(Arc<[(HeaderName, HeaderValue)]>);

/// Puts [`SecurityHeaders`] together: see there.
#[derive(Debug, Clone)]
pub struct SecurityHeadersBuilder {
    referrer_policy: String,
    /// Everything but the ancestors.
    content_policy: Option<String>,
    ancestors: Vec<String>,
    any_ancestor: bool,
    hsts: Option<Duration>,
    hsts_subdomains: bool,
    permissions_policy: Option<String>,
    others: Vec<(String, String)>,
}

const PERMISSIONS_POLICY: HeaderName = HeaderName::from_static("permissions-policy");
const FRAME_ANCESTORS: &str = "frame-ancestors";
const NOBODY: &str = "'none'";

const REFERRER_POLICIES: [&str; 8] = [
    "no-referrer",
    "no-referrer-when-downgrade",
    "origin",
    "origin-when-cross-origin",
    "same-origin",
    "strict-origin",
    "strict-origin-when-cross-origin",
    "unsafe-url",
];

impl SecurityHeaders {
    /// The headers that do no harm to any API.
    pub fn new() -> Self {
        Self(Arc::new([
            (X_CONTENT_TYPE_OPTIONS, NOSNIFF),
            (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
            (
                CONTENT_SECURITY_POLICY,
                HeaderValue::from_static("frame-ancestors 'none'"),
            ),
            (X_FRAME_OPTIONS, HeaderValue::from_static("DENY")),
        ]))
    }

    /// The same, to be changed.
    pub fn builder() -> SecurityHeadersBuilder {
        SecurityHeadersBuilder {
            referrer_policy: "no-referrer".to_owned(),
            content_policy: None,
            ancestors: vec![NOBODY.to_owned()],
            any_ancestor: false,
            hsts: None,
            hsts_subdomains: false,
            permissions_policy: None,
            others: Vec::new(),
        }
    }
}

impl Default for SecurityHeaders {
    fn default() -> Self {
        Self::new()
    }
}

impl SecurityHeadersBuilder {
    /// What browsers tell other sites about the page they come from.
    #[must_use]
    pub fn referrer_policy(mut self, policy: impl Into<String>) -> Self {
        self.referrer_policy = policy.into();
        self
    }

    /// Which pages may show an answer in a frame: `'self'` or origins such as `https://a.example`.
    #[must_use]
    pub fn frame_ancestors<T: Into<String>>(
        mut self,
        ancestors: impl IntoIterator<Item = T>,
    ) -> Self {
        self.ancestors = ancestors.into_iter().map(Into::into).collect();
        self
    }

    /// Lets any page show an answer in a frame: neither ancestors nor `X-Frame-Options` are sent. For APIs
    /// that serve no pages.
    #[must_use]
    pub fn any_frame_ancestor(mut self) -> Self {
        self.any_ancestor = true;
        self
    }

    /// What pages may load, such as `default-src 'none'`. The ancestors are added to it.
    #[must_use]
    pub fn content_security_policy(mut self, policy: impl Into<String>) -> Self {
        self.content_policy = Some(policy.into());
        self
    }

    /// Makes browsers use nothing but HTTPS with this host for so long, in whole seconds.
    ///
    /// There is no way back before that time, so begin with a short one. The header means nothing
    /// over plain HTTP: use it where all clients come through TLS.
    #[must_use]
    pub fn hsts(mut self, max_age: Duration) -> Self {
        self.hsts = Some(max_age);
        self
    }

    /// Makes [`hsts`](Self::hsts) hold for all hosts below this one too.
    #[must_use]
    pub fn hsts_subdomains(mut self) -> Self {
        self.hsts_subdomains = true;
        self
    }

    /// Which features of the browser pages may use, such as `camera=()`.
    #[must_use]
    pub fn permissions_policy(mut self, policy: impl Into<String>) -> Self {
        self.permissions_policy = Some(policy.into());
        self
    }

    /// Any other header, such as `Cross-Origin-Resource-Policy`.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.others.push((name.into(), value.into()));
        self
    }

    /// The filter, or everything that is wrong.
    pub fn build(self) -> Result<SecurityHeaders, FilterError> {
        let mut list = List::default();
        list.headers.push((X_CONTENT_TYPE_OPTIONS, NOSNIFF));
        self.check(&mut list.problems);
        list.add(REFERRER_POLICY, &self.referrer_policy);
        let ancestors =
            (!self.any_ancestor).then(|| format!("{FRAME_ANCESTORS} {}", self.ancestors.join(" ")));
        let policy = self.content_policy.as_deref().map(trimmed);
        let directives: Vec<&str> = policy.into_iter().chain(ancestors.as_deref()).collect();
        if !directives.is_empty() {
            list.add(CONTENT_SECURITY_POLICY, &directives.join("; "));
        }
        match self.ancestors.as_slice() {
            _ if self.any_ancestor => {}
            [one] if one == NOBODY => list.add(X_FRAME_OPTIONS, "DENY"),
            [one] if one == "'self'" => list.add(X_FRAME_OPTIONS, "SAMEORIGIN"),
            // The old header cannot say more.
            _ => {}
        }
        if let Some(age) = self.hsts {
            let subdomains = if self.hsts_subdomains {
                "; includeSubDomains"
            } else {
                ""
            };
            let value = format!("max-age={}{subdomains}", age.as_secs());
            list.add(STRICT_TRANSPORT_SECURITY, &value);
        }
        if let Some(policy) = &self.permissions_policy {
            list.add(PERMISSIONS_POLICY, policy);
        }
        for (name, value) in &self.others {
            list.add_named(name, value);
        }
        FilterError::unless(list.problems, SecurityHeaders(list.headers.into()))
    }

    fn check(&self, problems: &mut Vec<String>) {
        // Browsers take the last one they know of a list.
        let mut policies = self.referrer_policy.split(',').map(str::trim);
        if let Some(policy) = policies.find(|policy| !REFERRER_POLICIES.contains(policy)) {
            let policy = policy.escape_debug();
            problems.push(format!("`{policy}` is no referrer policy"));
        }
        let mut directives = self.content_policy.iter().flat_map(|text| text.split(';'));
        if directives.any(|one| one.split_whitespace().next() == Some(FRAME_ANCESTORS)) {
            problems.push(
                "the ancestors of frames are set with `frame_ancestors`, not in the policy"
                    .to_owned(),
            );
        }
        if self.ancestors.is_empty() {
            problems.push("nobody is `'none'`, and not an empty list of ancestors".to_owned());
        }
        if self.ancestors.len() > 1 && self.ancestors.iter().any(|one| one == NOBODY) {
            problems.push("nobody and somebody cannot both be ancestors of a frame".to_owned());
        }
        for one in &self.ancestors {
            if one.is_empty() || one.contains([';', ',', ' ']) {
                let one = one.escape_debug();
                problems.push(format!("`{one}` is no ancestor of a frame"));
            }
        }
        if self.hsts_subdomains && self.hsts.is_none() {
            problems.push("`hsts_subdomains` means nothing without `hsts`".to_owned());
        }
    }
}

/// A policy without what would make two separators of one.
fn trimmed(policy: &str) -> &str {
    policy.trim_end_matches([';', ' '])
}

/// The headers, and what is wrong with them.
#[derive(Default)]
struct List {
    headers: Vec<(HeaderName, HeaderValue)>,
    problems: Vec<String>,
}

impl List {
    fn add(&mut self, name: HeaderName, value: &str) {
        match HeaderValue::from_str(value) {
            Ok(value) if !value.is_empty() => self.headers.push((name, value)),
            _ => {
                let value = value.escape_debug();
                self.problems
                    .push(format!("`{value}` is no value for the header `{name}`"));
            }
        }
    }

    fn add_named(&mut self, name: &str, value: &str) {
        match HeaderName::from_bytes(name.as_bytes()) {
            Ok(name) if self.headers.iter().any(|(known, _)| *known == name) => {
                self.problems.push(format!("`{name}` is set twice"));
            }
            Ok(name) => self.add(name, value),
            Err(_) => {
                let name = name.escape_debug();
                self.problems.push(format!("`{name}` is no header name"));
            }
        }
    }
}

impl Filter for SecurityHeaders {
    async fn apply(&self, request: &mut Request, next: Next<'_>) -> Response {
        let mut response = next.run(request).await;
        for (name, value) in self.0.iter() {
            response
                .fields_mut()
                .insert_if_absent(name.clone(), value.clone());
        }
        response
    }
}
