//! Keeps secrets and addresses out of the causes that the log and operators see.

use super::message::Message;

/// The longest cause, in characters.
const MAX_CAUSE: usize = 500;

/// Removes secrets and addresses from a cause: a server may quote a mail that it refuses.
pub(super) fn redact(cause: &str, status: Option<&str>, message: &Message) -> String {
    let is_quoted = |secret: &String| cause.contains(secret);
    if message.secrets().iter().any(is_quoted) || cause.contains("token") {
        return match status {
            Some(status) => format!("refused with {status}"),
            None => "refused".to_owned(),
        };
    }
    let mut cause = cause.to_owned();
    for address in [&message.to, &message.email] {
        if !address.is_empty() {
            cause = mask(&cause, address);
        }
    }
    cause.chars().take(MAX_CAUSE).collect()
}

/// Replaces a word by `…`, in any capitalization.
fn mask(text: &str, word: &str) -> String {
    let (lower, word) = (text.to_ascii_lowercase(), word.to_ascii_lowercase());
    let mut masked = String::with_capacity(text.len());
    let mut end = 0;
    for (start, _) in lower.match_indices(&word) {
        masked.push_str(text.get(end..start).unwrap_or_default());
        masked.push('…');
        end = start + word.len();
    }
    masked + text.get(end..).unwrap_or_default()
}
