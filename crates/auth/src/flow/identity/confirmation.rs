//! Whether a sign-in with a provider confirms the account's email address.

use super::decision::LinkingRules;
use super::provider_claim::ProviderClaim;
use crate::config::Profile;

/// What a sign-in with a provider means for the account's email address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AddressProof {
    /// Nothing: the account is confirmed, or has no address.
    Unneeded,
    /// The provider has verified the address, which confirms it.
    Confirms,
    /// Nobody has verified the address yet.
    Missing,
}

/// Decides for an account with this address.
pub(crate) fn proof_of(
    email: &str,
    is_confirmed: bool,
    claim: &ProviderClaim,
    rules: &LinkingRules<'_>,
) -> AddressProof {
    if is_confirmed || email.is_empty() {
        return AddressProof::Unneeded;
    }
    let is_verified = match rules.profile {
        // Not any verified address will do, only that of the account.
        Profile::Std => claim.has_verified(email),
        Profile::Gotrue => {
            let chosen = claim.chosen(rules.profile);
            rules.autoconfirm || chosen.is_some_and(|chosen| chosen.is_verified)
        }
    };
    if is_verified {
        AddressProof::Confirms
    } else {
        AddressProof::Missing
    }
}

#[cfg(test)]
mod tests {
    use super::{AddressProof, proof_of};
    use crate::config::{LinkingConfig, Profile};
    use crate::flow::identity::decision::LinkingRules;
    use crate::flow::identity::provider_claim::ProviderClaim;
    use crate::flow::user::Object;
    use crate::outside::external::{ProviderEmail, ProviderUser};

    #[test]
    fn only_the_address_of_the_account_is_confirmed_in_std() {
        use AddressProof::{Confirms, Missing, Unneeded};
        let email = |address: &str, verified| ProviderEmail {
            address: address.to_owned(),
            verified,
            primary: verified,
        };
        let user = ProviderUser {
            subject: "1".to_owned(),
            emails: vec![email("ada@x.de", true), email("typed@x.de", false)],
            data: Object::new(),
        };
        let claim = ProviderClaim::new("github", false, user);
        for (address, is_confirmed, autoconfirm, std, gotrue) in [
            ("ada@x.de", true, false, Unneeded, Unneeded),
            ("", false, false, Unneeded, Unneeded),
            ("ADA@x.de", false, false, Confirms, Confirms),
            ("typed@x.de", false, false, Missing, Confirms),
            ("other@x.de", false, false, Missing, Confirms),
            ("other@x.de", false, true, Missing, Confirms),
        ] {
            for (profile, expected) in [(Profile::Std, std), (Profile::Gotrue, gotrue)] {
                let rules = LinkingRules {
                    profile,
                    autoconfirm,
                    aud: "",
                    linking: &LinkingConfig::default(),
                };
                let proof = proof_of(address, is_confirmed, &claim, &rules);
                assert_eq!(proof, expected, "{address} {profile:?}");
            }
        }
    }
}
