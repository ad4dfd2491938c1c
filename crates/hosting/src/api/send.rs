//! The one place where a made answer becomes a response: conditions, codings and validators.

use http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, HeaderValue,
    IF_NONE_MATCH, VARY,
};
use innkeeper_rest::{Head, IntoReply, ReplyKind, Response};

use crate::answer::{Answer, Coding};

/// A response that is sent whatever the client accepts: there is only one form of it.
#[derive(Debug)]
pub(crate) struct Sent(pub(crate) Response);

impl IntoReply for Sent {
    // Nothing is negotiated.
    const KIND: ReplyKind = ReplyKind::Empty;

    fn into_reply(self) -> Response {
        self.0
    }
}

/// Sends an answer, or says that the client has it already.
pub(crate) fn send(answer: &Answer, head: &Head) -> Sent {
    let coding = if answer.is_compressible() {
        coding(head)
    } else {
        Coding::Identity
    };
    let mut response = if is_known(answer.tag(), head) {
        Response::not_modified()
    } else {
        Response::ok().body(answer.coded(coding).clone())
    };
    let headers = response.headers_mut();
    headers.insert(ETAG, answer.etag(coding));
    headers.insert(
        CACHE_CONTROL,
        HeaderValue::from_static(answer.cache_control),
    );
    if answer.is_compressible() {
        headers.append(VARY, HeaderValue::from_static("accept-encoding"));
    }
    let name = match coding {
        Coding::Identity => None,
        Coding::Gzip => Some("gzip"),
        Coding::Brotli => Some("br"),
    };
    if let Some(name) = name
        && response.status_code() == 200
    {
        response
            .headers_mut()
            .insert(CONTENT_ENCODING, HeaderValue::from_static(name));
    }
    let content_type = HeaderValue::from_static(answer.content_type);
    response.headers_mut().insert(CONTENT_TYPE, content_type);
    Sent(response)
}

/// Whether the client has the bytes, in whatever coding.
pub(crate) fn is_known(tag: &str, head: &Head) -> bool {
    let lines = head.headers().get_all(IF_NONE_MATCH).iter();
    lines
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(','))
        .map(str::trim)
        .any(|known| known == "*" || bare(known) == Some(tag))
}

/// A tag without quotes, weakness and coding.
fn bare(tag: &str) -> Option<&str> {
    let tag = tag.strip_prefix("W/").unwrap_or(tag);
    let tag = tag.strip_prefix('"')?.strip_suffix('"')?;
    let tag = tag
        .strip_suffix("-gzip")
        .or(tag.strip_suffix("-br"))
        .unwrap_or(tag);
    Some(tag)
}

/// The coding that the client likes best; of two it likes equally, the smaller one.
fn coding(head: &Head) -> Coding {
    let lines = head.headers().get_all(ACCEPT_ENCODING).iter();
    let accepted: Vec<(&str, f32)> = lines
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(','))
        .filter_map(weighed)
        .collect();
    let weight = |name: &str| {
        let own = accepted
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name));
        let any = accepted.iter().find(|(known, _)| *known == "*");
        own.or(any).map_or(0.0, |(_, weight)| *weight)
    };
    let (brotli, gzip) = (weight("br"), weight("gzip"));
    let identity = accepted
        .iter()
        .find(|(known, _)| known.eq_ignore_ascii_case("identity"));
    let identity = identity.map_or(0.0, |(_, weight)| *weight);
    match () {
        () if brotli > 0.0 && brotli >= gzip && brotli >= identity => Coding::Brotli,
        () if gzip > 0.0 && gzip >= identity => Coding::Gzip,
        () => Coding::Identity,
    }
}

fn weighed(part: &str) -> Option<(&str, f32)> {
    let mut parts = part.split(';').map(str::trim);
    let name = parts.next().filter(|name| !name.is_empty())?;
    let weight = parts.find_map(|part| part.strip_prefix("q=").or(part.strip_prefix("Q=")));
    let weight = weight.map_or(1.0, |weight| weight.trim().parse().unwrap_or(0.0));
    Some((name, weight))
}

#[cfg(test)]
mod tests {
    use http::Method;
    use http::header::{ACCEPT_ENCODING, HeaderValue, IF_NONE_MATCH};
    use innkeeper_rest::Head;

    use super::{coding, is_known};
    use crate::answer::Coding;

    #[test]
    fn the_client_chooses_the_coding() {
        for (accepted, expected) in [
            ("", Coding::Identity),
            ("gzip", Coding::Gzip),
            ("gzip, br", Coding::Brotli),
            ("br;q=0.5, gzip;q=0.8", Coding::Gzip),
            ("br;q=0, *", Coding::Gzip),
            ("*;q=0", Coding::Identity),
            ("identity, gzip;q=0.5", Coding::Identity),
            ("GZIP;Q=1", Coding::Gzip),
            ("gzip;q=nonsense", Coding::Identity),
            ("deflate, zstd", Coding::Identity),
        ] {
            let head = Head::new(Method::GET, "/")
                .with_header(ACCEPT_ENCODING, HeaderValue::from_static(accepted));
            assert_eq!(coding(&head), expected, "{accepted}");
        }
        assert_eq!(coding(&Head::new(Method::GET, "/")), Coding::Identity);
    }

    #[test]
    fn a_tag_is_known_in_every_coding() {
        for (condition, expected) in [
            ("\"a\"", true),
            ("\"a-gzip\"", true),
            ("\"x\", W/\"a-br\"", true),
            ("*", true),
            ("\"b\"", false),
            ("a", false),
            ("", false),
        ] {
            let head = Head::new(Method::GET, "/")
                .with_header(IF_NONE_MATCH, HeaderValue::from_static(condition));
            assert_eq!(is_known("a", &head), expected, "{condition}");
        }
    }
}
