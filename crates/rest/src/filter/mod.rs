//! Filters, which run around handlers.
//!
//! A filter wraps an application, a mount, a resource or a method. Filters of applications and mounts
//! run before routing, those of resources and methods after it.

mod authenticate;
#[cfg(feature = "compression")]
mod compress;
mod cors;
mod etags;
mod ip_network;
mod layer;
mod rate_limit;
mod request_ids;
mod security_headers;
mod settings;
mod simple;
mod timing;
mod trace;
mod trusted_proxies;

pub use authenticate::{
    ApiKey, Basic, Bearer, Check, CredentialProblem, StaticKeys, UserAndPassword, bearer_token,
    same_secret,
};
#[cfg(feature = "compression")]
pub use compress::{Compress, CompressBuilder, Decompress};
pub use cors::{Cors, CorsBuilder, CorsError};
#[cfg(feature = "websocket")]
pub(crate) use cors::{OriginPattern, RequestOrigin};
pub use etags::ETags;
pub use ip_network::{InvalidNetwork, IpNetwork};
pub use layer::{Layered, NextService, layer};
pub use rate_limit::{
    Decision, LimitKey, Limiter, LocalLimiter, Quota, RateLimit, RateLimitBuilder,
};
pub use request_ids::RequestIds;
pub use security_headers::{SecurityHeaders, SecurityHeadersBuilder};
pub use settings::FilterError;
pub use simple::{After, Before, after, before};
pub use timing::{Timed, Timing};
pub use trace::Trace;
pub use trusted_proxies::TrustedProxies;

pub use crate::pipeline::{DynFilter, Filter, Next};
pub use crate::request::{ClientAddress, RequestId};
