//! The paths of the pages, below that of the server's external URL.

use url::Url;

/// The path below which all pages are.
pub(crate) const PREFIX: &str = "/account";

/// A page, or the target of a form on one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PagePath {
    Account,
    AddPasskey,
    AddPasskeyOptions,
    Authenticator,
    AuthenticatorConfirm,
    ChangeEmail,
    ChangePassword,
    Code,
    CodeAgain,
    EmailLink,
    EndSession,
    ForgottenPassword,
    Logo,
    NewPassword,
    PasskeySignIn,
    PasskeySignInOptions,
    PasswordCode,
    PhoneFactor,
    PhoneFactorCode,
    PhoneFactorConfirm,
    RecoveryCodes,
    RemoveFactor,
    RemovePasskey,
    RenamePasskey,
    Return,
    Script,
    SecondFactor,
    SecondFactorCode,
    SecondFactorOptions,
    SecurityKey,
    SecurityKeyOptions,
    SignIn,
    SignOut,
    SignUp,
    Style,
    Theme,
}

impl PagePath {
    const ALL: [Self; 36] = [
        Self::Account,
        Self::AddPasskey,
        Self::AddPasskeyOptions,
        Self::Authenticator,
        Self::AuthenticatorConfirm,
        Self::ChangeEmail,
        Self::ChangePassword,
        Self::Code,
        Self::CodeAgain,
        Self::EmailLink,
        Self::EndSession,
        Self::ForgottenPassword,
        Self::Logo,
        Self::NewPassword,
        Self::PasskeySignIn,
        Self::PasskeySignInOptions,
        Self::PasswordCode,
        Self::PhoneFactor,
        Self::PhoneFactorCode,
        Self::PhoneFactorConfirm,
        Self::RecoveryCodes,
        Self::RemoveFactor,
        Self::RemovePasskey,
        Self::RenamePasskey,
        Self::Return,
        Self::Script,
        Self::SecondFactor,
        Self::SecondFactorCode,
        Self::SecondFactorOptions,
        Self::SecurityKey,
        Self::SecurityKeyOptions,
        Self::SignIn,
        Self::SignOut,
        Self::SignUp,
        Self::Style,
        Self::Theme,
    ];

    /// The pages that ask for the second factor first, and that its page leads back to.
    const BEHIND_FACTOR: [Self; 6] = [
        Self::Account,
        Self::Authenticator,
        Self::NewPassword,
        Self::PhoneFactor,
        Self::RecoveryCodes,
        Self::SecurityKey,
    ];

    /// Returns the path below [`PREFIX`].
    fn tail(self) -> &'static str {
        match self {
            Self::Account => "",
            Self::AddPasskey => "/passkeys",
            Self::AddPasskeyOptions => "/passkeys/options",
            Self::Authenticator => "/authenticator",
            Self::AuthenticatorConfirm => "/authenticator/confirm",
            Self::ChangeEmail => "/email",
            Self::ChangePassword => "/password",
            Self::Code => "/code",
            Self::CodeAgain => "/code/again",
            Self::EmailLink => "/email-link",
            Self::EndSession => "/sessions",
            Self::ForgottenPassword => "/forgotten-password",
            Self::Logo => "/logo",
            Self::NewPassword => "/new-password",
            Self::PasskeySignIn => "/passkey",
            Self::PasskeySignInOptions => "/passkey/options",
            Self::PasswordCode => "/password/code",
            Self::PhoneFactor => "/phone",
            Self::PhoneFactorCode => "/phone/code",
            Self::PhoneFactorConfirm => "/phone/confirm",
            Self::RecoveryCodes => "/recovery-codes",
            Self::RemoveFactor => "/factors",
            Self::RemovePasskey => "/passkeys/remove",
            Self::RenamePasskey => "/passkeys/name",
            Self::Return => "/return",
            Self::Script => "/webauthn.js",
            Self::SecondFactor => "/second-factor",
            Self::SecondFactorCode => "/second-factor/code",
            Self::SecondFactorOptions => "/second-factor/options",
            Self::SecurityKey => "/security-key",
            Self::SecurityKeyOptions => "/security-key/options",
            Self::SignIn => "/sign-in",
            Self::SignOut => "/sign-out",
            Self::SignUp => "/sign-up",
            Self::Style => "/style.css",
            Self::Theme => "/theme.css",
        }
    }

    /// Returns the page at a path of a request.
    pub(crate) fn at(path: &str) -> Option<Self> {
        let tail = path.strip_prefix(PREFIX)?.trim_end_matches('/');
        Self::ALL.into_iter().find(|page| page.tail() == tail)
    }

    /// Whether this is a file that pages load.
    pub(super) fn is_file(self) -> bool {
        matches!(self, Self::Logo | Self::Script | Self::Style | Self::Theme)
    }

    /// Returns the name of the page in a form or in a query.
    pub(super) fn name(self) -> &'static str {
        self.tail().trim_start_matches('/')
    }

    /// Returns the page with this name that the page for the second factor leads to, by default the account.
    pub(super) fn behind_factor(name: &str) -> Self {
        let mut pages = Self::BEHIND_FACTOR.into_iter();
        pages
            .find(|page| page.name() == name)
            .unwrap_or(Self::Account)
    }
}

/// Whether a request is for a page.
pub(crate) fn is_page(path: &str) -> bool {
    let rest = path.strip_prefix(PREFIX);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Whether a request starts a sign-in with an external provider.
pub(crate) fn is_provider(path: &str) -> bool {
    let rest = path.strip_prefix(PREFIX);
    rest.is_some_and(|rest| rest.starts_with("/providers/"))
}

/// Builds the links to pages.
#[derive(Debug)]
pub(super) struct Paths {
    /// The path of the server's external URL, without a slash at its end.
    base: String,
    /// The external URL of the account page.
    account_url: String,
    /// The external URL of the page that external providers send browsers back to.
    return_url: String,
}

impl Paths {
    pub(super) fn new(external_url: &Url) -> Self {
        let external = external_url.as_str().trim_end_matches('/');
        Self {
            base: external_url.path().trim_end_matches('/').to_owned(),
            account_url: format!("{external}{PREFIX}"),
            return_url: format!("{external}{PREFIX}{}", PagePath::Return.tail()),
        }
    }

    /// Returns the path of a page, as browsers see it.
    pub(super) fn to(&self, page: PagePath) -> String {
        format!("{}{PREFIX}{}", self.base, page.tail())
    }

    /// Returns the path at which a sign-in with this provider starts. Names of providers need no encoding, except for
    /// the colon of custom ones.
    pub(super) fn provider(&self, name: &str) -> String {
        format!(
            "{}{PREFIX}/providers/{}",
            self.base,
            name.replace(':', "%3A")
        )
    }

    /// Returns the path of the server, as browsers see it, without a slash at its end.
    pub(super) fn base(&self) -> &str {
        &self.base
    }

    /// Returns the path of the links in mails, as browsers see it.
    pub(super) fn verify(&self) -> String {
        format!("{}/verify", self.base)
    }

    pub(super) fn account_url(&self) -> &str {
        &self.account_url
    }

    pub(super) fn return_url(&self) -> &str {
        &self.return_url
    }
}

#[cfg(test)]
mod tests {
    use url::Url;

    use super::{PagePath, Paths, is_page};

    #[test]
    fn pages_are_below_the_external_url() {
        for (external, path, url) in [
            (
                "http://localhost:8081",
                "/account/sign-in",
                "http://localhost:8081/account",
            ),
            (
                "https://inn.example/auth/v1/",
                "/auth/v1/account/sign-in",
                "https://inn.example/auth/v1/account",
            ),
        ] {
            let paths = Paths::new(&Url::parse(external).unwrap());
            assert_eq!(paths.to(PagePath::SignIn), path);
            assert_eq!(paths.account_url(), url);
        }
    }

    #[test]
    fn a_page_is_found_by_its_path() {
        for page in PagePath::ALL {
            let path = format!("/account{}", page.tail());
            assert_eq!(PagePath::at(&path), Some(page));
            assert!(is_page(&path));
        }
        assert_eq!(
            PagePath::behind_factor("new-password"),
            PagePath::NewPassword
        );
        for name in ["", "sign-out", "//eve.example", "https://eve.example"] {
            assert_eq!(PagePath::behind_factor(name), PagePath::Account);
        }
        assert_eq!(PagePath::at("/account/"), Some(PagePath::Account));
        assert_eq!(PagePath::at("/accounts"), None);
        assert!(!is_page("/accounts") && !is_page("/user"));
    }
}
