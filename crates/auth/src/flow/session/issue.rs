//! Opening sessions, and issuing their access and refresh tokens.

use innkeeper_rest::Response;
use innkeeper_service::database::Executor;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use super::SessionRecord;
use super::token::{RefreshKey, RefreshToken, generate_v1};
use crate::app::App;
use crate::app::HEAD_LIMIT;
use crate::app::audit::{self, Actor, AuditAction};
use crate::base::client::ClientInfo;
use crate::base::error::{AuthError, Result};
use crate::base::error_code::ErrorCode;
use crate::config::Profile;
use crate::crypto::jwt::{AccessClaims, Amr};
use crate::crypto::password::Weakness;
use crate::flow::hook;
use crate::flow::user::{Object, User, metadata};
use crate::store;
use crate::store::sessions::{PasskeyUse, TokenFormat};

/// The longest access token that contains the user's metadata.
const MAX_TOKEN: usize = HEAD_LIMIT - 8 * 1024;

/// The tokens of a sign-in or a refresh, to be sent to the client.
#[derive(Debug)]
pub(crate) struct IssuedTokens {
    pub(crate) body: TokenPair,
    session_id: Uuid,
    label: TokenLabel,
    /// For refreshes: whether an earlier refresh is answered again.
    is_replay: Option<bool>,
}

/// A header value that identifies a refresh token without revealing it.
#[derive(Debug)]
enum TokenLabel {
    /// The counter of a token of version 2.
    Counter(u64),
    /// The first characters of a token of version 1.
    Prefix(String),
}

/// How many characters of a token of version 1 are shown in a header.
const PREFIX_LENGTH: usize = 5;

/// The refresh token that a client is given.
#[derive(Debug)]
pub(crate) enum NextRefreshToken {
    /// A token of version 2, to be signed with the session's key.
    Signed { key: RefreshKey, counter: u64 },
    /// A token of version 1 that is stored already.
    Stored(String),
}

impl NextRefreshToken {
    /// Returns the text of the token, and its label.
    fn encode(self, session_id: Uuid) -> (String, TokenLabel) {
        match self {
            Self::Signed { key, counter } => {
                let token = RefreshToken {
                    session_id,
                    counter,
                };
                (token.encode(&key), TokenLabel::Counter(counter))
            }
            Self::Stored(text) => {
                let prefix = text.chars().take(PREFIX_LENGTH).collect();
                (text, TokenLabel::Prefix(prefix))
            }
        }
    }
}

/// The body of every response with tokens.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Session")]
pub(crate) struct TokenPair {
    pub(crate) access_token: String,
    token_type: &'static str,
    pub(crate) expires_in: i64,
    pub(crate) expires_at: i64,
    pub(crate) refresh_token: String,
    pub(crate) user: User,
    /// Only in responses to passwords.
    #[serde(skip_serializing_if = "PasswordStrength::is_unknown")]
    pub(crate) weak_password: PasswordStrength,
    /// The access token of the external provider, only after a sign-in with one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) provider_token: Option<String>,
    /// The refresh token of the external provider, if it has issued one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) provider_refresh_token: Option<String>,
    /// What was confirmed, only in responses to links and codes.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub(crate) kind: Option<&'static str>,
    /// What the user should know, only in responses to links and codes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) message: Option<&'static str>,
}

/// A session whose user is also at the top level, as in the response to a sign-up without a session. Readers of
/// either find what they look for.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "UserWithSession")]
pub(crate) struct UserWithSession {
    #[serde(flatten)]
    user: User,
    #[serde(flatten)]
    session: TokenPair,
}

/// Whether the password of a sign-in meets the policy.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Strength")]
#[serde(untagged)]
pub(crate) enum PasswordStrength {
    /// The sign-in used no password.
    Unknown,
    /// It meets the policy; written as `null`.
    Strong,
    /// It does not meet the policy.
    Weak(WeakPassword),
}

impl PasswordStrength {
    fn is_unknown(&self) -> bool {
        matches!(self, Self::Unknown)
    }
}

impl From<Option<Weakness>> for PasswordStrength {
    fn from(weakness: Option<Weakness>) -> Self {
        weakness.map_or(Self::Strong, |weakness| Self::Weak(weakness.into()))
    }
}

/// Why a password that is accepted should be changed.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct WeakPassword {
    message: String,
    reasons: Vec<&'static str>,
}

impl From<Weakness> for WeakPassword {
    fn from(weakness: Weakness) -> Self {
        Self {
            message: weakness.message,
            reasons: weakness.reasons,
        }
    }
}

impl IssuedTokens {
    /// Returns the id of the session.
    pub(crate) fn session_id(&self) -> Uuid {
        self.session_id
    }

    /// Converts the tokens into a response that must not be cached.
    pub(crate) fn into_response(self) -> Response {
        self.head().entity(self.body)
    }

    /// The same, with the members of the user beside those of the session.
    pub(crate) fn into_response_with_user(self) -> Response {
        self.head().entity(UserWithSession {
            user: self.body.user.clone(),
            session: self.body,
        })
    }

    fn head(&self) -> Response {
        self.label(Response::ok().header("cache-control", "no-store"))
    }

    /// Adds the headers that name the user, the session and the refresh token.
    pub(crate) fn label(&self, response: Response) -> Response {
        let response = response
            .header("sb-auth-user-id", self.body.user.id.to_string())
            .header("sb-auth-session-id", self.session_id.to_string());
        let response = match &self.label {
            TokenLabel::Counter(counter) => {
                response.header("sb-auth-refresh-token-counter", counter.to_string())
            }
            TokenLabel::Prefix(prefix) => {
                response.header("sb-auth-refresh-token-prefix", prefix.as_str())
            }
        };
        match self.is_replay {
            Some(is_replay) => response.header(
                "sb-auth-refresh-token-reuse",
                if is_replay { "true" } else { "false" },
            ),
            None => response,
        }
    }
}

/// How a user was authenticated.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Authentication<'a> {
    /// The method that the session records.
    pub(crate) method: &'a str,
    /// The provider of the identity that was used.
    pub(crate) provider: &'a str,
    /// The id of the user at the provider, if the provider may have several identities of the user.
    pub(crate) subject: Option<&'a str>,
    /// The new data of the identity, if it changes.
    pub(crate) identity_data: Option<&'a Object>,
    /// The PKCE flow whose code is used up.
    pub(crate) flow_id: Option<Uuid>,
    /// The passkey that was used.
    pub(crate) passkey: Option<PasskeyUse>,
}

/// Opens a session for a user who was authenticated by this method.
pub(crate) async fn open_session(
    app: &App,
    conn: &dyn Executor,
    user: User,
    method: &str,
    provider: &str,
    client: &ClientInfo,
) -> Result<IssuedTokens> {
    let authentication = Authentication {
        method,
        provider,
        ..Authentication::default()
    };
    open_session_of(app, conn, user, &authentication, client).await
}

/// Opens a session for a user who was authenticated in this way.
///
/// A hook may change the claims of the access token. Outside of a transaction it is called before anything
/// is written; inside of one it sees what was written.
pub(crate) async fn open_session_of(
    app: &App,
    conn: &dyn Executor,
    mut user: User,
    authentication: &Authentication<'_>,
    client: &ClientInfo,
) -> Result<IssuedTokens> {
    let (method, provider) = (authentication.method, authentication.provider);
    let now = app.clock.now();
    check_audience(app, &user)?;
    let id = Uuid::new_v4();
    let key = RefreshKey::generate();
    let named = missing_provider(&user, provider);
    user.app_metadata.extend(named.clone().unwrap_or_default());
    let amr = [Amr {
        method: method.to_owned(),
        timestamp: now.as_second(),
        provider: None,
    }];
    let session = TokenSession {
        id,
        created_at: now,
        aal: "aal1",
        amr: &amr,
    };
    let mut custom = None;
    if !conn.is_transaction() {
        let claims = claims_of(app, &user, &session, now);
        custom = hook::token::customize(app, conn, &claims, method, client).await?;
    }
    let start = SessionStart { id, key, now };
    let first = write_session(app, conn, &user, authentication, start, client).await?;
    if let Some(named) = &named {
        store::users::add_providers(conn, user.id, named).await?;
    }
    user.last_sign_in_at = Some(now);
    user.updated_at = now;
    show_use_of_identity(&mut user, authentication, now);
    if conn.is_transaction() {
        let claims = claims_of(app, &user, &session, now);
        custom = hook::token::customize(app, conn, &claims, method, client).await?;
    }
    issue_pair(app, user, &session, first, custom.as_ref(), now)
}

/// A session that is to be stored. The response has the same time as what is stored.
struct SessionStart {
    id: Uuid,
    key: RefreshKey,
    now: Timestamp,
}

/// Stores the session, uses up the code of its flow, and writes the audit entry. Returns the first refresh token.
async fn write_session(
    app: &App,
    conn: &dyn Executor,
    user: &User,
    authentication: &Authentication<'_>,
    start: SessionStart,
    client: &ClientInfo,
) -> Result<NextRefreshToken> {
    let SessionStart { id, key, now } = start;
    let v1_token = (app.config.profile == Profile::Gotrue).then(generate_v1);
    let provider = authentication.provider;
    let address = client.address.map(|address| address.to_string());
    let new = store::sessions::NewSession {
        id,
        user_id: user.id,
        not_after: None,
        user_agent: client.user_agent.as_deref(),
        address: address.as_deref(),
        tag: app.config.sessions.tags.first().map(String::as_str),
        hmac_key: &seal_key(app, id, &key)?,
        v1_token: v1_token.as_deref(),
        method: authentication.method,
        provider,
        subject: authentication.subject,
        identity_data: authentication.identity_data,
        flow_id: authentication.flow_id,
        passkey: authentication.passkey,
    };
    let mut traits = metadata::member("provider", provider);
    if let Some(passkey) = authentication.passkey {
        traits.insert("passkey_id".to_owned(), passkey.id.to_string().into());
    }
    let entry = audit::entry(AuditAction::Login, Actor::User(user), traits, client, now);
    let is_audited = !app.config.audit_log_disable_postgres;
    let format = store::sessions::open(conn, &new, &entry, is_audited, now).await?;
    if format.is_none() && authentication.passkey.is_some() {
        return Err(AuthError::refused(
            ErrorCode::WebauthnVerificationFailed,
            "Credential verification failed: the passkey was used or deleted meanwhile",
        ));
    }
    if format.is_none() && authentication.flow_id.is_some() {
        return Err(AuthError::refused(
            ErrorCode::FlowStateNotFound,
            "invalid flow state, no valid flow state found",
        ));
    }
    app.log_audit_entry(&entry, client);
    Ok(match (format, v1_token) {
        (Some(TokenFormat::V1), Some(token)) => NextRefreshToken::Stored(token),
        _ => NextRefreshToken::Signed { key, counter: 0 },
    })
}

/// Shows in the response what the sign-in has changed in the identity.
fn show_use_of_identity(user: &mut User, authentication: &Authentication<'_>, now: Timestamp) {
    for identity in user.identities.iter_mut().flatten() {
        let is_subject = authentication.subject.is_none_or(|it| it == identity.id);
        if identity.provider == authentication.provider && is_subject {
            identity.last_sign_in_at = Some(now);
            identity.updated_at = Some(now);
            if let Some(data) = authentication.identity_data {
                identity.identity_data.clone_from(data);
            }
        }
    }
}

/// Refuses to sign a token for an audience that no setting names, because other servers may trust it. Users whom
/// an application has inserted without an audience sign in, and so does everybody whom GoTrue would sign in.
fn check_audience(app: &App, user: &User) -> Result<()> {
    let is_signed = app.config.profile == Profile::Gotrue
        || user.aud.is_empty()
        || app.config.jwt.has_audience(&user.aud);
    if is_signed {
        return Ok(());
    }
    Err(AuthError::refused(
        ErrorCode::UnexpectedAudience,
        "The user's audience is none of those that this server has",
    ))
}

/// Returns the provider metadata of an account that an application inserted without any.
fn missing_provider(user: &User, provider: &str) -> Option<Object> {
    if user.is_anonymous || user.app_metadata.contains_key("provider") {
        return None;
    }
    let mut providers = metadata::providers(user);
    if providers.is_empty() {
        // A passkey belongs to an account that was made in another way.
        providers.push(match provider {
            "passkey" if user.email.is_empty() => "phone",
            "passkey" => "email",
            other => other,
        });
    }
    let mut named = Object::new();
    metadata::set_providers(&mut named, &providers);
    Some(named)
}

/// Lets the application change the claims of a session's next access token. Returns them if it did.
/// Call it before anything is written.
pub(crate) async fn customize_renewal(
    app: &App,
    conn: &dyn Executor,
    user: &User,
    session: &SessionRecord,
    method: &str,
    now: Timestamp,
    client: &ClientInfo,
) -> Result<Option<Object>> {
    let claims = claims_of(app, user, &TokenSession::of(session), now);
    hook::token::customize(app, conn, &claims, method, client).await
}

/// The next tokens of a session that goes on.
#[derive(Debug)]
pub(crate) struct Renewal {
    pub(crate) refresh_token: NextRefreshToken,
    /// Whether an earlier refresh is answered again.
    pub(crate) is_replay: bool,
    /// The claims of the access token, if the application changed them.
    pub(crate) custom_claims: Option<Object>,
}

/// Issues the next tokens of a session.
pub(crate) fn renew(
    app: &App,
    user: User,
    session: &SessionRecord,
    renewal: Renewal,
    now: Timestamp,
) -> Result<IssuedTokens> {
    check_audience(app, &user)?;
    let session = TokenSession::of(session);
    let (next, claims) = (renewal.refresh_token, renewal.custom_claims);
    let mut issued = issue_pair(app, user, &session, next, claims.as_ref(), now)?;
    issued.is_replay = Some(renewal.is_replay);
    Ok(issued)
}

/// Issues tokens of a session whose level has changed.
pub(crate) fn issue_for(
    app: &App,
    user: User,
    session: &SessionRecord,
    next: NextRefreshToken,
    custom: Option<&Object>,
    now: Timestamp,
) -> Result<TokenPair> {
    check_audience(app, &user)?;
    let session = TokenSession::of(session);
    Ok(issue_pair(app, user, &session, next, custom, now)?.body)
}

/// The parts of a session that its tokens state.
struct TokenSession<'a> {
    id: Uuid,
    created_at: Timestamp,
    aal: &'a str,
    amr: &'a [Amr],
}

impl<'a> TokenSession<'a> {
    fn of(session: &'a SessionRecord) -> Self {
        Self {
            id: session.id,
            created_at: session.created_at.unwrap_or(Timestamp::UNIX_EPOCH),
            aal: session.aal.as_deref().unwrap_or("aal1"),
            amr: session.methods.as_deref().unwrap_or_default(),
        }
    }
}

/// Returns the claims of an access token, before a hook changes them.
fn claims_of<'a>(
    app: &'a App,
    user: &'a User,
    session: &TokenSession<'a>,
    now: Timestamp,
) -> AccessClaims<'a, Object> {
    AccessClaims {
        iss: app.config.issuer().unwrap_or_default(),
        sub: user.id,
        aud: &user.aud,
        exp: end_of_token(app, user, session, now).as_second(),
        iat: now.as_second(),
        email: &user.email,
        phone: &user.phone,
        app_metadata: &user.app_metadata,
        user_metadata: &user.user_metadata,
        role: &user.role,
        aal: session.aal,
        amr: session.amr,
        session_id: session.id,
        is_anonymous: user.is_anonymous,
    }
}

/// Returns when an access token ends. A user who has a second factor may use a session without it for a limited time.
fn end_of_token(app: &App, user: &User, session: &TokenSession<'_>, now: Timestamp) -> Timestamp {
    let after = |start: Timestamp, length| start.saturating_add(length).unwrap_or(Timestamp::MAX);
    let end = after(now, app.config.jwt.exp);
    match app.config.sessions.allow_low_aal {
        Some(allowed) if session.aal != "aal2" && user.has_verified_factor() => {
            end.min(after(session.created_at, allowed))
        }
        _ => end,
    }
}

/// Whether a token could not be sent back to this server, with room for the rest of the head.
fn is_too_long<E>(signed: &std::result::Result<String, E>) -> bool {
    signed.as_ref().is_ok_and(|token| token.len() > MAX_TOKEN)
}

fn issue_pair(
    app: &App,
    user: User,
    session: &TokenSession<'_>,
    refresh_token: NextRefreshToken,
    custom: Option<&Object>,
    now: Timestamp,
) -> Result<IssuedTokens> {
    let keys = app.keys.current();
    let claims = claims_of(app, &user, session, now);
    // What was stored before there were bounds must not make a token that every server refuses.
    let nothing = Object::new();
    let (signed, expires_at) = if let Some(custom) = custom {
        // The hook's claims were checked: `exp` is there.
        let end = custom.get("exp").and_then(serde_json::Value::as_i64);
        let mut signed = keys.sign(custom);
        if is_too_long(&signed) && custom.contains_key("user_metadata") {
            let mut fewer = custom.clone();
            fewer.insert("user_metadata".to_owned(), nothing.into());
            signed = keys.sign(&fewer);
        }
        (signed, end.unwrap_or(claims.exp))
    } else {
        let mut signed = keys.sign(&claims);
        if is_too_long(&signed) {
            signed = keys.sign(&AccessClaims {
                user_metadata: &nothing,
                ..claims
            });
        }
        (signed, claims.exp)
    };
    let (refresh_token, label) = refresh_token.encode(session.id);
    Ok(IssuedTokens {
        session_id: session.id,
        label,
        is_replay: None,
        body: TokenPair {
            access_token: signed.map_err(AuthError::internal)?,
            token_type: "bearer",
            expires_in: expires_at.saturating_sub(now.as_second()),
            expires_at,
            refresh_token,
            user,
            weak_password: PasswordStrength::Unknown,
            provider_token: None,
            provider_refresh_token: None,
            kind: None,
            message: None,
        },
    })
}

/// Returns the key of a session's refresh tokens as it is stored: sealed, unless GoTrue must be able to read it.
pub(crate) fn seal_key(app: &App, session_id: Uuid, key: &RefreshKey) -> Result<String> {
    if !app.config.seals_shared_values() {
        return Ok(key.to_text().to_string());
    }
    app.sealer
        .seal(&session_id.to_string(), key.to_text().as_bytes())
        .map_err(AuthError::internal)
}

/// Returns the key of a session's refresh tokens, if it has one that can be opened. GoTrue may have stored
/// it in plain text.
pub(crate) fn open_key(app: &App, session: &SessionRecord) -> Option<RefreshKey> {
    let stored = session.hmac_key.as_deref()?;
    if !crate::crypto::seal::is_sealed(stored) {
        return RefreshKey::from_text(stored);
    }
    match app.sealer.open(&session.id.to_string(), stored) {
        Ok(opened) => RefreshKey::from_text(std::str::from_utf8(&opened).ok()?),
        Err(error) => {
            // The user signs in again; with a server error clients would retry for ever.
            tracing::warn!(%error, session.id = %session.id, "the refresh token key of a session cannot be opened");
            None
        }
    }
}
