//! The page that asks for the second factor.

use innkeeper_rest::Response;

use super::ceremony::{Request, ceremony_form, ceremony_hint};
use super::html::{Html, element, text};
use super::layout::Page;
use super::parts::{Field, button, form, hidden, paragraph, quiet_button};
use super::paths::PagePath;
use super::problem::Problem;
use super::step_up::{Way, factor_name, query};
use super::visit::Visit;
use super::words::fill;
use crate::base::error::Result;
use crate::config::redirect::with_query;
use crate::flow::caller::Caller;
use crate::model::Factor;

/// The digits of a phone number that a page shows before the second factor was proved.
const SHOWN_DIGITS: usize = 3;

/// What is asked for, and what follows.
#[derive(Debug)]
pub(super) struct Question {
    /// The name of the [`Way`] that the visitor has chosen.
    pub(super) way: String,
    pub(super) next: PagePath,
    /// The challenge that the form answers; by default the one that the browser knows.
    pub(super) challenge: Option<String>,
}

/// Asks for the second factor in this way, and offers the others.
pub(super) fn second_factor_page(
    visit: &mut Visit<'_>,
    caller: &Caller,
    ways: &[Way<'_>],
    way: Way<'_>,
    question: &Question,
    problem: Option<Problem>,
) -> Result<Response> {
    let words = visit.words();
    let mut content = Html::default();
    content.push(text("p", caller.user.name()).class("value"));
    content.push(match way {
        Way::App(factor) => app_form(visit, factor, question),
        Way::Key(factor) => key_form(visit, factor, question),
        Way::Phone(factor) => phone_form(visit, factor, question),
        Way::RecoveryCode => recovery_form(visit, question),
    });
    content.push(other_ways(visit, ways, way, question.next));
    content.push(form(visit, PagePath::SignOut).child(quiet_button(&words.sign_out)));
    let address = visit.pages.paths.to(PagePath::SecondFactor);
    let address = with_query(&address, &query(Some(&way.name()), question.next));
    Page::at(address, &words.second_factor, content)
        .with_problem(problem)
        .with_script(matches!(way, Way::Key(_)))
        .respond(visit)
}

fn app_form(visit: &Visit<'_>, factor: &Factor, question: &Question) -> Html {
    let words = visit.words();
    let values = [
        ("site", visit.pages.site_name.as_str()),
        ("name", factor_name(factor, words)),
    ];
    let mut html = Html::default();
    html.push(paragraph(&fill(&words.authenticator_prompt, &values)));
    html.push(
        form(visit, PagePath::SecondFactor)
            .child(hidden("factor", &factor.id.to_string()))
            .child(hidden("to", question.next.name()))
            .child(Field::code(&words.authenticator_code))
            .child(button(&words.go_on)),
    );
    html
}

fn key_form(visit: &Visit<'_>, factor: &Factor, question: &Question) -> Html {
    let words = visit.words();
    let values = [("name", factor_name(factor, words))];
    let request = Request::Get;
    let mut html = Html::default();
    html.push(paragraph(&fill(&words.security_key_prompt, &values)));
    html.push(
        ceremony_form(
            visit,
            request,
            PagePath::SecondFactorOptions,
            PagePath::SecondFactor,
        )
        .child(hidden("factor", &factor.id.to_string()))
        .child(hidden("to", question.next.name()))
        .child(button(&words.use_security_key)),
    );
    html.push(ceremony_hint(visit));
    html
}

fn phone_form(visit: &Visit<'_>, factor: &Factor, question: &Question) -> Html {
    let known = visit.challenge().filter(|it| it.factor_id == factor.id);
    let known = known.map(|it| it.challenge_id.to_string());
    let challenge = question.challenge.clone().or(known);
    MessageForm {
        factor,
        challenge: challenge.as_deref(),
        next: question.next,
        answer: PagePath::SecondFactor,
        send: PagePath::SecondFactorCode,
    }
    .write(visit)
}

/// The forms that send a code by text message and take it.
pub(super) struct MessageForm<'a> {
    pub(super) factor: &'a Factor,
    /// The challenge of the message that was sent, if one was.
    pub(super) challenge: Option<&'a str>,
    pub(super) next: PagePath,
    /// Where the code is sent to.
    pub(super) answer: PagePath,
    /// Where another message is requested.
    pub(super) send: PagePath,
}

impl MessageForm<'_> {
    pub(super) fn write(&self, visit: &Visit<'_>) -> Html {
        let words = visit.words();
        let number = self.factor.phone.as_deref().unwrap_or_default();
        let hidden_digits = number.chars().count().saturating_sub(SHOWN_DIGITS);
        let digits: String = number.chars().skip(hidden_digits).collect();
        let values = [("digits", digits.as_str())];
        let id = self.factor.id.to_string();
        let to = |target: PagePath| {
            form(visit, target)
                .child(hidden("factor", &id))
                .child(hidden("to", self.next.name()))
        };
        let mut html = Html::default();
        let Some(challenge) = self.challenge else {
            html.push(paragraph(&fill(&words.phone_prompt, &values)));
            html.push(to(self.send).child(button(&words.send_message)));
            return html;
        };
        html.push(paragraph(&fill(&words.message_prompt, &values)));
        html.push(
            to(self.answer)
                .child(hidden("challenge", challenge))
                .child(Field::code(&words.message_code))
                .child(button(&words.go_on)),
        );
        html.push(to(self.send).child(quiet_button(&words.send_message_again)));
        html
    }
}

fn recovery_form(visit: &Visit<'_>, question: &Question) -> Html {
    let words = visit.words();
    let mut html = Html::default();
    html.push(paragraph(&words.recovery_code_prompt));
    html.push(
        form(visit, PagePath::SecondFactor)
            .child(hidden("factor", &Way::RecoveryCode.name()))
            .child(hidden("to", question.next.name()))
            .child(Field::text("recovery_code", &words.recovery_code, ""))
            .child(button(&words.go_on)),
    );
    html
}

/// Writes a link for each other way.
fn other_ways(visit: &Visit<'_>, ways: &[Way<'_>], chosen: Way<'_>, next: PagePath) -> Html {
    let words = visit.words();
    let others = ways.iter().filter(|way| way.name() != chosen.name());
    let links = others.map(|way| {
        let label = match way {
            Way::App(factor) | Way::Key(factor) | Way::Phone(factor) => {
                fill(&words.use_factor, &[("name", factor_name(factor, words))])
            }
            Way::RecoveryCode => words.use_recovery_code.clone(),
        };
        let address = visit.pages.paths.to(PagePath::SecondFactor);
        let address = with_query(&address, &query(Some(&way.name()), next));
        let link = text("a", &label).attribute("href", &address);
        element("li").child(link)
    });
    let links: Html = links.collect();
    if links.as_str().is_empty() {
        return links;
    }
    let mut html: Html = text("h2", &words.other_ways).into();
    html.push(element("ul").class("ways").child(links));
    html
}
