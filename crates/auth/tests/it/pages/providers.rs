//! Sign-in with an external provider, from its button to the account.

use innkeeper_auth::config::Config;
use url::Url;

use crate::support::github::{Github, person, state_of};
use crate::support::pages::{Shown, Visitor, serve_pages};
use crate::support::served::Served;

const ADA: &str = "ada@example.com";

async fn start(change: impl FnOnce(&mut Config)) -> (Served, Github) {
    let github = Github::start().await;
    let served = serve_pages(|config| {
        github.configure(config);
        change(config);
    })
    .await;
    (served, github)
}

/// Presses the button of GitHub, and returns the address there.
async fn leave(visitor: &mut Visitor) -> Url {
    let page = visitor.open("/account/sign-in").await;
    assert!(
        page.text().contains("Continue with GitHub"),
        "{}",
        page.text()
    );
    assert!(page.html.contains("href=\"/account/providers/github\""));
    let away = visitor.open("/account/providers/github").await;
    Url::parse(&away.address).unwrap()
}

/// Comes back from GitHub as Ada.
async fn come_back(visitor: &mut Visitor, github: &Github, at: &Url) -> Shown {
    let code = github.code_of(&person(7, &[(ADA, true)]));
    let back = format!("/callback?state={}&code={code}", state_of(at));
    visitor.open(&back).await
}

#[tokio::test]
async fn the_button_of_a_provider_signs_in_and_leaves_no_token_in_the_address() {
    let (served, github) = start(|_| {}).await;
    let mut visitor = Visitor::of(&served);
    let at = leave(&mut visitor).await;
    let page = come_back(&mut visitor, &github, &at).await;
    page.shows("/account", "You are signed in as ada@example.com");
    let user = served.app.only_user().await;
    assert_eq!(user["app_metadata"]["provider"], "github");
    assert_eq!(served.app.sessions_of(&user).await.len(), 1);
    served.stop().await;
}

#[tokio::test]
async fn a_sign_in_that_another_browser_has_started_is_refused() {
    let (served, github) = start(|_| {}).await;
    let at = leave(&mut Visitor::of(&served)).await;
    let mut victim = Visitor::of(&served);
    let page = come_back(&mut victim, &github, &at).await;
    page.refuses(400, "was started in another browser");
    assert!(!victim.cookies.contains_key("innkeeper-session"));
    // Not even with a verifier of its own.
    let other = leave(&mut victim).await;
    assert_ne!(state_of(&other), state_of(&at));
    let at = leave(&mut Visitor::of(&served)).await;
    come_back(&mut victim, &github, &at)
        .await
        .refuses(400, "was started in another browser");
    served.stop().await;
}

#[tokio::test]
async fn what_the_provider_says_is_shown_as_text() {
    let (served, _github) = start(|_| {}).await;
    let mut visitor = Visitor::of(&served);
    let at = leave(&mut visitor).await;
    let said = "%3Cb%3Eno%3C%2Fb%3E";
    let back = format!(
        "/callback?state={}&error=access_denied&error_description={said}",
        state_of(&at)
    );
    let page = visitor.open(&back).await;
    page.refuses(400, "The sign-in with the provider did not work. <b>no</b>");
    assert!(!page.html.contains("<b>no"), "{}", page.html);
    served.stop().await;
}

#[tokio::test]
async fn only_providers_that_can_be_used_have_a_button() {
    let (served, _github) = start(|config| {
        config.external.redirect_url = Some("https://app.example/in".to_owned());
    })
    .await;
    let mut visitor = Visitor::of(&served);
    let page = visitor.open("/account/sign-in").await;
    assert!(
        !page.text().contains("GitHub"),
        "the sign-in would end elsewhere"
    );
    let page = visitor.open("/account/providers/gitlab").await;
    page.refuses(400, "Unsupported provider");
    let page = visitor.open("/account/providers/%3Cscript%3E").await;
    page.refuses(400, "Unsupported provider");
    assert!(!page.html.contains("<script"), "{}", page.html);
    served.stop().await;
}
