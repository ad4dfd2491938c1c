use jiff::Timestamp;
use serde_json::json;
use uuid::Uuid;

use super::{AccountDecision, LinkingRules, decide};
use crate::config::{LinkingConfig, Profile};
use crate::flow::identity::provider_claim::ProviderClaim;
use crate::flow::user::metadata::member;
use crate::flow::user::{Identity, Object, User};
use crate::outside::external::{ProviderEmail, ProviderUser};

const ADA: Uuid = Uuid::from_u128(1);
const BOB: Uuid = Uuid::from_u128(2);
const MAIL: &str = "ada@example.com";
const OTHER: &str = "other@example.com";

/// Returns what GitHub says about its user 42: addresses, and which are verified. The first one is primary.
fn github(emails: &[(&str, bool)]) -> ProviderClaim {
    let emails = emails.iter().enumerate();
    let emails = emails.map(|(index, (address, verified))| ProviderEmail {
        address: (*address).to_owned(),
        verified: *verified,
        primary: index == 0,
    });
    let user = ProviderUser {
        subject: "42".to_owned(),
        emails: emails.collect(),
        data: Object::new(),
    };
    ProviderClaim::new("github", false, user)
}

fn user(id: Uuid, email: &str, is_confirmed: bool) -> User {
    User {
        id,
        aud: "authenticated".to_owned(),
        email: email.to_owned(),
        email_confirmed_at: is_confirmed.then_some(Timestamp::UNIX_EPOCH),
        identities: Some(Vec::new()),
        ..User::default()
    }
}

fn with_identity(
    mut user: User,
    provider: &str,
    subject: &str,
    email: &str,
    verified: bool,
) -> User {
    let identity = Identity {
        identity_id: Uuid::new_v4(),
        id: subject.to_owned(),
        user_id: user.id,
        identity_data: member("email_verified", json!(verified)),
        provider: provider.to_owned(),
        last_sign_in_at: None,
        created_at: None,
        updated_at: None,
        email: Some(email.to_owned()),
    };
    user.identities.get_or_insert_default().push(identity);
    user
}

fn decided(
    profile: Profile,
    autoconfirm: bool,
    users: &[User],
    claim: &ProviderClaim,
) -> AccountDecision {
    let rules = LinkingRules {
        profile,
        autoconfirm,
        aud: "authenticated",
        linking: &LinkingConfig::default(),
    };
    decide(users, claim, &rules)
}

#[test]
#[expect(clippy::too_many_lines, reason = "a flat table of cases")]
fn accounts_are_found_linked_or_created() {
    use AccountDecision::{Conflict, Create, CreateWithoutEmail, Link, SignIn};
    let verified = github(&[(MAIL, true)]);
    let unverified = github(&[(MAIL, false)]);
    let both = github(&[(MAIL, true), (OTHER, true)]);
    let second = github(&[(MAIL, false), (OTHER, true)]);
    let nothing = github(&[]);
    let ada = || user(ADA, MAIL, true);
    let known = with_identity(user(ADA, "", false), "github", "42", OTHER, false);
    let namesake = with_identity(ada(), "google", "42", MAIL, true);
    let stranger = with_identity(user(BOB, OTHER, true), "gitlab", "7", MAIL, false);
    let elsewhere = with_identity(
        user(BOB, "bob@example.com", true),
        "gitlab",
        "7",
        MAIL,
        true,
    );
    let by_phone = User {
        phone_confirmed_at: Some(Timestamp::UNIX_EPOCH),
        ..user(ADA, MAIL, false)
    };
    let sso = User {
        is_sso_user: true,
        ..with_identity(ada(), "sso:1", "7", MAIL, true)
    };
    let foreign = User {
        aud: "other".to_owned(),
        ..ada()
    };
    let nowhere = User {
        aud: String::new(),
        ..ada()
    };
    for (name, users, claim, std, gotrue) in [
        ("nobody", vec![], &verified, Create, Create),
        ("nobody, unverified", vec![], &unverified, Create, Create),
        (
            "no address",
            vec![ada()],
            &nothing,
            CreateWithoutEmail,
            CreateWithoutEmail,
        ),
        (
            "the identity is known",
            vec![known.clone()],
            &verified,
            SignIn(ADA),
            SignIn(ADA),
        ),
        (
            "known, and the address is another's",
            vec![user(BOB, MAIL, true), known],
            &verified,
            SignIn(ADA),
            SignIn(ADA),
        ),
        (
            "the subject of another provider",
            vec![namesake],
            &unverified,
            CreateWithoutEmail,
            CreateWithoutEmail,
        ),
        ("confirmed", vec![ada()], &verified, Link(ADA), Link(ADA)),
        (
            "confirmed, unverified",
            vec![ada()],
            &unverified,
            CreateWithoutEmail,
            CreateWithoutEmail,
        ),
        (
            "unconfirmed",
            vec![user(ADA, MAIL, false)],
            &verified,
            Link(ADA),
            Link(ADA),
        ),
        (
            "by the second address",
            vec![user(ADA, OTHER, true)],
            &second,
            Link(ADA),
            Link(ADA),
        ),
        (
            "two accounts",
            vec![ada(), user(BOB, OTHER, true)],
            &both,
            Conflict,
            Conflict,
        ),
        (
            "somebody has typed the second address",
            vec![ada(), user(BOB, OTHER, false)],
            &both,
            Link(ADA),
            Conflict,
        ),
        (
            "somebody has typed only the second address",
            vec![user(BOB, OTHER, false)],
            &both,
            Create,
            Link(BOB),
        ),
        (
            "somebody claims the address elsewhere",
            vec![stranger],
            &verified,
            Create,
            Link(BOB),
        ),
        (
            "somebody has proven the address elsewhere",
            vec![elsewhere.clone()],
            &verified,
            Link(BOB),
            Link(BOB),
        ),
        (
            "proven here and elsewhere",
            vec![with_identity(ada(), "email", "1", MAIL, true), elsewhere],
            &verified,
            Conflict,
            Conflict,
        ),
        (
            "the address of somebody with a phone",
            vec![by_phone],
            &verified,
            Conflict,
            Link(ADA),
        ),
        ("single sign-on", vec![sso], &verified, Create, Create),
        (
            "another audience",
            vec![foreign],
            &verified,
            Conflict,
            Link(ADA),
        ),
        (
            "no audience",
            vec![nowhere],
            &verified,
            Link(ADA),
            Link(ADA),
        ),
    ] {
        assert_eq!(decided(Profile::Std, false, &users, claim), std, "{name}");
        assert_eq!(
            decided(Profile::Gotrue, false, &users, claim),
            gotrue,
            "{name}"
        );
    }
}

#[test]
fn autoconfirm_verifies_addresses_in_gotrue_alone() {
    let users = [user(ADA, MAIL, true)];
    let claim = github(&[(MAIL, false)]);
    let std = decided(Profile::Std, true, &users, &claim);
    assert_eq!(std, AccountDecision::CreateWithoutEmail);
    let gotrue = decided(Profile::Gotrue, true, &users, &claim);
    assert_eq!(gotrue, AccountDecision::Link(ADA));
}

#[test]
fn addresses_are_compared_without_case() {
    let users = [user(ADA, "ADA@Example.com", true)];
    let claim = github(&[("ada@EXAMPLE.com", true)]);
    let std = decided(Profile::Std, false, &users, &claim);
    assert_eq!(std, AccountDecision::Link(ADA));
}

/// Decides in both profiles, with GitHub in a linking domain of its own.
fn decided_apart(users: &[User], claim: &ProviderClaim) -> AccountDecision {
    let linking = LinkingConfig {
        domains: [("github", "work"), ("gitlab", "work"), ("azure", "other")]
            .map(|(provider, domain)| (provider.to_owned(), domain.to_owned()))
            .into(),
    };
    let [std, gotrue] = [Profile::Std, Profile::Gotrue].map(|profile| {
        let rules = LinkingRules {
            profile,
            autoconfirm: false,
            aud: "authenticated",
            linking: &linking,
        };
        decide(users, claim, &rules)
    });
    assert_eq!(std, gotrue);
    std
}

#[test]
fn a_linking_domain_is_apart_from_all_others() {
    use AccountDecision::{Create, Link, SignIn};
    let claim = github(&[(MAIL, true)]);
    let apart = |user: User| User {
        is_sso_user: true,
        ..user
    };
    let plain = user(ADA, MAIL, true);
    assert_eq!(decided_apart(std::slice::from_ref(&plain), &claim), Create);
    let by_google = with_identity(plain.clone(), "google", "1", MAIL, true);
    assert_eq!(decided_apart(&[by_google], &claim), Create);
    let other = apart(with_identity(
        user(BOB, MAIL, true),
        "azure",
        "1",
        MAIL,
        true,
    ));
    assert_eq!(decided_apart(&[plain.clone(), other], &claim), Create);
    let same = apart(with_identity(
        user(BOB, MAIL, true),
        "gitlab",
        "1",
        MAIL,
        true,
    ));
    assert_eq!(decided_apart(&[plain.clone(), same], &claim), Link(BOB));
    let known = apart(with_identity(
        user(BOB, MAIL, true),
        "github",
        "42",
        MAIL,
        true,
    ));
    assert_eq!(
        decided_apart(&[plain.clone(), known.clone()], &claim),
        SignIn(BOB)
    );
    // Nor are such accounts found from outside.
    for profile in [Profile::Std, Profile::Gotrue] {
        let mut google = github(&[(MAIL, true)]);
        google.provider = "google".to_owned();
        let linking = LinkingConfig {
            domains: [("github".to_owned(), "work".to_owned())].into(),
        };
        let rules = LinkingRules {
            profile,
            autoconfirm: false,
            aud: "authenticated",
            linking: &linking,
        };
        assert_eq!(
            decide(std::slice::from_ref(&known), &google, &rules),
            Create
        );
    }
    // An unverified address that somebody else has stays with the new account: addresses may repeat.
    let unverified = github(&[(MAIL, false)]);
    assert_eq!(decided_apart(&[plain], &unverified), Create);
}
