//! Rate limits of the endpoints that send messages, check guesses or issue tokens, per client.
//!
//! A filter counts requests by their path. What only the body tells, a handler counts with [`ClientLimits`]: a
//! share of the messages of the whole server, and whether a sign-up is anonymous. Requests for second factors are
//! counted there as well, once their owner is known.
//!
//! The other endpoints are not limited: `/health`, `/settings` and the public keys cost next to nothing, the answer of a
//! passkey uses up a challenge, and the rest requires a token. [`crate::app::throttle`] names the other limits.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use http::{HeaderName, Method};
use innkeeper_rest::filter::{ClientAddress, Decision, FilterError, Quota, RateLimit};
use innkeeper_rest::{Filter, Next, Rejection, Request, Response};
use innkeeper_service::limiter::SharedLimiter;
use uuid::Uuid;

use super::client::{PlatformHeader, address_in};
use crate::app::App;
use crate::base::error::AuthError;
use crate::base::error_code::ErrorCode;
use crate::config::{Config, Profile, Rate};
use crate::http::pages::paths::{PagePath, is_page, is_provider};

const FIVE_MINUTES: Duration = Duration::from_mins(5);
const HOUR: Duration = Duration::from_hours(1);
const MINUTE: Duration = Duration::from_mins(1);
/// How much of the mails of the whole server one client may request: one part of this many.
const MAIL_PARTS: u32 = 3;
/// How many requests may come at once.
const BURST: u32 = 30;

type Limit = RateLimit<Arc<SharedLimiter>>;

/// Limits each client at each endpoint.
#[derive(Debug)]
pub(crate) struct RateLimits(ClientLimits);

/// The limits of each client, for handlers; `None` if clients cannot be told apart.
#[derive(Debug, Clone)]
pub(crate) struct ClientLimits(Option<Arc<EndpointLimits>>);

/// The limit of each endpoint.
#[derive(Debug)]
struct EndpointLimits {
    /// The client's share of the mails of the whole server. It counts every request that may send one, whoever has the
    /// address. `None` if sign-ups need no confirmation, because then mails are not limited.
    mail: Option<Limit>,
    /// The same share of the text messages.
    sms: Option<Limit>,
    signup: Limit,
    anonymous: Limit,
    recover: Limit,
    resend: Limit,
    magiclink: Limit,
    otp: Limit,
    user: Limit,
    verify: Limit,
    token: Limit,
    passkey: Limit,
    /// Challenges of second factors, and answers to them. Handlers count them once they know the owner of the factor.
    challenge: Limit,
    answer: Limit,
    /// Each request stores a row. `None` in the gotrue profile, as in GoTrue.
    authorize: Option<Limit>,
    key: Arc<ClientKey>,
}

impl RateLimits {
    pub(crate) fn new(app: &App) -> Result<Self, FilterError> {
        let key = ClientKey::new(&app.config);
        let limits = key
            .can_identify()
            .then(|| EndpointLimits::new(app, &Arc::new(key)));
        Ok(Self(ClientLimits(limits.transpose()?.map(Arc::new))))
    }
}

/// A sign-up that was counted.
#[must_use = "its response tells how many more are allowed"]
#[derive(Debug)]
pub(crate) struct CountedSignup(Option<(Limit, Decision)>);

impl CountedSignup {
    /// Adds the headers of the limit.
    pub(crate) fn add_headers(&self, mut response: Response) -> Response {
        if let Some((limit, decision)) = &self.0 {
            limit.add_headers(&mut response, decision);
        }
        response
    }
}

impl ClientLimits {
    /// Counts a request that may send a mail. The share is not the limit of an endpoint, so it adds no headers.
    pub(crate) async fn count_mail(&self, request: &Request) -> Result<(), AuthError> {
        let Some(limits) = &self.0 else {
            return Ok(());
        };
        let waited = limits.count_share(limits.mail.as_ref(), request).await;
        waited.map_err(AuthError::MailLimit)
    }

    /// Does the same for a request that may send a text message.
    pub(crate) async fn count_sms(&self, request: &Request) -> Result<(), AuthError> {
        let Some(limits) = &self.0 else {
            return Ok(());
        };
        let waited = limits.count_share(limits.sms.as_ref(), request).await;
        waited.map_err(AuthError::SmsLimit)
    }

    /// Counts a challenge of a second factor, whose owner has sent the request.
    pub(crate) async fn count_challenge(
        &self,
        owned: Uuid,
        request: &Request,
    ) -> Result<(), AuthError> {
        match &self.0 {
            Some(limits) => limits.count_factor(&limits.challenge, owned, request).await,
            None => Ok(()),
        }
    }

    /// Counts the answer to such a challenge, or a recovery code of the user.
    pub(crate) async fn count_answer(
        &self,
        owned: Uuid,
        request: &Request,
    ) -> Result<(), AuthError> {
        match &self.0 {
            Some(limits) => limits.count_factor(&limits.answer, owned, request).await,
            None => Ok(()),
        }
    }

    /// Counts a sign-up; anonymous ones by themselves.
    ///
    /// # Errors
    ///
    /// Returns the response that refuses the request.
    pub(crate) async fn count_signup(
        &self,
        is_anonymous: bool,
        request: &Request,
    ) -> Result<CountedSignup, Response> {
        let Some(limits) = &self.0 else {
            return Ok(CountedSignup(None));
        };
        let limit = if is_anonymous {
            &limits.anonymous
        } else {
            &limits.signup
        };
        let decision = limit.check(request).await?;
        Ok(CountedSignup(decision.map(|it| (limit.clone(), it))))
    }
}

impl EndpointLimits {
    fn new(app: &App, key: &Arc<ClientKey>) -> Result<Self, FilterError> {
        let config = &app.config;
        let rates = &config.rate_limit;
        // The limiter falls back to memory by itself once Redis has taken too long.
        let timeout = rates.redis_timeout.unsigned_abs().saturating_mul(3);
        let of_quota = |name: &str, quota: Quota| {
            let key = Arc::clone(key);
            RateLimit::builder(quota)
                .name(name)
                .by(move |request| key.of(request))
                .limiter(Arc::clone(&app.limiter))
                .patience(timeout.max(Duration::from_secs(1)))
        };
        let limit = |name: &str, number: f64| {
            of_quota(name, quota(number, config.profile))
                .refuse_with(|_| refusal())
                .build()
        };
        let of_factor =
            |name: &str| of_quota(name, per_minute(config.mfa.rate_limit, config.profile)).build();
        let mail = mail_share(config).map(|share| of_quota("mail", share).build());
        let sms = sms_share(config).map(|share| of_quota("sms", share).build());
        let anonymous = of_quota("anonymous", hourly(rates.anonymous_users));
        Ok(Self {
            mail: mail.transpose()?,
            sms: sms.transpose()?,
            signup: limit("signup", rates.otp)?,
            anonymous: anonymous.refuse_with(|_| refusal()).build()?,
            recover: limit("recover", rates.otp)?,
            resend: limit("resend", rates.otp)?,
            magiclink: limit("magiclink", rates.otp)?,
            otp: limit("otp", rates.otp)?,
            user: limit("user", rates.otp)?,
            verify: limit("verify", rates.verify)?,
            token: limit("token", rates.token_refresh)?,
            passkey: limit("passkey", rates.passkey)?,
            challenge: of_factor("factor_challenge")?,
            answer: of_factor("factor_verify")?,
            authorize: match config.profile {
                Profile::Std => Some(limit("authorize", rates.token_refresh)?),
                Profile::Gotrue => None,
            },
            key: Arc::clone(key),
        })
    }

    /// Counts a request of a client against its share, or returns the seconds to wait.
    async fn count_share(&self, share: Option<&Limit>, request: &Request) -> Result<(), u64> {
        let (Some(share), Some(client)) = (share, self.key.of(request)) else {
            return Ok(());
        };
        count(share, &client).await
    }

    /// Counts a request of a client for a factor. In std other accounts of the same address have a count of their own.
    async fn count_factor(
        &self,
        limit: &Limit,
        owned: Uuid,
        request: &Request,
    ) -> Result<(), AuthError> {
        let Some(client) = self.key.of(request) else {
            return Ok(());
        };
        let client = match self.key.profile {
            Profile::Std => format!("{client} {owned}"),
            Profile::Gotrue => client,
        };
        count(limit, &client).await.map_err(AuthError::RequestLimit)
    }

    fn of(&self, request: &Request) -> Option<&Limit> {
        // Like the routes, which compare paths without decoding and accept a slash at the end.
        let path = request.path().trim_end_matches('/');
        if is_page(path) {
            return self.of_page(request.method(), path);
        }
        match (request.method(), path) {
            (&Method::POST, "/recover") => Some(&self.recover),
            (&Method::POST, "/resend") => Some(&self.resend),
            (&Method::POST, "/magiclink") => Some(&self.magiclink),
            (&Method::POST, "/otp") => Some(&self.otp),
            (&Method::PUT, "/user") => Some(&self.user),
            (&Method::GET | &Method::POST, "/verify") => Some(&self.verify),
            (&Method::POST, "/token") => Some(&self.token),
            (&Method::POST, "/passkeys/authentication/options") => Some(&self.passkey),
            (&Method::GET, "/authorize") => self.authorize.as_ref(),
            _ => None,
        }
    }

    /// Returns the limit of the endpoint that does what a form of a page does.
    fn of_page(&self, method: &Method, path: &str) -> Option<&Limit> {
        match (method, PagePath::at(path)) {
            (&Method::GET, _) if is_provider(path) => self.authorize.as_ref(),
            (&Method::GET, Some(PagePath::Return)) => Some(&self.token),
            (&Method::POST, Some(page)) => match page {
                PagePath::SignIn => Some(&self.token),
                PagePath::PasskeySignInOptions => Some(&self.passkey),
                PagePath::EmailLink => Some(&self.otp),
                PagePath::ForgottenPassword => Some(&self.recover),
                PagePath::Code => Some(&self.verify),
                PagePath::CodeAgain => Some(&self.resend),
                PagePath::ChangeEmail | PagePath::ChangePassword | PagePath::NewPassword => {
                    Some(&self.user)
                }
                _ => None,
            },
            _ => None,
        }
    }
}

/// Counts a request, or returns the seconds to wait.
async fn count(limit: &Limit, client: &str) -> Result<(), u64> {
    let counted = limit.count_for(client).await;
    counted.map_err(|refused| {
        let wait = refused.more_in;
        (wait.as_secs() + u64::from(wait.subsec_nanos() > 0)).max(1)
    })
}

/// Returns how many mails a client may request, if the server limits mails and sends any.
fn mail_share(config: &Config) -> Option<Quota> {
    let rate = config.rate_limit.email_sent;
    let is_limited = !config.mailer.autoconfirm && rate.size() > 0;
    is_limited.then(|| share_of(rate))
}

/// Returns how many text messages a client may request, if the server limits them and sends any.
fn sms_share(config: &Config) -> Option<Quota> {
    let rate = config.rate_limit.sms_sent;
    let is_limited = !config.sms.autoconfirm && rate.size() > 0;
    is_limited.then(|| share_of(rate))
}

/// Returns the share of one client in a rate: a third at once, and a third of what the rate gains with time.
fn share_of(rate: Rate) -> Quota {
    let burst = rate.size().div_ceil(MAIL_PARTS);
    match rate {
        Rate::PerHour(_) => Quota::new(burst, HOUR),
        Rate::Bucket { refill, .. } => {
            // A quota has whole seconds, so a thousand requests are allowed in a thousand times the time. It
            // must be full again within two centuries.
            let longest = 9_000_000_000_000 / u64::from(burst.max(1));
            let millis = u64::try_from(refill.unsigned_abs().as_millis()).unwrap_or(u64::MAX);
            let seconds = millis.saturating_mul(u64::from(MAIL_PARTS));
            Quota::new(1000, Duration::from_secs(seconds.clamp(1, longest))).with_burst(burst)
        }
    }
}

/// Returns a quota of this many requests in five minutes. A number below the burst also limits how many may
/// come at once, except in the gotrue profile, where the burst is always the same.
fn quota(number: f64, profile: Profile) -> Quota {
    let burst = match profile {
        Profile::Std => whole(number.ceil()).min(BURST),
        Profile::Gotrue => BURST,
    };
    // Quotas are whole numbers, but half a request in five minutes is one in ten.
    let thousandfold = number * 1000.0;
    let quota = if number.fract() == 0.0 || thousandfold > f64::from(u32::MAX) {
        Quota::new(whole(number), FIVE_MINUTES)
    } else {
        Quota::new(whole(thousandfold), FIVE_MINUTES.saturating_mul(1000))
    };
    quota.with_burst(burst)
}

/// Returns a quota of this many requests in a minute.
fn per_minute(number: f64, profile: Profile) -> Quota {
    let burst = match profile {
        Profile::Std => whole(number.ceil()).min(BURST),
        Profile::Gotrue => BURST,
    };
    let quota = if number.fract() == 0.0 {
        Quota::new(whole(number), MINUTE)
    } else {
        let thousandfold = (number * 1000.0).min(f64::from(u32::MAX));
        Quota::new(whole(thousandfold), MINUTE.saturating_mul(1000))
    };
    quota.with_burst(burst)
}

/// Returns a quota of this many requests in an hour, all of which may come at once.
fn hourly(number: f64) -> Quota {
    let burst = whole(number.ceil());
    let quota = if number.fract() == 0.0 {
        Quota::new(burst, HOUR)
    } else {
        let thousandfold = (number * 1000.0).min(f64::from(u32::MAX));
        Quota::new(whole(thousandfold), HOUR.saturating_mul(1000))
    };
    quota.with_burst(burst)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the settings allow no number outside of the type"
)]
fn whole(number: f64) -> u32 {
    number.round().max(1.0) as u32
}

fn refusal() -> Rejection {
    AuthError::refused(
        ErrorCode::OverRequestRateLimit,
        "Request rate limit reached",
    )
    .into_rejection()
}

impl Filter for RateLimits {
    async fn apply(&self, request: &mut Request, next: Next<'_>) -> Response {
        let RateLimits(limits) = self;
        request.values_mut().set(limits.clone());
        match limits.0.as_ref().and_then(|limits| limits.of(request)) {
            Some(limit) => limit.clone().apply(request, next).await,
            None => next.run(request).await,
        }
    }
}

/// What identifies a client.
#[derive(Debug)]
struct ClientKey {
    profile: Profile,
    /// The header that the proxies of the hosting platform set, if any.
    platform: PlatformHeader,
    /// `RATE_LIMIT_HEADER`.
    header: Option<HeaderName>,
    /// Whether the warning about missing headers was logged.
    has_warned: AtomicBool,
}

impl ClientKey {
    fn new(config: &Config) -> Self {
        Self {
            profile: config.profile,
            platform: PlatformHeader::new(config),
            header: config.rate_limit.header.clone(),
            has_warned: AtomicBool::new(false),
        }
    }

    fn can_identify(&self) -> bool {
        self.profile == Profile::Std || self.platform.is_set() || self.header.is_some()
    }

    /// Returns the client of a request; `None` if the request is not limited.
    fn of(&self, request: &Request) -> Option<String> {
        let head = request.head();
        if let Some(address) = self.platform.client_of(request) {
            return Some(ClientAddress(address).network());
        }
        let by_header = self.header.as_ref().and_then(|it| {
            if let Some(address) = address_in(head, it) {
                return Some(ClientAddress(address).network());
            }
            let first = head.header_text(it)?.split(',').next()?.trim();
            (!first.is_empty()).then(|| first.to_owned())
        });
        by_header.or_else(|| self.without_headers(request))
    }

    fn without_headers(&self, request: &Request) -> Option<String> {
        if self.profile == Profile::Std {
            let client = request.values().get::<ClientAddress>();
            return Some(client.map_or("unknown".to_owned(), |client| client.network()));
        }
        if !self.has_warned.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                "a request has no header that names the client; such requests are not limited"
            );
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use innkeeper_rest::filter::{Quota, RateLimit};
    use jiff::SignedDuration;

    use super::{hourly, per_minute, quota, share_of};
    use crate::config::{Profile, Rate};

    #[test]
    fn a_client_has_a_third_of_the_mails() {
        for (size, share) in [(1, 1), (3, 1), (4, 2), (30, 10), (31, 11), (90, 30)] {
            let quota = share_of(Rate::PerHour(size));
            assert_eq!(quota, Quota::per_hour(share), "{size}");
            for (refill, interval) in [(120_000, 360_000), (100, 300)] {
                let refill = SignedDuration::from_millis(refill);
                let quota = share_of(Rate::Bucket { size, refill });
                let expected = (share, Duration::from_millis(interval));
                assert_eq!((quota.burst(), quota.interval()), expected, "{size}");
            }
        }
    }

    #[test]
    fn the_share_of_any_rate_is_a_valid_quota() {
        for size in [1, 30, u32::MAX] {
            for refill in [SignedDuration::from_nanos(1), SignedDuration::MAX] {
                for rate in [Rate::PerHour(size), Rate::Bucket { size, refill }] {
                    let limit = RateLimit::new(share_of(rate));
                    assert!(limit.is_ok(), "{rate:?}: {:?}", limit.err());
                }
            }
        }
    }

    #[test]
    fn all_anonymous_sign_ins_of_an_hour_may_come_at_once() {
        let hour = Duration::from_hours(1);
        for (number, expected) in [
            (30.0, Quota::new(30, hour)),
            (1.0, Quota::new(1, hour)),
            (2.5, Quota::new(2500, hour * 1000).with_burst(3)),
            (0.001, Quota::new(1, hour * 1000).with_burst(1)),
            (1e9, Quota::new(1_000_000_000, hour)),
        ] {
            assert_eq!(hourly(number), expected, "{number}");
            assert!(RateLimit::new(hourly(number)).is_ok(), "{number}");
        }
    }

    #[test]
    fn requests_for_factors_are_counted_by_the_minute() {
        let minute = Duration::from_mins(1);
        for (number, std) in [
            (15.0, Quota::new(15, minute).with_burst(15)),
            (60.0, Quota::new(60, minute).with_burst(30)),
            (0.5, Quota::new(500, minute * 1000).with_burst(1)),
            (1e9, Quota::new(1_000_000_000, minute).with_burst(30)),
        ] {
            assert_eq!(per_minute(number, Profile::Std), std, "{number}");
            assert_eq!(per_minute(number, Profile::Gotrue), std.with_burst(30));
            assert!(RateLimit::new(std).is_ok(), "{number}");
        }
    }

    #[test]
    fn numbers_become_quotas() {
        let five = Duration::from_mins(5);
        for (number, std, gotrue) in [
            (30.0, Quota::new(30, five).with_burst(30), 30),
            (150.0, Quota::new(150, five).with_burst(30), 30),
            (5.0, Quota::new(5, five).with_burst(5), 30),
            (0.5, Quota::new(500, five * 1000).with_burst(1), 30),
            (2.5, Quota::new(2500, five * 1000).with_burst(3), 30),
            (1e9, Quota::new(1_000_000_000, five).with_burst(30), 30),
        ] {
            assert_eq!(quota(number, Profile::Std), std, "{number}");
            assert_eq!(quota(number, Profile::Gotrue), std.with_burst(gotrue));
        }
    }
}
