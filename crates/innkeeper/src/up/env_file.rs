//! The settings of a new data folder of `innkeeper up`, and the defaults.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use innkeeper_service::random;

use super::address::LOOPBACK;
use super::arguments::Arguments;

const AUTH_PORT: u16 = 8081;
const HOSTING_PORT: u16 = 8080;
const PORTAL_PORT: u16 = 8082;
const MAIL_PORT: u16 = 2525;

/// Defaults that apply under `innkeeper up` where no source sets a value.
pub(super) const DEFAULTS: &str = "\
AUTH_API_HOST=127.0.0.1
AUTH_API_PATH_PREFIX=/auth/v1
AUTH_PORT=8081
AUTH_SMTP_PORT=2525
AUTH_SMTP_ADMIN_EMAIL=innkeeper@example.com
AUTH_SMTP_SENDER_NAME=Innkeeper
AUTH_RATE_LIMIT_EMAIL_SENT=10000
AUTH_EXTERNAL_ANONYMOUS_USERS_ENABLED=true
AUTH_PAGES=true
HOSTING_HOST=127.0.0.1
HOSTING_PORT=8080
HOSTING_DRAIN_DELAY=0s
HOSTING_GAME_PORTS=30000-30999
HOSTING_CONTAINER_LISTEN_ADDRESS=127.0.0.1
HOSTING_VPS_LISTEN_ADDRESS=127.0.0.1
";

/// Returns the text of the `.env` of a new folder, with a new secret.
pub(super) fn generate(arguments: &Arguments) -> String {
    let secret = format!(
        "{:032x}{:032x}",
        u128::from_le_bytes(random::bytes()),
        u128::from_le_bytes(random::bytes())
    );
    let auth_port = arguments.auth_port.unwrap_or(AUTH_PORT);
    let hosting_port = arguments.hosting_port.unwrap_or(HOSTING_PORT);
    let portal_port = arguments.portal_port.unwrap_or(PORTAL_PORT);
    let mail_port = arguments.mail_port.unwrap_or(MAIL_PORT);
    let keys = [passkey_hint(auth_port), key_settings()].concat();
    format!(
        "\
# The settings of `innkeeper up` in this folder, generated at its first start. Changes take effect at
# the next start. The environment overrides this file. docs/settings.md lists all settings.

# The profile of defaults: std or gotrue.
AUTH_PROFILE=std

# All secrets are derived from this key: keep it. With another key, the stored keys cannot be decrypted.
AUTH_JWT_SECRET={secret}

# The audience of new users and their tokens.
AUTH_JWT_AUD=authenticated

# The address of the auth server. With an empty host it listens on all addresses of this machine.
AUTH_API_HOST={LOOPBACK}
AUTH_PORT={auth_port}

# The site to which links in mails lead, by default the start page, and further allowed redirects.
# AUTH_SITE_URL=http://localhost:3000
AUTH_URI_ALLOW_LIST=http://localhost:*,http://localhost:*/**,http://127.0.0.1:*,http://127.0.0.1:*/**

# Mail goes to the mailbox of `innkeeper up`, which listens on this port, prints each mail and shows it on
# its page. To send mail to a real server instead, set AUTH_SMTP_HOST, AUTH_SMTP_USER and AUTH_SMTP_PASS.
AUTH_SMTP_PORT={mail_port}
AUTH_SMTP_ADMIN_EMAIL=innkeeper@example.com
AUTH_SMTP_SENDER_NAME=Innkeeper

# The least time between two mails to one address. Short, for trying things out.
AUTH_SMTP_MAX_FREQUENCY=1s

# The most mails per hour to all addresses together. High, for the same reason.
AUTH_RATE_LIMIT_EMAIL_SENT=10000

# Visitors can try things without an account.
AUTH_EXTERNAL_ANONYMOUS_USERS_ENABLED=true

# Sign-in with an external provider can be tried with the demo provider, which believes every name and is
# reachable only from this machine. It has the place of Keycloak; to turn it off:
# AUTH_EXTERNAL_KEYCLOAK_ENABLED=false

# The address of the hosting server.
HOSTING_HOST={LOOPBACK}
HOSTING_PORT={hosting_port}

# The site that shows the articles, by default the start page, and further origins whose pages may call
# the hosting server.
# HOSTING_SITE_URL=http://localhost:3000
HOSTING_CORS_ORIGINS=http://localhost:*,http://127.0.0.1:*

# The port of the start page and the mailbox, which are reachable only from this machine.
PORTAL_PORT={portal_port}

# The ports that game servers get, and the address on which they and forwarded ports of virtual private
# servers are open: only this machine.
HOSTING_GAME_PORTS=30000-30999
HOSTING_CONTAINER_LISTEN_ADDRESS={LOOPBACK}
HOSTING_VPS_LISTEN_ADDRESS={LOOPBACK}

# To use another content folder than content/ beside this file:
# HOSTING_CONTENT_DIR=/srv/site

# To use another database than the private PostgreSQL in this folder, for both servers:
# DATABASE_URL=postgres://user:password@localhost:5432/innkeeper
{keys}"
    )
}

/// Returns what the `.env` says about passkeys, which need no settings on the account pages.
fn passkey_hint(auth_port: u16) -> String {
    format!(
        "
# Passkeys and security keys work on the account pages, at localhost. For an application of yours, set all three:
# AUTH_PASSKEY_ENABLED=true
# AUTH_WEBAUTHN_RP_ID=localhost
# AUTH_WEBAUTHN_RP_ORIGINS=http://localhost:{auth_port},http://localhost:3000
"
    )
}

/// Returns the settings of API keys, with a new secret. Folders of earlier releases do not have them.
pub(super) fn key_settings() -> String {
    let secret = STANDARD.encode(random::bytes::<32>());
    format!(
        "
# API keys of customers are stored as hashes that are keyed with this secret: keep it. With another one,
# no API key works.
HOSTING_KEY_PEPPERS=1:{secret}
"
    )
}
