//! The fields of submitted forms.

use url::form_urlencoded;

/// The longest value of a field that is read, in bytes. No password or address is longer.
const MAX_VALUE: usize = 8 * 1024;

/// The fields of a form, as a browser sends them.
#[derive(Debug, Default)]
pub(super) struct Form(Vec<(String, String)>);

impl Form {
    /// Reads a form. Values that are too long count as absent.
    pub(super) fn read(bytes: &[u8]) -> Self {
        let fields = form_urlencoded::parse(bytes)
            .filter(|(_, value)| value.len() <= MAX_VALUE)
            .map(|(name, value)| (name.into_owned(), value.into_owned()));
        Self(fields.collect())
    }

    /// Returns a field as it was sent; empty if it is absent. Of several the first counts.
    pub(super) fn value(&self, name: &str) -> &str {
        let field = self.0.iter().find(|(key, _)| key == name);
        field.map_or("", |(_, value)| value)
    }

    /// Returns a field without the spaces around it, which people paste. No database stores U+0000.
    pub(super) fn text(&self, name: &str) -> String {
        self.value(name).replace('\0', "").trim().to_owned()
    }

    /// Returns a code without the spaces and dashes that people type between its digits.
    pub(super) fn code(&self) -> String {
        let is_digit = |letter: &char| !letter.is_whitespace() && *letter != '-';
        self.text("code").chars().filter(is_digit).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Form;

    #[test]
    fn fields_are_read_as_browsers_send_them() {
        let form = Form::read(b"email=+a%2Bb%40x.example+&code=12-3+4&email=second&password=+p+");
        assert_eq!(form.text("email"), "a+b@x.example");
        assert_eq!(form.code(), "1234");
        assert_eq!(form.value("password"), " p ");
        assert_eq!(form.text("absent"), "");
        let long = format!("email={}", "x".repeat(9000));
        assert_eq!(Form::read(long.as_bytes()).text("email"), "");
    }
}
