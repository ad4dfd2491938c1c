//! Settings of phone numbers and text messages.

use jiff::{SignedDuration, Timestamp};

use super::{gotrue_with, std_faults, std_with};

/// The providers, with the settings that they require.
const PROVIDERS: &[(&str, &[&str])] = &[
    (
        "twilio",
        &[
            "SMS_TWILIO_ACCOUNT_SID",
            "SMS_TWILIO_AUTH_TOKEN",
            "SMS_TWILIO_MESSAGE_SERVICE_SID",
        ],
    ),
    (
        "twilio_verify",
        &[
            "SMS_TWILIO_VERIFY_ACCOUNT_SID",
            "SMS_TWILIO_VERIFY_AUTH_TOKEN",
            "SMS_TWILIO_VERIFY_MESSAGE_SERVICE_SID",
        ],
    ),
    (
        "messagebird",
        &["SMS_MESSAGEBIRD_ACCESS_KEY", "SMS_MESSAGEBIRD_ORIGINATOR"],
    ),
    (
        "textlocal",
        &["SMS_TEXTLOCAL_API_KEY", "SMS_TEXTLOCAL_SENDER"],
    ),
    (
        "vonage",
        &[
            "SMS_VONAGE_API_KEY",
            "SMS_VONAGE_API_SECRET",
            "SMS_VONAGE_FROM",
        ],
    ),
];

/// Returns settings with this prefix that name the provider and these credentials.
fn settings(prefix: &str, provider: &str, names: &[&str]) -> Vec<(String, String)> {
    let mut settings = vec![
        (
            format!("{prefix}_EXTERNAL_PHONE_ENABLED"),
            "true".to_owned(),
        ),
        (format!("{prefix}_SMS_PROVIDER"), provider.to_owned()),
    ];
    let credentials = names.iter();
    settings.extend(credentials.map(|name| (format!("{prefix}_{name}"), format!("of {name}"))));
    settings
}

fn borrowed(settings: &[(String, String)]) -> Vec<(&str, &str)> {
    let pairs = settings.iter();
    pairs
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect()
}

#[test]
fn a_provider_needs_all_its_credentials() {
    for (provider, names) in PROVIDERS {
        let complete = settings("AUTH", provider, names);
        let config = std_with(&borrowed(&complete));
        assert!(config.external.phone_enabled);
        assert_eq!(config.sms.provider, *provider);
        for missing in *names {
            let given: Vec<&str> = names.iter().copied().filter(|it| it != missing).collect();
            let problem = format!("{missing}: is required with SMS_PROVIDER={provider}");
            let std = settings("AUTH", provider, &given);
            assert_eq!(std_faults(&borrowed(&std)), [format!("AUTH_{problem}")]);
            let gotrue = settings("GOTRUE", provider, &given);
            let config = gotrue_with(&borrowed(&gotrue));
            assert!(config.external.phone_enabled);
            assert_eq!(config.warnings, [format!("AUTH_{problem}")]);
        }
    }
}

#[test]
fn credentials_are_read_into_their_own_fields() {
    let of = |provider: usize| {
        let (name, names) = PROVIDERS[provider];
        std_with(&borrowed(&settings("AUTH", name, names))).sms
    };
    let text = |text: Option<String>| text.unwrap();
    let twilio = of(0).twilio;
    assert_eq!(text(twilio.account_sid), "of SMS_TWILIO_ACCOUNT_SID");
    assert_eq!(
        twilio.auth_token.unwrap().reveal(),
        "of SMS_TWILIO_AUTH_TOKEN"
    );
    assert_eq!(
        text(twilio.message_service_sid),
        "of SMS_TWILIO_MESSAGE_SERVICE_SID"
    );
    let messagebird = of(2).messagebird;
    assert_eq!(
        messagebird.access_key.unwrap().reveal(),
        "of SMS_MESSAGEBIRD_ACCESS_KEY"
    );
    assert_eq!(
        text(messagebird.originator),
        "of SMS_MESSAGEBIRD_ORIGINATOR"
    );
}

#[test]
fn numbers_need_a_way_to_get_their_codes() {
    let on = ("AUTH_EXTERNAL_PHONE_ENABLED", "true");
    let problem =
        "SMS_PROVIDER: is required when EXTERNAL_PHONE_ENABLED or MFA_PHONE_VERIFY_ENABLED is on";
    assert_eq!(std_faults(&[on]), [format!("AUTH_{problem}")]);
    let factor = ("AUTH_MFA_PHONE_VERIFY_ENABLED", "true");
    assert_eq!(std_faults(&[factor]), [format!("AUTH_{problem}")]);
    let config = gotrue_with(&[("GOTRUE_EXTERNAL_PHONE_ENABLED", "true")]);
    assert!(config.external.phone_enabled);
    assert_eq!(config.warnings, [format!("AUTH_{problem}")]);
    for other in [
        ("AUTH_SMS_AUTOCONFIRM", "true"),
        ("AUTH_SMS_TEST_OTP", "4930:123456"),
    ] {
        assert!(std_with(&[on, other]).external.phone_enabled);
    }
    let hook = [
        on,
        ("AUTH_HOOK_SEND_SMS_ENABLED", "true"),
        (
            "AUTH_HOOK_SEND_SMS_URI",
            "pg-functions://postgres/public/send_sms",
        ),
    ];
    assert!(std_with(&hook).external.phone_enabled);
    // While numbers cannot sign in, nothing is missing.
    std_with(&[("AUTH_SMS_PROVIDER", "twilio")]);
}

#[test]
fn the_settings_of_codes_have_defaults_and_bounds() {
    let config = std_with(&[]);
    assert!(!config.sms.autoconfirm);
    assert_eq!(config.sms.template, "Your code is {{ .Code }}");
    let config = std_with(&[
        ("AUTH_SMS_AUTOCONFIRM", "true"),
        ("AUTH_SMS_MAX_FREQUENCY", "30"),
        ("AUTH_SMS_OTP_EXP", "600"),
        ("AUTH_SMS_OTP_LENGTH", "8"),
        ("AUTH_SMS_TEMPLATE", "{{ .Code }} is it"),
    ]);
    assert!(config.sms.autoconfirm);
    assert_eq!(config.sms.max_frequency, SignedDuration::from_secs(30));
    assert_eq!(config.sms.otp_exp, SignedDuration::from_mins(10));
    assert_eq!(config.sms.otp_length, 8);
    assert_eq!(config.sms.template, "{{ .Code }} is it");
    let faults = std_faults(&[
        ("AUTH_SMS_OTP_EXP", "0"),
        ("AUTH_SMS_TEMPLATE", "{{ .Token }}"),
    ]);
    assert_eq!(faults.len(), 2, "{faults:?}");
    assert!(faults[1].starts_with("AUTH_SMS_TEMPLATE: is not a valid template"));
    let config = gotrue_with(&[("GOTRUE_SMS_TEMPLATE", "{{ .Token")]);
    assert_eq!(config.sms.template, "Your code is {{ .Code }}");
    assert_eq!(config.warnings.len(), 1);
}

#[test]
fn numbers_for_tests_are_read_in_any_form_until_their_end() {
    let end = "2030-01-31T00:00:00Z";
    let config = std_with(&[
        (
            "AUTH_SMS_TEST_OTP",
            "+49 30 1234567:123456, 4917:0246813579",
        ),
        ("AUTH_SMS_TEST_OTP_VALID_UNTIL", end),
    ]);
    let end: Timestamp = end.parse().unwrap();
    let before = end - SignedDuration::from_secs(1);
    assert_eq!(config.sms.test_code("49301234567", before), Some("123456"));
    assert_eq!(config.sms.test_code("4917", before), Some("0246813579"));
    assert_eq!(config.sms.test_code("4918", before), None);
    assert_eq!(config.sms.test_code("4917", end), None);
    let config = std_with(&[("AUTH_SMS_TEST_OTP", "4917:123456")]);
    assert_eq!(config.sms.test_code("4917", end), Some("123456"));
    assert_eq!(
        std_faults(&[
            ("AUTH_SMS_TEST_OTP", "030:123456,4917:12345,4918:12345a"),
            ("AUTH_SMS_TEST_OTP_VALID_UNTIL", "soon"),
        ]),
        [
            "AUTH_SMS_TEST_OTP: `030` is not a phone number",
            "AUTH_SMS_TEST_OTP: the code of `4917` must have 6 to 10 digits",
            "AUTH_SMS_TEST_OTP: the code of `4918` must have 6 to 10 digits",
            "AUTH_SMS_TEST_OTP_VALID_UNTIL: expected a time such as `2030-01-31T00:00:00Z`, found `soon`",
        ]
    );
}
