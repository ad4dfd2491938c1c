//! The ladders of descriptions: what a document says of a type, if the type says anything at all.
//!
//! Without the feature `openapi` nothing is written down and these macros are empty.

#[cfg(feature = "openapi")]
mod rungs {
    use std::convert::Infallible;

    use schemars::JsonSchema;

    use crate::deferred::Async;
    use crate::ladder::Rung;
    use crate::openapi::{Described, Errors, Fixed, Schemas};
    use crate::response::{ApiError, IntoReply};
    use crate::source::FromBody;

    macro_rules! describe_rungs {
        ($($trait:ident [$($refs:tt)*] <$type:ty> ($($bound:tt)*) |$schemas:ident| $described:expr;)*) => {$(
            pub trait $trait {
                fn describe(&self, schemas: &mut Schemas) -> Described;
            }

            impl<T $($bound)*> $trait for $($refs)* Rung<$type> {
                fn describe(&self, $schemas: &mut Schemas) -> Described {
                    $described
                }
            }
        )*};
    }
    describe_rungs! {
        DescribeOption [&&&&&] <Option<T>> (: JsonSchema) |schemas| schemas.of::<T>().optional();
        DescribeList [&&&&] <Vec<T>> (: JsonSchema) |schemas| schemas.of::<Vec<T>>().list();
        DescribeSchema [&&&] <T> (: JsonSchema) |schemas| schemas.of::<T>();
        DescribeAnyOption [&&] <Option<T>> () |_schemas| Described::unknown().optional();
        DescribeAnyList [&] <Vec<T>> () |_schemas| Described::unknown_list();
        DescribeAny [] <T> () |_schemas| Described::unknown();
    }

    /// A type that takes the body itself knows what it is sent as.
    pub trait MediaTypesOwn {
        fn media_types(&self) -> Option<&'static [&'static str]>;
    }

    impl<T: FromBody> MediaTypesOwn for &Rung<T> {
        fn media_types(&self) -> Option<&'static [&'static str]> {
            Some(T::MEDIA_TYPES)
        }
    }

    pub trait MediaTypesAny {
        fn media_types(&self) -> Option<&'static [&'static str]> {
            None
        }
    }

    impl<T> MediaTypesAny for Rung<T> {}

    /// The value and the error of a return type.
    #[derive(Debug)]
    pub struct Parts<V, E> {
        pub value: Rung<V>,
        pub error: Rung<E>,
    }

    macro_rules! part_rungs {
        ($($trait:ident [$($refs:tt)*] <$($param:ident),*> $type:ty => $value:ty, $error:ty;)*) => {$(
            pub trait $trait {
                type Value;
                type Error;
                fn parts(&self) -> Parts<Self::Value, Self::Error> {
                    Parts {
                        value: Rung::NEW,
                        error: Rung::NEW,
                    }
                }
            }

            impl<$($param),*> $trait for $($refs)* Rung<$type> {
                type Value = $value;
                type Error = $error;
            }
        )*};
    }
    part_rungs! {
        PartsResultLate [&&&&] <T, E> Result<Async<T>, E> => T, E;
        PartsLateResult [&&&] <T, E> Async<Result<T, E>> => T, E;
        PartsResult [&&] <T, E> Result<T, E> => T, E;
        PartsLate [&] <T> Async<T> => T, Infallible;
        PartsValue [] <T> T => T, Infallible;
    }

    /// A value that is a response by itself may have a status and a media type of its own.
    pub trait FixedReply {
        fn fixed(&self) -> Fixed;
    }

    impl<T: IntoReply> FixedReply for &Rung<T> {
        fn fixed(&self) -> Fixed {
            Fixed {
                status: T::STATUS,
                media_type: T::MEDIA_TYPE,
            }
        }
    }

    pub trait FixedNothing {
        fn fixed(&self) -> Fixed {
            Fixed::default()
        }
    }

    impl<T> FixedNothing for Rung<T> {}

    pub trait ErrorsListed {
        fn errors(&self) -> Errors;
    }

    impl<E: ApiError> ErrorsListed for &&Rung<E> {
        fn errors(&self) -> Errors {
            Errors::Listed(E::responses())
        }
    }

    pub trait ErrorsNone {
        fn errors(&self) -> Errors {
            Errors::Listed(Vec::new())
        }
    }

    impl ErrorsNone for &Rung<Infallible> {}

    pub trait ErrorsUnknown {
        fn errors(&self) -> Errors {
            Errors::Unknown
        }
    }

    impl<E> ErrorsUnknown for Rung<E> {}
}

#[cfg(feature = "openapi")]
pub use rungs::*;

/// What a document says of a type.
#[cfg(feature = "openapi")]
#[macro_export]
#[doc(hidden)]
macro_rules! __describe {
    ($type:ty) => {
        $crate::TypeInfo {
            describe: |schemas| {
                #[allow(unused_imports)]
                use $crate::__private::ladder::{
                    DescribeAny as _, DescribeAnyList as _, DescribeAnyOption as _,
                    DescribeList as _, DescribeOption as _, DescribeSchema as _,
                    MediaTypesAny as _, MediaTypesOwn as _,
                };
                let media_types = (&&$crate::__private::ladder::Rung::<$type>::NEW).media_types();
                (&&&&&&$crate::__private::ladder::Rung::<$type>::NEW)
                    .describe(schemas)
                    .sent_as(media_types)
            },
            ..$crate::TypeInfo::NONE
        }
    };
}

/// What a document says of a type: nothing.
#[cfg(not(feature = "openapi"))]
#[macro_export]
#[doc(hidden)]
macro_rules! __describe {
    ($type:ty) => {
        $crate::TypeInfo::NONE
    };
}

/// What a document says of a return type.
#[cfg(feature = "openapi")]
#[macro_export]
#[doc(hidden)]
macro_rules! __describe_outcome {
    ($type:ty) => {
        $crate::Returns {
            outcome: |schemas| {
                #[allow(unused_imports)]
                use $crate::__private::ladder::{
                    DescribeAny as _, DescribeAnyList as _, DescribeAnyOption as _,
                    DescribeList as _, DescribeOption as _, DescribeSchema as _, ErrorsListed as _,
                    ErrorsNone as _, ErrorsUnknown as _, FixedNothing as _, FixedReply as _,
                    PartsLate as _, PartsLateResult as _, PartsResult as _, PartsResultLate as _,
                    PartsValue as _,
                };
                let parts = (&&&&&$crate::__private::ladder::Rung::<$type>::NEW).parts();
                $crate::__private::Outcome {
                    value: (&&&&&&parts.value).describe(schemas),
                    fixed: (&&parts.value).fixed(),
                    errors: (&&&parts.error).errors(),
                }
            },
            ..$crate::Returns::NONE
        }
    };
}

/// What a document says of a return type: nothing.
#[cfg(not(feature = "openapi"))]
#[macro_export]
#[doc(hidden)]
macro_rules! __describe_outcome {
    ($type:ty) => {
        $crate::Returns::NONE
    };
}
