//! The parts of a built-in mail.

/// The built-in text of one kind of mail in one language.
pub(super) struct Words {
    /// The subject, a template; `None` if the settings have a default and it is in this language.
    pub(super) subject: Option<&'static str>,
    pub(super) title: &'static str,
    /// What has happened or was requested, a template.
    pub(super) about: &'static str,
    /// The sentence before the link.
    pub(super) follow: &'static str,
    /// The label of the button.
    pub(super) button: &'static str,
    /// The sentence before the code, in a mail that also has a link.
    pub(super) enter_after_link: &'static str,
    /// The sentence before the code, in a mail without a link.
    pub(super) enter: &'static str,
    /// When the link and the code expire, a template.
    pub(super) expiry: &'static str,
    /// When the code expires, in a mail without a link, a template.
    pub(super) code_expiry: &'static str,
    /// What to do if the recipient did not cause the mail, a template.
    pub(super) farewell: &'static str,
}

/// The templates of a built-in mail, filled in.
pub(super) struct FilledWords {
    pub(super) about: String,
    pub(super) expiry: Option<String>,
    pub(super) farewell: String,
}
