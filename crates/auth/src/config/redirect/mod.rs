//! Redirects: the addresses that a browser may be sent to with a token, and how parameters are added
//! to them.

mod candidate;
mod glob;
mod location;

use url::{Host, Url};

use crate::config::Profile;
use candidate::{Candidate, FORBIDDEN_SCHEMES};
use glob::Glob;
pub use location::{location, with_fragment, with_query};

/// The redirect addresses that `SITE_URL` and `URI_ALLOW_LIST` allow.
///
/// The std profile allows any port of `SITE_URL`'s host, and `https` where the site has `http`; never the reverse,
/// which would show the tokens of an encrypted site to the network. The gotrue profile requires the same scheme and
/// port, any port on localhost, and allows every loopback address.
///
/// ```
/// use innkeeper_auth::config::Profile;
/// use innkeeper_auth::redirect::Redirects;
///
/// let redirects = Redirects::new(
///     Profile::Std,
///     "https://inn.example",
///     &["https://*.inn.example/**".to_owned(), "innapp://callback".to_owned()],
/// )?;
/// assert_eq!(
///     redirects.choose(&[Some("https://eve.example"), Some("innapp://callback")]),
///     "innapp://callback"
/// );
/// assert_eq!(redirects.choose(&[Some("//eve.example"), None]), "https://inn.example");
/// # Ok::<(), innkeeper_auth::redirect::RedirectError>(())
/// ```
#[derive(Debug)]
pub struct Redirects {
    profile: Profile,
    site: Url,
    /// `SITE_URL` exactly as it is set, because that is where people expect to land.
    site_as_written: String,
    globs: Vec<Glob>,
    /// The address of this server, if it has pages that people may be redirected to.
    own: Option<Url>,
}

/// `SITE_URL` or `URI_ALLOW_LIST` is invalid.
#[derive(Debug, thiserror::Error)]
pub enum RedirectError {
    /// `SITE_URL` is not an address that a browser could open.
    #[error("SITE_URL: `{0}` is not a URL with a scheme and a host")]
    Site(String),
    /// An entry of `URI_ALLOW_LIST` is not a valid pattern.
    #[error("URI_ALLOW_LIST: `{pattern}`: {reason}")]
    Pattern {
        pattern: String,
        /// The problem, worded to follow the pattern.
        reason: String,
    },
}

impl Redirects {
    /// Parses the two settings and compiles the patterns.
    pub fn new(
        profile: Profile,
        site_url: &str,
        allow_list: &[String],
    ) -> Result<Self, RedirectError> {
        let invalid_site = || RedirectError::Site(site_url.to_owned());
        let site = Url::parse(site_url).map_err(|_| invalid_site())?;
        if !site.has_host() || FORBIDDEN_SCHEMES.contains(&site.scheme()) {
            return Err(invalid_site());
        }
        let globs = allow_list
            .iter()
            .map(|pattern| {
                Glob::new(pattern, profile).map_err(|reason| RedirectError::Pattern {
                    pattern: pattern.clone(),
                    reason,
                })
            })
            .collect::<Result<_, _>>()?;
        Ok(Self {
            profile,
            site,
            site_as_written: site_url.to_owned(),
            globs,
            own: None,
        })
    }

    /// Allows redirects to the pages of this server, at this address.
    #[must_use]
    pub fn with_own_pages(mut self, address: Url) -> Self {
        self.own = Some(address);
        self
    }

    /// Returns whether this is an address of the pages of this server, which sign people in by a cookie and need no
    /// token.
    pub fn is_own(&self, candidate: &str) -> bool {
        let Some(own) = &self.own else {
            return false;
        };
        Candidate::parse(candidate).is_some_and(|candidate| is_below(&candidate.url, own))
    }

    /// Returns `SITE_URL` as it is set.
    pub fn site(&self) -> &str {
        &self.site_as_written
    }

    /// Returns the first candidate that is allowed, as written, or else `SITE_URL`. Candidates are not
    /// trusted.
    pub fn choose(&self, candidates: &[Option<&str>]) -> String {
        candidates
            .iter()
            .flatten()
            .find(|candidate| self.is_allowed(candidate))
            .unwrap_or(&self.site())
            .to_string()
    }

    /// Returns whether a browser may be redirected to this address.
    pub fn is_allowed(&self, candidate: &str) -> bool {
        let Some(candidate) = Candidate::parse(candidate) else {
            return false;
        };
        let is_own = self
            .own
            .as_ref()
            .is_some_and(|own| is_below(&candidate.url, own));
        if is_own || self.is_on_site(&candidate.url) {
            return true;
        }
        match (self.profile, candidate.ip_address) {
            (Profile::Gotrue, Some(address)) => address.to_canonical().is_loopback(),
            _ => self.globs.iter().any(|glob| glob.matches(&candidate)),
        }
    }

    fn is_on_site(&self, url: &Url) -> bool {
        let port_matters = self.profile == Profile::Gotrue && !is_localhost(url);
        self.has_scheme_of_site(url)
            && url.host().is_some()
            && url.host() == self.site.host()
            && (!port_matters || url.port_or_known_default() == self.site.port_or_known_default())
    }

    fn has_scheme_of_site(&self, url: &Url) -> bool {
        let schemes = (self.site.scheme(), url.scheme());
        schemes.0 == schemes.1 || (self.profile == Profile::Std && schemes == ("http", "https"))
    }
}

/// Returns whether a URL is at this address or below it.
fn is_below(url: &Url, address: &Url) -> bool {
    let base = address.path().trim_end_matches('/');
    let rest = url.path().strip_prefix(base);
    url.origin() == address.origin()
        && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn is_localhost(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.to_canonical().is_loopback(),
        None => false,
    }
}

#[cfg(test)]
mod tests;
