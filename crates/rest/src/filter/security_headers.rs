//! Headers that restrict what browsers do with a response.

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;

use http::header::{
    CONTENT_SECURITY_POLICY, HeaderName, HeaderValue, REFERRER_POLICY, STRICT_TRANSPORT_SECURITY,
    X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};

use super::{Filter, FilterError, Next};
use crate::request::Request;
use crate::response::{NOSNIFF, Response};

/// Adds headers that restrict what browsers do with a response. Headers that a handler or an inner filter
/// has set stay.
///
/// | Header | Default | Setting |
/// |---|---|---|
/// | `X-Content-Type-Options` | `nosniff` | |
/// | `Referrer-Policy` | `no-referrer` | [`referrer_policy`](SecurityHeadersBuilder::referrer_policy) |
/// | `Content-Security-Policy` | `frame-ancestors 'none'` | [`frame_ancestors`](SecurityHeadersBuilder::frame_ancestors), [`any_frame_ancestor`](SecurityHeadersBuilder::any_frame_ancestor), [`content_security_policy`](SecurityHeadersBuilder::content_security_policy) |
/// | `X-Frame-Options`, for old browsers | `DENY` | follows the ancestors |
/// | `Strict-Transport-Security` | not sent | [`hsts`](SecurityHeadersBuilder::hsts), [`hsts_subdomains`](SecurityHeadersBuilder::hsts_subdomains), [`hsts_where_encrypted`](SecurityHeadersBuilder::hsts_where_encrypted) |
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
pub struct SecurityHeaders {
    headers: Arc<[(HeaderName, HeaderValue)]>,
    /// The value of `Strict-Transport-Security` for requests through a TLS listener to a name.
    encrypted_hsts: Option<HeaderValue>,
}

/// Builds [`SecurityHeaders`], whose documentation lists the settings.
#[derive(Debug, Clone)]
pub struct SecurityHeadersBuilder {
    referrer_policy: String,
    /// The policy without `frame-ancestors`.
    content_policy: Option<String>,
    ancestors: Vec<String>,
    any_ancestor: bool,
    hsts: Option<Duration>,
    hsts_subdomains: bool,
    encrypted_hsts: Option<Duration>,
    permissions_policy: Option<String>,
    others: Vec<(String, String)>,
}

const PERMISSIONS_POLICY: HeaderName = HeaderName::from_static("permissions-policy");
const FRAME_ANCESTORS: &str = "frame-ancestors";
const NONE: &str = "'none'";

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
    /// Adds the default headers, which suit every API.
    pub fn new() -> Self {
        let headers = Arc::new([
            (X_CONTENT_TYPE_OPTIONS, NOSNIFF),
            (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
            (
                CONTENT_SECURITY_POLICY,
                HeaderValue::from_static("frame-ancestors 'none'"),
            ),
            (X_FRAME_OPTIONS, HeaderValue::from_static("DENY")),
        ]);
        Self {
            headers,
            encrypted_hsts: None,
        }
    }

    /// Starts with the default headers.
    pub fn builder() -> SecurityHeadersBuilder {
        SecurityHeadersBuilder {
            referrer_policy: "no-referrer".to_owned(),
            content_policy: None,
            ancestors: vec![NONE.to_owned()],
            any_ancestor: false,
            hsts: None,
            hsts_subdomains: false,
            encrypted_hsts: None,
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
    /// Sets which part of the page's URL browsers send to other sites.
    #[must_use]
    pub fn referrer_policy(mut self, policy: impl Into<String>) -> Self {
        self.referrer_policy = policy.into();
        self
    }

    /// Sets the pages that may show a response in a frame: `'self'` or origins such as
    /// `https://a.example`.
    #[must_use]
    pub fn frame_ancestors<T: Into<String>>(
        mut self,
        ancestors: impl IntoIterator<Item = T>,
    ) -> Self {
        self.ancestors = ancestors.into_iter().map(Into::into).collect();
        self
    }

    /// Lets any page show a response in a frame: neither ancestors nor `X-Frame-Options` are sent. For APIs
    /// that serve no pages.
    #[must_use]
    pub fn any_frame_ancestor(mut self) -> Self {
        self.any_ancestor = true;
        self
    }

    /// Sets what pages may load, such as `default-src 'none'`. The ancestors are added to it.
    #[must_use]
    pub fn content_security_policy(mut self, policy: impl Into<String>) -> Self {
        self.content_policy = Some(policy.into());
        self
    }

    /// Makes browsers use only HTTPS with this host for a time, in whole seconds.
    ///
    /// This cannot be undone before that time, so start with a short one. Browsers ignore the header over
    /// plain HTTP: use it where all clients connect with TLS.
    #[must_use]
    pub fn hsts(mut self, max_age: Duration) -> Self {
        self.hsts = Some(max_age);
        self
    }

    /// Extends [`hsts`](Self::hsts) to all subdomains.
    #[must_use]
    pub fn hsts_subdomains(mut self) -> Self {
        self.hsts_subdomains = true;
        self
    }

    /// Does the same as [`hsts`](Self::hsts), but only for requests through a TLS listener of this server
    /// ([`Request::is_encrypted`]) and only for names: browsers apply it to no address, and on `localhost` other
    /// programs may serve plain HTTP. For servers that may also run behind a proxy, which then sends the header.
    #[must_use]
    pub fn hsts_where_encrypted(mut self, max_age: Duration) -> Self {
        self.encrypted_hsts = Some(max_age);
        self
    }

    /// Sets the browser features that pages may use, such as `camera=()`.
    #[must_use]
    pub fn permissions_policy(mut self, policy: impl Into<String>) -> Self {
        self.permissions_policy = Some(policy.into());
        self
    }

    /// Adds another header, such as `Cross-Origin-Resource-Policy`.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.others.push((name.into(), value.into()));
        self
    }

    /// Makes the filter.
    ///
    /// # Errors
    ///
    /// Fails if settings are invalid or contradict each other; the error lists all problems.
    pub fn build(self) -> Result<SecurityHeaders, FilterError> {
        let mut list = CollectedHeaders::default();
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
            [one] if one == NONE => list.add(X_FRAME_OPTIONS, "DENY"),
            [one] if one == "'self'" => list.add(X_FRAME_OPTIONS, "SAMEORIGIN"),
            // The old header cannot express more.
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
        let encrypted_hsts = self.encrypted_hsts.and_then(|age| {
            let value = format!("max-age={}", age.as_secs());
            HeaderValue::try_from(value).ok()
        });
        let filter = SecurityHeaders {
            headers: list.headers.into(),
            encrypted_hsts,
        };
        FilterError::unless(list.problems, filter)
    }

    fn check(&self, problems: &mut Vec<String>) {
        // Of a list, browsers use the last policy that they know.
        let mut policies = self.referrer_policy.split(',').map(str::trim);
        if let Some(policy) = policies.find(|policy| !REFERRER_POLICIES.contains(policy)) {
            let policy = policy.escape_debug();
            problems.push(format!("`{policy}` is not a referrer policy"));
        }
        let mut directives = self.content_policy.iter().flat_map(|text| text.split(';'));
        if directives.any(|one| one.split_whitespace().next() == Some(FRAME_ANCESTORS)) {
            problems
                .push("set frame ancestors with `frame_ancestors`, not in the policy".to_owned());
        }
        if self.ancestors.is_empty() {
            problems.push(
                "the list of frame ancestors is empty; to allow none, use `'none'`".to_owned(),
            );
        }
        if self.ancestors.len() > 1 && self.ancestors.iter().any(|one| one == NONE) {
            problems.push("`'none'` cannot be combined with other frame ancestors".to_owned());
        }
        for one in &self.ancestors {
            if one.is_empty() || one.contains([';', ',', ' ']) {
                let one = one.escape_debug();
                problems.push(format!("`{one}` is not a frame ancestor"));
            }
        }
        if self.hsts_subdomains && self.hsts.is_none() {
            problems.push("`hsts_subdomains` has no effect without `hsts`".to_owned());
        }
        if self.hsts.is_some() && self.encrypted_hsts.is_some() {
            problems.push("`hsts` and `hsts_where_encrypted` cannot be combined".to_owned());
        }
    }
}

/// Removes a trailing separator.
fn trimmed(policy: &str) -> &str {
    policy.trim_end_matches([';', ' '])
}

/// The headers, and the problems with them.
#[derive(Default)]
struct CollectedHeaders {
    headers: Vec<(HeaderName, HeaderValue)>,
    problems: Vec<String>,
}

impl CollectedHeaders {
    fn add(&mut self, name: HeaderName, value: &str) {
        match HeaderValue::from_str(value) {
            Ok(value) if !value.is_empty() => self.headers.push((name, value)),
            _ => {
                let value = value.escape_debug();
                self.problems
                    .push(format!("`{value}` is not a value for the header `{name}`"));
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
                self.problems.push(format!("`{name}` is not a header name"));
            }
        }
    }
}

impl Filter for SecurityHeaders {
    async fn apply(&self, request: &mut Request, next: Next<'_>) -> Response {
        // Other filters may change the head.
        let hsts = self.encrypted_hsts.as_ref().filter(|_| {
            request.is_encrypted() && request.head().host().is_some_and(is_name_of_others)
        });
        let mut response = next.run(request).await;
        for (name, value) in self.headers.iter() {
            response
                .fields_mut()
                .insert_if_absent(name.clone(), value.clone());
        }
        if let Some(value) = hsts {
            response
                .fields_mut()
                .insert_if_absent(STRICT_TRANSPORT_SECURITY, value.clone());
        }
        response
    }
}

/// Whether a host with an optional port is a name that is not `localhost`, and not an address.
fn is_name_of_others(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    let name = name.strip_suffix('.').unwrap_or(name);
    let last_label = name.rsplit('.').next().unwrap_or_default();
    // Browsers take a name whose last part is a number for an IPv4 address.
    let is_address = name.starts_with('[')
        || name.parse::<Ipv4Addr>().is_ok()
        || last_label.starts_with(|first: char| first.is_ascii_digit());
    !last_label.is_empty() && !is_address && !last_label.eq_ignore_ascii_case("localhost")
}

#[cfg(test)]
mod tests {
    use super::is_name_of_others;

    #[test]
    fn addresses_and_localhost_are_not_names_of_others() {
        for (host, expected) in [
            ("auth.example.com", true),
            ("auth.example.com:8443", true),
            ("auth.example.com.", true),
            ("intranet", true),
            ("localhost.example.com", true),
            ("localhost", false),
            ("LOCALHOST:8443", false),
            ("localhost.", false),
            ("app.localhost", false),
            ("127.0.0.1", false),
            ("192.0.2.7:443", false),
            ("127.1", false),
            ("0x7f.0x1", false),
            ("[::1]", false),
            ("[2001:db8::1]:443", false),
            ("", false),
            (":443", false),
            (".", false),
        ] {
            assert_eq!(is_name_of_others(host), expected, "{host}");
        }
    }
}
