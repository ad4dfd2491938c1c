//! Services under a prefix.

use crate::future::BoxFuture;
use crate::request::Request;
use crate::response::Response;

/// A tower service, a function or files, mounted under a prefix.
pub(crate) trait MountedService: Send + Sync {
    fn call(&self, request: Request, prefix: &str) -> BoxFuture<'static, Response>;

    /// Returns the problems that keep it from being served, one sentence each.
    fn problems(&self) -> &[String] {
        &[]
    }
}
