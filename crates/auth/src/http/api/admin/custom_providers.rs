//! `/admin/custom-providers`: providers of OpenID Connect or OAuth 2 that admins define.

use std::sync::Arc;

use innkeeper_rest::{Request, Response, resource};
use schemars::JsonSchema;
use serde::Serialize;

use crate::app::App;
use crate::base::client::ClientInfo;
use crate::base::error::Result;
use crate::config::CustomProviderInput;
use crate::flow::caller::AccessToken;
use crate::flow::custom_provider::{self, CustomProviderView};
use crate::http::api::body::JsonBody;
use crate::http::api::client::query_value;

pub(crate) struct CustomProviders {
    pub(crate) app: Arc<App>,
}

/// The custom providers.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "CustomProviderList")]
struct CustomProviderList {
    providers: Vec<CustomProviderView>,
}

#[resource("/custom-providers")]
#[security(service)]
impl CustomProviders {
    /// Returns the custom providers, the oldest first.
    #[get]
    #[responds(200, CustomProviderList)]
    async fn list(&self, #[request] request: &Request) -> Result<Response> {
        let provider_type = query_value(request.head(), "type");
        let providers = custom_provider::list(&self.app, provider_type.as_deref()).await?;
        Ok(Response::ok().entity(CustomProviderList { providers }))
    }

    /// Adds a custom provider. The discovery document of its issuer is fetched and checked.
    #[post]
    #[responds(201, CustomProviderView)]
    async fn create(
        &self,
        #[value] token: AccessToken,
        #[value] client: ClientInfo,
        #[entity] body: JsonBody<CustomProviderInput>,
    ) -> Result<Response> {
        let created = custom_provider::create(&self.app, body.0, &token.0, &client).await?;
        Ok(Response::status(201).entity(created))
    }

    /// Returns a custom provider.
    #[get("/{identifier}")]
    async fn show(&self, identifier: String) -> Result<CustomProviderView> {
        custom_provider::find(&self.app, &identifier).await
    }

    /// Changes the given members of a custom provider.
    #[put("/{identifier}")]
    async fn update(
        &self,
        #[value] token: AccessToken,
        #[value] client: ClientInfo,
        identifier: String,
        #[entity] body: JsonBody<CustomProviderInput>,
    ) -> Result<CustomProviderView> {
        custom_provider::update(&self.app, &identifier, body.0, &token.0, &client).await
    }

    /// Deletes a custom provider.
    #[delete("/{identifier}")]
    #[responds(204)]
    async fn delete(
        &self,
        #[value] token: AccessToken,
        #[value] client: ClientInfo,
        identifier: String,
    ) -> Result<Response> {
        custom_provider::delete(&self.app, &identifier, &token.0, &client).await?;
        Ok(Response::no_content())
    }
}
