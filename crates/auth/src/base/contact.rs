//! Validated email addresses and phone numbers.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};

/// The longest email address, limited by the database column.
const EMAIL_MAX: usize = 255;
/// The longest label of a domain name.
const LABEL_MAX: usize = 63;

/// An email address as browsers accept it in `<input type=email>`, in lower case.
///
/// Only ASCII is accepted: a letter of another script that looks like a Latin one would make two accounts
/// look the same. Domains of other scripts are written in their `xn--` form.
///
/// ```
/// use innkeeper_auth::contact::Email;
///
/// let email: Email = "Ada@Example.com".parse()?;
/// assert_eq!(email.as_str(), "ada@example.com");
/// # Ok::<(), innkeeper_auth::contact::InvalidEmail>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Email(String);

/// The text is not an email address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidEmail {
    /// It has more than 255 bytes.
    #[error("An email address is too long")]
    TooLong,
    /// It does not have the form of an address.
    #[error("Unable to validate email address: invalid format")]
    Format,
}

impl Email {
    /// Validates an address and converts it to lower case.
    pub fn parse(text: &str) -> Result<Self, InvalidEmail> {
        if text.len() > EMAIL_MAX {
            return Err(InvalidEmail::TooLong);
        }
        let (local, domain) = text.split_once('@').ok_or(InvalidEmail::Format)?;
        let local_is_valid = !local.is_empty() && local.bytes().all(is_local_byte);
        if local_is_valid && domain.split('.').all(is_label) {
            Ok(Self(text.to_ascii_lowercase()))
        } else {
            Err(InvalidEmail::Format)
        }
    }

    /// Returns the address.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Converts the address into a `String`.
    pub fn into_string(self) -> String {
        self.0
    }
}

fn is_local_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b".!#$%&'*+/=?^_`{|}~-".contains(&byte)
}

fn is_label(label: &str) -> bool {
    (1..=LABEL_MAX).contains(&label.len())
        && label
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        && !label.starts_with('-')
        && !label.ends_with('-')
}

/// A phone number in E.164 form without its `+`, as the database stores it.
///
/// ```
/// use innkeeper_auth::contact::Phone;
///
/// let phone: Phone = "+49 30 1234567".parse()?;
/// assert_eq!(phone.as_str(), "49301234567");
/// # Ok::<(), innkeeper_auth::contact::InvalidPhone>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Phone(String);

/// The text is not a phone number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("Invalid phone number format (E.164 required)")]
pub struct InvalidPhone;

impl Phone {
    /// Removes the `+` at the start and all spaces, and validates the digits.
    pub fn parse(text: &str) -> Result<Self, InvalidPhone> {
        let text = text.replace(' ', "");
        let digits = text.strip_prefix('+').unwrap_or(&text).to_owned();
        let is_phone = (2..=15).contains(&digits.len())
            && !digits.starts_with('0')
            && digits.bytes().all(|byte| byte.is_ascii_digit());
        is_phone.then_some(Self(digits)).ok_or(InvalidPhone)
    }

    /// Returns the digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Converts the digits into a `String`.
    pub fn into_string(self) -> String {
        self.0
    }
}

/// An email address or a phone number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Contact {
    Email(Email),
    Phone(Phone),
}

impl Contact {
    pub(crate) fn as_str(&self) -> &str {
        match self {
            Self::Email(email) => email.as_str(),
            Self::Phone(phone) => phone.as_str(),
        }
    }

    /// Returns the provider of the identity that stands for it.
    pub(crate) fn provider(&self) -> &'static str {
        match self {
            Self::Email(_) => "email",
            Self::Phone(_) => "phone",
        }
    }

    pub(crate) fn email(&self) -> Option<&Email> {
        match self {
            Self::Email(email) => Some(email),
            Self::Phone(_) => None,
        }
    }

    pub(crate) fn phone(&self) -> Option<&Phone> {
        match self {
            Self::Email(_) => None,
            Self::Phone(phone) => Some(phone),
        }
    }
}

macro_rules! impl_text {
    ($type:ident, $error:ident) => {
        impl FromStr for $type {
            type Err = $error;

            fn from_str(text: &str) -> Result<Self, $error> {
                Self::parse(text)
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl AsRef<str> for $type {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }

        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.0)
            }
        }
    };
}

impl_text!(Email, InvalidEmail);
impl_text!(Phone, InvalidPhone);

#[cfg(test)]
mod tests {
    use super::{Email, InvalidEmail, InvalidPhone, Phone};
    use proptest::prelude::{any, prop_assert, prop_assert_eq, proptest};

    #[test]
    fn addresses_that_browsers_accept_are_accepted_in_lower_case() {
        for (text, stored) in [
            ("ada@example.com", "ada@example.com"),
            (
                "Ada.Lovelace+Inn@EXAMPLE.com",
                "ada.lovelace+inn@example.com",
            ),
            ("ada@localhost", "ada@localhost"),
            ("a@b.c", "a@b.c"),
            (
                "!#$%&'*+/=?^_`{|}~-@example.com",
                "!#$%&'*+/=?^_`{|}~-@example.com",
            ),
            ("ada..twice.@example.com", "ada..twice.@example.com"),
            ("ada@xn--bcher-kva.example", "ada@xn--bcher-kva.example"),
            ("ada@127.0.0.1", "ada@127.0.0.1"),
        ] {
            assert_eq!(Email::parse(text).unwrap().as_str(), stored, "{text}");
        }
    }

    #[test]
    fn other_texts_are_not_addresses() {
        for text in [
            "",
            "@",
            "ada",
            "ada@",
            "@example.com",
            "ada@@example.com",
            "ada@example@com",
            "ada @example.com",
            " ada@example.com",
            "ada@example.com ",
            "ada@example.com\n",
            "ada\r\nBcc: eve@example.com@example.com",
            "ada@exam ple.com",
            "ada@example..com",
            "ada@.example.com",
            "ada@example.com.",
            "ada@-example.com",
            "ada@example-.com",
            "ada@example.com,eve@example.com",
            "<ada@example.com>",
            "\"ada\"@example.com",
            "ada@[127.0.0.1]",
            "ada\0@example.com",
            "ada@exa_mple.com",
            // Look-alikes: Cyrillic а, full-width ａ, Kelvin sign, dotted İ.
            "аda@example.com",
            "ａda@example.com",
            "ada@example.com\u{212a}",
            "İda@example.com",
            "ada@bücher.example",
        ] {
            assert_eq!(Email::parse(text), Err(InvalidEmail::Format), "{text:?}");
        }
        assert_eq!(
            InvalidEmail::Format.to_string(),
            "Unable to validate email address: invalid format"
        );
    }

    #[test]
    fn addresses_and_labels_have_a_longest_length() {
        let label = "a".repeat(63);
        let host = format!("{label}.{label}.{label}");
        let longest = format!("{}@{host}", "b".repeat(255 - 1 - host.len()));
        assert!(Email::parse(&longest).is_ok());
        assert_eq!(
            Email::parse(&format!("b{longest}")),
            Err(InvalidEmail::TooLong)
        );
        assert_eq!(
            Email::parse(&format!("a@a{label}.com")),
            Err(InvalidEmail::Format)
        );
    }

    #[test]
    fn phone_numbers_lose_their_plus_and_blanks() {
        for (text, stored) in [
            ("+1 555 010 9999", "15550109999"),
            ("4930123456", "4930123456"),
            ("12", "12"),
            ("123456789012345", "123456789012345"),
        ] {
            assert_eq!(Phone::parse(text).unwrap().as_str(), stored, "{text}");
        }
    }

    #[test]
    fn other_texts_are_not_phone_numbers() {
        for text in [
            "",
            "+",
            " ",
            "1",
            "0123456",
            "+0123456",
            "1234567890123456",
            "12-34",
            "12+34",
            "++12",
            "12+",
            "0049 30 12",
            "(030) 12",
            "tel:+4930",
            "+49 30/12",
            "12a",
            "１２３",
            "12\n",
            "\t12",
            "١٢٣",
        ] {
            assert_eq!(Phone::parse(text), Err(InvalidPhone), "{text:?}");
        }
        assert_eq!(
            InvalidPhone.to_string(),
            "Invalid phone number format (E.164 required)"
        );
    }

    proptest! {
        #[test]
        fn accepted_values_are_plain_and_parse_to_themselves(text in any::<String>()) {
            if let Ok(email) = Email::parse(&text) {
                prop_assert!(email.as_str().bytes().all(|byte| byte.is_ascii_graphic()));
                prop_assert_eq!(&Email::parse(email.as_str()).unwrap(), &email);
            }
            if let Ok(phone) = Phone::parse(&text) {
                prop_assert_eq!(&Phone::parse(phone.as_str()).unwrap(), &phone);
            }
        }

        #[test]
        fn ordinary_addresses_are_accepted(text in "[a-zA-Z0-9._%+-]{1,20}@[a-zA-Z0-9]{1,20}(\\.[a-z]{2,6}){1,3}") {
            let email = Email::parse(&text).unwrap();
            prop_assert_eq!(email.into_string(), text.to_lowercase());
        }
    }
}
