//! The types of second factors.

use crate::base::error::{AuthError, Result};
use crate::base::error_code::ErrorCode;
use crate::config::MfaConfig;

/// The type of a second factor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FactorType {
    Totp,
    Phone,
    /// A security key, or another authenticator that a browser can ask.
    Webauthn,
}

impl FactorType {
    /// Parses the name that clients and the database use.
    pub(crate) fn parse(name: &str) -> Result<Self> {
        match name {
            "totp" => Ok(Self::Totp),
            "phone" => Ok(Self::Phone),
            "webauthn" => Ok(Self::Webauthn),
            _ => Err(AuthError::validation(
                "factor_type needs to be totp, phone, or webauthn",
            )),
        }
    }

    /// Returns the name that clients and the database use.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Totp => "totp",
            Self::Phone => "phone",
            Self::Webauthn => "webauthn",
        }
    }

    /// Returns the method that a session records.
    pub(crate) fn method(self) -> &'static str {
        match self {
            Self::Totp => "totp",
            Self::Phone => "mfa/phone",
            Self::Webauthn => "mfa/webauthn",
        }
    }

    /// Whether such factors are accepted here.
    pub(crate) fn is_accepted(self, config: &MfaConfig) -> bool {
        self.check_verification(config).is_ok()
    }

    /// Refuses to add a factor of a type that is off.
    pub(super) fn check_enrolment(self, config: &MfaConfig) -> Result<()> {
        let (is_on, code, name) = match self {
            Self::Totp => (
                config.totp.enroll,
                ErrorCode::MfaTotpEnrollNotEnabled,
                "TOTP",
            ),
            Self::Phone => (
                config.phone.enroll,
                ErrorCode::MfaPhoneEnrollNotEnabled,
                "Phone",
            ),
            Self::Webauthn => (
                config.webauthn.enroll,
                ErrorCode::MfaWebauthnEnrollNotEnabled,
                "WebAuthn",
            ),
        };
        if is_on {
            return Ok(());
        }
        let message = format!("MFA enroll is disabled for {name}");
        Err(AuthError::refused(code, message))
    }

    /// Refuses to use a factor of a type that is off.
    pub(super) fn check_verification(self, config: &MfaConfig) -> Result<()> {
        let (is_on, code, name) = match self {
            Self::Totp => (
                config.totp.verify,
                ErrorCode::MfaTotpVerifyNotEnabled,
                "TOTP",
            ),
            Self::Phone => (
                config.phone.verify,
                ErrorCode::MfaPhoneVerifyNotEnabled,
                "Phone",
            ),
            Self::Webauthn => (
                config.webauthn.verify,
                ErrorCode::MfaWebauthnVerifyNotEnabled,
                "WebAuthn",
            ),
        };
        if is_on {
            return Ok(());
        }
        let message = format!("{name} factors are not accepted here");
        Err(AuthError::refused(code, message))
    }
}
