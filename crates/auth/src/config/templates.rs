//! `MAILER_TEMPLATES_*`, `MAILER_LOCALES`: the operator's mail templates and their languages.

use innkeeper_gotemplate::{ParseOptions, Template};
use innkeeper_service::settings::{Kind, Reader, Setting};
use jiff::SignedDuration;
use url::Url;

use super::checks::{positive, report};
use super::message_kind::{MessageKind, NOTIFICATIONS, PerMessage};
use super::profile::Profile;

/// The placeholder for the language in the URL of a template.
const LOCALE: &str = "{locale}";

pub(super) const SETTINGS: &[Setting] = &[
    Setting::new(
        "MAILER_TEMPLATES_<MAIL>",
        Kind::Other("a URL, or a path below SITE_URL"),
        "The template of that mail: `https://…`, `file:///…`, or a path that is added to `SITE_URL`. \
         `{locale}` is replaced by the language. See `docs/auth/mail-templates.md`.",
    )
    .words(MAILS),
    Setting::new(
        "MAILER_LOCALES",
        Kind::List,
        "The languages of mails, such as `en,de,pt-BR`; the first one is the default. Built-in mails \
         exist in `en` and `de`.",
    )
    .default(&["en"]),
    Setting::new(
        "MAILER_TEMPLATE_MAX_SIZE",
        Kind::Integer,
        "The maximum size of a template, in bytes.",
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
        "How soon a template that could not be fetched is tried again.",
    )
    .default(&["10s"]),
    Setting::new(
        "MAILER_NOTIFICATIONS_<KIND>_ENABLED",
        Kind::Boolean,
        "Notifies users by mail of this change to their account.",
    )
    .words(NOTIFICATIONS)
    .default(&["false"]),
];

const MAILS: &[&str] = &[
    "INVITE",
    "CONFIRMATION",
    "RECOVERY",
    "MAGIC_LINK",
    "EMAIL_CHANGE",
    "REAUTHENTICATION",
    "EMAIL_TAKEN",
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

/// What mail templates are checked against: the fields that they may name, and the parts of a mail besides the
/// HTML.
pub(crate) const TEMPLATE_OPTIONS: ParseOptions<'_> = ParseOptions {
    fields: Some(&[
        "SiteURL",
        "ConfirmationURL",
        "Email",
        "NewEmail",
        "SendingTo",
        "Token",
        "TokenHash",
        "Data",
        "RedirectTo",
        "OldEmail",
        "Phone",
        "OldPhone",
        "Provider",
        "FactorType",
        "Locale",
        "ExpiresAt",
    ]),
    entry_points: &["subject", "text"],
};

/// Checks the template of a subject.
pub(super) fn check_subject(template: &str) -> Result<(), String> {
    match Template::parse_with(template, TEMPLATE_OPTIONS) {
        Ok(_) => Ok(()),
        Err(error) => Err(format!("is not a valid template: {error}")),
    }
}

/// `MAILER_TEMPLATES_*` and related settings.
#[derive(Debug, Clone)]
pub struct TemplatesConfig {
    /// `MAILER_TEMPLATES_<KIND>`: the URL of each template; without one the built-in mail is sent.
    pub sources: PerMessage<Option<TemplateSource>>,
    /// `MAILER_LOCALES`: the languages of mails, never empty; the first one is the default.
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
    // A missing site is reported elsewhere.
    let source = TemplateSource::parse(&text, site?);
    if source.is_none() {
        let problem = "is neither the URL of a template nor a path below SITE_URL; \
                       files are written file:///…";
        report(reader, profile, name, problem);
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

/// Whether a text can be the name of a language, and has no other meaning in a URL.
pub(crate) fn is_locale(text: &str) -> bool {
    (1..=35).contains(&text.len())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

/// The URL of a template, with a placeholder for the language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateSource(String);

impl TemplateSource {
    /// Parses the value of a setting: an `http://…`, `https://…` or `file:///…` URL, or a path that is added
    /// to the URL of the site.
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
        let is_url = ["http://", "https://", "file:"]
            .iter()
            .any(|scheme| lower.starts_with(scheme));
        let url = if is_url {
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
        let source = Self(url);
        source.at("en").map(|_| source)
    }

    /// Returns the URL of the template in a language; the same for all languages without a placeholder.
    pub fn at(&self, locale: &str) -> Option<Url> {
        let url = Url::parse(&self.0.replace(LOCALE, locale)).ok()?;
        let is_usable = match url.scheme() {
            "file" => url.to_file_path().is_ok() && !url.path().ends_with('/'),
            _ => url.has_host(),
        };
        is_usable.then_some(url)
    }

    /// Whether each language has its own template.
    pub fn is_per_locale(&self) -> bool {
        self.0.contains(LOCALE)
    }
}
