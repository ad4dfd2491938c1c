//! Where a browser may be sent with a token: `SITE_URL`, its host, and what the allow list names.

mod glob;
mod target;

use std::net::IpAddr;

use url::{Host, Url};

use crate::config::Profile;
use glob::Glob;
pub use target::{location, with_fragment, with_query};

/// Schemes whose address is code, a document or a file of the reader. No setting can allow them.
const NEVER: [&str; 8] = [
    "about",
    "blob",
    "data",
    "file",
    "filesystem",
    "javascript",
    "vbscript",
    "view-source",
];

/// The rule of `SITE_URL` and `URI_ALLOW_LIST`.
///
/// The std profile allows any port of `SITE_URL`'s host. The gotrue profile wants the same port,
/// except on this machine, and allows every loopback address.
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
    /// As the setting has it, because that is where people expect to land.
    site_as_written: String,
    globs: Vec<Glob>,
}

/// A setting from which no rule can be made.
#[derive(Debug, thiserror::Error)]
pub enum RedirectError {
    /// The site has no address that a browser could open.
    #[error("SITE_URL: `{0}` is not a URL with a scheme and a host")]
    Site(String),
    /// An entry of the allow list cannot be understood.
    #[error("URI_ALLOW_LIST: `{pattern}`: {reason}")]
    Pattern {
        /// The entry.
        pattern: String,
        /// What is wrong with it.
        reason: String,
    },
}

impl Redirects {
    /// Reads the two settings; the patterns are compiled once, here.
    pub fn new(
        profile: Profile,
        site_url: &str,
        allow_list: &[String],
    ) -> Result<Self, RedirectError> {
        let no_site = || RedirectError::Site(site_url.to_owned());
        let site = Url::parse(site_url).map_err(|_| no_site())?;
        if !site.has_host() || NEVER.contains(&site.scheme()) {
            return Err(no_site());
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
        })
    }

    /// `SITE_URL` as written.
    pub fn site(&self) -> &str {
        &self.site_as_written
    }

    /// The first candidate that is allowed, as written, else `SITE_URL`. Candidates may be
    /// anything.
    pub fn choose(&self, candidates: &[Option<&str>]) -> String {
        candidates
            .iter()
            .flatten()
            .find(|candidate| self.is_allowed(candidate))
            .unwrap_or(&self.site())
            .to_string()
    }

    /// Whether a browser may be sent there.
    pub fn is_allowed(&self, candidate: &str) -> bool {
        let Some(target) = Target::read(candidate) else {
            return false;
        };
        if self.is_of_the_site(&target.url) {
            return true;
        }
        match (self.profile, target.address) {
            (Profile::Gotrue, Some(address)) => address.to_canonical().is_loopback(),
            _ => self.globs.iter().any(|glob| glob.matches(&target)),
        }
    }

    fn is_of_the_site(&self, url: &Url) -> bool {
        let port_matters = self.profile == Profile::Gotrue && !is_this_machine(url);
        url.scheme() == self.site.scheme()
            && url.host().is_some()
            && url.host() == self.site.host()
            && (!port_matters || url.port_or_known_default() == self.site.port_or_known_default())
    }
}

fn is_this_machine(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.to_canonical().is_loopback(),
        None => false,
    }
}

/// A candidate that every browser reads in the same way as we do.
struct Target<'a> {
    /// As written, without the fragment.
    text: &'a str,
    url: Url,
    is_web: bool,
    /// The host of a web address that is an IP address.
    address: Option<IpAddr>,
}

impl<'a> Target<'a> {
    fn read(candidate: &'a str) -> Option<Self> {
        let is_odd = |character: char| character.is_control() || character == '\\';
        if candidate.contains(is_odd) || candidate.trim() != candidate {
            return None;
        }
        let url = Url::parse(candidate).ok()?;
        if NEVER.contains(&url.scheme()) {
            return None;
        }
        let (text, _) = candidate.split_once('#').unwrap_or((candidate, ""));
        let authority = authority(text);
        if authority.is_some_and(|authority| authority.contains('@')) {
            return None;
        }
        let is_web = matches!(url.scheme(), "http" | "https");
        let address = match is_web.then(|| WebHost::read(authority?, &url)) {
            Some(host) => host?.address(),
            None => None,
        };
        Some(Self {
            text,
            url,
            is_web,
            address,
        })
    }
}

/// What stands between `//` and the path, as written.
fn authority(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once(':')?;
    rest.strip_prefix("//")?.split(['/', '?']).next()
}

/// The host of a web address.
enum WebHost {
    Name,
    Address(IpAddr),
}

impl WebHost {
    /// Refuses hosts that are spelled in a way that readers and browsers may see differently, such
    /// as `2130706433` or `0x7f.1` for 127.0.0.1.
    fn read(authority: &str, url: &Url) -> Option<Self> {
        let host = url.host()?;
        if let Host::Ipv6(address) = host {
            return Some(Self::Address(address.into()));
        }
        let (name, _) = authority.split_once(':').unwrap_or((authority, ""));
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
        if name.is_empty() || !name.bytes().all(is_plain) {
            return None;
        }
        match host {
            Host::Ipv4(address) => {
                (name == address.to_string()).then_some(Self::Address(address.into()))
            }
            _ => Some(Self::Name),
        }
    }

    fn address(&self) -> Option<IpAddr> {
        match self {
            Self::Name => None,
            Self::Address(address) => Some(*address),
        }
    }
}

#[cfg(test)]
mod tests;
