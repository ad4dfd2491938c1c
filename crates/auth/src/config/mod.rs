//! The settings of the server, read once at start.

mod api;
mod checks;
mod custom;
mod custom_provider;
mod custom_rules;
mod database;
pub mod deprecated;
mod external;
mod for_tests;
mod general;
mod hash_cost;
mod hooks;
mod jwt;
mod linking;
mod mailer;
mod message_kind;
mod metadata;
mod mfa;
mod missing;
mod outbox;
mod pages;
mod password;
mod profile;
mod rate_limit;
pub mod redirect;
mod security;
mod sessions;
mod sms;
mod smtp;
mod style_sheet;
mod table;
mod telemetry;
mod templates;
#[cfg(test)]
mod tests;
mod webauthn;

use innkeeper_rest::filter::TrustedProxies;
use innkeeper_service::settings::{Faults, Reader};
use jiff::SignedDuration;
use url::Url;

pub use api::ApiConfig;
pub use custom::CustomOauthConfig;
pub use custom_provider::{
    CUSTOM_PREFIX, CustomProtocol, CustomProvider, CustomProviderInput, MemberProblem,
};
pub use custom_rules::ProviderOrigin;
pub use database::DatabaseConfig;
pub use external::{ExternalConfig, PROVIDERS, ProviderConfig};
pub use hash_cost::HashCost;
pub use hooks::{HookKind, HookSettingError, HookTarget, HooksConfig};
pub use jwt::{JwtAlgorithm, JwtConfig};
pub use linking::LinkingConfig;
pub use mailer::MailerConfig;
pub(crate) use mailer::default_subjects;
pub use message_kind::{MessageKind, NOTIFICATIONS, PerMessage};
pub use metadata::MetadataConfig;
pub use mfa::{FactorSwitches, MfaConfig};
pub use outbox::OutboxConfig;
pub use pages::{Logo, PagesConfig};
pub use password::PasswordConfig;
pub use profile::Profile;
pub use rate_limit::{Rate, RateLimitConfig};
pub use security::{CaptchaConfig, CaptchaProvider, DbEncryption, EncryptionKey, SecurityConfig};
pub use sessions::SessionsConfig;
pub use sms::{
    MessagebirdConfig, SmsConfig, TextlocalConfig, TwilioConfig, TwilioVerifyConfig, VonageConfig,
};
pub use smtp::{SmtpConfig, SmtpTls};
pub use table::{PREFIXES, TABLE, reader, settings_markdown};
pub use telemetry::{LogFormat, LogLevel, MetricsExporter, TelemetryConfig};
pub(crate) use templates::{TEMPLATE_OPTIONS, is_locale};
pub use templates::{TemplateSource, TemplatesConfig};
pub use webauthn::{RelyingPartyConfig, WebauthnConfig};

/// Every setting of the server.
#[derive(Debug, Clone)]
pub struct Config {
    /// `PROFILE`: the defaults that apply.
    pub profile: Profile,
    /// Why this profile was chosen, for the start log.
    pub profile_reason: String,
    /// Warnings about settings, for the start log.
    pub warnings: Vec<String>,
    /// Deprecated settings in use, for the start log.
    pub notices: Vec<String>,
    /// `SITE_URL`, required: where users are sent back to.
    pub site_url: Url,
    /// `SITE_URL` as the operator wrote it, for people and browsers.
    pub site_url_as_written: String,
    /// `URI_ALLOW_LIST`: globs of further URLs that users may be redirected to.
    pub uri_allow_list: Vec<String>,
    /// `DISABLE_SIGNUP`: accounts are created by invitation only.
    pub disable_signup: bool,
    /// `TRUSTED_PROXIES`: proxies whose `X-Forwarded-For` is trusted.
    pub trusted_proxies: TrustedProxies,
    /// `CONNECTIONS_PER_CLIENT`, default 1000 in std; `None` for any number.
    pub connections_per_client: Option<usize>,
    /// `CORS_ALLOWED_HEADERS`: request headers allowed besides the server's own.
    pub cors_allowed_headers: Vec<String>,
    /// `AUDIT_LOG_DISABLE_POSTGRES`: the audit log is not kept in the database.
    pub audit_log_disable_postgres: bool,
    /// `AUDIT_LOG_STREAM`: the audit log is written to the server's log too.
    pub audit_log_stream: bool,
    /// `AUDIT_LOG_RETENTION`: how long entries of the audit log stay in the database; forever if not set.
    pub audit_log_retention: Option<SignedDuration>,
    /// `INTERNAL_HTTP_TIMEOUT`, default 10 s: how long external providers may take.
    pub internal_http_timeout: SignedDuration,
    /// `API_*`.
    pub api: ApiConfig,
    /// `DB_*`.
    pub database: DatabaseConfig,
    /// `JWT_*`.
    pub jwt: JwtConfig,
    /// `SMTP_*`.
    pub smtp: SmtpConfig,
    /// `MAILER_*`.
    pub mailer: MailerConfig,
    /// `MAILER_OUTBOX_*`.
    pub outbox: OutboxConfig,
    /// Bounds of metadata.
    pub metadata: MetadataConfig,
    /// `SMS_*`.
    pub sms: SmsConfig,
    /// `PASSWORD_*`.
    pub password: PasswordConfig,
    /// What hashing a new password costs. Not a setting: only tests change it.
    pub hash_cost: HashCost,
    /// `SECURITY_*`.
    pub security: SecurityConfig,
    /// `SESSIONS_*`.
    pub sessions: SessionsConfig,
    /// `MFA_*`.
    pub mfa: MfaConfig,
    /// `WEBAUTHN_*` and `PASSKEY_*`.
    pub webauthn: WebauthnConfig,
    /// `EXTERNAL_*`.
    pub external: ExternalConfig,
    /// `CUSTOM_OAUTH_*` and `EXTERNAL_CUSTOM_*`.
    pub custom_oauth: CustomOauthConfig,
    /// `EXPERIMENTAL_*`.
    pub linking: LinkingConfig,
    /// `HOOK_*`.
    pub hooks: HooksConfig,
    /// `RATE_LIMIT_*`.
    pub rate_limit: RateLimitConfig,
    /// `PAGES` and `PAGES_*`.
    pub pages: PagesConfig,
    /// `LOG_*`, `TRACING_*`, `METRICS_*`, `OTEL_*`.
    pub telemetry: TelemetryConfig,
}

impl Config {
    /// Reads and checks every setting. All faults are reported together.
    ///
    /// ```
    /// use innkeeper_auth::config::{Config, Profile, reader};
    ///
    /// let mut reader = reader().with_env_file(
    ///     "GOTRUE_SITE_URL=http://localhost:3000\n\
    ///      API_EXTERNAL_URL=http://localhost:9999\n\
    ///      GOTRUE_API_HOST=localhost\n\
    ///      DATABASE_URL=postgres://localhost/auth\n\
    ///      GOTRUE_JWT_SECRET=at-least-thirty-two-bytes-long-it-is\n",
    /// );
    /// let config = Config::read(&mut reader).unwrap();
    /// assert_eq!(config.profile, Profile::Gotrue);
    /// assert!(config.warnings.iter().any(|warning| warning.contains("SMTP_HOST")));
    /// ```
    pub fn read(reader: &mut Reader) -> Result<Self, Faults> {
        let (profile, profile_reason) = Profile::read(reader);
        reader.use_column(profile.column());
        let config = Self::read_sections(reader, profile);
        missing::check(reader, TABLE);
        let notices = deprecated::notices(reader);
        let mut warnings = reader.take_warnings();
        warnings.extend(reader.unknown_names());
        reader.finish()?;
        // Without faults the required URLs are set.
        let config = config.ok_or_else(Faults::default)?;
        Ok(Self {
            profile_reason,
            warnings,
            notices,
            ..config
        })
    }

    fn read_sections(reader: &mut Reader, profile: Profile) -> Option<Self> {
        let site_url: Option<Url> = reader.required("SITE_URL");
        let site_url_as_written = reader.get::<String>("SITE_URL").trim().to_owned();
        let api = ApiConfig::read(reader, profile);
        let external = ExternalConfig::read(reader, profile);
        let hooks = HooksConfig::read(reader);
        let mfa = MfaConfig::read(reader, profile);
        let has_sms = external.phone_enabled || mfa.phone.verify;
        let needs_sms = has_sms && !hooks.is_on(HookKind::SendSms);
        let needs_smtp = external.email_enabled && !hooks.is_on(HookKind::SendEmail);
        let external_url = api.as_ref().map(|api| &api.external_url);
        let mailer = MailerConfig::read(reader, profile, site_url.as_ref(), external_url);
        let jwt = JwtConfig::read(reader, profile);
        if let Some(api) = &api {
            jwt.check_published(reader, profile, api);
        }
        Some(Self {
            profile,
            profile_reason: String::new(),
            warnings: Vec::new(),
            notices: Vec::new(),
            uri_allow_list: general::read_allow_list(reader),
            disable_signup: reader.get("DISABLE_SIGNUP"),
            trusted_proxies: general::read_trusted_proxies(reader),
            connections_per_client: Some(reader.get("CONNECTIONS_PER_CLIENT"))
                .filter(|count| *count > 0),
            cors_allowed_headers: general::read_cors_headers(reader),
            audit_log_disable_postgres: reader.get("AUDIT_LOG_DISABLE_POSTGRES"),
            audit_log_stream: reader.get("AUDIT_LOG_STREAM"),
            audit_log_retention: checks::positive_if_set(reader, "AUDIT_LOG_RETENTION"),
            internal_http_timeout: checks::positive(reader, profile, "INTERNAL_HTTP_TIMEOUT"),
            database: DatabaseConfig::read(reader, profile),
            jwt,
            smtp: SmtpConfig::read(reader, profile, needs_smtp),
            mailer,
            outbox: OutboxConfig::read(reader, profile),
            metadata: MetadataConfig::read(reader, profile),
            sms: SmsConfig::read(reader, profile, needs_sms),
            password: PasswordConfig::read(reader, profile),
            hash_cost: HashCost::RECOMMENDED,
            security: SecurityConfig::read(reader, profile),
            sessions: SessionsConfig::read(reader),
            webauthn: WebauthnConfig::read(reader, profile, &mfa, external_url),
            mfa,
            external,
            custom_oauth: CustomOauthConfig::read(reader, profile),
            linking: LinkingConfig::read(reader, profile),
            hooks,
            rate_limit: RateLimitConfig::read(reader, profile),
            pages: PagesConfig::read(reader, profile),
            telemetry: TelemetryConfig::read(reader),
            // Last, so that every other fault is found even when these are missing.
            site_url: site_url?,
            site_url_as_written,
            api: api?,
        })
    }

    /// Returns the `iss` claim: `JWT_ISSUER` or, in std, the URL of the server.
    pub fn issuer(&self) -> Option<&str> {
        match (&self.jwt.issuer, self.profile) {
            (Some(issuer), _) => Some(issuer),
            (None, Profile::Std) => Some(self.api.external_url.as_str().trim_end_matches('/')),
            (None, Profile::Gotrue) => None,
        }
    }

    /// Whether values that GoTrue reads too are stored encrypted: always in std; in the gotrue profile as its own
    /// settings say, so that both servers can use one database.
    pub fn seals_shared_values(&self) -> bool {
        self.profile == Profile::Std || self.security.db_encryption.encrypt
    }

    /// Returns the minimum interval between two mails of this kind to one address.
    pub fn mail_interval(&self, kind: MessageKind) -> SignedDuration {
        let default = match (kind, self.profile) {
            // Only administrators invite, and the last one takes the place of a mail whose interval applies.
            (MessageKind::Invite | MessageKind::EmailTaken, _) => return SignedDuration::ZERO,
            // Notifications follow an event, however often it happens.
            (kind, _) if kind.is_notification() => return SignedDuration::ZERO,
            (MessageKind::Confirmation | MessageKind::EmailChange, Profile::Std) => {
                SignedDuration::from_secs(900)
            }
            _ => SignedDuration::from_secs(60),
        };
        self.smtp.max_frequency.unwrap_or(default)
    }
}
