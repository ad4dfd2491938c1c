//! Mails from templates of the operator.

use std::collections::BTreeMap;
use std::fs;

use innkeeper_auth::config::{Config, MessageKind, PerMessage, TemplateSource};
use serde_json::{Value, json};
use tempfile::TempDir;
use url::Url;

use crate::support::TestApp;
use crate::support::github::{Github, person};
use crate::support::mail_flows::without_pauses;
use crate::support::mailbox::ReceivedMail;
use crate::support::sms::{Protocol, SmsProvider};
use crate::support::tokens::text;

/// A template with its own links, in the language of the user.
const TEMPLATE: &str = r#"
{{- define "subject" }}{{ if eq .Locale "de" }}Hallo{{ else }}Hello{{ end }}, {{ .Data.name }}{{ end -}}
<p>{{ .Data.name }}: <a href="{{ .SiteURL }}/confirm?token_hash={{ .TokenHash }}&next={{ .RedirectTo }}">open</a>
or type {{ .Token }}, {{ .Email }}.</p>"#;

#[tokio::test]
async fn a_mail_of_ones_own_confirms_as_well_as_the_built_in_one() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("confirmation.html");
    fs::write(&path, TEMPLATE).unwrap();
    let place = Url::from_file_path(&path).unwrap().to_string();
    let app = TestApp::with(|config| {
        without_pauses(config);
        let source = TemplateSource::parse(&place, &config.site_url);
        config.mailer.templates.sources.confirmation = source;
        config.mailer.templates.locales = vec!["en".to_owned(), "de".to_owned()];
    })
    .await;
    app.auth.reload_templates().await;
    let body = json!({
        "email": "ada@example.com",
        "password": "correct horse",
        "data": { "name": "Ada <b>&</b>", "locale": "de-AT" },
    });
    app.post("/signup?redirect_to=http://localhost:3000/in?a=1", body)
        .await
        .ok();
    let mail = app.mailbox.next_to("ada@example.com").await;
    assert_eq!(mail.subject(), "Hallo, Ada <b>&</b>");
    assert!(
        mail.html.contains("Ada &lt;b&gt;&amp;&lt;/b&gt;:"),
        "{}",
        mail.html
    );
    assert!(
        mail.text
            .contains("Ada <b>&</b>: open: http://localhost:3000/confirm?token_hash=")
    );
    let link = mail.link();
    assert!(
        link.query()
            .unwrap()
            .ends_with("&next=http%3a%2f%2flocalhost%3a3000%2fin%3fa%3d1")
    );
    let (_, hash) = link
        .query_pairs()
        .find(|(name, _)| name == "token_hash")
        .unwrap();
    app.verify_link("signup", &hash).await.ok();

    // An invalid update of the template is ignored, and a valid one is used.
    fs::write(&path, "{{ if").unwrap();
    app.auth.reload_templates().await;
    let mail = app.mail_of_signup("eve@example.com").await;
    assert_eq!(mail.subject(), "Hello,");
    fs::write(&path, "<p>{{ .Token }}</p>").unwrap();
    app.auth.reload_templates().await;
    let mail = app.mail_of_signup("bob@example.com").await;
    assert_eq!(mail.subject(), "Confirm Your Signup");
    app.verify_code("signup", "bob@example.com", &mail.code())
        .await
        .ok();
}

const ADA: &str = "ada@example.com";
const NEW: &str = "countess@example.com";

/// A template that writes each variable of the specification on a line, and the code.
const VARIABLES: &str = r#"
{{- define "text" }}SiteURL={{ .SiteURL }}
Email={{ .Email }}
ConfirmationURL={{ .ConfirmationURL }}
NewEmail={{ .NewEmail }}
OldEmail={{ .OldEmail }}
Phone={{ .Phone }}
OldPhone={{ .OldPhone }}
Provider={{ .Provider }}
Token={{ .Token }}
{{ end -}}
<p>See the text.</p>"#;

/// Starts a server that writes every mail with that template, and a subject that names the kind.
async fn with_variables(change: impl FnOnce(&mut Config)) -> TestApp {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("mail.html");
    fs::write(&path, VARIABLES).unwrap();
    let place = Url::from_file_path(&path).unwrap().to_string();
    let app = TestApp::with(|config| {
        without_pauses(config);
        let source = TemplateSource::parse(&place, &config.site_url);
        config.mailer.templates.sources = PerMessage::from_fn(|_| source.clone());
        *config.mailer.subjects =
            PerMessage::from_fn(|kind| format!("{} for {{{{ .Email }}}}", kind.setting()));
        config.mailer.notifications = MessageKind::ALL
            .into_iter()
            .filter(|kind| kind.is_notification())
            .collect();
        change(config);
    })
    .await;
    // The template stays in memory.
    app.auth.reload_templates().await;
    app
}

/// Waits for a mail of this kind to an address, and returns the variables that it shows.
async fn shown(app: &TestApp, kind: &str, to: &str) -> BTreeMap<String, String> {
    let mail: ReceivedMail = app.mailbox.next_to(to).await;
    let lines = mail.text.lines().filter_map(|line| line.split_once('='));
    let shown: BTreeMap<String, String> = lines
        .map(|(name, value)| (name.to_owned(), value.trim().to_owned()))
        .collect();
    assert_eq!(mail.subject(), format!("{kind} for {}", shown["Email"]));
    shown
}

/// Asserts the variables of a mail with a link, and returns its code.
async fn assert_link(app: &TestApp, kind: &str, to: &str, expected: [&str; 2]) -> String {
    let shown = shown(app, kind, to).await;
    let [email, new_email] = expected;
    assert_eq!(shown["SiteURL"], "http://localhost:3000", "{kind}");
    assert_eq!(
        [&shown["Email"], &shown["NewEmail"]],
        [email, new_email],
        "{kind}"
    );
    let link = &shown["ConfirmationURL"];
    assert!(
        link.starts_with("http://localhost:8081/verify?token="),
        "{link}"
    );
    shown["Token"].clone()
}

#[tokio::test]
async fn mails_with_a_link_give_their_template_what_the_specification_lists() {
    let app = with_variables(|_| {}).await;
    let body = json!({ "email": "eve@example.com" });
    app.operator().post("/invite", body).await.ok();
    assert_link(&app, "INVITE", "eve@example.com", ["eve@example.com", ""]).await;
    let body = json!({ "email": ADA, "password": "correct horse" });
    app.post("/signup", body).await.ok();
    let code = assert_link(&app, "CONFIRMATION", ADA, [ADA, ""]).await;
    let session = app.verify_code("signup", ADA, &code).await.ok();
    app.post("/recover", json!({ "email": ADA })).await.ok();
    assert_link(&app, "RECOVERY", ADA, [ADA, ""]).await;
    app.post("/otp", json!({ "email": ADA })).await.ok();
    assert_link(&app, "MAGIC_LINK", ADA, [ADA, ""]).await;
    let token = text(&session, "access_token");
    app.put_as(&token, "/user", json!({ "email": NEW }))
        .await
        .ok();
    for address in [ADA, NEW] {
        assert_link(&app, "EMAIL_CHANGE", address, [ADA, NEW]).await;
    }
}

#[tokio::test]
async fn notifications_of_password_and_address_give_their_template_what_the_specification_lists() {
    let app = with_variables(|config| config.mailer.autoconfirm = true).await;
    let session = app.signed_up(ADA, "correct horse").await;
    let token = text(&session, "access_token");
    let change = |body: Value| app.put_as(&token, "/user", body);
    change(json!({ "password": "battery staple" })).await.ok();
    let told = shown(&app, "PASSWORD_CHANGED_NOTIFICATION", ADA).await;
    assert_eq!(
        (told["Email"].as_str(), told["ConfirmationURL"].as_str()),
        (ADA, "")
    );
    change(json!({ "email": NEW })).await.ok();
    shown(&app, "EMAIL_CHANGE", ADA).await;
    let asked = shown(&app, "EMAIL_CHANGE", NEW).await;
    app.verify_code("email_change", NEW, &asked["Token"])
        .await
        .ok();
    let told = shown(&app, "EMAIL_CHANGED_NOTIFICATION", ADA).await;
    assert_eq!(
        (told["Email"].as_str(), told["OldEmail"].as_str()),
        (NEW, ADA)
    );
    assert_eq!(told["ConfirmationURL"], "");
}

#[tokio::test]
async fn notifications_of_numbers_give_their_template_what_the_specification_lists() {
    let provider = SmsProvider::start(Protocol::Twilio).await;
    let app = with_variables(|config| {
        provider.configure(config);
        config.mailer.autoconfirm = true;
        config.sms.autoconfirm = true;
    })
    .await;
    let session = app.signed_up(ADA, "correct horse").await;
    let token = text(&session, "access_token");
    for (phone, old) in [("49301234567", ""), ("491701234567", "49301234567")] {
        app.put_as(&token, "/user", json!({ "phone": phone }))
            .await
            .ok();
        let told = shown(&app, "PHONE_CHANGED_NOTIFICATION", ADA).await;
        assert_eq!(
            (told["Email"].as_str(), told["ConfirmationURL"].as_str()),
            (ADA, "")
        );
        assert_eq!(
            (told["Phone"].as_str(), told["OldPhone"].as_str()),
            (phone, old)
        );
    }
}

#[tokio::test]
async fn notifications_of_identities_give_their_template_what_the_specification_lists() {
    let github = Github::start().await;
    let app = with_variables(|config| {
        github.configure(config);
        config.mailer.autoconfirm = true;
        config.security.manual_linking_enabled = true;
    })
    .await;
    let session = app.signed_up(ADA, "correct horse").await;
    let token = text(&session, "access_token");
    let target = "/user/identities/authorize?provider=github&skip_http_redirect=true";
    let url = app.get_as(&token, target).await.ok();
    let at = Url::parse(&text(&url, "url")).unwrap();
    app.come_back(&github, &at, &person(42, &[("work@example.com", true)]))
        .await;
    let told = shown(&app, "IDENTITY_LINKED_NOTIFICATION", ADA).await;
    assert_eq!(
        (told["Email"].as_str(), told["Provider"].as_str()),
        (ADA, "github")
    );
    let user = app.get_as(&token, "/user").await.ok();
    let id = text(&user["identities"][1], "identity_id");
    app.delete_as(&token, &format!("/user/identities/{id}"), None)
        .await
        .ok();
    let told = shown(&app, "IDENTITY_UNLINKED_NOTIFICATION", ADA).await;
    assert_eq!(
        (told["Email"].as_str(), told["Provider"].as_str()),
        (ADA, "github")
    );
    assert_eq!(told["ConfirmationURL"], "");
}
