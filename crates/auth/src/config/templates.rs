//! `MAILER_TEMPLATES_*` and what goes with them: templates of one's own, and in which languages.

use innkeeper_service::settings::{Kind, Reader, Setting};
use jiff::SignedDuration;
use url::Url;

use super::checks::{complain, positive};
use super::{MessageKind, PerMessage, Profile};

/// Stands for the language in the address of a template.
const LOCALE: &str = "{locale}";

pub(super) const SETTINGS: &[Setting] = &[
    Setting::new(
        "MAILER_TEMPLATES_<MAIL>",
        Kind::Other("a URL, or a path below SITE_URL"),
        "A template of your own for that mail: `https://…`, `file:///…`, or a path that is added to \
         `SITE_URL`. `{locale}` stands for the language. See `docs/auth/mail-templates.md`.",
    )
    .words(MAILS),
    Setting::new(
        "MAILER_LOCALES",
        Kind::List,
        "The languages that mails are written in, such as `en,de,pt-BR`; the first one is for users \
         of any other. Built-in mails are there in `en` and `de`.",
    )
    .default(&["en"]),
    Setting::new(
        "MAILER_TEMPLATE_MAX_SIZE",
        Kind::Integer,
        "Longer templates are refused, in bytes.",
    )
    .default(&["1000000"]),
    Setting::new(
        "MAILER_TEMPLATE_MAX_AGE",
        Kind::Duration,
        "How long a template is used before it is fetched again.",
    )
    .default(&["10m"]),
    Setting::new(
        "MAILER_TEMPLATE_RETRY_INTERVAL",
        Kind::Duration,
        "How soon a template that could not be had is fetched again.",
    )
    .default(&["10s"]),
    Setting::new(
        "MAILER_NOTIFICATIONS_<KIND>_ENABLED",
        Kind::Boolean,
        "Tells users by mail that this has happened to their account.",
    )
    .words(super::NOTIFICATIONS)
    .default(&["false"]),
];

const MAILS: &[&str] = &[
    "INVITE",
    "CONFIRMATION",
    "RECOVERY",
    "MAGIC_LINK",
    "EMAIL_CHANGE",
    "REAUTHENTICATION",
    "PASSWORD_CHANGED_NOTIFICATION",
    "EMAIL_CHANGED_NOTIFICATION",
    "PHONE_CHANGED_NOTIFICATION",
    "IDENTITY_LINKED_NOTIFICATION",
    "IDENTITY_UNLINKED_NOTIFICATION",
    "MFA_FACTOR_ENROLLED_NOTIFICATION",
    "MFA_FACTOR_UNENROLLED_NOTIFICATION",
    "PASSWORD_CHANGED",
    "EMAIL_CHANGED",
    "PHONE_CHANGED",
    "IDENTITY_LINKED",
    "IDENTITY_UNLINKED",
    "MFA_FACTOR_ENROLLED",
    "MFA_FACTOR_UNENROLLED",
];

/// Templates of one's own.
#[derive(Debug, Clone)]
pub struct TemplatesConfig {
    /// `MAILER_TEMPLATES_<KIND>`: where each template is; the built-in mail where there is none.
    pub sources: PerMessage<Option<TemplateSource>>,
    /// `MAILER_LOCALES`: the languages of mails, never empty; the first one is for everybody else.
    pub locales: Vec<String>,
    /// `MAILER_TEMPLATE_MAX_SIZE` in bytes, default 1000000.
    pub max_size: usize,
    /// `MAILER_TEMPLATE_MAX_AGE`, default 10 minutes.
    pub max_age: SignedDuration,
    /// `MAILER_TEMPLATE_RETRY_INTERVAL`, default 10 s.
    pub retry_interval: SignedDuration,
}

impl TemplatesConfig {
    pub(super) fn read(reader: &mut Reader, profile: Profile, site: Option<&Url>) -> Self {
        let max_size: u64 = reader.get("MAILER_TEMPLATE_MAX_SIZE");
        Self {
            sources: PerMessage::from_fn(|kind| read_source(reader, profile, kind, site)),
            locales: read_locales(reader),
            max_size: usize::try_from(max_size).unwrap_or(usize::MAX),
            max_age: positive(reader, profile, "MAILER_TEMPLATE_MAX_AGE"),
            retry_interval: positive(reader, profile, "MAILER_TEMPLATE_RETRY_INTERVAL"),
        }
    }
}

fn read_source(
    reader: &mut Reader,
    profile: Profile,
    kind: MessageKind,
    site: Option<&Url>,
) -> Option<TemplateSource> {
    let full = format!("MAILER_TEMPLATES_{}", kind.setting());
    let short = full.strip_suffix("_NOTIFICATION").unwrap_or(&full);
    let name = [full.as_str(), short]
        .into_iter()
        .find(|name| reader.is_set(name))
        .unwrap_or(&full);
    let text: String = reader.optional(name)?;
    // Without a site there is a fault already.
    let source = TemplateSource::parse(&text, site?);
    if source.is_none() {
        let problem = "is neither the URL of a template nor a path below SITE_URL; \
                       files are written file:///…";
        complain(reader, profile, name, problem);
    }
    source
}

fn read_locales(reader: &mut Reader) -> Vec<String> {
    let locales: Vec<String> = reader.get("MAILER_LOCALES");
    if locales.is_empty() || !locales.iter().all(|locale| is_locale(locale)) {
        reader.fault(
            "MAILER_LOCALES",
            "must be languages such as en or pt-BR, with commas",
        );
    }
    locales
}

/// Whether this can name a language, and can stand in an address without doing anything else there.
pub(crate) fn is_locale(text: &str) -> bool {
    (1..=35).contains(&text.len())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

/// Where a template is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateSource(String);

impl TemplateSource {
    /// Reads the value of a setting: `http://…` and `https://…` are asked, `file:///…` is read, and
    /// anything else is a path that is added to the address of the site.
    ///
    /// ```
    /// use innkeeper_auth::config::TemplateSource;
    ///
    /// let site = "https://inn.example/app/".parse()?;
    /// let source = TemplateSource::parse("/mails/{locale}/invite.html", &site).unwrap();
    /// assert_eq!(
    ///     source.at("de").unwrap().as_str(),
    ///     "https://inn.example/app/mails/de/invite.html"
    /// );
    /// let source = TemplateSource::parse("file:///etc/inn/invite.html", &site).unwrap();
    /// assert_eq!(source.at("de").unwrap().as_str(), "file:///etc/inn/invite.html");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn parse(text: &str, site: &Url) -> Option<Self> {
        let text = text.trim();
        let lower = text.to_ascii_lowercase();
        let is_whole = ["http://", "https://", "file:"]
            .iter()
            .any(|scheme| lower.starts_with(scheme));
        let whole = if is_whole {
            text.to_owned()
        } else {
            let mut site = site.clone();
            site.set_query(None);
            site.set_fragment(None);
            format!(
                "{}/{}",
                site.as_str().trim_end_matches('/'),
                text.trim_start_matches('/')
            )
        };
        let source = Self(whole);
        source.at("en").map(|_| source)
    }

    /// The address of the template in a language; it is the same for all if it names none.
    pub fn at(&self, locale: &str) -> Option<Url> {
        let url = Url::parse(&self.0.replace(LOCALE, locale)).ok()?;
        let is_usable = match url.scheme() {
            "file" => url.to_file_path().is_ok() && !url.path().ends_with('/'),
            _ => url.has_host(),
        };
        is_usable.then_some(url)
    }

    /// Whether there is one for each language.
    pub fn is_per_locale(&self) -> bool {
        self.0.contains(LOCALE)
    }
}
