//! Content security policies of pages with forms.

use url::{Host, Url};

/// Returns the value of `form-action` for forms that end at one of these addresses: browsers count the redirect of the
/// response as part of the submission.
pub(crate) fn form_action(targets: &[String]) -> String {
    let mut sources = vec!["'self'".to_owned()];
    for source in targets.iter().filter_map(|target| source_of(target)) {
        if !sources.contains(&source) {
            sources.push(source);
        }
    }
    sources.join(" ")
}

/// Returns the policy source of a URL: its origin, or its scheme where a policy cannot name the host.
fn source_of(target: &str) -> Option<String> {
    let url = Url::parse(target).ok()?;
    let is_web = matches!(url.scheme(), "http" | "https");
    match url.host() {
        Some(Host::Domain(_) | Host::Ipv4(_)) if is_web => Some(url.origin().ascii_serialization()),
        _ => Some(format!("{}:", url.scheme())),
    }
}

/// Returns the policy of a page: the style sheets and images of this server, forms to it, and nothing else. A theme may
/// embed images and fonts. A page that asks an authenticator has a script of this server, which calls it.
pub(super) fn policy(targets: &[String], has_script: bool) -> String {
    let script = if has_script {
        "script-src 'self'; connect-src 'self'; "
    } else {
        ""
    };
    format!(
        "default-src 'none'; {script}style-src 'self'; img-src 'self' data:; font-src data:; form-action {}; \
         base-uri 'none'; frame-ancestors 'none'",
        form_action(targets)
    )
}

#[cfg(test)]
mod tests {
    use super::{form_action, policy};

    #[test]
    fn the_policy_lets_the_form_end_where_the_user_is_sent() {
        let action =
            |target: &str| form_action(&[target.to_owned(), "http://localhost:3000".to_owned()]);
        assert_eq!(
            action("http://localhost:3000/in"),
            "'self' http://localhost:3000"
        );
        assert_eq!(
            action("https://app.inn.example/in?a=b;c#d"),
            "'self' https://app.inn.example http://localhost:3000"
        );
        assert_eq!(
            action("innapp://callback"),
            "'self' innapp: http://localhost:3000"
        );
        assert_eq!(
            action("http://[::1]:3000/"),
            "'self' http: http://localhost:3000"
        );
        let targets = ["innapp://callback".to_owned()];
        let without_script = policy(&targets, false);
        assert!(!without_script.contains("unsafe") && !without_script.contains("script-src"));
        let with_script = policy(&targets, true);
        assert!(!with_script.contains("unsafe") && with_script.contains("script-src 'self';"));
    }
}
