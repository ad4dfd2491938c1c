//! The gotrue profile, with all its defaults.

use innkeeper_auth::config::{Config, Profile, reader};

/// The settings that GoTrue requires.
const ENV_FILE: &str = "
GOTRUE_SITE_URL=http://localhost:3000
API_EXTERNAL_URL=http://localhost:8081
GOTRUE_DB_DRIVER=postgres
DATABASE_URL=postgres://localhost/auth
GOTRUE_JWT_SECRET=a-secret-of-forty-letters-for-the-tests!
GOTRUE_JWT_AUD=authenticated
GOTRUE_JWT_DEFAULT_GROUP_NAME=authenticated
GOTRUE_SMTP_ADMIN_EMAIL=admin@example.com
";

/// Sets the defaults of the gotrue profile, and keeps the test's database, mailbox and deadline.
pub(crate) fn gotrue(config: &mut Config) {
    let mut read = Config::read(&mut reader().with_env_file(ENV_FILE)).unwrap();
    assert_eq!(read.profile, Profile::Gotrue);
    read.database.url = config.database.url.clone();
    read.smtp.host.clone_from(&config.smtp.host);
    read.smtp.port = config.smtp.port;
    read.api.max_request_duration = config.api.max_request_duration;
    *config = read;
}
