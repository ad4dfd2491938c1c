//! The client of the demo provider.

use aws_lc_rs::constant_time::verify_slices_are_equal;
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use innkeeper_service::random;
use innkeeper_service::secret::Secret;
use url::form_urlencoded;

use super::fields::Fields;

/// The client id of the auth server.
const CLIENT_ID: &str = "innkeeper";

/// The one client of the demo provider: the auth server.
#[derive(Debug, Clone)]
pub(crate) struct DemoClient {
    pub(crate) id: String,
    pub(crate) secret: Secret<String>,
    /// The only URL to which browsers are sent back.
    pub(crate) redirect_uri: String,
}

impl DemoClient {
    /// Registers the auth server, with a new secret.
    pub(crate) fn register(redirect_uri: String) -> Self {
        Self {
            id: CLIENT_ID.to_owned(),
            secret: Secret::new(URL_SAFE_NO_PAD.encode(random::bytes::<32>())),
            redirect_uri,
        }
    }

    /// Whether a request to the token endpoint has the credentials of the client: with HTTP basic authentication,
    /// else as members of the form.
    pub(super) fn is_authenticated(&self, authorization: Option<&str>, form: &Fields) -> bool {
        let given = match authorization {
            Some(header) => basic(header),
            None => form
                .get("client_id")
                .zip(form.get("client_secret"))
                .map(|(id, secret)| (id.to_owned(), secret.to_owned())),
        };
        let Some((id, secret)) = given else {
            return false;
        };
        let is_id = is_equal(&id, &self.id);
        // Both are compared, whatever the first comparison says.
        let is_secret = is_equal(&secret, self.secret.reveal());
        is_id & is_secret
    }
}

/// Compares two texts in constant time.
pub(super) fn is_equal(one: &str, other: &str) -> bool {
    verify_slices_are_equal(one.as_bytes(), other.as_bytes()).is_ok()
}

/// Reads the id and the secret of an `Authorization` header. Both are form-encoded there.
fn basic(header: &str) -> Option<(String, String)> {
    let (scheme, encoded) = header.split_once(' ')?;
    if !scheme.eq_ignore_ascii_case("basic") {
        return None;
    }
    let pair = String::from_utf8(STANDARD.decode(encoded.trim()).ok()?).ok()?;
    let (id, secret) = pair.split_once(':')?;
    Some((decoded(id)?, decoded(secret)?))
}

fn decoded(text: &str) -> Option<String> {
    // A text without `=` and `&` is one name without a value.
    let text = text.replace('=', "%3D").replace('&', "%26");
    let (name, _) = form_urlencoded::parse(text.as_bytes()).next()?;
    Some(name.into_owned())
}
