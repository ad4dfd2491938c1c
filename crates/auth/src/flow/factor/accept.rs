//! Accepts the right answer to a challenge, and raises the session.

use innkeeper_service::database::Executor;
use jiff::Timestamp;
use uuid::Uuid;

use super::enrol::level_too_low;
use super::raise::Raise;
use super::verify::{RightAnswer, wrong_code};
use super::{FactorType, session_of};
use crate::app::App;
use crate::app::audit::{self, Actor, AuditAction};
use crate::base::client::ClientInfo;
use crate::base::error::Result;
use crate::flow::caller::Caller;
use crate::flow::session::issue::TokenPair;
use crate::flow::user::{User, metadata, notify};
use crate::model::Factor;
use crate::store;
use crate::store::audit::NewAuditEntry;
use crate::store::factors::{Answer, RaisedRow};

/// Accepts a right answer: the factor counts, and the session is raised. Returns its tokens.
pub(super) async fn accept(
    app: &App,
    conn: &dyn Executor,
    caller: &Caller,
    factor: &Factor,
    challenge_id: Uuid,
    right: &RightAnswer,
    client: &ClientInfo,
) -> Result<TokenPair> {
    let kind = FactorType::parse(&factor.factor_type)?;
    let user = after_verification(&caller.user, factor, right.aaguid, app.clock.now());
    let session = session_of(caller)?;
    let raise = Raise::prepare(app, conn, &user, session, kind.method(), client).await?;
    let mut traits = metadata::member("factor_id", factor.id.to_string());
    traits.insert("challenge_id".to_owned(), challenge_id.to_string().into());
    traits.insert("factor_type".to_owned(), kind.name().into());
    let actor = Actor::User(&user);
    let now = app.clock.now();
    let entry = audit::entry(
        AuditAction::VerificationAttempted,
        actor,
        traits,
        client,
        now,
    );
    let answer = Answer {
        factor_id: factor.id,
        factor_type: kind.name(),
        challenge_id,
        user_id: user.id,
        session_id: session.id,
        method: kind.method(),
        step: right.step,
        secret: right.secret.as_deref(),
        credential: right.credential.as_ref(),
        aaguid: right.aaguid,
        challenge_data: right.challenge_data.as_ref(),
        hmac_key: &raise.hmac_key,
        v1_token: raise.v1_token.as_deref(),
    };
    let is_audited = !app.config.audit_log_disable_postgres;
    let raised = if factor.is_verified() && !raise.is_version_1() {
        store::factors::accept(conn, &answer, &entry, is_audited).await?
    } else {
        accept_locked(app, &raise, factor, &answer, &entry).await?
    };
    // The code was used by another request at the same moment, or the session has ended.
    let raised = raised.ok_or_else(|| wrong_code(kind))?;
    app.log_audit_entry(&entry, client);
    if !factor.is_verified() {
        notify_enrolled(app, conn, &user, kind, client).await;
    }
    raise.issue(app, user, raised.hmac_key, raised.counter)
}

/// Accepts the first answer of a factor, or one that raises a session of version 1: these are decided on rows that are
/// locked.
async fn accept_locked(
    app: &App,
    raise: &Raise<'_>,
    factor: &Factor,
    answer: &Answer<'_>,
    entry: &NewAuditEntry,
) -> Result<Option<RaisedRow>> {
    let mut conn = app.connection().await?;
    let tx = conn.transaction().await?;
    raise.lock(&tx, answer.user_id).await?;
    // Another session may have verified a factor since the request began, and without that one this session must not add
    // the first one. The statement that waited for the lock does not see what was changed meanwhile; this one does.
    if !factor.is_verified() {
        let found = store::users::find_by_session(&tx, answer.session_id).await?;
        let Some((user, session @ Some(_))) = found else {
            return Ok(None);
        };
        if (Caller { user, session }).lacks_second_factor() {
            return Err(level_too_low());
        }
    }
    let is_audited = !app.config.audit_log_disable_postgres;
    let raised = store::factors::accept(&tx, answer, entry, is_audited).await?;
    tx.commit().await?;
    Ok(raised)
}

/// Notifies the user of a new factor. A mail that cannot be sent undoes nothing.
async fn notify_enrolled(
    app: &App,
    conn: &dyn Executor,
    user: &User,
    kind: FactorType,
    client: &ClientInfo,
) {
    match notify::factor_enrolled(app, conn, user, kind.name(), client).await {
        Ok(()) => app.mailer.wake(),
        Err(error) => tracing::warn!(
            error = &error as &dyn std::error::Error,
            user.id = %user.id,
            "the notification of a new second factor could not be sent"
        ),
    }
}

/// Returns the user as the verification leaves it: the factor counts, and others of its type that do not are gone.
fn after_verification(user: &User, factor: &Factor, aaguid: Option<Uuid>, now: Timestamp) -> User {
    let mut user = user.clone();
    user.factors.retain(|other| {
        other.id == factor.id || other.is_verified() || other.factor_type != factor.factor_type
    });
    for own in &mut user.factors {
        if own.id == factor.id && !own.is_verified() {
            "verified".clone_into(&mut own.status);
            own.updated_at = now;
            own.web_authn_aaguid = aaguid;
        }
    }
    user
}
