//! What an external provider says about its user.

use crate::base::contact::Email;
use crate::config::Profile;
use crate::flow::user::Object;
use crate::outside::external::{ProviderEmail, ProviderUser};

/// An email address of a provider's user, in the form that this server stores.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProviderAddress {
    pub(crate) email: String,
    /// Whether the provider says that it has verified the address.
    pub(crate) is_verified: bool,
    pub(crate) is_primary: bool,
}

impl ProviderAddress {
    /// Converts an address; `None` if nobody could have it here.
    fn of(email: &ProviderEmail) -> Option<Self> {
        let parsed = Email::parse(email.address.trim()).ok()?;
        Some(Self {
            email: parsed.into_string(),
            is_verified: email.verified,
            is_primary: email.primary,
        })
    }
}

/// What an external provider says about its user, as the account decision needs it.
#[derive(Debug, Clone)]
pub(crate) struct ProviderClaim {
    pub(crate) provider: String,
    /// The id of the user at the provider.
    pub(crate) subject: String,
    pub(crate) addresses: Vec<ProviderAddress>,
    /// The data of the identity.
    pub(crate) data: Object,
    /// Whether the provider's users need no email address.
    pub(crate) is_email_optional: bool,
}

impl ProviderClaim {
    pub(crate) fn new(provider: &str, is_email_optional: bool, user: ProviderUser) -> Self {
        Self {
            provider: provider.to_owned(),
            subject: user.subject,
            addresses: user.emails.iter().filter_map(ProviderAddress::of).collect(),
            data: user.data,
            is_email_optional,
        }
    }

    /// Returns the addresses, without saying which are verified.
    pub(crate) fn emails(&self) -> Vec<&str> {
        self.addresses.iter().map(|it| it.email.as_str()).collect()
    }

    /// Whether the provider has verified this address.
    pub(crate) fn has_verified(&self, email: &str) -> bool {
        let is_it = |it: &&ProviderAddress| it.email.eq_ignore_ascii_case(email);
        self.addresses.iter().filter(is_it).any(|it| it.is_verified)
    }

    /// Returns the address that a new account gets: in std the primary one, but a verified one rather than that; in
    /// gotrue the primary one or else the last.
    pub(crate) fn chosen(&self, profile: Profile) -> Option<&ProviderAddress> {
        let mut all = self.addresses.iter();
        let primary = self.addresses.iter().find(|it| it.is_primary);
        match profile {
            Profile::Std => primary
                .filter(|it| it.is_verified)
                .or_else(|| all.find(|it| it.is_verified))
                .or(primary)
                .or(self.addresses.first()),
            Profile::Gotrue => primary.or(self.addresses.last()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ProviderClaim;
    use crate::config::Profile;
    use crate::flow::user::Object;
    use crate::outside::external::{ProviderEmail, ProviderUser};

    fn claim(emails: &[(&str, bool, bool)]) -> ProviderClaim {
        let emails = emails
            .iter()
            .map(|(address, verified, primary)| ProviderEmail {
                address: (*address).to_owned(),
                verified: *verified,
                primary: *primary,
            });
        let user = ProviderUser {
            subject: "1".to_owned(),
            emails: emails.collect(),
            data: Object::new(),
        };
        ProviderClaim::new("github", false, user)
    }

    #[test]
    fn a_verified_address_is_chosen_before_the_primary_one_in_std() {
        for (emails, std, gotrue) in [
            (&[][..], None, None),
            (&[("a@x.de", false, false)], Some("a@x.de"), Some("a@x.de")),
            (
                &[("a@x.de", false, false), ("b@x.de", false, false)],
                Some("a@x.de"),
                Some("b@x.de"),
            ),
            (
                &[("a@x.de", true, false), ("b@x.de", true, true)],
                Some("b@x.de"),
                Some("b@x.de"),
            ),
            (
                &[
                    ("a@x.de", false, false),
                    ("b@x.de", true, false),
                    ("c@x.de", false, true),
                ],
                Some("b@x.de"),
                Some("c@x.de"),
            ),
            (
                &[("a@x.de", false, true), ("b@x.de", false, false)],
                Some("a@x.de"),
                Some("a@x.de"),
            ),
        ] {
            let claim = claim(emails);
            let chosen = |profile| claim.chosen(profile).map(|it| it.email.as_str());
            assert_eq!(chosen(Profile::Std), std, "{emails:?}");
            assert_eq!(chosen(Profile::Gotrue), gotrue, "{emails:?}");
        }
    }

    #[test]
    fn addresses_are_in_lower_case_and_those_that_nobody_can_have_are_left_out() {
        let claim = claim(&[(" Ada@X.de", true, true), ("not an address", true, false)]);
        assert_eq!(claim.emails(), ["ada@x.de"]);
        assert!(claim.has_verified("ADA@x.de"));
        assert!(!claim.has_verified("not an address"));
    }
}
