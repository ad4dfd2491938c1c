//! `MFA_*`: second factors.

use innkeeper_gotemplate::{ParseOptions, Template};
use innkeeper_service::settings::{Kind, Reader, Setting};
use jiff::SignedDuration;

use super::Profile;
use super::checks::{positive, report, within};

/// The text of a message unless `MFA_PHONE_TEMPLATE` is set.
const TEMPLATE: &str = "Your code is {{ .Code }}";

/// What `MFA_PHONE_TEMPLATE` is checked against.
const TEMPLATE_OPTIONS: ParseOptions<'_> = ParseOptions {
    fields: Some(&["Code"]),
    entry_points: &[],
};

pub(super) const SETTINGS: &[Setting] = &[
    Setting::new(
        "MFA_TOTP_ENROLL_ENABLED",
        Kind::Boolean,
        "Users can add authenticator apps as second factors; see `docs/auth/factors.md`.",
    )
    .default(&["true"]),
    Setting::new(
        "MFA_TOTP_VERIFY_ENABLED",
        Kind::Boolean,
        "Codes of authenticator apps are accepted.",
    )
    .default(&["true"]),
    Setting::new(
        "MFA_PHONE_ENROLL_ENABLED",
        Kind::Boolean,
        "Users can add phone numbers as second factors.",
    )
    .default(&["false"]),
    Setting::new(
        "MFA_PHONE_VERIFY_ENABLED",
        Kind::Boolean,
        "Codes are sent to such numbers, and accepted. Needs a way to send text messages.",
    )
    .default(&["false"]),
    Setting::new(
        "MFA_PHONE_OTP_LENGTH",
        Kind::Integer,
        "How many digits such a code has, from 6 to 10.",
    )
    .default(&["6"]),
    Setting::new(
        "MFA_PHONE_TEMPLATE",
        Kind::Other("a template"),
        "The text of such a message, a template with the variable `.Code`.",
    )
    .default(&[TEMPLATE]),
    Setting::new(
        "MFA_PHONE_MAX_FREQUENCY",
        Kind::SecondsOrDuration,
        "How long a phone factor waits for its next code.",
    )
    .default(&["60", "1m"]),
    Setting::new(
        "MFA_WEB_AUTHN_ENROLL_ENABLED",
        Kind::Boolean,
        "Users can add security keys and other WebAuthn authenticators as second factors. Needs `WEBAUTHN_RP_ID` and \
         `WEBAUTHN_RP_ORIGINS`.",
    )
    .default(&["false"]),
    Setting::new(
        "MFA_WEB_AUTHN_VERIFY_ENABLED",
        Kind::Boolean,
        "Such authenticators are accepted.",
    )
    .default(&["false"]),
    Setting::new(
        "MFA_RECOVERY_CODES_ENROLL_ENABLED",
        Kind::Boolean,
        "Users with a second factor can get recovery codes.",
    )
    .default(&["true", "false"]),
    Setting::new(
        "MFA_RECOVERY_CODES_VERIFY_ENABLED",
        Kind::Boolean,
        "Recovery codes are accepted in place of a second factor.",
    )
    .default(&["true", "false"]),
    Setting::new(
        "MFA_CHALLENGE_EXPIRY_DURATION",
        Kind::SecondsOrDuration,
        "How long a challenge can be answered, at least 300 seconds.",
    )
    .default(&["300"]),
    Setting::new(
        "MFA_CHALLENGE_SAME_ADDRESS",
        Kind::Boolean,
        "A challenge must be answered from the address that has requested it. Phones change their address between \
         networks.",
    )
    .default(&["false", "true"]),
    Setting::new(
        "MFA_FACTOR_EXPIRY_DURATION",
        Kind::Duration,
        "How long a factor that was never challenged counts before the next one is added.",
    )
    .default(&["300s"]),
    Setting::new(
        "MFA_MAX_ENROLLED_FACTORS",
        Kind::Integer,
        "How many factors a user may have.",
    )
    .default(&["10"]),
    Setting::new(
        "MFA_MAX_VERIFIED_FACTORS",
        Kind::Integer,
        "How many verified factors a user may have.",
    )
    .default(&["10"]),
    Setting::new(
        "MFA_RATE_LIMIT_CHALLENGE_AND_VERIFY",
        Kind::Other("a number for a minute"),
        "Challenges, and answers to them, from one address; in std for each factor.",
    )
    .default(&["15"]),
];

/// `MFA_*` settings.
#[derive(Debug, Clone)]
pub struct MfaConfig {
    /// `MFA_TOTP_*`.
    pub totp: FactorSwitches,
    /// `MFA_PHONE_*`.
    pub phone: FactorSwitches,
    /// `MFA_WEB_AUTHN_*`.
    pub webauthn: FactorSwitches,
    /// `MFA_RECOVERY_CODES_*`.
    pub recovery_codes: FactorSwitches,
    /// `MFA_PHONE_OTP_LENGTH`, default 6, from 6 to 10.
    pub phone_otp_length: u32,
    /// `MFA_PHONE_TEMPLATE`: the text around the code, a template without mistakes.
    pub phone_template: String,
    /// `MFA_PHONE_MAX_FREQUENCY`, default 60 s.
    pub phone_max_frequency: SignedDuration,
    /// `MFA_CHALLENGE_EXPIRY_DURATION`, default 300 s.
    pub challenge_expiry: SignedDuration,
    /// `MFA_CHALLENGE_SAME_ADDRESS`: whether a challenge is bound to the address of the client.
    pub challenge_same_address: bool,
    /// `MFA_FACTOR_EXPIRY_DURATION`, default 300 s.
    pub factor_expiry: SignedDuration,
    /// `MFA_MAX_ENROLLED_FACTORS`, default 10.
    pub max_enrolled: usize,
    /// `MFA_MAX_VERIFIED_FACTORS`, default 10.
    pub max_verified: usize,
    /// `MFA_RATE_LIMIT_CHALLENGE_AND_VERIFY` in a minute, default 15.
    pub rate_limit: f64,
}

/// What users can do with a type of second factor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FactorSwitches {
    /// Whether such factors can be added.
    pub enroll: bool,
    /// Whether such factors can be used.
    pub verify: bool,
}

impl FactorSwitches {
    fn read(reader: &mut Reader, kind: &str) -> Self {
        Self {
            enroll: reader.get(&format!("MFA_{kind}_ENROLL_ENABLED")),
            verify: reader.get(&format!("MFA_{kind}_VERIFY_ENABLED")),
        }
    }
}

/// The shortest life of a challenge.
const SHORTEST_CHALLENGE: SignedDuration = SignedDuration::from_secs(300);

impl MfaConfig {
    pub(super) fn read(reader: &mut Reader, profile: Profile) -> Self {
        let limit = |reader: &mut Reader, name| within(reader, profile, name, 1_u32..=1000);
        let count = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
        Self {
            totp: FactorSwitches::read(reader, "TOTP"),
            phone: FactorSwitches::read(reader, "PHONE"),
            webauthn: FactorSwitches::read(reader, "WEB_AUTHN"),
            recovery_codes: FactorSwitches::read(reader, "RECOVERY_CODES"),
            phone_otp_length: within(reader, profile, "MFA_PHONE_OTP_LENGTH", 6..=10),
            phone_template: read_template(reader, profile),
            phone_max_frequency: reader.get("MFA_PHONE_MAX_FREQUENCY"),
            challenge_expiry: read_challenge_expiry(reader, profile),
            challenge_same_address: reader.get("MFA_CHALLENGE_SAME_ADDRESS"),
            factor_expiry: positive(reader, profile, "MFA_FACTOR_EXPIRY_DURATION"),
            max_enrolled: count(limit(reader, "MFA_MAX_ENROLLED_FACTORS")),
            max_verified: count(limit(reader, "MFA_MAX_VERIFIED_FACTORS")),
            rate_limit: within(
                reader,
                profile,
                "MFA_RATE_LIMIT_CHALLENGE_AND_VERIFY",
                0.001..=1e9,
            ),
        }
    }
}

/// Reads how long a challenge lives. A shorter time than the shortest counts as that.
fn read_challenge_expiry(reader: &mut Reader, profile: Profile) -> SignedDuration {
    let name = "MFA_CHALLENGE_EXPIRY_DURATION";
    let value: SignedDuration = reader.get(name);
    if value < SHORTEST_CHALLENGE {
        report(reader, profile, name, "must be at least 300 seconds");
    }
    value.max(SHORTEST_CHALLENGE)
}

/// Reads the template of messages; in gotrue the default replaces a wrong one.
fn read_template(reader: &mut Reader, profile: Profile) -> String {
    let name = "MFA_PHONE_TEMPLATE";
    let template: String = reader.get(name);
    match Template::parse_with(&template, TEMPLATE_OPTIONS) {
        Ok(_) => template,
        Err(error) => {
            let problem = format!("is not a valid template: {error}");
            report(reader, profile, name, &problem);
            TEMPLATE.to_owned()
        }
    }
}
