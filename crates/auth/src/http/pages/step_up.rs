//! The second factor that a session lacks: the ways to prove it, and the way to the page that asks for it.

use innkeeper_rest::Response;
use uuid::Uuid;

use super::notice::Notice;
use super::paths::PagePath;
use super::problem::Problem;
use super::site::Pages;
use super::visit::Visit;
use super::words::Words;
use crate::app::App;
use crate::base::error::Result;
use crate::flow::caller::Caller;
use crate::flow::factor::{FactorType, recovery};
use crate::model::Factor;

/// The name of the recovery codes where the id of a factor could be.
const RECOVERY_CODE: &str = "recovery-code";

/// A way to prove a second factor.
#[derive(Debug, Clone, Copy)]
pub(super) enum Way<'c> {
    App(&'c Factor),
    Key(&'c Factor),
    Phone(&'c Factor),
    RecoveryCode,
}

impl Way<'_> {
    /// Returns the name of the way in a form or in a query.
    pub(super) fn name(self) -> String {
        match self {
            Self::App(factor) | Self::Key(factor) | Self::Phone(factor) => factor.id.to_string(),
            Self::RecoveryCode => RECOVERY_CODE.to_owned(),
        }
    }
}

/// All ways of a user that are accepted here, the preferred ones first.
pub(super) async fn ways<'c>(pages: &Pages, caller: &'c Caller) -> Result<Vec<Way<'c>>> {
    let app = &pages.app;
    let config = &app.config.mfa;
    let factors = caller.user.factors.iter();
    let usable = factors.filter_map(|factor| {
        let kind = FactorType::parse(&factor.factor_type).ok()?;
        let is_askable = kind != FactorType::Webauthn || pages.asks_authenticators();
        let is_usable = factor.is_verified() && is_askable && kind.is_accepted(config);
        is_usable.then_some(match kind {
            FactorType::Totp => Way::App(factor),
            FactorType::Phone => Way::Phone(factor),
            FactorType::Webauthn => Way::Key(factor),
        })
    });
    let mut ways: Vec<Way<'c>> = usable.collect();
    ways.sort_by_key(|way| match way {
        Way::Key(_) => 0,
        Way::App(_) => 1,
        Way::Phone(_) | Way::RecoveryCode => 2,
    });
    let accepts_recovery_codes = config.recovery_codes.verify && caller.user.has_verified_factor();
    if accepts_recovery_codes && recovery::status(app, caller).await?.remaining > 0 {
        ways.push(Way::RecoveryCode);
    }
    Ok(ways)
}

/// Returns the way with this name.
pub(super) fn find_way<'c>(ways: &[Way<'c>], name: &str) -> Option<Way<'c>> {
    ways.iter().copied().find(|way| way.name() == name)
}

/// Returns the name of a factor, for people.
pub(super) fn factor_name<'a>(factor: &'a Factor, words: &'a Words) -> &'a str {
    let name = factor.friendly_name.as_deref().unwrap_or_default();
    if name.trim().is_empty() {
        kind_name(factor, words)
    } else {
        name
    }
}

/// Returns the type of a factor, for people.
pub(super) fn kind_name<'a>(factor: &Factor, words: &'a Words) -> &'a str {
    match FactorType::parse(&factor.factor_type) {
        Ok(FactorType::Totp) => &words.authenticator_app,
        Ok(FactorType::Phone) => &words.phone_number,
        _ => &words.security_key,
    }
}

/// Leads to the page for the second factor, if the session lacks one that the user could prove. `None` if the page
/// that was asked for can be shown.
pub(super) async fn step_up(
    visit: &mut Visit<'_>,
    caller: &Caller,
    next: PagePath,
    problem: Option<&Problem>,
) -> Result<Option<Response>> {
    if !caller.lacks_second_factor() || ways(visit.pages, caller).await?.is_empty() {
        return Ok(None);
    }
    if problem.is_some_and(|problem| problem.needs_second_factor) {
        visit.leave_notice(Notice::SecondFactorNeeded);
    }
    go_to_second_factor(visit, None, next).map(Some)
}

/// Sends the browser to the page for the second factor, and from there to the next one.
pub(super) fn go_to_second_factor(
    visit: &Visit<'_>,
    way: Option<&str>,
    next: PagePath,
) -> Result<Response> {
    visit.go_to_with(PagePath::SecondFactor, &query(way, next))
}

/// Returns the query of the page for the second factor.
pub(super) fn query(way: Option<&str>, next: PagePath) -> Vec<(&'static str, &str)> {
    let next = Some(next.name()).filter(|name| !name.is_empty());
    let pairs = [("factor", way), ("to", next)];
    let pairs = pairs
        .into_iter()
        .filter_map(|(name, value)| Some((name, value?)));
    pairs.collect()
}

/// Reads the caller again, after a code was refused: another request may have used it for the same purpose.
pub(super) async fn reload(app: &App, caller: &Caller) -> Result<Caller> {
    let session_id = caller.session.as_ref().map_or(Uuid::nil(), |it| it.id);
    Caller::of_session(app, caller.user.id, session_id).await
}
