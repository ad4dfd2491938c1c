//! The settings that a new data folder of `innkeeper up` starts with.

use innkeeper_service::random;

use super::Arguments;
use super::portal;
use super::settings::LOOPBACK;

/// Where the servers and the mailbox listen by themselves.
const AUTH_PORT: u16 = 8081;
const HOSTING_PORT: u16 = 8080;
const MAIL_PORT: u16 = 2525;

/// What holds when nobody says otherwise.
pub(super) const DEFAULTS: &str = "\
AUTH_DB_DRIVER=postgres
AUTH_API_HOST=127.0.0.1
AUTH_PORT=8081
AUTH_SMTP_PORT=2525
AUTH_SMTP_ADMIN_EMAIL=innkeeper@example.com
AUTH_SMTP_SENDER_NAME=Innkeeper
AUTH_RATE_LIMIT_EMAIL_SENT=10000
HOSTING_HOST=127.0.0.1
HOSTING_PORT=8080
HOSTING_DRAIN_DELAY=0s
";

/// The settings of a new folder.
pub(super) fn generate(arguments: &Arguments) -> String {
    let secret = format!(
        "{:032x}{:032x}",
        u128::from_le_bytes(random::bytes()),
        u128::from_le_bytes(random::bytes())
    );
    let auth_port = arguments.auth_port.unwrap_or(AUTH_PORT);
    let hosting_port = arguments.hosting_port.unwrap_or(HOSTING_PORT);
    let portal_port = arguments.portal_port.unwrap_or(portal::PORT);
    let mail_port = arguments.mail_port.unwrap_or(MAIL_PORT);
    format!(
        "\
# The settings of `innkeeper up` in this folder, made at its first start. They hold from the next
# start on. The environment wins over this file. docs/settings.md lists all settings.

# Which column of defaults applies, std or gotrue.
AUTH_PROFILE=std

# Everything secret hangs on this: keep it. With another one the stored keys cannot be opened.
AUTH_JWT_SECRET={secret}

# The audience of new users and their tokens.
AUTH_JWT_AUD=authenticated

# Where the auth server listens. Without a host it listens on every address of this machine.
AUTH_API_HOST={LOOPBACK}
AUTH_PORT={auth_port}

# Where users land after following a link, the start page if nothing is said, and where else they may
# be sent.
# AUTH_SITE_URL=http://localhost:3000
AUTH_URI_ALLOW_LIST=http://localhost:*,http://localhost:*/**,http://127.0.0.1:*,http://127.0.0.1:*/**

# Mail goes to the mailbox of `innkeeper up`, which listens on this port, shows what arrives on its page
# and prints it. With AUTH_SMTP_HOST it goes to that server instead; AUTH_SMTP_USER and AUTH_SMTP_PASS sign in there.
AUTH_SMTP_PORT={mail_port}
AUTH_SMTP_ADMIN_EMAIL=innkeeper@example.com
AUTH_SMTP_SENDER_NAME=Innkeeper

# How long an address waits for its next mail. Short, for trying things out.
AUTH_SMTP_MAX_FREQUENCY=1s

# How many mails all addresses together get in an hour. Many, for the same reason.
AUTH_RATE_LIMIT_EMAIL_SENT=10000

# Where the hosting server listens.
HOSTING_HOST={LOOPBACK}
HOSTING_PORT={hosting_port}

# The site that shows the articles, the start page if nothing is said, and whose pages may call the
# hosting server besides it.
# HOSTING_SITE_URL=http://localhost:3000
HOSTING_CORS_ORIGINS=http://localhost:*,http://127.0.0.1:*

# Where the start page and the mailbox are, for this machine alone.
PORTAL_PORT={portal_port}

# Another folder of articles than content/ beside this file:
# HOSTING_CONTENT_DIR=/srv/site

# Another database than the private PostgreSQL in this folder, for both servers:
# DATABASE_URL=postgres://user:password@localhost:5432/innkeeper
"
    )
}
