//! Mails from templates of the operator.

use std::fs;

use innkeeper_auth::config::TemplateSource;
use serde_json::json;
use tempfile::TempDir;
use url::Url;

use crate::support::TestApp;
use crate::support::mail_flows::without_pauses;

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
