//! Sign-in with external providers: what is sent to them, and what their answers mean.
//!
//! A provider is an entry of the [table](table): its endpoints, its scopes, and where its answer holds the
//! subject, the email addresses and the claims. Only what does not fit there has code of its own.

mod apple;
mod azure;
mod cache;
mod check;
mod custom;
mod custom_lookup;
mod custom_rows;
mod custom_setup;
mod discovery;
mod entry;
mod error;
mod facebook;
mod flow;
mod hosts;
mod http;
mod id_token;
mod jws;
mod linkedin;
mod oauth2;
mod offered;
mod oidc;
mod profile;
mod provider;
mod providers;
mod quirks;
mod setup;
mod slack;
mod table;
#[cfg(test)]
mod tests;
mod twitter;

pub use check::{ProviderCheck, ProviderProblem, check_providers};
pub(crate) use custom_rows::{CustomRows, opened};
pub(crate) use flow::{
    AuthorizationRequest, CallbackParameters, FlowSecrets, IdToken, ProviderEmail, ProviderTokens,
    ProviderUser,
};
pub(crate) use providers::Providers;
