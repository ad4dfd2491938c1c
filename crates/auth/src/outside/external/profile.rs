//! What a provider says about a user, and where its answer says it.

use serde_json::Value;

use super::error::ExternalError;
use super::flow::{ProviderEmail, ProviderUser};
use crate::model::Object;

/// Where the answers of a provider hold what is known about a user. Places are JSON pointers.
#[derive(Debug, Clone, Copy)]
pub(super) struct UserMapping {
    pub(super) subject: &'static str,
    pub(super) email: Option<(&'static str, EmailStatus)>,
    /// The claim, and its place.
    pub(super) claims: &'static [(&'static str, &'static str)],
    pub(super) custom: CustomClaims,
    /// Reads what no place can name; gets all answers.
    pub(super) more: fn(&[Value], &mut UserProfile),
}

/// Whether the provider has verified an email address.
#[derive(Debug, Clone, Copy)]
pub(super) enum EmailStatus {
    /// Always.
    Verified,
    /// It does not say.
    Unknown,
    /// If this place has the value true.
    At(&'static str),
}

/// Which further claims are kept.
#[derive(Debug, Clone, Copy)]
pub(super) enum CustomClaims {
    /// These: the name, and the place.
    Only(&'static [(&'static str, &'static str)]),
    /// All members of the answer that are not among the claims, except for these.
    AllBut(&'static [&'static str]),
}

/// The claims of OpenID Connect about a user.
pub(super) const STANDARD_CLAIMS: &[(&str, &str)] = &[
    ("name", "/name"),
    ("full_name", "/name"),
    ("family_name", "/family_name"),
    ("given_name", "/given_name"),
    ("middle_name", "/middle_name"),
    ("nickname", "/nickname"),
    ("preferred_username", "/preferred_username"),
    ("profile", "/profile"),
    ("picture", "/picture"),
    ("avatar_url", "/picture"),
    ("website", "/website"),
    ("gender", "/gender"),
    ("birthdate", "/birthdate"),
    ("zoneinfo", "/zoneinfo"),
    ("locale", "/locale"),
    ("updated_at", "/updated_at"),
    ("phone", "/phone_number"),
];

/// The claims of an id token that are about the token, not about the user.
pub(super) const TOKEN_CLAIMS: &[&str] = &[
    "iss",
    "sub",
    "aud",
    "exp",
    "iat",
    "nbf",
    "jti",
    "azp",
    "nonce",
    "at_hash",
    "c_hash",
    "email",
    "email_verified",
    "phone_number",
    "phone_number_verified",
];

impl UserMapping {
    /// The claims of OpenID Connect.
    pub(super) const OIDC: Self = Self {
        subject: "/sub",
        email: Some(("/email", EmailStatus::At("/email_verified"))),
        claims: STANDARD_CLAIMS,
        custom: CustomClaims::Only(&[]),
        more: |_, _| {},
    };

    /// Starts a mapping of a provider with an API of its own.
    pub(super) const fn at(
        subject: &'static str,
        claims: &'static [(&'static str, &'static str)],
    ) -> Self {
        Self {
            subject,
            email: None,
            claims,
            custom: CustomClaims::Only(&[]),
            more: |_, _| {},
        }
    }

    pub(super) const fn email(mut self, place: &'static str, status: EmailStatus) -> Self {
        self.email = Some((place, status));
        self
    }

    pub(super) const fn custom(mut self, custom: CustomClaims) -> Self {
        self.custom = custom;
        self
    }

    pub(super) const fn more(mut self, more: fn(&[Value], &mut UserProfile)) -> Self {
        self.more = more;
        self
    }

    /// Reads the answers of a provider; the places are those of the first one.
    pub(super) fn read(
        &self,
        issuer: &str,
        answers: &[Value],
    ) -> Result<UserProfile, ExternalError> {
        let answer = answers.first().unwrap_or(&Value::Null);
        let subject = answer.pointer(self.subject).and_then(id_text);
        let mut profile = UserProfile::new(issuer, subject.unwrap_or_default());
        for (claim, place) in self.claims {
            if let Some(value) = answer.pointer(place) {
                profile.set(claim, value);
            }
        }
        if let Some((place, status)) = self.email {
            let address = answer.pointer(place).and_then(Value::as_str);
            let verified = match status {
                EmailStatus::Verified => true,
                EmailStatus::Unknown => false,
                EmailStatus::At(place) => answer.pointer(place).is_some_and(is_true),
            };
            profile.add_email(address.unwrap_or_default(), verified, true);
        }
        self.read_custom(answer, &mut profile);
        (self.more)(answers, &mut profile);
        if profile.subject.is_empty() {
            return Err(ExternalError::Missing("id of the user"));
        }
        Ok(profile)
    }

    fn read_custom(&self, answer: &Value, profile: &mut UserProfile) {
        match self.custom {
            CustomClaims::Only(names) => {
                for (name, place) in names {
                    if let Some(value) = answer.pointer(place) {
                        profile.set_custom(name, value);
                    }
                }
            }
            CustomClaims::AllBut(names) => {
                let is_claim = |name: &str| {
                    let mut places = self.claims.iter().map(|(_, place)| place);
                    places.any(|place| place.strip_prefix('/') == Some(name))
                };
                for (name, value) in answer.as_object().into_iter().flatten() {
                    if !names.contains(&name.as_str()) && !is_claim(name) {
                        profile.set_custom(name, value);
                    }
                }
            }
        }
    }
}

/// A user under construction.
#[derive(Debug)]
pub(super) struct UserProfile {
    pub(super) subject: String,
    pub(super) emails: Vec<ProviderEmail>,
    claims: Object,
    custom: Object,
}

impl UserProfile {
    pub(super) fn new(issuer: &str, subject: String) -> Self {
        let mut claims = Object::new();
        claims.insert("iss".to_owned(), issuer.into());
        Self {
            subject,
            emails: Vec::new(),
            claims,
            custom: Object::new(),
        }
    }

    /// Sets a claim to a text, number or truth value; anything else, and an empty text, is left out.
    pub(super) fn set(&mut self, claim: &str, value: &Value) {
        let is_usable = match value {
            Value::String(text) => !text.is_empty(),
            Value::Number(_) | Value::Bool(_) => true,
            _ => false,
        };
        if is_usable {
            self.claims.insert(claim.to_owned(), value.clone());
        }
    }

    /// Sets several claims to a text, unless it is empty.
    pub(super) fn set_text(&mut self, claims: &[&str], text: &str) {
        for claim in claims {
            self.set(claim, &text.trim().into());
        }
    }

    /// Sets a claim that only this provider has.
    pub(super) fn set_custom(&mut self, claim: &str, value: &Value) {
        let is_empty = match value {
            Value::Null => true,
            Value::String(text) => text.is_empty(),
            _ => false,
        };
        if !is_empty {
            self.custom.insert(claim.to_owned(), value.clone());
        }
    }

    /// Adds an email address, unless it is empty.
    pub(super) fn add_email(&mut self, address: &str, verified: bool, primary: bool) {
        let address = address.trim();
        if !address.is_empty() {
            self.emails.push(ProviderEmail {
                address: address.to_owned(),
                verified,
                primary,
            });
        }
    }

    /// Completes the user: the email address is the primary one, else the last.
    pub(super) fn into_user(self) -> ProviderUser {
        let mut data = self.claims;
        data.insert("sub".to_owned(), self.subject.as_str().into());
        data.insert("provider_id".to_owned(), self.subject.as_str().into());
        let primary = self.emails.iter().find(|email| email.primary);
        let chosen = primary.or(self.emails.last());
        if let Some(email) = chosen {
            data.insert("email".to_owned(), email.address.as_str().into());
        }
        let verified = chosen.is_some_and(|email| email.verified);
        data.insert("email_verified".to_owned(), verified.into());
        data.insert("phone_verified".to_owned(), false.into());
        if !self.custom.is_empty() {
            data.insert("custom_claims".to_owned(), self.custom.into());
        }
        ProviderUser {
            subject: self.subject,
            emails: self.emails,
            data,
        }
    }
}

/// Returns an id, which some providers write as a number.
pub(super) fn id_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// Whether a value means true: some providers write it as a text.
pub(super) fn is_true(value: &Value) -> bool {
    match value {
        Value::Bool(truth) => *truth,
        Value::String(text) => text == "true" || text == "1",
        Value::Number(number) => number.as_i64() == Some(1),
        _ => false,
    }
}
