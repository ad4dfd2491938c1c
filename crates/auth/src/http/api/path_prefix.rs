//! The API below a path of its own, where clients of Supabase look for it.

use http::header::{HOST, HeaderValue};
use innkeeper_rest::{Filter, Head, Next, Request, Response};

/// Answers requests below a path as if they were sent without it. It must be the first filter: all others read the path.
#[derive(Debug, Clone)]
pub(crate) struct PathPrefix(pub(crate) String);

impl PathPrefix {
    /// Returns the target without the prefix, if the request is below it.
    fn target(&self, head: &Head) -> Option<String> {
        let path = head.path().strip_prefix(&self.0)?;
        if !path.is_empty() && !path.starts_with('/') {
            return None;
        }
        let path = if path.is_empty() { "/" } else { path };
        Some(match head.query() {
            Some(query) => format!("{path}?{query}"),
            None => path.to_owned(),
        })
    }
}

impl Filter for PathPrefix {
    async fn apply(&self, request: &mut Request, next: Next<'_>) -> Response {
        if let Some(target) = self.target(request.head()) {
            let head = request.head_mut();
            let mut stripped = Head::new(head.method().clone(), target);
            *stripped.headers_mut() = head.headers().clone();
            // In HTTP/2 the host is part of the target.
            if !head.has_header(HOST)
                && let Some(host) = head
                    .host()
                    .and_then(|host| HeaderValue::from_str(host).ok())
            {
                stripped.headers_mut().insert(HOST, host);
            }
            *head = stripped;
        }
        next.run(request).await
    }
}
