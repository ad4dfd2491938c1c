//! Theme, logo and languages.

use std::collections::BTreeMap;

use innkeeper_auth::config::Logo;

use crate::support::pages::{Visitor, serve_pages};

const ADA: &str = "ada@example.com";

/// Returns the address of the first file of this kind that a page names.
fn address_of(html: &str, start: &str) -> String {
    let (_, rest) = html
        .split_once(start)
        .unwrap_or_else(|| panic!("{start} in {html}"));
    format!("{start}{}", rest.split('"').next().unwrap())
}

#[tokio::test]
async fn the_theme_is_loaded_after_the_style_sheet_and_the_logo_is_shown() {
    let svg = b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>";
    let served = serve_pages(|config| {
        config.pages.theme = Some(":root { --accent: #b00020; }".to_owned());
        config.pages.logo = Some(Logo {
            bytes: svg.to_vec(),
            media_type: "image/svg+xml",
        });
        config.pages.site_name = Some("The <Inn> & Co".to_owned());
    })
    .await;
    let mut visitor = Visitor::of(&served);
    let page = visitor.open("/account/sign-in").await;
    assert!(page.text().contains("The <Inn> & Co"), "{}", page.text());
    assert!(
        page.html.contains("The &lt;Inn&gt; &amp; Co</title>"),
        "{}",
        page.html
    );
    let style = address_of(&page.html, "/account/style.css?v=");
    let theme = address_of(&page.html, "/account/theme.css?v=");
    assert!(page.html.find(&style) < page.html.find(&theme));
    for (address, kind, part) in [
        (style, "text/css; charset=utf-8", "--accent: #1d4ed8"),
        (theme, "text/css; charset=utf-8", "--accent: #b00020"),
        (
            address_of(&page.html, "/account/logo?v="),
            "image/svg+xml",
            "<svg",
        ),
    ] {
        let file = visitor.open(&address).await;
        assert_eq!(file.status, 200, "{address}");
        assert_eq!(file.headers["content-type"], kind);
        assert!(file.html.contains(part), "{address}");
        assert!(
            file.headers["cache-control"]
                .to_str()
                .unwrap()
                .contains("immutable")
        );
        let policy = file.headers["content-security-policy"].to_str().unwrap();
        assert!(
            policy.contains("default-src 'none'") && !policy.contains("script-src"),
            "{policy}"
        );
        // An image can contain a script, which must not run where the image is opened by itself.
        assert_eq!(policy.contains("sandbox"), kind == "image/svg+xml");
    }
    served.stop().await;
}

#[tokio::test]
async fn without_a_theme_there_is_none_to_load() {
    let served = serve_pages(|_| {}).await;
    let mut visitor = Visitor::of(&served);
    let page = visitor.open("/account/sign-in").await;
    assert!(
        !page.html.contains("theme.css") && !page.html.contains("<img"),
        "{}",
        page.html
    );
    for file in ["theme.css", "logo"] {
        visitor
            .open(&format!("/account/{file}"))
            .await
            .refuses(404, "There is no page");
    }
    served.stop().await;
}

#[tokio::test]
async fn the_language_is_that_of_the_browser_until_another_is_chosen() {
    let served = serve_pages(|config| {
        let french = [("sign_in".to_owned(), "Se connecter".to_owned())];
        let languages = &mut config.pages.languages;
        languages.insert("fr".to_owned(), BTreeMap::from(french));
    })
    .await;
    served.app.confirmed(ADA).await;
    let mut visitor = Visitor::of(&served);
    visitor.language = "de-AT,de;q=0.9,en;q=0.5";
    let page = visitor.open("/account/sign-in").await;
    assert!(page.html.contains("<html lang=\"de\">"), "{}", page.html);
    page.shows("/account/sign-in", "Passwort vergessen?");
    let wrong = visitor.sign_in(ADA, "wrong").await;
    wrong.refuses(400, "Die E-Mail-Adresse oder das Passwort ist falsch");

    let page = visitor.open("/account/sign-in?language=fr").await;
    assert!(page.html.contains("<html lang=\"fr\">") && page.text().contains("Se connecter"));
    // What the file lacks is English, and the choice stays.
    visitor
        .open("/account/sign-in")
        .await
        .shows("/account/sign-in", "Forgotten your password?");
    let page = visitor.open("/account/sign-in?language=xx").await;
    assert!(
        page.html.contains("<html lang=\"fr\">"),
        "unknown languages change nothing"
    );
    // Every page has a link to each language, also after a form that was refused.
    let wrong = visitor.sign_in(ADA, "wrong").await;
    for language in ["en", "de", "fr"] {
        let link = format!("href=\"/account/sign-in?language={language}\"");
        assert!(wrong.html.contains(&link), "{link} in {}", wrong.html);
    }
    served.stop().await;
}

#[tokio::test]
async fn the_page_of_a_link_keeps_the_link_when_its_language_changes() {
    let served = serve_pages(|_| {}).await;
    served.app.confirmed(ADA).await;
    let mail = served.app.mail_of("/recover", ADA).await;
    let mut visitor = Visitor::of(&served);
    let page = visitor.open(mail.link().as_str()).await;
    let german = address_of(&page.html, "/verify?").replace("&amp;", "&");
    let german = format!("{german}&language=de");
    let page = visitor.open(&german).await;
    assert!(
        page.text().contains("ein neues Passwort wählen?"),
        "{}",
        page.text()
    );
    visitor
        .press(&page)
        .await
        .shows("/account/new-password", "Neues Passwort wählen");
    served.stop().await;
}
