//! The table of reasons.

use super::Reason;

/// Fits every difference.
const ANY: Reason = Reason {
    title: "",
    why: "",
    cases: &["*"],
    places: &["*"],
    values: &[("*", "*")],
    status: ("*", "*"),
    is_for_known_texts: true,
};

/// All reasons; the first that fits a difference explains it.
pub(in crate::auth::compare) const REASONS: &[Reason] = &[
    Reason {
        title: "500 for bad input",
        why: "No request gets a 5xx: where GoTrue answers 500, Innkeeper says what is wrong with the request.",
        status: ("4*", "500"),
        ..ANY
    },
    Reason {
        title: "500 for input that has an answer",
        why: "A page size of zero means one, and a link of an unknown kind redirects with an error as others do; \
              GoTrue answers 500.",
        cases: &[
            "admin.list_per_page_zero",
            "verify.get_unknown_pkce_of_type_email",
        ],
        status: ("*", "500"),
        ..ANY
    },
    Reason {
        title: "`/health`",
        why: "It shows its own version and description, and a member `server` that tells the two servers apart.",
        cases: &["meta.health"],
        places: &["body.version", "body.description", "body.server"],
        ..ANY
    },
    Reason {
        title: "`/settings`",
        why: "It has members for the specification and for providers that GoTrue leaves out, and tells of a next \
              key for SAML only if there is one.",
        places: &[
            "body.autoconfirm",
            "body.external.vercel_marketplace",
            "body.external.x",
            "body.saml_private_key_next_configured",
        ],
        values: &[("*", ""), ("false", "true")],
        ..ANY
    },
    Reason {
        title: "OpenID discovery",
        why: "The document lists the claims that tokens really have and the algorithm that really signs.",
        cases: &["meta.openid_configuration"],
        places: &[
            "body.claims_supported.*",
            "body.id_token_signing_alg_values_supported.*",
        ],
        ..ANY
    },
    Reason {
        title: "Preflights",
        why: "`apikey` and `redirect_to` are allowed, which clients send and a gateway in front of GoTrue allows; and \
              so are lists with blanks, which proxies write.",
        cases: &["meta.preflight_apikey", "meta.preflight_with_blanks"],
        places: &[
            "header.access-control-allow-credentials",
            "header.access-control-allow-origin",
            "header.access-control-allow-headers",
            "header.access-control-allow-methods",
        ],
        values: &[("\"*\"", "")],
        ..ANY
    },
    Reason {
        title: "`Cache-Control`",
        why: "Answers hold tokens and personal data; caches are told to keep none, and no preflight.",
        places: &["header.cache-control"],
        values: &[("\"no-store\"", ""), ("\"no-cache\"", "")],
        ..ANY
    },
    Reason {
        title: "The API version in answers",
        why: "Every answer to a request for an API version names it; GoTrue names it in errors alone.",
        places: &["header.x-supabase-api-version"],
        values: &[("\"2024-01-01\"", "")],
        ..ANY
    },
    Reason {
        title: "`HEAD`",
        why: "It works wherever `GET` does.",
        places: &["header.allow"],
        values: &[("\"*head*", "\"*")],
        ..ANY
    },
    Reason {
        title: "`Retry-After`",
        why: "Every 429 says when to try again.",
        places: &["header.retry-after"],
        values: &[("*", "")],
        ..ANY
    },
    Reason {
        title: "Pages of redirects",
        why: "Redirects have no page: GoTrue's repeats the tokens of the address.",
        places: &["header.content-type", "text"],
        values: &[("", "\"text/*"), ("", "\"<page>\"")],
        status: ("30*", "30*"),
        ..ANY
    },
    Reason {
        title: "`X-Sb-Error-Code` of weak passwords",
        why: "All errors have it; GoTrue leaves it out of this one when an API version is asked for.",
        places: &["header.x-sb-error-code"],
        values: &[("\"weak_password\"", "")],
        ..ANY
    },
    Reason {
        title: "Names of members in another case",
        why: "Members are known by their exact names; GoTrue reads `EMAIL` as `email`.",
        cases: &["bodies.member_in_capitals"],
        status: ("400", "200"),
        ..ANY
    },
    Reason {
        title: "Broken texts in JSON",
        why: "Half of a surrogate pair is malformed JSON; GoTrue replaces it by another character, here in a \
              password.",
        cases: &["bodies.unpaired_surrogate"],
        status: ("400", "400"),
        ..ANY
    },
    Reason {
        title: "Unknown methods of PKCE",
        why: "`code_challenge_method` is checked whether or not the sign-up needs it; with autoconfirm GoTrue \
              does not look at it.",
        cases: &["signup.pkce_method_unknown*"],
        status: ("400", "*"),
        ..ANY
    },
    Reason {
        title: "Audiences",
        why: "Users sign up for the audiences of the settings only; GoTrue takes any that the request names.",
        cases: &["signup.other_audience"],
        status: ("400", "200"),
        ..ANY
    },
    Reason {
        title: "Unknown addresses wait like known ones",
        why: "A second request for a recovery within the interval gets the same 429 whether or not the address has a \
              user, so that the answer does not tell.",
        cases: &["mails.recover_nobody*"],
        status: ("429", "200"),
        ..ANY
    },
    Reason {
        title: "Links where addresses count as confirmed",
        why: "With `MAILER_AUTOCONFIRM`, GoTrue records a sign-in when it sends a link, and confirms an older account \
              that nobody has confirmed. Innkeeper does so when the link is used.",
        cases: &["mails.users_made_by_otp"],
        places: &[
            "body.users.*.confirmation_sent_at",
            "body.users.*.confirmed_at",
            "body.users.*.email_confirmed_at",
            "body.users.*.last_sign_in_at",
            "body.users.*.recovery_sent_at",
            "body.users.*.user_metadata.email_verified",
        ],
        ..ANY
    },
    Reason {
        title: "Intervals where addresses count as confirmed",
        why: "Such an older account has an interval for confirmations, not for magic links.",
        cases: &["mails.magiclink_again", "mails.resend_within_the_interval*"],
        values: &[("", "*"), ("*", ""), ("200", "429"), ("429", "200")],
        ..ANY
    },
    Reason {
        title: "Providers of a user with a new phone number",
        why: "With `SMS_AUTOCONFIRM`, the list names the phone at once; GoTrue leaves it out until the next number is \
              verified.",
        cases: &["user.put_phone*", "user.get_at_the_end*"],
        places: &["body.app_metadata.providers.*"],
        values: &[("\"phone\"", "")],
        ..ANY
    },
    Reason {
        title: "Banned users",
        why: "Only who knows the password learns of a ban.",
        cases: &["token.password_banned_wrong"],
        places: &["body.error_code", "body.msg", "header.x-sb-error-code"],
        values: &[
            ("\"invalid_credentials\"", "\"user_banned\""),
            ("\"Invalid login credentials\"", "*"),
        ],
        ..ANY
    },
    Reason {
        title: "Malformed refresh tokens",
        why: "They are answered like unknown ones, as clients expect.",
        cases: &["token.refresh_malformed*", "token.refresh_long"],
        values: &[
            ("\"refresh_token_not_found\"", "\"validation_failed\""),
            ("\"Invalid Refresh Token: Refresh Token Not Found\"", "\"*"),
        ],
        ..ANY
    },
    Reason {
        title: "The format of refresh tokens",
        why: "New sessions have tokens of the second format, which GoTrue has behind a setting; both servers read \
              both.",
        places: &[
            "header.sb-auth-refresh-token-counter",
            "header.sb-auth-refresh-token-prefix",
            "header.sb-auth-refresh-token-reuse",
        ],
        values: &[("\"*\"", ""), ("", "\"<token>\"")],
        ..ANY
    },
    Reason {
        title: "The hash of `email_change_new`",
        why: "`hashed_token` is that of the link; GoTrue shows one that no link has.",
        places: &["body.hashed_token"],
        values: &[("\"<token as body.action_link.query.token>\"", "\"<token>\"")],
        ..ANY
    },
    Reason {
        title: "Soft-deleted users",
        why: "Their identities have no data, which is an empty object; GoTrue leaves it out, or shows null.",
        cases: &["admin.get_soft_deleted"],
        places: &["body.identities.*.identity_data"],
        values: &[("{}", ""), ("{}", "null")],
        ..ANY
    },
    Reason {
        title: "Filters of the user list",
        why: "`filter` ignores the case of letters, and `%` and `_` stand for themselves.",
        cases: &[
            "admin.list_filter_in_capitals",
            "admin.list_filter_with_signs",
        ],
        ..ANY
    },
    Reason {
        title: "Parameters for providers",
        why: "Innkeeper adds PKCE of its own towards the provider, and passes `redirect_to` on to nobody.",
        cases: &["features.authorize_implicit", "features.authorize_pkce"],
        places: &[
            "header.location.query.code_challenge",
            "header.location.query.code_challenge_method",
            "header.location.query.redirect_to",
        ],
        values: &[("\"*", ""), ("", "\"*")],
        ..ANY
    },
    Reason {
        title: "QR codes of authenticator apps",
        why: "The image is drawn with fewer elements and other colours of the border; it contains the same address.",
        cases: &["factors.enroll"],
        places: &["body.totp.qr_code"],
        ..ANY
    },
    Reason {
        title: "Single sign-on",
        why: "Innkeeper does not have it yet, and answers as GoTrue does while it is off.",
        cases: &["features.sso_provider_new"],
        ..ANY
    },
    Reason {
        title: "Words of messages",
        why: "Messages are written for people and have words of their own. Status and error code are the same, \
              and so are the texts that clients compare.",
        places: &[
            "body.msg",
            "body.message",
            "header.location.*.error_description",
        ],
        values: &[("\"*", "\"*")],
        is_for_known_texts: false,
        ..ANY
    },
];
