//! The page that the link of a mail opens, for sites of others too.

use serde_json::json;

use crate::support::pages::{Visitor, serve_pages};

const ADA: &str = "ada@example.com";
const SITE: &str = "https://app.inn.example";

fn elsewhere(config: &mut innkeeper_auth::config::Config) {
    config.site_url = SITE.parse().unwrap();
    SITE.clone_into(&mut config.site_url_as_written);
}

#[tokio::test]
async fn a_link_of_an_application_asks_first_and_then_leads_back_to_it() {
    let served = serve_pages(elsewhere).await;
    let mail = served.app.mail_of_signup(ADA).await;
    let mut visitor = Visitor::of(&served);
    let page = visitor.open(mail.link().as_str()).await;
    let question =
        "Confirm that ada@example.com is your email address, for your account on app.inn.example?";
    assert!(page.text().contains(question), "{}", page.text());
    let policy = page.headers["content-security-policy"].to_str().unwrap();
    assert!(
        policy.contains("form-action 'self' https://app.inn.example;"),
        "{policy}"
    );
    // It needs no cookie: the application gets the session.
    visitor.cookies.clear();
    let landed = visitor.press(&page).await;
    assert!(
        landed
            .address
            .starts_with("https://app.inn.example/#access_token="),
        "{}",
        landed.address
    );
    assert!(!visitor.cookies.contains_key("innkeeper-session"));
    assert!(served.app.only_user().await["email_confirmed_at"].is_string());

    let page = visitor.open(mail.link().as_str()).await;
    page.refuses(403, "The link was used before, has expired");
    assert!(
        page.html
            .contains("href=\"https://app.inn.example#error=access_denied"),
        "{}",
        page.html
    );
    let landed = visitor.press(&page_with_button(&page, &mail.link())).await;
    assert!(
        landed.address.contains("error_code=otp_expired"),
        "{}",
        landed.address
    );
    served.stop().await;
}

/// Returns the page with the button that the visitor went back to.
fn page_with_button(
    page: &crate::support::pages::Shown,
    link: &url::Url,
) -> crate::support::pages::Shown {
    let action = format!("/verify?{}", link.query().unwrap()).replace('&', "&amp;");
    crate::support::pages::Shown {
        status: 200,
        address: page.address.clone(),
        html: format!("<form method=\"post\" action=\"{action}\"></form>"),
        headers: page.headers.clone(),
    }
}

#[tokio::test]
async fn links_that_pages_asked_for_lead_to_pages_whatever_the_site_is() {
    let served = serve_pages(elsewhere).await;
    served.app.confirmed(ADA).await;
    let mut visitor = Visitor::of(&served);
    let page = visitor.open("/account/forgotten-password").await;
    assert!(page.html.contains("href=\"https://app.inn.example\""));
    visitor
        .send(&page, "/account/forgotten-password", &[("email", ADA)])
        .await;
    let mail = served.app.mailbox.next_to(ADA).await;
    let page = visitor.open(mail.link().as_str()).await;
    assert!(
        page.text()
            .contains("Sign in to app.inn.example as ada@example.com")
    );
    visitor
        .press(&page)
        .await
        .shows("/account/new-password", ADA);
    // The API may lead there as well; it sends no token to the address.
    let redirect_to = format!("{}/account", served.url);
    let target = format!("/recover?redirect_to={redirect_to}");
    served.app.post(&target, json!({ "email": ADA })).await.ok();
    let mail = served.app.mailbox.next_to(ADA).await;
    let page = visitor.open(mail.link().as_str()).await;
    visitor
        .press(&page)
        .await
        .shows("/account/new-password", ADA);
    served.stop().await;
}

#[tokio::test]
async fn links_of_the_api_lead_to_pages_where_the_site_is_this_server() {
    let served = serve_pages(|_| {}).await;
    served.app.confirmed(ADA).await;
    let mail = served.app.mail_of("/recover", ADA).await;
    let mut visitor = Visitor::of(&served);
    let page = visitor.open(mail.link().as_str()).await;
    visitor
        .press(&page)
        .await
        .shows("/account/new-password", ADA);
    let mail = served.app.mail_of("/otp", ADA).await;
    let page = visitor.open(mail.link().as_str()).await;
    let question = format!(
        "Sign in to {} as ada@example.com?",
        served.url.trim_start_matches("http://")
    );
    assert!(page.text().contains(&question), "{}", page.text());
    visitor
        .press(&page)
        .await
        .shows("/account", "You are signed in as ada@example.com");
    served.stop().await;
}

#[tokio::test]
async fn a_link_with_a_code_challenge_still_ends_in_a_code() {
    let served = serve_pages(elsewhere).await;
    served.app.confirmed(ADA).await;
    let body = json!({
        "email": ADA, "code_challenge_method": "s256",
        "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
    });
    served.app.post("/otp", body).await.ok();
    let mail = served.app.mailbox.next_to(ADA).await;
    let mut visitor = Visitor::of(&served);
    let page = visitor.open(mail.link().as_str()).await;
    assert!(
        page.text().contains("as ada@example.com?"),
        "{}",
        page.text()
    );
    let landed = visitor.press(&page).await;
    assert!(
        landed.address.starts_with("https://app.inn.example/?code="),
        "{}",
        landed.address
    );
    served.stop().await;
}

#[tokio::test]
async fn a_banned_user_is_told_so() {
    let served = serve_pages(|_| {}).await;
    let user = served.app.confirmed(ADA).await;
    let mail = served.app.mail_of("/recover", ADA).await;
    let target = format!("/admin/users/{}", user["id"].as_str().unwrap());
    let token = served.app.service_key();
    served
        .app
        .put_as(&token, &target, json!({ "ban_duration": "24h" }))
        .await
        .ok();
    let mut visitor = Visitor::of(&served);
    let page = visitor.open(mail.link().as_str()).await;
    visitor
        .press(&page)
        .await
        .refuses(403, "This account is blocked");
    served.stop().await;
}

#[tokio::test]
async fn no_address_leads_to_a_site_that_is_not_allowed() {
    let served = serve_pages(|_| {}).await;
    served.app.confirmed(ADA).await;
    let names = ["redirect_to", "next", "return_to", "continue", "url"];
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    query.extend_pairs(names.map(|name| (name, "https://eve.example/steal")));
    let query = query.finish();
    let mut visitor = Visitor::of(&served);
    let address = format!("/account/sign-in?{query}");
    let page = visitor.open(&address).await;
    assert!(!page.html.contains("action=\"https:"), "{}", page.html);
    let token = page.field("form_token").unwrap();
    let fields = [
        ("form_token", token.as_str()),
        ("email", ADA),
        ("password", "correct horse"),
    ];
    let others = names.map(|name| (name, "//eve.example/steal"));
    let fields = fields.into_iter().chain(others);
    let fields: Vec<_> = fields
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    let page = visitor.post(&address, &fields).await;
    page.shows("/account", "You are signed in");

    let mail = served.app.mail_of("/recover", ADA).await;
    let link = format!(
        "/verify?token={}&type=recovery&redirect_to=https://eve.example/steal&{query}",
        mail.token()
    );
    let page = visitor.open(&link).await;
    let policy = page.headers["content-security-policy"].to_str().unwrap();
    assert!(!policy.contains("eve.example"), "{policy}");
    assert!(!page.text().contains("eve.example"), "{}", page.text());
    let page = visitor.press(&page).await;
    page.shows("/account/new-password", ADA);
    served.stop().await;
}
