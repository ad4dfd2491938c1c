//! Which account a user of an external provider gets.

use serde_json::Value;
use uuid::Uuid;

use super::provider_claim::{ProviderAddress, ProviderClaim};
use crate::config::{Config, LinkingConfig, Profile};
use crate::flow::user::{Identity, User};

/// What becomes of somebody whom an external provider has authenticated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum AccountDecision {
    /// The identity belongs to this account.
    SignIn(Uuid),
    /// The identity is added to this account, which has one of its verified addresses.
    Link(Uuid),
    /// A new account is created, with the chosen address.
    Create,
    /// A new account is created without an address: the provider names none, or somebody has it and the provider has
    /// not verified it.
    CreateWithoutEmail,
    /// Several accounts have addresses of the identity, or the one that has it belongs to somebody else.
    Conflict,
}

/// The settings that the decision depends on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LinkingRules<'a> {
    pub(crate) profile: Profile,
    /// `MAILER_AUTOCONFIRM`.
    pub(crate) autoconfirm: bool,
    /// The audience of the request. Accounts of others are never linked.
    pub(crate) aud: &'a str,
    /// Which providers share accounts by their email addresses.
    pub(crate) linking: &'a LinkingConfig,
}

impl<'a> LinkingRules<'a> {
    /// Takes the rules from the settings.
    pub(crate) fn new(config: &'a Config, aud: &'a str) -> Self {
        Self {
            profile: config.profile,
            autoconfirm: config.mailer.autoconfirm,
            aud,
            linking: &config.linking,
        }
    }

    /// Whether an address proves who somebody is. In std only the provider can say so: with autoconfirm, anybody
    /// could take over an account by naming its address at a provider that does not verify any.
    fn counts(&self, address: &ProviderAddress) -> bool {
        address.is_verified || (self.autoconfirm && self.profile == Profile::Gotrue)
    }

    /// Returns the rules with the linking domain of the provider that somebody comes from.
    fn in_domain_of<'r>(&'r self, provider: &'r str) -> DomainRules<'r> {
        DomainRules {
            rules: self,
            domain: self.linking.domain_of(provider),
            is_apart: self.linking.is_apart(provider),
        }
    }
}

/// The rules for identities of one linking domain.
#[derive(Clone, Copy)]
struct DomainRules<'a> {
    rules: &'a LinkingRules<'a>,
    domain: &'a str,
    /// Whether accounts are found by identities of the domain alone, not by their own address.
    is_apart: bool,
}

impl DomainRules<'_> {
    fn has(&self, identity: &Identity) -> bool {
        self.rules.linking.domain_of(&identity.provider) == self.domain
    }
}

/// Decides from the accounts that have the identity or one of its addresses.
pub(crate) fn decide(
    candidates: &[User],
    claim: &ProviderClaim,
    rules: &LinkingRules<'_>,
) -> AccountDecision {
    let is_same =
        |identity: &Identity| identity.provider == claim.provider && identity.id == claim.subject;
    if let Some(user) = candidates
        .iter()
        .find(|user| user.identities.iter().flatten().any(is_same))
    {
        return AccountDecision::SignIn(user.id);
    }
    let verified: Vec<&str> = claim
        .addresses
        .iter()
        .filter(|address| rules.counts(address))
        .map(|address| address.email.as_str())
        .collect();
    let Some(chosen) = claim.chosen(rules.profile) else {
        return AccountDecision::CreateWithoutEmail;
    };
    let domain = rules.in_domain_of(&claim.provider);
    if verified.is_empty() {
        let mut users = candidates.iter();
        let is_taken = users.any(|user| has_address(user, chosen, domain));
        return if is_taken {
            AccountDecision::CreateWithoutEmail
        } else {
            AccountDecision::Create
        };
    }
    match rules.profile {
        Profile::Std => decide_in_std(candidates, chosen, &verified, domain),
        Profile::Gotrue => decide_as_gotrue(candidates, &verified, domain),
    }
}

/// Links to the account whose owner has proven to have one of the addresses. Nobody is kept from their account by
/// somebody who has merely typed an address: an unconfirmed account counts only if nobody has proven anything.
fn decide_in_std(
    candidates: &[User],
    chosen: &ProviderAddress,
    verified: &[&str],
    domain: DomainRules<'_>,
) -> AccountDecision {
    let aud = domain.rules.aud;
    let is_reachable = |user: &&User| {
        (domain.is_apart || !user.is_sso_user) && (user.aud == aud || user.aud.is_empty())
    };
    let proven = candidates
        .iter()
        .filter(is_reachable)
        .filter(|user| has_proven_one_of(user, verified, domain));
    if let Some(decision) = link_to_only(proven.map(|user| user.id)) {
        return decision;
    }
    if domain.is_apart {
        return AccountDecision::Create;
    }
    let mut holders = candidates
        .iter()
        .filter(|user| !user.is_sso_user && user.email.eq_ignore_ascii_case(&chosen.email));
    match holders.next() {
        None => AccountDecision::Create,
        // Whoever has confirmed a phone number owns the account, but not its address. In another audience it is
        // somebody else's.
        Some(user) if user.is_confirmed() || !is_reachable(&user) => AccountDecision::Conflict,
        Some(user) => AccountDecision::Link(user.id),
    }
}

/// Whether the owner of the account has proven to have one of these addresses, here or at another provider.
fn has_proven_one_of(user: &User, emails: &[&str], domain: DomainRules<'_>) -> bool {
    let is_one = |text: &str| emails.iter().any(|email| text.eq_ignore_ascii_case(email));
    let is_proven = |identity: &Identity| {
        is_external(identity)
            && domain.has(identity)
            && identity.identity_data.get("email_verified") == Some(&Value::Bool(true))
            && identity.email.as_deref().is_some_and(is_one)
    };
    (!domain.is_apart && user.email_confirmed_at.is_some() && is_one(&user.email))
        || user.identities.iter().flatten().any(is_proven)
}

fn is_external(identity: &Identity) -> bool {
    !matches!(identity.provider.as_str(), "email" | "phone")
}

/// As GoTrue: accounts with an identity of one of the addresses, or else with such an address.
fn decide_as_gotrue(
    candidates: &[User],
    verified: &[&str],
    domain: DomainRules<'_>,
) -> AccountDecision {
    let is_one = |text: &str| {
        verified
            .iter()
            .any(|email| text.eq_ignore_ascii_case(email))
    };
    let has_identity = |user: &&User| {
        user.identities
            .iter()
            .flatten()
            .any(|identity| domain.has(identity) && identity.email.as_deref().is_some_and(is_one))
    };
    let by_identity = candidates.iter().filter(has_identity).map(|user| user.id);
    let by_address = candidates
        .iter()
        .filter(|user| !domain.is_apart && !user.is_sso_user && is_one(&user.email))
        .map(|user| user.id);
    link_to_only(by_identity)
        .or_else(|| link_to_only(by_address))
        .unwrap_or(AccountDecision::Create)
}

/// Links to the only one of these accounts; `None` if there are none.
fn link_to_only(mut accounts: impl Iterator<Item = Uuid>) -> Option<AccountDecision> {
    let first = accounts.next()?;
    Some(if accounts.all(|other| other == first) {
        AccountDecision::Link(first)
    } else {
        AccountDecision::Conflict
    })
}

/// Whether the account has this address, proven or not.
fn has_address(user: &User, address: &ProviderAddress, domain: DomainRules<'_>) -> bool {
    let is_it = |text: &str| text.eq_ignore_ascii_case(&address.email);
    let in_identity =
        |identity: &Identity| domain.has(identity) && identity.email.as_deref().is_some_and(is_it);
    (!domain.is_apart && !user.is_sso_user && is_it(&user.email))
        || user.identities.iter().flatten().any(in_identity)
}

#[cfg(test)]
mod tests;
