//! Languages, themes, errors, and names that others have chosen.

use serde_json::json;

use super::{ADA, PASSWORD, Story};

/// What people call themselves, or their browsers, to run a script or to break out of a tag.
const HOSTILE: [&str; 20] = [
    "<script>said('tag')</script>",
    "\"><script>said('double')</script>",
    "'><script>said('single')</script>",
    "<img src=x onerror=said('image')>",
    "\"><img src=x onerror=said('attribute')>",
    "<svg/onload=said('svg')>",
    "<svg><script>said('nested')</script></svg>",
    "\" onfocus=\"said('focus')\" autofocus=\"",
    "' onfocus='said(1)' autofocus='",
    "javascript:said('link')",
    "</title><script>said('title')</script>",
    "</style><script>said('style')</script>",
    "--><script>said('comment')</script>",
    "<iframe src=javascript:said('frame')></iframe>",
    "<object data=javascript:said('object')></object>",
    "<details open ontoggle=said('details')>",
    "<video><source onerror=said('video')></video>",
    "<form action=//eve.example><button>Sign out</button></form>",
    "<meta http-equiv=refresh content=0;url=//eve.example>",
    "<base href=//eve.example>",
];

#[tokio::test(flavor = "multi_thread")]
async fn the_pages_speak_german_and_say_what_is_not_there() {
    let mut story = Story::begin(&[]).await;
    story.open("/sign-in?language=de").await;
    story.see("Passwort vergessen?").await;
    story.check_page("german").await;
    story.open("/nowhere").await;
    story.see("Es gibt keine Seite /account/nowhere.").await;
    story.check_page("error").await;
    story.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_theme_and_a_logo_change_what_the_pages_look_like() {
    let files = tempfile::tempdir().unwrap();
    let [theme, logo] = ["theme.css", "logo.svg"].map(|name| {
        let path = files.path().join(name);
        path.display().to_string()
    });
    let sheet = ":root { --accent: #0b6e4f; --radius: 0; }
        @media (prefers-color-scheme: dark) { :root { --accent: #6fd6b2; --on-accent: #06281d; } }";
    std::fs::write(&theme, sheet).unwrap();
    let image = "<svg xmlns='http://www.w3.org/2000/svg' width='40' height='40'><rect width='40' height='40'/>
        <script>parent.document.title = 'gone'</script></svg>";
    std::fs::write(&logo, image).unwrap();
    let mut story = Story::begin(&[
        ("AUTH_PAGES_THEME", &theme),
        ("AUTH_PAGES_LOGO", &logo),
        ("AUTH_PAGES_SITE_NAME", "The <Inn> & Co"),
    ])
    .await;
    story.open("/sign-in").await;
    story.see("The <Inn> & Co").await;
    story
        .browser
        .wait_until("document.querySelector('header img').naturalWidth === 40")
        .await;
    story.check_page("theme").await;
    let colour = "getComputedStyle(document.querySelector('main form button')).backgroundColor";
    story.browser.emulate(1280, "light").await;
    assert_eq!(story.browser.evaluate(colour).await, "rgb(11, 110, 79)");
    let title = story.browser.evaluate("document.title").await;
    assert_eq!(title, "Sign in – The <Inn> & Co");
    story.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn names_that_contain_scripts_run_none() {
    let mut story = Story::with_user(&[]).await;
    let client = reqwest::Client::new();
    for text in HOSTILE {
        let id = story.user().await["id"].as_str().unwrap().to_owned();
        let metadata = json!({ "user_metadata": { "name": text, "full_name": text } });
        let path = format!("/admin/users/{id}");
        story
            .admin(reqwest::Method::PUT, &path, Some(metadata))
            .await;
        let request = client.post(format!("{}/token?grant_type=password", story.up.url));
        let request = request
            .header("user-agent", text)
            .json(&json!({ "email": ADA, "password": PASSWORD }));
        assert_eq!(request.send().await.unwrap().status(), 200, "{text}");
    }
    story.browser.allow_scripts(true).await;
    let listen = "window.heard = []; window.said = (it) => heard.push(it)";
    story.browser.run_first(listen).await;
    let all = HOSTILE.join(" and ");
    let said: String = url::form_urlencoded::byte_serialize(all.as_bytes()).collect();
    story
        .open(&format!("/return?error={said}&error_description={said}"))
        .await;
    for text in HOSTILE {
        story.see(text).await;
    }
    assert_eq!(story.browser.evaluate("heard").await, json!([]));
    story.sign_in(ADA, PASSWORD).await;
    for text in HOSTILE {
        story.see(text).await;
    }
    story.check_page("hostile").await;
    assert_eq!(story.browser.evaluate("heard").await, json!([]));
    assert_eq!(story.sessions().await.len(), HOSTILE.len() + 1);
    story.end().await;
}
