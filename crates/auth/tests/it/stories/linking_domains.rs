//! Providers that are kept apart by `EXPERIMENTAL_PROVIDER_LINKING_DOMAINS`.

use innkeeper_auth::config::Config;
use serde_json::{Value, json};

use crate::support::idp::{Idp, oauth2, oidc, with};
use crate::support::profile::gotrue;

const ADA: &str = "ada@example.com";

#[tokio::test]
async fn an_account_of_a_domain_is_found_by_its_domain_alone() {
    for is_gotrue in [false, true] {
        let idp = Idp::start().await;
        let change = |config: &mut Config| {
            if is_gotrue {
                gotrue(config);
            }
            let domains = ["custom:inn", "custom:plain"];
            config.linking.domains = domains
                .map(|provider| (provider.to_owned(), "work".to_owned()))
                .into();
        };
        let app = idp.app(change).await;
        app.signed_up(ADA, "correct horse").await;
        app.add_provider(oidc()).await;
        app.add_provider(oauth2()).await;
        let outside = with(oauth2(), &json!({ "identifier": "custom:outside" }));
        app.add_provider(outside).await;
        let person = json!({ "sub": "subject-1", "email": ADA, "email_verified": true });
        let enter = async |provider: &str| -> Value {
            let landing = app.enter_custom(&idp, provider, &person).await;
            app.get_as(&landing.access_token(), "/user").await.ok()
        };
        let session = app.sign_in(ADA, "correct horse").await.ok();
        let apart = enter("custom:inn").await;
        assert_eq!(apart["email"], ADA);
        assert_ne!(apart["id"], session["user"]["id"]);
        let linked = enter("custom:plain").await;
        assert_eq!(linked["id"], apart["id"]);
        assert_eq!(linked["identities"].as_array().unwrap().len(), 2);
        let outside = enter("custom:outside").await;
        assert_eq!(outside["id"], session["user"]["id"]);
        // The password is that of the account which is not apart.
        let again = app.sign_in(ADA, "correct horse").await.ok();
        assert_eq!(again["user"]["id"], session["user"]["id"]);
        assert_eq!(app.rows("users").await, 2);
    }
}
