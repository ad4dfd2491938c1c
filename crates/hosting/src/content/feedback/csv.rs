//! Feedback as CSV, for spreadsheets.

use crate::model::FeedbackEntry;

/// Writes feedback as CSV (RFC 4180) with a header line.
pub fn csv(entries: &[FeedbackEntry]) -> String {
    let mut table = String::from("id,receivedAt,updatedAt,path,helpful,reason,email,comment\r\n");
    for entry in entries {
        let feedback = &entry.feedback;
        let helpful = if feedback.helpful { "true" } else { "false" };
        let cells = [
            entry.id.to_string(),
            format!("{:.3}", entry.received_at),
            format!("{:.3}", entry.updated_at),
            cell(&feedback.path),
            helpful.to_owned(),
            cell(feedback.reason.as_deref().unwrap_or_default()),
            cell(feedback.email.as_deref().unwrap_or_default()),
            cell(feedback.comment.as_deref().unwrap_or_default()),
        ];
        table.push_str(&cells.join(","));
        table.push_str("\r\n");
    }
    table
}

/// Quotes a text that strangers wrote. A text that starts like a formula gets an apostrophe in front,
/// so that spreadsheets do not evaluate it.
fn cell(text: &str) -> String {
    let is_formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let text = if is_formula {
        format!("'{text}")
    } else {
        text.to_owned()
    };
    if text.contains(['"', ',', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::cell;

    #[test]
    fn a_cell_is_quoted_where_it_must_be_and_never_a_formula() {
        for (text, expected) in [
            ("plain", "plain"),
            ("", ""),
            ("a,b", "\"a,b\""),
            ("say \"hi\"\nthere", "\"say \"\"hi\"\"\nthere\""),
            ("=1+1", "'=1+1"),
            ("-cmd|x", "'-cmd|x"),
            ("@sum(1,2)", "\"'@sum(1,2)\""),
        ] {
            assert_eq!(cell(text), expected);
        }
    }
}
