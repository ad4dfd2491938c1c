//! Adds a second factor, which counts once its first answer was verified.

use http::StatusCode;
use innkeeper_service::database::Transaction;
use innkeeper_service::random;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{FactorType, at_rest, base32, name_conflict, qr, session_of, totp};
use crate::app::App;
use crate::app::audit::{Actor, AuditAction};
use crate::base::client::ClientInfo;
use crate::base::contact::Phone;
use crate::base::error::{AuthError, Result};
use crate::base::error_code::ErrorCode;
use crate::base::input::non_empty;
use crate::config::MfaConfig;
use crate::flow::caller::Caller;
use crate::flow::user::{User, metadata};
use crate::model::Factor;
use crate::store;
use crate::store::factors::NewFactor;

/// The longest name of a factor or of an issuer, in characters.
const MAX_NAME: usize = 255;

/// The body of an enrolment.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct Enrolment {
    /// `totp`, `phone` or `webauthn`.
    factor_type: Option<String>,
    /// A name by which the user knows the factor; no two factors of a user have the same.
    friendly_name: Option<String>,
    /// The service that an authenticator app shows, by default the host of `SITE_URL`.
    issuer: Option<String>,
    /// The phone number of a phone factor.
    phone: Option<String>,
    /// Whether a factor of this type and name that was never verified is replaced, not sent by clients: whoever goes
    /// back in a browser begins anew with the same name.
    #[serde(skip)]
    #[schemars(skip)]
    replaces_unverified: bool,
}

impl Enrolment {
    /// Adds an authenticator app, which shows this issuer.
    pub(crate) fn app(name: &str, issuer: Option<&str>) -> Self {
        Self {
            factor_type: Some(FactorType::Totp.name().to_owned()),
            friendly_name: Some(name.to_owned()),
            issuer: issuer.map(str::to_owned),
            replaces_unverified: true,
            ..Self::default()
        }
    }

    /// Adds a security key.
    pub(crate) fn security_key(name: &str) -> Self {
        Self {
            factor_type: Some(FactorType::Webauthn.name().to_owned()),
            friendly_name: Some(name.to_owned()),
            replaces_unverified: true,
            ..Self::default()
        }
    }

    /// Adds a phone number.
    pub(crate) fn phone(name: &str, phone: &str) -> Self {
        Self {
            factor_type: Some(FactorType::Phone.name().to_owned()),
            friendly_name: Some(name.to_owned()),
            phone: Some(phone.to_owned()),
            replaces_unverified: true,
            ..Self::default()
        }
    }
}

/// A factor that was added.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "EnrolledFactor")]
pub(crate) struct EnrolledFactor {
    pub(crate) id: Uuid,
    #[serde(rename = "type")]
    kind: &'static str,
    friendly_name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) totp: Option<TotpSetup>,
    /// The number as it was sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    phone: Option<String>,
}

/// What an authenticator app needs. It is shown this once.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "TotpSetup")]
pub(crate) struct TotpSetup {
    /// The QR code of `uri`, as SVG.
    pub(crate) qr_code: String,
    pub(crate) secret: String,
    pub(crate) uri: String,
}

/// Adds a factor to the caller's account.
pub(crate) async fn enrol(
    app: &App,
    caller: &Caller,
    input: &Enrolment,
    client: &ClientInfo,
) -> Result<EnrolledFactor> {
    let session = session_of(caller)?;
    let kind = FactorType::parse(input.factor_type.as_deref().unwrap_or_default())?;
    kind.check_enrolment(&app.config.mfa)?;
    let name = input.friendly_name.as_deref().unwrap_or_default();
    check_length(name, "friendly_name")?;
    let phone = match kind {
        FactorType::Phone => Some(required_phone(input.phone.as_deref())?),
        _ => None,
    };
    let mut enrolled = EnrolledFactor {
        id: Uuid::new_v4(),
        kind: kind.name(),
        friendly_name: name.to_owned(),
        totp: None,
        phone: phone.is_some().then(|| input.phone.clone()).flatten(),
    };
    let mut secret = None;
    if kind == FactorType::Totp {
        let setup = totp_setup(app, &caller.user, input.issuer.as_deref())?;
        secret = Some(at_rest::store(app, enrolled.id, &setup.secret)?);
        enrolled.totp = Some(setup);
    }
    let factor = NewFactor {
        id: enrolled.id,
        user_id: caller.user.id,
        friendly_name: name,
        factor_type: kind.name(),
        secret: secret.as_deref(),
        phone: phone.as_ref().map(Phone::as_str),
    };
    let rules = InsertRules {
        has_second_level: session.has_second_level(),
        replaces_unverified: input.replaces_unverified,
    };
    insert(app, &factor, rules, client).await?;
    Ok(enrolled)
}

/// What decides whether a factor is stored.
#[derive(Debug, Clone, Copy)]
struct InsertRules {
    /// The session is at the second level.
    has_second_level: bool,
    /// A factor of this type and name that was never verified makes room.
    replaces_unverified: bool,
}

/// Stores a factor, if the user may have one more. The account is locked, so that requests at the same time cannot
/// exceed the limits.
async fn insert(
    app: &App,
    factor: &NewFactor<'_>,
    rules: InsertRules,
    client: &ClientInfo,
) -> Result<()> {
    let mut conn = app.connection().await?;
    let tx = conn.transaction().await?;
    // What another request has changed meanwhile is visible to the statement after the one that waits for it.
    store::users::lock_by_id(&tx, factor.user_id).await?;
    let user = store::users::find_by_id(&tx, factor.user_id).await?;
    let user = user.ok_or_else(|| AuthError::refused(ErrorCode::UserNotFound, "User not found"))?;
    let mut factors = user.factors.clone();
    delete_stale(app, &tx, &user, &mut factors).await?;
    if rules.replaces_unverified {
        replace_namesake(&tx, factor, &mut factors).await?;
    }
    if let Some(phone) = factor.phone {
        replace_unverified(&tx, factor.user_id, phone, &mut factors).await?;
    }
    let name = factor.friendly_name;
    check_limits(&factors, name, &app.config.mfa, rules.has_second_level)?;
    let now = app.clock.now();
    store::factors::insert(&tx, factor, now)
        .await
        .map_err(|error| match error.constraint() {
            Some("mfa_factors_user_friendly_name_unique") => name_conflict(name),
            _ => error.into(),
        })?;
    let mut traits = metadata::member("factor_id", factor.id.to_string());
    traits.insert("factor_type".to_owned(), factor.factor_type.into());
    let action = AuditAction::FactorInProgress;
    app.audit_as(&tx, action, traits, Actor::User(&user), client)
        .await?;
    tx.commit().await?;
    Ok(())
}

/// Deletes the factors that the user began to add some time ago and did not go on with.
async fn delete_stale(
    app: &App,
    tx: &Transaction<'_>,
    user: &User,
    factors: &mut Vec<Factor>,
) -> Result<()> {
    if factors.iter().all(Factor::is_verified) {
        return Ok(());
    }
    let expiry = app.config.mfa.factor_expiry;
    let before = app.clock.now().checked_sub(expiry).unwrap_or_default();
    let gone = store::factors::delete_stale(tx, user.id, before).await?;
    factors.retain(|factor| !gone.contains(&factor.id));
    Ok(())
}

/// Makes room for a factor that was begun before under the same name and never verified.
async fn replace_namesake(
    tx: &Transaction<'_>,
    new: &NewFactor<'_>,
    factors: &mut Vec<Factor>,
) -> Result<()> {
    let is_namesake = |factor: &Factor| {
        let name = factor.friendly_name.as_deref().unwrap_or_default();
        !factor.is_verified() && factor.factor_type == new.factor_type && name == new.friendly_name
    };
    let method = FactorType::parse(new.factor_type)?.method();
    for former in factors.iter().filter(|factor| is_namesake(factor)) {
        store::factors::delete(tx, former.id, new.user_id, method).await?;
    }
    factors.retain(|factor| !is_namesake(factor));
    Ok(())
}

/// Makes room for a number that was added before and never verified.
async fn replace_unverified(
    tx: &Transaction<'_>,
    user_id: Uuid,
    phone: &str,
    factors: &mut Vec<Factor>,
) -> Result<()> {
    let is_same = |factor: &Factor| factor.phone.as_deref() == Some(phone);
    if factors.iter().any(|it| is_same(it) && it.is_verified()) {
        return Err(AuthError::refused(
            ErrorCode::MfaVerifiedFactorExists,
            "A verified factor has this phone number already",
        ));
    }
    if factors.iter().any(is_same) {
        store::factors::delete_unverified_phone(tx, user_id, phone).await?;
        factors.retain(|factor| !is_same(factor));
    }
    Ok(())
}

/// Refuses a name that another factor has, more factors than are allowed, and a session without the second factor that
/// the user already has.
fn check_limits(
    factors: &[Factor],
    name: &str,
    config: &MfaConfig,
    has_second_level: bool,
) -> Result<()> {
    let name_of = |factor: &Factor| factor.friendly_name.clone().unwrap_or_default();
    if factors.iter().any(|factor| name_of(factor) == name) {
        return Err(name_conflict(name));
    }
    let verified = factors.iter().filter(|it| it.is_verified()).count();
    if factors.len() >= config.max_enrolled || verified >= config.max_verified {
        return Err(AuthError::refused(
            ErrorCode::TooManyEnrolledMfaFactors,
            "The account has as many second factors as it may have",
        ));
    }
    if verified > 0 && !has_second_level {
        return Err(level_too_low());
    }
    Ok(())
}

/// Refuses to add a factor to those that the session was not opened with.
pub(super) fn level_too_low() -> AuthError {
    AuthError::refused_as(
        StatusCode::FORBIDDEN,
        ErrorCode::InsufficientAal,
        "A further factor can be added at AAL2 only",
    )
}

fn check_length(text: &str, name: &str) -> Result<()> {
    if text.chars().count() <= MAX_NAME {
        return Ok(());
    }
    Err(AuthError::validation(format!(
        "{name} has more than {MAX_NAME} characters"
    )))
}

fn required_phone(text: Option<&str>) -> Result<Phone> {
    let text = non_empty(text)
        .ok_or_else(|| AuthError::validation("A phone factor needs a phone number"))?;
    Ok(Phone::parse(text)?)
}

/// Makes a secret, with its URI and QR code.
fn totp_setup(app: &App, user: &User, issuer: Option<&str>) -> Result<TotpSetup> {
    let issuer = match non_empty(issuer) {
        Some(issuer) => issuer,
        None => app.config.site_url.host_str().unwrap_or("localhost"),
    };
    check_length(issuer, "issuer")?;
    let id = user.id.to_string();
    let names = [user.email.as_str(), user.phone.as_str(), id.as_str()];
    let account = names.into_iter().find(|name| !name.is_empty());
    let secret = base32::encode(&random::bytes::<20>());
    let uri = totp::uri(issuer, account.unwrap_or_default(), &secret);
    // The bounds of issuer and account leave room in the largest symbol.
    let qr_code = qr::svg(&uri)
        .ok_or_else(|| AuthError::validation("The issuer is too long for a QR code"))?;
    Ok(TotpSetup {
        qr_code,
        secret,
        uri,
    })
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use uuid::Uuid;

    use super::check_limits;
    use crate::config::Config;
    use crate::model::Factor;

    fn factor(name: Option<&str>, is_verified: bool) -> Factor {
        Factor {
            id: Uuid::new_v4(),
            created_at: Timestamp::UNIX_EPOCH,
            updated_at: Timestamp::UNIX_EPOCH,
            status: if is_verified {
                "verified"
            } else {
                "unverified"
            }
            .to_owned(),
            friendly_name: name.map(str::to_owned),
            factor_type: "totp".to_owned(),
            phone: None,
            last_challenged_at: None,
            web_authn_aaguid: None,
        }
    }

    #[test]
    fn names_numbers_and_the_level_decide_in_this_order() {
        let mut config = Config::for_tests().mfa;
        config.max_enrolled = 3;
        config.max_verified = 2;
        let (new, used) = (factor(Some("new"), false), factor(Some("used"), true));
        let unnamed = factor(None, false);
        let second = factor(Some("second"), true);
        let conflict = Some("mfa_factor_name_conflict");
        let too_many = Some("too_many_enrolled_mfa_factors");
        let level = Some("insufficient_aal");
        for (factors, name, has_level, expected) in [
            (vec![], "", false, None),
            (vec![&new], "other", false, None),
            (vec![&new], "new", false, conflict),
            (vec![&unnamed], "", true, conflict),
            (vec![&unnamed], "named", false, None),
            (vec![&used], "other", false, level),
            (vec![&used], "other", true, None),
            (vec![&used, &new], "third", true, None),
            (vec![&used, &second], "third", true, too_many),
            (vec![&used, &new, &unnamed], "fourth", true, too_many),
            (vec![&used, &second], "used", false, conflict),
            (vec![&used, &second], "third", false, too_many),
        ] {
            let factors: Vec<Factor> = factors.into_iter().cloned().collect();
            let refused = check_limits(&factors, name, &config, has_level).err();
            let code = refused.as_ref().map(crate::base::error::AuthError::code);
            assert_eq!(code, expected, "{name} beside {}", factors.len());
        }
    }
}
