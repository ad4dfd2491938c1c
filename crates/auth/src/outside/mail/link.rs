//! Builds the link of a mail.

use url::{ParseError, Url, form_urlencoded};

/// Builds the link of a mail: the server's external URL with the path of the setting, and the token.
///
/// The path is resolved as in a browser: `/verify` starts at the root of the host, and a URL with a host of
/// its own replaces the server's. The order of the parameters, and that most redirects are not encoded, is what
/// GoTrue's clients expect.
///
/// ```
/// use innkeeper_auth::mail::confirmation_url;
/// use url::Url;
///
/// let server = Url::parse("https://inn.example/auth/v1")?;
/// assert_eq!(
///     confirmation_url(&server, "/verify", "b2c4", "signup", "http://localhost:3000")?,
///     "https://inn.example/verify?token=b2c4&type=signup&redirect_to=http://localhost:3000"
/// );
/// # Ok::<(), url::ParseError>(())
/// ```
pub fn confirmation_url(
    external_url: &Url,
    urlpath: &str,
    token: &str,
    kind: &str,
    redirect_to: &str,
) -> Result<String, ParseError> {
    let mut url = external_url.join(urlpath)?;
    let redirect_to = if redirect_to.contains(['&', '=', '#']) {
        encode(redirect_to)
    } else {
        redirect_to.to_owned()
    };
    let (token, kind) = (encode(token), encode(kind));
    url.set_query(Some(&format!(
        "token={token}&type={kind}&redirect_to={redirect_to}"
    )));
    url.set_fragment(None);
    Ok(url.into())
}

fn encode(text: &str) -> String {
    form_urlencoded::byte_serialize(text.as_bytes()).collect()
}
