impl List {
    #[allow(
        clippy::needless_pass_by_value,
        clippy::trivially_copy_pass_by_ref,
        clippy::unnecessary_wraps,
        clippy::unused_async,
        clippy::unused_self
    )]
    fn list(
        &self,
        page: u32,
        sort: String,
        depth: u8,
        theme: Theme,
        limit: Option<u8>,
    ) -> Vec<Entry> {
        self.entries(page, sort, depth, theme, limit)
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
impl ::innkeeper_rest::Resource for List {
    type Mode = ::innkeeper_rest::Shared;
    const NAME: &'static str = "List";
    const BASE: &'static str = "/list";
    const ROUTES: &'static [::innkeeper_rest::Route] = &[
        ::innkeeper_rest::Route {
            id: 0u16,
            verb: ::innkeeper_rest::Verb::Get,
            template: "/list",
            matcher: "/list",
            params: &[],
            operation: "list",
            resource: "List",
            declared_at: ::core::concat!(
                ::core::file!(), ":", ::core::line!(), ":", ::core::column!()
            ),
            docs: "",
            arguments: &[
                ::innkeeper_rest::Argument {
                    name: "page",
                    source: ::innkeeper_rest::Source::Param,
                    default: ::core::option::Option::Some("10"),
                    separator: ::core::option::Option::None,
                    ty: ::innkeeper_rest::describe_type!(u32),
                    ..::innkeeper_rest::Argument::NONE
                },
                ::innkeeper_rest::Argument {
                    name: "sort-by",
                    source: ::innkeeper_rest::Source::Param,
                    default: ::core::option::Option::Some("\"name\""),
                    separator: ::core::option::Option::None,
                    ty: ::innkeeper_rest::describe_type!(String),
                    ..::innkeeper_rest::Argument::NONE
                },
                ::innkeeper_rest::Argument {
                    name: "X-Depth",
                    source: ::innkeeper_rest::Source::Header,
                    default: ::core::option::Option::Some("Self :: DEPTH + 1"),
                    separator: ::core::option::Option::None,
                    ty: ::innkeeper_rest::describe_type!(u8),
                    ..::innkeeper_rest::Argument::NONE
                },
                ::innkeeper_rest::Argument {
                    name: "theme",
                    source: ::innkeeper_rest::Source::Cookie,
                    default: ::core::option::Option::Some("Theme :: Dark"),
                    separator: ::core::option::Option::None,
                    ty: ::innkeeper_rest::describe_type!(Theme),
                    ..::innkeeper_rest::Argument::NONE
                },
                ::innkeeper_rest::Argument {
                    name: "limit",
                    source: ::innkeeper_rest::Source::Param,
                    default: ::core::option::Option::Some("Some (3)"),
                    separator: ::core::option::Option::None,
                    ty: ::innkeeper_rest::describe_type!(Option < u8 >),
                    ..::innkeeper_rest::Argument::NONE
                },
            ],
            returns: ::innkeeper_rest::describe_return!(Vec < Entry >),
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
                        let __in0 = __rest::param(__call, "page")?;
                        let __arg0: u32 = if __in0.is_absent() {
                            10
                        } else {
                            __rest::read!(u32, & __in0)?
                        };
                        let __in1 = __rest::param(__call, "sort-by")?;
                        let __arg1: String = if __in1.is_absent() {
                            ::core::convert::Into::into("name")
                        } else {
                            __rest::read!(String, & __in1)?
                        };
                        let __in2 = __rest::header(
                            __call,
                            const { __rest::HeaderName::from_static("x-depth") },
                            "X-Depth",
                        )?;
                        let __arg2: u8 = if __in2.is_absent() {
                            Self::DEPTH + 1
                        } else {
                            __rest::read!(u8, & __in2)?
                        };
                        let __in3 = __rest::cookie(__call, "theme")?;
                        let __arg3: Theme = if __in3.is_absent() {
                            Theme::Dark
                        } else {
                            __rest::read!(Theme, & __in3)?
                        };
                        let __in4 = __rest::param(__call, "limit")?;
                        let __arg4: Option<u8> = if __in4.is_absent() {
                            Some(3)
                        } else {
                            __rest::read!(Option < u8 >, & __in4)?
                        };
                        let __value = Self::list(
                            &**__this,
                            __arg0,
                            __arg1,
                            __arg2,
                            __arg3,
                            __arg4,
                        );
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
impl List {
    ///The path of `list`: `/list`, with its parameters filled in.
    #[must_use]
    pub fn list_path() -> ::innkeeper_rest::Location {
        ::innkeeper_rest::__private::reverse_path(
            &[::innkeeper_rest::__private::PathPart::Text("/list")],
        )
    }
}
