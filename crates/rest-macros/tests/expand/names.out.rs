impl r#Box {
    #[allow(
        clippy::needless_pass_by_value,
        clippy::trivially_copy_pass_by_ref,
        clippy::unnecessary_wraps,
        clippy::unused_async,
        clippy::unused_self
    )]
    fn r#match(&self, r#type: Kind, mut name: String, r#in: &str) -> String {
        name.push_str(r#in);
        name
    }
    #[allow(
        clippy::needless_pass_by_value,
        clippy::trivially_copy_pass_by_ref,
        clippy::unnecessary_wraps,
        clippy::unused_async,
        clippy::unused_self
    )]
    fn file(&self, file: std::borrow::Cow<'_, str>) -> impl IntoReply + use<> {
        file.into_owned()
    }
}
#[automatically_derived]
#[allow(
    clippy::all,
    clippy::pedantic,
    clippy::nursery,
    deprecated,
    elided_lifetimes_in_paths,
    trivial_casts,
    trivial_numeric_casts,
    unit_bindings,
    unreachable_code,
    unused_mut,
    unused_qualifications
)]
impl ::innkeeper_rest::Resource for r#Box {
    type Mode = ::innkeeper_rest::Shared;
    const NAME: &'static str = "Box";
    const BASE: &'static str = "/r";
    const ROUTES: &'static [::innkeeper_rest::Route] = &[
        ::innkeeper_rest::Route {
            id: 0u16,
            verb: ::innkeeper_rest::Verb::Get,
            template: "/r/{type}/@{name}",
            matcher: "/r/{p0}/@{p1}",
            params: &[
                ::innkeeper_rest::PathParam {
                    name: "type",
                    pattern: ::core::option::Option::None,
                    tail: false,
                },
                ::innkeeper_rest::PathParam {
                    name: "name",
                    pattern: ::core::option::Option::None,
                    tail: false,
                },
            ],
            operation: "match",
            resource: "Box",
            declared_at: ::core::concat!(
                ::core::file!(), ":", ::core::line!(), ":", ::core::column!()
            ),
            docs: "",
            arguments: &[
                ::innkeeper_rest::Argument {
                    name: "type",
                    source: ::innkeeper_rest::Source::Path,
                    default: ::core::option::Option::None,
                    separator: ::core::option::Option::None,
                    ty: ::innkeeper_rest::describe_type!(Kind),
                    ..::innkeeper_rest::Argument::NONE
                },
                ::innkeeper_rest::Argument {
                    name: "name",
                    source: ::innkeeper_rest::Source::Path,
                    default: ::core::option::Option::None,
                    separator: ::core::option::Option::None,
                    ty: ::innkeeper_rest::describe_type!(String),
                    ..::innkeeper_rest::Argument::NONE
                },
                ::innkeeper_rest::Argument {
                    name: "in",
                    source: ::innkeeper_rest::Source::Param,
                    default: ::core::option::Option::None,
                    separator: ::core::option::Option::None,
                    ty: ::innkeeper_rest::describe_type!(& str),
                    ..::innkeeper_rest::Argument::NONE
                },
            ],
            returns: ::innkeeper_rest::describe_return!(String),
            responds: &[],
            security: &[],
            consumes: &[],
            produces: &[],
            meta: &[],
            body_limit: ::core::option::Option::None,
            timeout: ::core::option::Option::None,
            detached: false,
            ..::innkeeper_rest::Route::NONE
        },
        ::innkeeper_rest::Route {
            id: 1u16,
            verb: ::innkeeper_rest::Verb::Get,
            template: "/r/{file}.json",
            matcher: "/r/{p0}.json",
            params: &[
                ::innkeeper_rest::PathParam {
                    name: "file",
                    pattern: ::core::option::Option::None,
                    tail: false,
                },
            ],
            operation: "file",
            resource: "Box",
            declared_at: ::core::concat!(
                ::core::file!(), ":", ::core::line!(), ":", ::core::column!()
            ),
            docs: "",
            arguments: &[
                ::innkeeper_rest::Argument {
                    name: "file",
                    source: ::innkeeper_rest::Source::Path,
                    default: ::core::option::Option::None,
                    separator: ::core::option::Option::None,
                    ty: ::innkeeper_rest::describe_type!(std::borrow::Cow < '_, str >),
                    ..::innkeeper_rest::Argument::NONE
                },
            ],
            returns: ::innkeeper_rest::describe_return!(_),
            responds: &[],
            security: &[],
            consumes: &[],
            produces: &[],
            meta: &[],
            body_limit: ::core::option::Option::None,
            timeout: ::core::option::Option::None,
            detached: false,
            ..::innkeeper_rest::Route::NONE
        },
    ];
    fn erase(self) -> ::innkeeper_rest::__private::ErasedResource {
        ::innkeeper_rest::__private::ErasedResource::shared(self)
    }
    fn dispatch<'__call>(
        __this: &'__call ::std::sync::Arc<Self>,
        mut __call: ::innkeeper_rest::__private::Call<'__call>,
    ) -> ::innkeeper_rest::__private::Dispatch<'__call> {
        use ::innkeeper_rest::__private as __rest;
        match __call.id() {
            0u16 => {
                __rest::dispatch::ready(
                    (|| -> ::core::result::Result<
                        ::innkeeper_rest::Response,
                        ::innkeeper_rest::Rejection,
                    > {
                        let __call = &__call;
                        let __in0 = __rest::path(__call, 0usize, "type")?;
                        let __arg0: Kind = __rest::read!(Kind, & __in0)?;
                        let __in1 = __rest::path(__call, 1usize, "name")?;
                        let __arg1: String = __rest::read!(String, & __in1)?;
                        let __in2 = __rest::param(__call, "in")?;
                        let __arg2: &str = __rest::read!(& str, & __in2)?;
                        let __value = Self::r#match(&**__this, __arg0, __arg1, __arg2);
                        __rest::reply!(__call, __value)
                    })(),
                )
            }
            1u16 => {
                __rest::dispatch::ready(
                    (|| -> ::core::result::Result<
                        ::innkeeper_rest::Response,
                        ::innkeeper_rest::Rejection,
                    > {
                        let __call = &__call;
                        let __in0 = __rest::path(__call, 0usize, "file")?;
                        let __arg0: std::borrow::Cow<'_, str> = __rest::read!(
                            std::borrow::Cow < '_, str >, & __in0
                        )?;
                        let __value = Self::file(&**__this, __arg0);
                        __rest::reply!(__call, __value)
                    })(),
                )
            }
            _ => __rest::dispatch::unknown(),
        }
    }
}
#[automatically_derived]
#[allow(
    clippy::all,
    clippy::pedantic,
    clippy::nursery,
    dead_code,
    elided_lifetimes_in_paths,
    private_bounds,
    private_interfaces,
    single_use_lifetimes,
    unreachable_pub,
    unused_qualifications
)]
impl r#Box {
    ///The path of `match`: `/r/{type}/@{name}`, with its parameters filled in.
    #[must_use]
    pub fn match_path(
        r#type: impl ::innkeeper_rest::PathValue<Kind>,
        name: impl ::innkeeper_rest::PathValue<String>,
    ) -> ::innkeeper_rest::Location {
        ::innkeeper_rest::__private::reverse_path(
            &[
                ::innkeeper_rest::__private::PathPart::Text("/r/"),
                ::innkeeper_rest::__private::PathPart::One(
                    "type",
                    ::innkeeper_rest::PathValue::in_path(&r#type),
                    ::core::option::Option::None,
                ),
                ::innkeeper_rest::__private::PathPart::Text("/@"),
                ::innkeeper_rest::__private::PathPart::One(
                    "name",
                    ::innkeeper_rest::PathValue::in_path(&name),
                    ::core::option::Option::None,
                ),
            ],
        )
    }
    ///The path of `file`: `/r/{file}.json`, with its parameters filled in.
    #[must_use]
    pub fn file_path<'__path>(
        file: impl ::innkeeper_rest::PathValue<std::borrow::Cow<'__path, str>>,
    ) -> ::innkeeper_rest::Location {
        ::innkeeper_rest::__private::reverse_path(
            &[
                ::innkeeper_rest::__private::PathPart::Text("/r/"),
                ::innkeeper_rest::__private::PathPart::One(
                    "file",
                    ::innkeeper_rest::PathValue::in_path(&file),
                    ::core::option::Option::None,
                ),
                ::innkeeper_rest::__private::PathPart::Text(".json"),
            ],
        )
    }
}
