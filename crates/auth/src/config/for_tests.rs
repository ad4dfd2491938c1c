//! The configuration of tests, which change its fields.

use super::{Config, reader};

/// The required settings.
const ENV_FILE: &str = "
AUTH_SITE_URL=http://localhost:3000
AUTH_API_EXTERNAL_URL=http://localhost:8081
AUTH_API_HOST=127.0.0.1
AUTH_DATABASE_URL=postgres://localhost/auth
AUTH_JWT_SECRET=a-secret-of-forty-letters-for-the-tests!
AUTH_SMTP_ADMIN_EMAIL=admin@example.com
AUTH_SMTP_HOST=localhost
AUTH_SMTP_PORT=2525
";

impl Config {
    /// Returns the std profile on loopback addresses, with a secret that passes the checks.
    ///
    /// # Panics
    ///
    /// Never: the settings are a constant.
    #[expect(clippy::expect_used, reason = "the settings are a constant")]
    pub fn for_tests() -> Self {
        let mut reader = reader().with_env_file(ENV_FILE);
        Self::read(&mut reader).expect("settings without faults")
    }
}
