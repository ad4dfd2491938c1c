//! Sign-in with an external provider, from `/authorize` to the session.

use futures_util::future::join_all;
use innkeeper_auth::config::{Config, HookKind};
use innkeeper_rest::Method;
use serde_json::json;

use crate::support::github::{CALLBACK, Github, Landing, person, state_of};
use crate::support::hook::{Receiver, Reply};
use crate::support::mail_flows::{claims_of, methods_of};
use crate::support::profile::gotrue;
use crate::support::{Answer, TestApp};

const ADA: &str = "ada@example.com";
const SITE: &str = "http://localhost:3000";
const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE: &str =
    "&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=s256";

/// Starts a server with GitHub, and other changed settings.
async fn start(change: impl FnOnce(&mut Config)) -> (TestApp, Github) {
    let github = Github::start().await;
    let app = TestApp::with(|config| {
        change(config);
        github.configure(config);
    })
    .await;
    (app, github)
}

async fn exchange(app: &TestApp, code: &str, verifier: &str) -> Answer {
    let body = json!({ "auth_code": code, "code_verifier": verifier });
    app.post("/token?grant_type=pkce", body).await
}

#[tokio::test]
async fn the_provider_is_sent_what_is_meant_for_it_and_nothing_else() {
    let (app, _github) = start(|_| {}).await;
    let query = "&redirect_to=http://localhost:3000/in&scopes=repo,gist&login=ada&state=mine\
                 &client_id=mine&redirect_uri=http://eve.example&response_type=token&apikey=anon";
    let at = app.authorize(query).await;
    assert_eq!(at.path(), "/login/oauth/authorize");
    let pairs: std::collections::HashMap<String, String> = at.query_pairs().into_owned().collect();
    assert_eq!(pairs["client_id"], "inn");
    assert_eq!(pairs["redirect_uri"], CALLBACK);
    assert_eq!(pairs["response_type"], "code");
    assert_eq!(pairs["login"], "ada");
    assert_eq!(pairs["scope"], "user:email repo gist");
    assert!(uuid::Uuid::parse_str(&pairs["state"]).is_ok());
    for name in [
        "redirect_to",
        "invite_token",
        "apikey",
        "provider",
        "scopes",
    ] {
        assert!(!pairs.contains_key(name), "{name}");
    }
    for query in [
        "",
        "?provider=",
        "?provider=nobody",
        "?provider=gitlab",
        "?provider=github%00",
    ] {
        let answer = app.get(&format!("/authorize{query}")).await;
        answer.refused(400, "validation_failed");
    }
    let broken = "/authorize?provider=github&code_challenge=short&code_challenge_method=s256";
    app.get(broken).await.refused(400, "validation_failed");
    let unknown = "/authorize?provider=github&invite_token=abc";
    app.get(unknown).await.refused(404, "invite_not_found");
}

#[tokio::test]
async fn the_first_sign_in_creates_an_account_and_later_ones_find_it() {
    let (app, github) = start(|_| {}).await;
    let ada = person(
        42,
        &[("Ada@Example.com", true), ("other@example.com", true)],
    );
    let at = app
        .authorize("&redirect_to=http://localhost:3000/in?room=7")
        .await;
    let landing = app.come_back(&github, &at, &ada).await;
    assert_eq!(
        (landing.status, landing.page.as_str()),
        (302, "http://localhost:3000/in")
    );
    assert_eq!(landing.query["room"], "7");
    for (name, value) in [
        ("expires_in", "3600"),
        ("token_type", "bearer"),
        ("provider", "github"),
        ("sb", ""),
    ] {
        assert_eq!(landing.fragment[name], value, "{name}");
    }
    assert!(landing.fragment["provider_token"].starts_with("gho_secret_"));
    assert!(landing.fragment["provider_refresh_token"].starts_with("ghr_secret_"));
    let token = landing.access_token();
    assert_eq!(methods_of(&token), ["oauth"]);
    let user = app.get_as(&token, "/user").await.ok();
    assert_eq!(user["email"], ADA);
    assert!(user["email_confirmed_at"].is_string());
    assert_eq!(
        user["app_metadata"],
        json!({ "provider": "github", "providers": ["github"] })
    );
    assert_eq!(user["user_metadata"]["full_name"], "Ada Lovelace");
    assert_eq!(user["identities"].as_array().unwrap().len(), 1);
    assert_eq!(user["identities"][0]["provider"], "github");
    assert_eq!(user["identities"][0]["id"], "42");
    assert_eq!(user["identities"][0]["email"], ADA);
    app.refresh(&landing.fragment["refresh_token"]).await.ok();

    let again = app.enter_with(&github, &ada).await;
    assert_eq!(again.page, SITE);
    assert_eq!(claims_of(&again.access_token())["sub"], user["id"]);
    assert_eq!(app.rows("users").await, 1);
    let gone = app.rows("flow_state").await + app.rows("innkeeper_flow_secrets").await;
    assert_eq!(gone, 0);
}

#[tokio::test]
async fn a_client_that_asks_for_more_scopes_gets_the_providers_token() {
    let (app, github) = start(|_| {}).await;
    let at = app.authorize("&scopes=repo,gist,repo").await;
    let scope = at
        .query_pairs()
        .find(|(name, _)| name == "scope")
        .unwrap()
        .1;
    assert_eq!(scope, "user:email repo gist");
    let landing = app
        .come_back(&github, &at, &person(42, &[(ADA, true)]))
        .await;
    assert_eq!(landing.fragment["provider_token"], "gho_secret_code-1");
    assert_eq!(
        landing.fragment["provider_refresh_token"],
        "ghr_secret_code-1"
    );
    assert!(!landing.query.contains_key("provider_token"));
    app.assert_no_row_holds("_secret_").await;
    let refreshed = app.refresh(&landing.fragment["refresh_token"]).await.ok();
    assert!(refreshed.get("provider_token").is_none(), "{refreshed}");
}

#[tokio::test]
async fn a_client_with_a_code_challenge_exchanges_a_code() {
    let (app, github) = start(|_| {}).await;
    let ada = person(42, &[(ADA, true)]);
    for is_new in [true, false] {
        let at = app.authorize(CHALLENGE).await;
        let landing = app.come_back(&github, &at, &ada).await;
        assert_eq!(landing.status, 302);
        assert!(landing.fragment.is_empty(), "{landing:?}");
        let code = &landing.query["code"];
        app.assert_no_row_holds(code).await;
        app.assert_no_row_holds("_secret_").await;
        exchange(&app, code, "wrong")
            .await
            .refused(400, "bad_code_verifier");
        let session = exchange(&app, code, VERIFIER).await.ok();
        assert_eq!(
            methods_of(session["access_token"].as_str().unwrap()),
            ["oauth"]
        );
        assert!(
            session["provider_token"]
                .as_str()
                .unwrap()
                .starts_with("gho_secret_"),
            "{is_new}"
        );
        assert!(
            session["provider_refresh_token"]
                .as_str()
                .unwrap()
                .starts_with("ghr_secret_")
        );
        assert_eq!(session["user"]["app_metadata"]["provider"], "github");
        exchange(&app, code, VERIFIER)
            .await
            .refused(404, "flow_state_not_found");
    }
    assert_eq!(app.rows("users").await, 1);
    assert_eq!(app.rows("sessions").await, 2);

    let at = app.authorize(CHALLENGE).await;
    let code = app.come_back(&github, &at, &ada).await.query["code"].clone();
    app.advance(301);
    exchange(&app, &code, VERIFIER)
        .await
        .refused(422, "flow_state_expired");
}

#[tokio::test]
async fn one_of_many_exchanges_of_a_code_opens_a_session() {
    let (app, github) = start(|_| {}).await;
    let at = app.authorize(CHALLENGE).await;
    let landing = app
        .come_back(&github, &at, &person(42, &[(ADA, true)]))
        .await;
    let code = &landing.query["code"];
    let answers = join_all((0..8).map(|_| exchange(&app, code, VERIFIER))).await;
    let opened = answers.iter().filter(|answer| answer.status == 200).count();
    assert_eq!(opened, 1);
    assert!(
        answers
            .iter()
            .all(|answer| matches!(answer.status, 200 | 404))
    );
    assert_eq!(app.rows("sessions").await, 1);
}

#[tokio::test]
async fn a_state_that_is_not_one_sends_the_browser_to_the_site() {
    let (app, github) = start(|_| {}).await;
    let ada = person(42, &[(ADA, true)]);
    let used = app.authorize("&redirect_to=http://localhost:3000/in").await;
    app.come_back(&github, &used, &ada).await.access_token();
    let expired = app.authorize("").await;
    app.advance(301);
    let body = json!({
        "email": "bob@example.com",
        "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
        "code_challenge_method": "s256",
    });
    app.post("/otp", body).await.ok();
    let sql = app.sql().await;
    let foreign = "select id::text from flow_state where authentication_method <> 'oauth'";
    let foreign: String = sql.query_one(foreign, &[]).await.unwrap().get(0);
    let exchanges = github.exchanges();
    for (state, code) in [
        (String::new(), "bad_oauth_callback"),
        ("state=".to_owned(), "bad_oauth_callback"),
        ("state=abc".to_owned(), "bad_oauth_state"),
        ("state=%00".to_owned(), "bad_oauth_state"),
        (format!("state={}", uuid::Uuid::new_v4()), "bad_oauth_state"),
        (format!("state={}", state_of(&used)), "bad_oauth_state"),
        (format!("state={}", state_of(&expired)), "bad_oauth_state"),
        (format!("state={foreign}"), "bad_oauth_state"),
    ] {
        let code_of_ada = github.code_of(&ada);
        for method in [Method::GET, Method::POST] {
            let target = format!(
                "/callback?{state}&code={code_of_ada}&redirect_to=http://localhost:3000/in"
            );
            let landing = Landing::of(&app.send(method, &target, &[], None).await);
            assert_eq!(
                (landing.status, landing.page.as_str()),
                (303, SITE),
                "{state}"
            );
            assert_eq!(landing.query["error"], "invalid_request", "{state}");
            assert_eq!(landing.query["error_code"], code, "{state}");
            assert!(!landing.query["error_description"].is_empty());
            assert!(landing.fragment.is_empty(), "{landing:?}");
        }
    }
    assert_eq!(github.exchanges(), exchanges, "the provider was asked");
    assert_eq!(app.rows("sessions").await, 1);
    assert_eq!(app.config.site_url_as_written, SITE);
}

#[tokio::test]
async fn a_state_is_used_once_however_many_come_back_with_it() {
    let (app, github) = start(|_| {}).await;
    let ada = person(42, &[(ADA, true)]);
    let at = app.authorize("").await;
    let landings = join_all((0..6).map(|_| app.come_back(&github, &at, &ada))).await;
    let signed_in = landings
        .iter()
        .filter(|it| it.fragment.contains_key("access_token"));
    assert_eq!(signed_in.count(), 1);
    assert_eq!(github.exchanges(), 1);
}

#[tokio::test]
async fn a_look_at_the_callback_uses_nothing_up() {
    let (app, github) = start(|_| {}).await;
    let at = app.authorize("").await;
    let target = format!("/callback?state={}&code=x", state_of(&at));
    assert_eq!(app.send(Method::HEAD, &target, &[], None).await.status, 200);
    app.come_back(&github, &at, &person(42, &[(ADA, true)]))
        .await
        .access_token();
}

#[tokio::test]
async fn people_who_come_at_once_get_one_account() {
    let (app, github) = start(|_| {}).await;
    let ada = person(42, &[(ADA, true)]);
    let landings = join_all((0..6).map(|_| app.enter_with(&github, &ada))).await;
    let subjects: std::collections::HashSet<String> = landings
        .iter()
        .map(|it| claims_of(&it.access_token())["sub"].to_string())
        .collect();
    assert_eq!(subjects.len(), 1);
    assert_eq!(
        (app.rows("users").await, app.rows("identities").await),
        (1, 1)
    );
}

#[tokio::test]
async fn failures_are_told_to_the_page_and_leave_nothing_behind() {
    let (app, _github) = start(|_| {}).await;
    let page = "&redirect_to=http://localhost:3000/in";
    let at = app.authorize(page).await;
    let denied = format!(
        "/callback?state={}&error=access_denied&error_description=No%0A+way",
        state_of(&at)
    );
    let landing = Landing::of(&app.get(&denied).await);
    assert_eq!(landing.page, "http://localhost:3000/in");
    for pairs in [&landing.query, &landing.fragment] {
        assert_eq!(pairs["error"], "access_denied");
        assert_eq!(pairs["error_description"], "No way");
        assert!(!pairs.contains_key("error_code"));
    }
    assert_eq!(landing.fragment["sb"], "");
    // The provider's answer has ended the flow.
    let again = Landing::of(&app.get(&denied).await);
    assert_eq!(again.query["error_code"], "bad_oauth_state");

    let at = app.authorize(page).await;
    let landing = Landing::of(&app.get(&format!("/callback?state={}", state_of(&at))).await);
    landing.refused("invalid_request", "bad_oauth_callback");

    let at = app.authorize(page).await;
    let wrong = format!("/callback?state={}&code=of-another-flow", state_of(&at));
    let landing = Landing::of(&app.get(&wrong).await);
    landing.refused("invalid_request", "bad_oauth_callback");
    assert!(
        !landing.query["error_description"].contains("of-a"),
        "{landing:?}"
    );
    for table in ["users", "identities", "sessions", "flow_state"] {
        assert_eq!(app.rows(table).await, 0, "{table}");
    }
}

#[tokio::test]
async fn a_form_is_read_like_a_query() {
    let (app, github) = start(|_| {}).await;
    let at = app.authorize("").await;
    let code = github.code_of(&person(42, &[(ADA, true)]));
    let form = format!("state={}&code={code}", state_of(&at));
    let request = app.client.request(Method::POST, "/callback");
    let request = request.header("content-type", "application/x-www-form-urlencoded");
    let answer = Answer::new(request.body(form).send().await);
    Landing::of(&answer).access_token();
}

#[tokio::test]
async fn sign_ups_can_be_closed_and_users_banned() {
    let (app, github) = start(|config| config.disable_signup = true).await;
    app.confirmed(ADA).await;
    let stranger = person(7, &[("bob@example.com", true)]);
    let landing = app.enter_with(&github, &stranger).await;
    landing.refused("access_denied", "signup_disabled");
    assert_eq!(app.rows("users").await, 1);
    let ada = person(42, &[(ADA, true)]);
    app.enter_with(&github, &ada).await.access_token();
    let sql = app.sql().await;
    sql.execute("update users set banned_until = 'infinity'", &[])
        .await
        .unwrap();
    app.enter_with(&github, &ada)
        .await
        .refused("access_denied", "user_banned");
    assert_eq!(app.rows("sessions").await, 1);
}

#[tokio::test]
async fn the_application_can_refuse_a_new_account() {
    let hook = Receiver::start(|_| {
        Reply::Json(json!({ "error": { "http_code": 403, "message": "Members only" } }))
    })
    .await;
    let (app, github) = start(|config| hook.configure(config, HookKind::BeforeUserCreated)).await;
    let landing = app.enter_with(&github, &person(42, &[(ADA, true)])).await;
    assert_eq!(landing.query["error_description"], "Members only");
    assert_eq!(hook.next().await.body["user"]["email"], ADA);
    assert_eq!(
        (app.rows("users").await, app.rows("identities").await),
        (0, 0)
    );
}

#[tokio::test]
async fn slow_providers_keep_nobody_else_waiting() {
    let (app, github) = start(|config| config.database.max_pool_size = 2).await;
    let session = app.signed_up(ADA, "correct horse").await;
    let token = session["access_token"].as_str().unwrap();
    github.hold();
    let flows = join_all((0..40).map(|_| app.authorize(""))).await;
    let waiting = join_all(flows.iter().enumerate().map(|(index, at)| {
        let email = format!("user{index}@example.com");
        let person = person(100 + index as u64, &[(email.as_str(), true)]);
        let (app, github) = (&app, &github);
        async move { app.come_back(github, at, &person).await }
    }));
    let others = async {
        github.wait_for(40).await;
        for _ in 0..20 {
            app.get_as(token, "/user").await.ok();
            app.sign_in(ADA, "correct horse").await.ok();
        }
        github.release();
    };
    let (landings, ()) = tokio::join!(waiting, others);
    assert!(
        landings
            .iter()
            .all(|it| it.fragment.contains_key("access_token"))
    );
}

#[tokio::test]
async fn gotrue_redirects_as_gotrue_does() {
    let (app, github) = start(gotrue).await;
    let landing = app.enter_with(&github, &person(42, &[(ADA, true)])).await;
    assert!(landing.fragment.contains_key("provider_token"));
    assert!(!landing.fragment.contains_key("provider"));
}

#[tokio::test]
async fn an_invitation_is_accepted_with_the_invited_address_alone() {
    let (app, github) = start(|_| {}).await;
    let body = json!({ "email": ADA });
    app.post_as(&app.service_key(), "/invite", body).await.ok();
    let secret = app.mailbox.next_to(ADA).await.token();
    let query = format!("&invite_token={secret}");
    for other in [
        person(7, &[("bob@example.com", true)]),
        person(7, &[(ADA, false)]),
    ] {
        let at = app.authorize(&query).await;
        assert!(!at.as_str().contains(&secret));
        app.assert_no_row_holds(&secret).await;
        let landing = app.come_back(&github, &at, &other).await;
        landing.refused("invalid_request", "validation_failed");
    }
    assert_eq!(app.rows("users").await, 1);
    let at = app.authorize(&query).await;
    let landing = app
        .come_back(&github, &at, &person(42, &[(ADA, true)]))
        .await;
    let user = app.get_as(&landing.access_token(), "/user").await.ok();
    assert!(user["email_confirmed_at"].is_string());
    assert_eq!(user["app_metadata"]["providers"], json!(["github"]));
    app.get(&format!("/authorize?provider=github{query}"))
        .await
        .refused(404, "invite_not_found");
}
