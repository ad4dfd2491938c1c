//! The page that the link of a mail opens. It says what the link does, and uses it only when a person presses the
//! button: programs that open links, such as mail scanners, use up nothing.

use innkeeper_rest::{Head, Request, Response};

use super::arrival::arrive;
use super::by_name;
use super::html::{Html, element, text};
use super::layout::Page;
use super::parts::{button, form_to, link_to, paragraph};
use super::paths::PagePath;
use super::problem::Problem;
use super::site::Pages;
use super::visit::Visit;
use super::words::{Words, fill};
use crate::base::client::ClientInfo;
use crate::base::error::Result;
use crate::base::error_code::ErrorCode;
use crate::flow::one_time::TokenKind;
use crate::flow::one_time::find;
use crate::flow::one_time::verify::Verification;
use crate::flow::one_time::verify_type::VerifyType;
use crate::flow::user::User;
use crate::http::api::client::query_value;

/// Shows what a link does. Nothing is used up.
pub(crate) async fn show(
    pages: &Pages,
    request: &Request,
    client: &ClientInfo,
    failed: &str,
) -> Result<Response> {
    // The session of a link to an application is not in a cookie of these pages.
    let ends_here = pages.app.redirects.is_own(&pages.app.redirect_to(client));
    if let Some(response) = by_name::redirect(pages, request.head()).filter(|_| ends_here) {
        return Ok(response);
    }
    let mut visit = pages.visit(request).await?;
    ask(&mut visit, request.head(), client, failed, None).await
}

/// Checks the form of the page whose button leads to a page of this server. Returns the response to a form that is not
/// accepted.
pub(crate) async fn check<'p>(
    pages: &'p Pages,
    request: &Request,
    client: &ClientInfo,
    bytes: &[u8],
) -> Result<std::result::Result<ConfirmedVisit<'p>, Response>> {
    let (mut visit, form) = pages.submitted(request, bytes).await?;
    match visit.check_form(&form) {
        Ok(()) => Ok(Ok(ConfirmedVisit(visit))),
        Err(problem) => {
            let asked = ask(&mut visit, request.head(), client, "", Some(problem)).await;
            asked.map(Err)
        }
    }
}

/// A visit whose form was accepted.
#[derive(Debug)]
pub(crate) struct ConfirmedVisit<'p>(Visit<'p>);

impl ConfirmedVisit<'_> {
    /// Signs the browser in with a link that was used, or says why it was not.
    pub(crate) async fn finish(
        mut self,
        verified: Result<Verification>,
        head: &Head,
    ) -> Result<Response> {
        let Self(visit) = &mut self;
        match verified {
            Ok(verified) => arrive(visit, verified).await,
            Err(error) => {
                let kind = kind_of(head);
                let mut problem = Problem::of(&error, visit.words(), &visit.pages.app);
                if error.code() == ErrorCode::OtpExpired.as_str() {
                    problem.text.clone_from(&visit.words().link_wrong);
                }
                outdated(visit, kind, "", problem)
            }
        }
    }
}

fn kind_of(head: &Head) -> Option<VerifyType> {
    query_value(head, "type").and_then(|kind| VerifyType::parse(&kind))
}

/// Asks the visitor to use a link, or says that it does not work.
async fn ask(
    visit: &mut Visit<'_>,
    head: &Head,
    client: &ClientInfo,
    failed: &str,
    problem: Option<Problem>,
) -> Result<Response> {
    let (pages, words) = (visit.pages, visit.words());
    let kind = kind_of(head);
    let secret = query_value(head, "token").unwrap_or_default();
    let found = match kind {
        Some(kind) => find::preview(&pages.app, kind, &secret).await?,
        None => None,
    };
    let (Some(kind), Some((user, token))) = (kind, found) else {
        let problem = Problem::new(403, &words.link_wrong);
        return outdated(visit, kind, failed, problem);
    };
    let target = pages.app.redirect_to(client);
    let site = pages.name_at(&target);
    let (title, question) = wording(words, kind.resolve(token));
    let query = head.query().unwrap_or_default();
    let action = format!("{}?{query}", pages.paths.verify());
    let form = form_to(visit, &action).child(button(title));
    let mut content = Html::default();
    content.push(paragraph(&describe(question, &user, token, &site)));
    content.push(form);
    content.push(paragraph(&words.not_you));
    Page::at(action, title, content)
        .with_targets(&[target, pages.app.redirects.site().to_owned()])
        .with_problem(problem)
        .respond(visit)
}

/// Returns the label of the button, and the sentence that names the site, the account and the action.
fn wording(words: &Words, kind: VerifyType) -> (&str, &str) {
    match kind {
        VerifyType::Invite => (&words.accept_invitation, &words.confirm_invite),
        VerifyType::Recovery => (&words.choose_new_password, &words.confirm_recovery),
        VerifyType::EmailChange => (&words.confirm_change, &words.confirm_email_change),
        VerifyType::Signup => (&words.confirm_address, &words.confirm_signup),
        _ => (&words.sign_in, &words.confirm_magic_link),
    }
}

fn describe(question: &str, user: &User, token: TokenKind, site: &str) -> String {
    let account = match (token, user.email.as_str()) {
        // An anonymous user who gets a first address.
        (TokenKind::EmailChangeNew, "") => user.new_email.as_str(),
        (_, email) => email,
    };
    let values = [
        ("account", account),
        ("new_email", user.new_email.as_str()),
        ("site", site),
    ];
    fill(question, &values)
}

/// Says that a link does not work, and how to get another one.
fn outdated(
    visit: &mut Visit<'_>,
    kind: Option<VerifyType>,
    failed: &str,
    problem: Problem,
) -> Result<Response> {
    let words = visit.words();
    let mut content = Html::default();
    content.push(paragraph(match kind {
        Some(VerifyType::Recovery) => &words.new_link_recovery,
        Some(VerifyType::EmailChange) => &words.new_link_email_change,
        Some(VerifyType::Invite) => &words.new_link_invite,
        Some(VerifyType::Signup) => &words.new_link_signup,
        _ => &words.new_link_magic_link,
    }));
    content.push(match (kind, &visit.caller) {
        (Some(VerifyType::Recovery), _) => link_to(
            visit,
            PagePath::ForgottenPassword,
            &words.forgotten_password,
        ),
        (_, Some(_)) => link_to(visit, PagePath::Account, &words.to_account),
        (_, None) => link_to(visit, PagePath::SignIn, &words.to_sign_in),
    });
    if !failed.is_empty() {
        // The application may explain it better, and offer another link.
        let values = [("site", visit.pages.site_name.as_str())];
        let link = text("a", &fill(&words.back_to_site, &values)).attribute("href", failed);
        content.push(element("p").child(link));
    }
    let address = visit.address.clone();
    Page::at(address, &words.link_title, content)
        .with_problem(Some(problem))
        .respond(visit)
}
