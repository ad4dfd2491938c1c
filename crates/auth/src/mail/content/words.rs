//! The parts of a built-in mail.

/// The built-in text of one kind of mail in one language.
pub(super) struct Words {
    /// The subject, a template; `None` if the subject of the settings is in this language.
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
    /// What to do if the recipient did not cause the mail.
    pub(super) farewell: &'static str,
}
