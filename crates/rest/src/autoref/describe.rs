//! The levels of descriptions: the schema of a type, if it implements `JsonSchema`.
//!
//! Without the feature `openapi` the macros describe nothing.

#[cfg(feature = "openapi")]
mod levels {
    use std::convert::Infallible;

    use schemars::JsonSchema;

    use crate::autoref::Probe;
    use crate::deferred::Async;
    use crate::response::{ApiError, IntoReply};
    use crate::route::{ErrorResponses, ReplyConstants, Schemas, TypeSchema};
    use crate::source::FromBody;

    macro_rules! describe_levels {
        ($($trait:ident [$($refs:tt)*] <$type:ty> ($($bound:tt)*) |$schemas:ident| $described:expr;)*) => {$(
            pub trait $trait {
                fn describe(&self, schemas: &mut Schemas) -> TypeSchema;
            }

            impl<T $($bound)*> $trait for $($refs)* Probe<$type> {
                fn describe(&self, $schemas: &mut Schemas) -> TypeSchema {
                    $described
                }
            }
        )*};
    }
    describe_levels! {
        DescribeOption [&&&&&] <Option<T>> (: JsonSchema) |schemas| schemas.of::<T>().optional();
        DescribeList [&&&&] <Vec<T>> (: JsonSchema) |schemas| schemas.of::<Vec<T>>().list();
        DescribeSchema [&&&] <T> (: JsonSchema) |schemas| schemas.of::<T>();
        DescribeAnyOption [&&] <Option<T>> () |_schemas| TypeSchema::unknown().optional();
        DescribeAnyList [&] <Vec<T>> () |_schemas| TypeSchema::unknown_list();
        DescribeAny [] <T> () |_schemas| TypeSchema::unknown();
    }

    /// The level of types that take the body itself, which have media types of their own.
    pub trait MediaTypesFixed {
        fn media_types(&self) -> Option<&'static [&'static str]>;
    }

    impl<T: FromBody> MediaTypesFixed for &Probe<T> {
        fn media_types(&self) -> Option<&'static [&'static str]> {
            Some(T::MEDIA_TYPES)
        }
    }

    pub trait MediaTypesNegotiated {
        fn media_types(&self) -> Option<&'static [&'static str]> {
            None
        }
    }

    impl<T> MediaTypesNegotiated for Probe<T> {}

    /// The value and the error of a return type.
    #[derive(Debug)]
    pub struct ReturnTypes<V, E> {
        pub value: Probe<V>,
        pub error: Probe<E>,
    }

    macro_rules! split_levels {
        ($($trait:ident [$($refs:tt)*] <$($param:ident),*> $type:ty => $value:ty, $error:ty;)*) => {$(
            pub trait $trait {
                type Value;
                type Error;
                fn split(&self) -> ReturnTypes<Self::Value, Self::Error> {
                    ReturnTypes {
                        value: Probe::NEW,
                        error: Probe::NEW,
                    }
                }
            }

            impl<$($param),*> $trait for $($refs)* Probe<$type> {
                type Value = $value;
                type Error = $error;
            }
        )*};
    }
    split_levels! {
        SplitResultAsync [&&&&] <T, E> Result<Async<T>, E> => T, E;
        SplitAsyncResult [&&&] <T, E> Async<Result<T, E>> => T, E;
        SplitResult [&&] <T, E> Result<T, E> => T, E;
        SplitAsync [&] <T> Async<T> => T, Infallible;
        SplitValue [] <T> T => T, Infallible;
    }

    /// The level of values that are responses by themselves, which may have a constant status and media
    /// type.
    pub trait ConstantsKnown {
        fn constants(&self) -> ReplyConstants;
    }

    impl<T: IntoReply> ConstantsKnown for &Probe<T> {
        fn constants(&self) -> ReplyConstants {
            ReplyConstants {
                status: T::STATUS,
                media_type: T::MEDIA_TYPE,
            }
        }
    }

    pub trait ConstantsUnknown {
        fn constants(&self) -> ReplyConstants {
            ReplyConstants::default()
        }
    }

    impl<T> ConstantsUnknown for Probe<T> {}

    pub trait ErrorsListed {
        fn errors(&self) -> ErrorResponses;
    }

    impl<E: ApiError> ErrorsListed for &&Probe<E> {
        fn errors(&self) -> ErrorResponses {
            ErrorResponses::Listed(E::responses())
        }
    }

    pub trait ErrorsNone {
        fn errors(&self) -> ErrorResponses {
            ErrorResponses::Listed(Vec::new())
        }
    }

    impl ErrorsNone for &Probe<Infallible> {}

    pub trait ErrorsUnknown {
        fn errors(&self) -> ErrorResponses {
            ErrorResponses::Unknown
        }
    }

    impl<E> ErrorsUnknown for Probe<E> {}
}

#[cfg(feature = "openapi")]
pub use levels::*;

/// Describes a type for OpenAPI documents.
#[cfg(feature = "openapi")]
#[macro_export]
#[doc(hidden)]
macro_rules! __describe {
    ($type:ty) => {
        $crate::TypeInfo {
            describe: |schemas| {
                #[allow(unused_imports)]
                use $crate::__private::autoref::{
                    DescribeAny as _, DescribeAnyList as _, DescribeAnyOption as _,
                    DescribeList as _, DescribeOption as _, DescribeSchema as _,
                    MediaTypesFixed as _, MediaTypesNegotiated as _,
                };
                let media_types = (&&$crate::__private::autoref::Probe::<$type>::NEW).media_types();
                (&&&&&&$crate::__private::autoref::Probe::<$type>::NEW)
                    .describe(schemas)
                    .sent_as(media_types)
            },
            ..$crate::TypeInfo::NONE
        }
    };
}

/// Describes nothing.
#[cfg(not(feature = "openapi"))]
#[macro_export]
#[doc(hidden)]
macro_rules! __describe {
    ($type:ty) => {
        $crate::TypeInfo::NONE
    };
}

/// Describes a return type for OpenAPI documents.
#[cfg(feature = "openapi")]
#[macro_export]
#[doc(hidden)]
macro_rules! __describe_return_schema {
    ($type:ty) => {
        $crate::Returns {
            outcome: |schemas| {
                #[allow(unused_imports)]
                use $crate::__private::autoref::{
                    ConstantsKnown as _, ConstantsUnknown as _, DescribeAny as _,
                    DescribeAnyList as _, DescribeAnyOption as _, DescribeList as _,
                    DescribeOption as _, DescribeSchema as _, ErrorsListed as _, ErrorsNone as _,
                    ErrorsUnknown as _, SplitAsync as _, SplitAsyncResult as _, SplitResult as _,
                    SplitResultAsync as _, SplitValue as _,
                };
                let types = (&&&&&$crate::__private::autoref::Probe::<$type>::NEW).split();
                $crate::__private::ReturnSchema {
                    value: (&&&&&&types.value).describe(schemas),
                    constants: (&&types.value).constants(),
                    errors: (&&&types.error).errors(),
                }
            },
            ..$crate::Returns::NONE
        }
    };
}

/// Describes nothing.
#[cfg(not(feature = "openapi"))]
#[macro_export]
#[doc(hidden)]
macro_rules! __describe_return_schema {
    ($type:ty) => {
        $crate::Returns::NONE
    };
}
