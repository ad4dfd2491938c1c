#[automatically_derived]
#[allow(clippy::all, clippy::pedantic, deprecated, unused_qualifications)]
impl ::innkeeper_rest::ApiError for UserError {
    const RESPONSES: &'static [::innkeeper_rest::Responds] = &[
        ::innkeeper_rest::Responds {
            status: 404u16,
            ty: ::core::option::Option::None,
            description: "not_found",
        },
        ::innkeeper_rest::Responds {
            status: 409u16,
            ty: ::core::option::Option::None,
            description: "taken",
        },
        ::innkeeper_rest::Responds {
            status: 500u16,
            ty: ::core::option::Option::None,
            description: "database",
        },
    ];
    fn responses() -> ::std::vec::Vec<::innkeeper_rest::Responds> {
        let mut all = ::std::vec::Vec::new();
        all.extend_from_slice(<Self as ::innkeeper_rest::ApiError>::RESPONSES);
        all.extend(<OtherError as ::innkeeper_rest::ApiError>::responses());
        all
    }
    fn status(&self) -> ::innkeeper_rest::StatusCode {
        match self {
            Self::NotFound => const { ::innkeeper_rest::__private::status(404u16) }
            Self::EmailTaken { .. } => {
                const { ::innkeeper_rest::__private::status(409u16) }
            }
            Self::Database(..) => const { ::innkeeper_rest::__private::status(500u16) }
            Self::Other(inner) => {
                <OtherError as ::innkeeper_rest::ApiError>::status(inner)
            }
        }
    }
    fn code(&self) -> &str {
        match self {
            Self::NotFound => "not_found",
            Self::EmailTaken { .. } => "taken",
            Self::Database(..) => "database",
            Self::Other(inner) => <OtherError as ::innkeeper_rest::ApiError>::code(inner),
        }
    }
}
#[automatically_derived]
#[allow(clippy::all, clippy::pedantic, deprecated, unused_qualifications)]
impl ::innkeeper_rest::IntoReply for UserError {
    const KIND: ::innkeeper_rest::ReplyKind = ::innkeeper_rest::ReplyKind::Error;
    fn into_reply(self) -> ::innkeeper_rest::Response {
        ::innkeeper_rest::__private::api_error(&self)
    }
}
#[automatically_derived]
#[allow(clippy::all, clippy::pedantic, deprecated, unused_qualifications)]
impl ::innkeeper_rest::ApiError for TooShort {
    const RESPONSES: &'static [::innkeeper_rest::Responds] = &[
        ::innkeeper_rest::Responds {
            status: 422u16,
            ty: ::core::option::Option::None,
            description: "too_short",
        },
    ];
    fn status(&self) -> ::innkeeper_rest::StatusCode {
        match self {
            Self(..) => const { ::innkeeper_rest::__private::status(422u16) }
        }
    }
    fn code(&self) -> &str {
        match self {
            Self(..) => "too_short",
        }
    }
}
#[automatically_derived]
#[allow(clippy::all, clippy::pedantic, deprecated, unused_qualifications)]
impl ::innkeeper_rest::IntoReply for TooShort {
    const KIND: ::innkeeper_rest::ReplyKind = ::innkeeper_rest::ReplyKind::Error;
    fn into_reply(self) -> ::innkeeper_rest::Response {
        ::innkeeper_rest::__private::api_error(&self)
    }
}
#[automatically_derived]
#[allow(clippy::all, clippy::pedantic, deprecated, unused_qualifications)]
impl<E> ::innkeeper_rest::ApiError for Wrapped<E>
where
    Wrapped<E>: ::core::fmt::Display,
    E: ::innkeeper_rest::ApiError,
{
    const RESPONSES: &'static [::innkeeper_rest::Responds] = <E as ::innkeeper_rest::ApiError>::RESPONSES;
    fn responses() -> ::std::vec::Vec<::innkeeper_rest::Responds> {
        let mut all = ::std::vec::Vec::new();
        all.extend(<E as ::innkeeper_rest::ApiError>::responses());
        all
    }
    fn status(&self) -> ::innkeeper_rest::StatusCode {
        match self {
            Self { source: inner } => <E as ::innkeeper_rest::ApiError>::status(inner),
        }
    }
    fn code(&self) -> &str {
        match self {
            Self { source: inner } => <E as ::innkeeper_rest::ApiError>::code(inner),
        }
    }
}
#[automatically_derived]
#[allow(clippy::all, clippy::pedantic, deprecated, unused_qualifications)]
impl<E> ::innkeeper_rest::IntoReply for Wrapped<E>
where
    Wrapped<E>: ::core::fmt::Display,
    E: ::innkeeper_rest::ApiError,
{
    const KIND: ::innkeeper_rest::ReplyKind = ::innkeeper_rest::ReplyKind::Error;
    fn into_reply(self) -> ::innkeeper_rest::Response {
        ::innkeeper_rest::__private::api_error(&self)
    }
}
#[automatically_derived]
#[allow(clippy::all, clippy::pedantic, deprecated, unused_qualifications)]
impl ::innkeeper_rest::ApiError for Never {
    const RESPONSES: &'static [::innkeeper_rest::Responds] = &[];
    fn status(&self) -> ::innkeeper_rest::StatusCode {
        match *self {}
    }
    fn code(&self) -> &str {
        match *self {}
    }
}
#[automatically_derived]
#[allow(clippy::all, clippy::pedantic, deprecated, unused_qualifications)]
impl ::innkeeper_rest::IntoReply for Never {
    const KIND: ::innkeeper_rest::ReplyKind = ::innkeeper_rest::ReplyKind::Error;
    fn into_reply(self) -> ::innkeeper_rest::Response {
        ::innkeeper_rest::__private::api_error(&self)
    }
}
