//! Values with a syntax of their own: sets, networks, keys, durations, rates.

use innkeeper_service::secret::Secret;
use jiff::SignedDuration;

use super::{gotrue_with, reader, std_faults, std_with};
use crate::config::{CaptchaProvider, Config, JwtAlgorithm, LogLevel, MetricsExporter, Rate};

const KEY: &str = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8";

fn key() -> [u8; 32] {
    std::array::from_fn(|index| u8::try_from(index).unwrap())
}

#[test]
fn the_external_url_is_read_under_all_its_names() {
    let names = [
        "AUTH_API_EXTERNAL_URL",
        "AUTH_API_API_EXTERNAL_URL",
        "GOTRUE_API_EXTERNAL_URL",
        "GOTRUE_API_API_EXTERNAL_URL",
        "API_EXTERNAL_URL",
    ];
    for name in names {
        let mut settings = super::STD.to_vec();
        settings.retain(|(known, _)| *known != "AUTH_API_EXTERNAL_URL");
        settings.push((name, "https://elsewhere.example.com"));
        let config = Config::read(&mut super::reader_of(&[&settings])).unwrap();
        assert_eq!(
            config.api.external_url.host_str(),
            Some("elsewhere.example.com"),
            "{name}"
        );
    }
}

#[test]
fn port_namespace_request_id_and_level_have_bare_names() {
    let config = std_with(&[
        ("PORT", "9999"),
        ("DB_NAMESPACE", "users"),
        ("REQUEST_ID_HEADER", "X-Request-Id"),
        ("LOG_LEVEL", "WARNING"),
        ("OTEL_EXPORTER_PROMETHEUS_PORT", "9200"),
    ]);
    assert_eq!(config.api.port, 9999);
    assert_eq!(config.database.namespace, "users");
    assert_eq!(config.api.request_id_header.unwrap(), "x-request-id");
    assert_eq!(config.telemetry.log_level, LogLevel::Warn);
    assert_eq!(config.telemetry.prometheus_port, 9200);
    for (name, value) in [
        ("AUTH_API_PORT", "1"),
        ("AUTH_PORT", "1"),
        ("GOTRUE_API_PORT", "1"),
    ] {
        assert_eq!(std_with(&[("PORT", "9999"), (name, value)]).api.port, 1);
    }
}

#[test]
fn an_escaped_colon_belongs_to_its_set_however_the_file_quotes_it() {
    let read = |line: &str| {
        let environment = super::STD.iter();
        let mut reader = reader()
            .with_environment(environment.map(|(n, v)| ((*n).to_owned(), (*v).to_owned())))
            .with_env_file(&format!("AUTH_PASSWORD_REQUIRED_CHARACTERS={line}\n"));
        Config::read(&mut reader)
            .unwrap()
            .password
            .required_characters
    };
    for line in [
        r"abc:0\:1:!?",
        r"abc:0\\:1:!?",
        r#""abc:0\:1:!?""#,
        r#""abc:0\\:1:!?""#,
        r"'abc:0\:1:!?'",
        r"'abc:0\\:1:!?'",
    ] {
        assert_eq!(read(line), ["abc", "0:1", "!?"], "{line}");
    }
    assert_eq!(read(r"ab\c:\:"), [r"ab\c", ":"]);
    assert_eq!(read(r"::a::b:\"), ["a", "b", r"\"]);
    assert_eq!(
        read(r"'abcdefghijklmnopqrstuvwxyz:!@#$%^&*()_+-=[]{};\\:|<>?,./`~'"),
        [
            "abcdefghijklmnopqrstuvwxyz",
            "!@#$%^&*()_+-=[]{};:|<>?,./`~"
        ]
    );
    assert_eq!(read(""), [""; 0]);
}

#[test]
fn globs_keep_their_alternatives() {
    let config = std_with(&[(
        "AUTH_URI_ALLOW_LIST",
        "https://*.example.com/**, https://{a,b}.example.org , ,app://x",
    )]);
    assert_eq!(
        config.uri_allow_list,
        [
            "https://*.example.com/**",
            "https://{a,b}.example.org",
            "app://x"
        ]
    );
}

#[test]
fn proxies_are_addresses_and_networks() {
    std_with(&[("AUTH_TRUSTED_PROXIES", "10.0.0.0/8, ::1")]);
    assert_eq!(
        std_faults(&[("AUTH_TRUSTED_PROXIES", "10.0.0.0/8,proxy")]),
        [
            "AUTH_TRUSTED_PROXIES: `proxy` is neither an address nor a network such as `10.0.0.0/8`, \
          found `10.0.0.0/8,proxy`"
        ]
    );
}

#[test]
fn only_std_caps_the_connections_of_a_client() {
    assert_eq!(std_with(&[]).connections_per_client, Some(1000));
    let set = |value| std_with(&[("AUTH_CONNECTIONS_PER_CLIENT", value)]).connections_per_client;
    assert_eq!((set("1"), set("0")), (Some(1), None));
    assert_eq!(gotrue_with(&[]).connections_per_client, None);
    let faults = std_faults(&[("AUTH_CONNECTIONS_PER_CLIENT", "-1")]);
    assert!(
        faults[0].starts_with("AUTH_CONNECTIONS_PER_CLIENT: "),
        "{faults:?}"
    );
}

#[test]
fn one_platform_can_set_the_clients_address() {
    let config = std_with(&[("AUTH_SECURITY_SB_FORWARDED_FOR_ENABLED", "true")]);
    assert_eq!(config.security.forwarded_for.unwrap(), "sb-forwarded-for");
    let config = std_with(&[("AUTH_SECURITY_MY_CLOUD_FORWARDED_FOR_ENABLED", "1")]);
    assert_eq!(
        config.security.forwarded_for.unwrap(),
        "my-cloud-forwarded-for"
    );
    let config = std_with(&[("AUTH_SECURITY_SB_FORWARDED_FOR_ENABLED", "false")]);
    assert_eq!(config.security.forwarded_for, None);
    assert_eq!(
        std_faults(&[
            ("AUTH_SECURITY_A_FORWARDED_FOR_ENABLED", "true"),
            ("AUTH_SECURITY_B_FORWARDED_FOR_ENABLED", "true"),
        ]),
        ["AUTH_SECURITY_B_FORWARDED_FOR_ENABLED: only one platform can set the client's address"]
    );
}

#[test]
fn encryption_keys_have_256_bits() {
    let padded = format!("{KEY}=");
    let config = std_with(&[
        ("AUTH_SECURITY_DB_ENCRYPTION_ENCRYPT", "true"),
        ("AUTH_SECURITY_DB_ENCRYPTION_ENCRYPTION_KEY_ID", "new"),
        ("AUTH_SECURITY_DB_ENCRYPTION_ENCRYPTION_KEY", KEY),
        (
            "AUTH_SECURITY_DB_ENCRYPTION_DECRYPTION_KEYS",
            &format!("old:{padded}"),
        ),
    ]);
    let encryption = config.security.db_encryption;
    assert!(encryption.encrypt);
    assert_eq!(encryption.encryption_key_id, "new");
    assert_eq!(encryption.encryption_key, Some(Secret::new(key())));
    let ids: Vec<&str> = encryption
        .decryption_keys
        .keys()
        .map(String::as_str)
        .collect();
    assert_eq!(ids, ["new", "old"]);
    assert_eq!(encryption.decryption_keys["old"].reveal(), &key());
}

#[test]
fn the_name_of_an_encryption_key_leaves_room_for_a_hash() {
    let long = "k".repeat(33);
    let named = |id| {
        [
            ("AUTH_SECURITY_DB_ENCRYPTION_ENCRYPT", "true"),
            ("AUTH_SECURITY_DB_ENCRYPTION_ENCRYPTION_KEY", KEY),
            ("AUTH_SECURITY_DB_ENCRYPTION_ENCRYPTION_KEY_ID", id),
        ]
    };
    let problem = "must have at most 32 characters, or password hashes cannot be encrypted";
    let expected = format!("AUTH_SECURITY_DB_ENCRYPTION_ENCRYPTION_KEY_ID: {problem}");
    assert_eq!(std_faults(&named(&long)), [expected]);
    std_with(&named(&long[1..]));
    let config = gotrue_with(&[
        ("GOTRUE_SECURITY_DB_ENCRYPTION_ENCRYPT", "true"),
        ("GOTRUE_SECURITY_DB_ENCRYPTION_ENCRYPTION_KEY", KEY),
        ("GOTRUE_SECURITY_DB_ENCRYPTION_ENCRYPTION_KEY_ID", &long),
    ]);
    assert_eq!(config.warnings.len(), 1, "{:?}", config.warnings);
}

#[test]
fn encryption_without_a_key_is_a_fault_in_both_profiles() {
    let on = "SECURITY_DB_ENCRYPTION_ENCRYPT";
    let missing = [
        "AUTH_SECURITY_DB_ENCRYPTION_ENCRYPTION_KEY_ID: is required with encryption",
        "AUTH_SECURITY_DB_ENCRYPTION_ENCRYPTION_KEY: is required with encryption",
    ];
    assert_eq!(std_faults(&[(&format!("AUTH_{on}"), "true")]), missing);
    assert_eq!(
        super::gotrue_faults(&[(&format!("GOTRUE_{on}"), "true")]),
        missing
    );
    let short = [("AUTH_SECURITY_DB_ENCRYPTION_ENCRYPTION_KEY", "AAEC")];
    assert_eq!(std_faults(&short).len(), 1);
}

#[test]
fn session_lifetimes_must_not_be_zero() {
    let config = std_with(&[
        ("AUTH_SESSIONS_TIMEBOX", "24h"),
        ("AUTH_SESSIONS_INACTIVITY_TIMEOUT", "1h30m"),
        ("AUTH_SESSIONS_SINGLE_PER_USER", "true"),
        ("AUTH_SESSIONS_TAGS", "web,phone"),
    ]);
    assert_eq!(
        config.sessions.timebox,
        Some(SignedDuration::from_hours(24))
    );
    assert_eq!(
        config.sessions.inactivity_timeout,
        Some(SignedDuration::from_mins(90))
    );
    assert_eq!(config.sessions.allow_low_aal, None);
    assert_eq!(config.sessions.tags, ["web", "phone"]);
    for value in ["0", "0s", "-1h"] {
        assert_eq!(
            std_faults(&[("AUTH_SESSIONS_TIMEBOX", value)]).len(),
            1,
            "{value}"
        );
    }
}

#[test]
fn rates_are_a_number_or_a_bucket() {
    for (text, rate) in [
        ("0", Rate::PerHour(0)),
        ("100", Rate::PerHour(100)),
        ("100.0", Rate::PerHour(100)),
        (
            "5/10m",
            Rate::Bucket {
                size: 5,
                refill: SignedDuration::from_mins(10),
            },
        ),
        (
            " 5 / 1h ",
            Rate::Bucket {
                size: 5,
                refill: SignedDuration::from_hours(1),
            },
        ),
    ] {
        let config = std_with(&[("AUTH_RATE_LIMIT_EMAIL_SENT", text)]);
        assert_eq!(config.rate_limit.email_sent, rate, "{text}");
    }
    for text in ["-1", "many", "5/", "5/0s", "5/10", "/1h", "1.5", "5/1h/1h"] {
        assert_eq!(
            std_faults(&[("AUTH_RATE_LIMIT_EMAIL_SENT", text)]),
            [format!(
                "AUTH_RATE_LIMIT_EMAIL_SENT: expected a number, or `number/duration`, found `{text}`"
            )]
        );
    }
}

#[test]
fn the_old_spelling_of_a_limit_works() {
    let name = "GOTRUE_RATE_LIMIT_O_AUTH_DYNAMIC_CLIENT_REGISTER";
    let config = gotrue_with(&[(name, "7"), ("GOTRUE_RATE_LIMIT_OTP", "2.5")]);
    assert!((config.rate_limit.oauth_dynamic_client_register - 7.0).abs() < f64::EPSILON);
    assert!((config.rate_limit.otp - 2.5).abs() < f64::EPSILON);
    assert!((config.rate_limit.token_refresh - 150.0).abs() < f64::EPSILON);
}

#[test]
fn signing_follows_its_settings() {
    let keys = "[{\"kty\":\"oct\",\"k\":\"aGVsbG8\"}]";
    let config = std_with(&[
        ("AUTH_JWT_ALGORITHM", "eddsa"),
        ("AUTH_JWT_KEYS", keys),
        ("AUTH_JWT_VALID_METHODS", "RS256, EdDSA"),
        ("AUTH_JWT_ISSUER", "https://auth.example.com"),
        ("AUTH_JWT_KEY_ID", "first"),
    ]);
    assert_eq!(config.jwt.algorithm, JwtAlgorithm::EdDsa);
    assert_eq!(config.jwt.keys.unwrap().reveal(), keys);
    assert_eq!(config.jwt.valid_methods, ["RS256", "EdDSA"]);
    assert_eq!(
        config.jwt.issuer.as_deref(),
        Some("https://auth.example.com")
    );
    assert_eq!(config.jwt.key_id.as_deref(), Some("first"));
    assert_eq!(
        std_faults(&[("AUTH_JWT_ALGORITHM", "none")]),
        ["AUTH_JWT_ALGORITHM: expected one of RS256, ES256, EdDSA, HS256, found `none`"]
    );
    let faults = std_faults(&[("AUTH_JWT_VALID_METHODS", "RS256,none")]);
    assert!(faults[0].starts_with("AUTH_JWT_VALID_METHODS: `none` is none of HS256"));
    for keys in ["[]", "{}", "[1]", "nonsense"] {
        assert_eq!(std_faults(&[("AUTH_JWT_KEYS", keys)]).len(), 1, "{keys}");
    }
}

#[test]
fn mails_have_sender_headers_and_paths() {
    let config = std_with(&[
        ("AUTH_SMTP_HEADERS", "{\"X-Kind\":[\"$messageType\"]}"),
        ("AUTH_MAILER_URLPATHS_RECOVERY", "/auth/v1/verify"),
        (
            "AUTH_MAILER_URLPATHS_INVITE",
            "https://site.example.com/verify",
        ),
    ]);
    assert_eq!(config.smtp.sender_name, "admin@example.com");
    assert_eq!(config.smtp.headers["X-Kind"], ["$messageType"]);
    assert_eq!(config.mailer.urlpaths.confirmation, "/verify");
    assert_eq!(config.mailer.urlpaths.recovery, "/auth/v1/verify");
    assert_eq!(config.mailer.urlpaths.magic_link, "/auth/v1/verify");
    assert_eq!(
        config.mailer.urlpaths.invite,
        "https://site.example.com/verify"
    );
    let named = std_with(&[("AUTH_SMTP_SENDER_NAME", "Ada")]);
    assert_eq!(named.smtp.sender_name, "Ada");
    assert_eq!(
        std_faults(&[("AUTH_MAILER_URLPATHS_INVITE", "https://[")]),
        ["AUTH_MAILER_URLPATHS_INVITE: is neither a path nor a URL"]
    );
    assert_eq!(
        std_faults(&[("AUTH_SMTP_ADMIN_EMAIL", "nobody")]),
        ["AUTH_SMTP_ADMIN_EMAIL: is not an email address"]
    );
}

#[test]
fn unverified_sign_ins_and_autoconfirm_exclude_each_other() {
    assert_eq!(
        std_faults(&[
            ("AUTH_MAILER_AUTOCONFIRM", "true"),
            ("AUTH_MAILER_ALLOW_UNVERIFIED_EMAIL_SIGN_INS", "true"),
        ]),
        ["AUTH_MAILER_ALLOW_UNVERIFIED_EMAIL_SIGN_INS: \
          cannot be on together with MAILER_AUTOCONFIRM"]
    );
}

#[test]
fn leaked_passwords_are_asked_for_where_the_settings_say() {
    assert_eq!(std_with(&[]).password.breached_url, None);
    let public = gotrue_with(&[
        ("GOTRUE_PASSWORD_HIBP_ENABLED", "true"),
        ("GOTRUE_PASSWORD_HIBP_FAIL_CLOSED", "true"),
    ]);
    assert_eq!(
        public.password.breached_url.unwrap().as_str(),
        "https://api.pwnedpasswords.com/range/"
    );
    assert!(public.password.breached_fail_closed);
    let own = std_with(&[
        ("AUTH_PASSWORD_HIBP_ENABLED", "true"),
        ("AUTH_PASSWORD_BREACHED_URL", "http://localhost:1/"),
        ("AUTH_PASSWORD_BREACHED_FILE", "leaked.txt"),
    ]);
    assert_eq!(
        own.password.breached_url.unwrap().as_str(),
        "http://localhost:1/"
    );
    assert_eq!(
        own.password.breached_file.unwrap().to_str(),
        Some("leaked.txt")
    );
    assert_eq!(
        std_faults(&[("AUTH_PASSWORD_BREACHED_URL", "file:///x")]).len(),
        1
    );
}

#[test]
fn a_schema_name_must_fit() {
    let long = "x".repeat(64);
    for name in [long.as_str(), "a\u{0}b"] {
        assert_eq!(std_faults(&[("AUTH_DB_NAMESPACE", name)]).len(), 1);
    }
    std_with(&[("AUTH_DB_NAMESPACE", &long[1..])]);
}

#[test]
fn zero_means_never_for_connections() {
    let config = std_with(&[
        ("AUTH_DB_CONN_MAX_LIFETIME", "0"),
        ("AUTH_DB_CONN_MAX_IDLE_TIME", "5m"),
        ("AUTH_DB_MAX_POOL_SIZE", "20"),
    ]);
    assert_eq!(config.database.conn_max_lifetime, None);
    assert_eq!(
        config.database.conn_max_idle_time,
        Some(SignedDuration::from_mins(5))
    );
    assert_eq!(config.database.max_pool_size, 20);
    assert_eq!(
        std_with(&[]).database.conn_max_idle_time,
        Some(SignedDuration::from_mins(5))
    );
    let never = std_with(&[("AUTH_DB_CONN_MAX_IDLE_TIME", "0")]);
    assert_eq!(never.database.conn_max_idle_time, None);
}

#[test]
fn names_of_services_are_read_in_any_case() {
    let config = std_with(&[
        ("AUTH_SECURITY_CAPTCHA_PROVIDER", "turnstile"),
        ("AUTH_SECURITY_CAPTCHA_TIMEOUT", "5"),
        ("AUTH_SMS_PROVIDER", "Twilio"),
        ("AUTH_METRICS_EXPORTER", "Prometheus"),
    ]);
    assert_eq!(config.security.captcha.provider, CaptchaProvider::Turnstile);
    assert_eq!(config.security.captcha.timeout.as_secs(), 5);
    assert_eq!(config.sms.provider, "twilio");
    assert_eq!(
        config.telemetry.metrics_exporter,
        MetricsExporter::Prometheus
    );
    let faults = std_faults(&[("AUTH_SMS_PROVIDER", "pigeon"), ("AUTH_LOG_LEVEL", "loud")]);
    assert_eq!(faults.len(), 2);
}

#[test]
fn somebody_elses_debug_variable_harms_nobody() {
    assert!(!std_with(&[("DEBUG", "app:*")]).telemetry.debug);
    assert!(std_with(&[("DEBUG", "true")]).telemetry.debug);
}
