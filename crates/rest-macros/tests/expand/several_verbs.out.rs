impl Search {
    #[allow(
        clippy::needless_pass_by_value,
        clippy::trivially_copy_pass_by_ref,
        clippy::unnecessary_wraps,
        clippy::unused_async,
        clippy::unused_self
    )]
    async fn find(&self, term: Option<String>) -> Vec<Hit> {
        self.hits(term).await
    }
    #[allow(
        clippy::needless_pass_by_value,
        clippy::trivially_copy_pass_by_ref,
        clippy::unnecessary_wraps,
        clippy::unused_async,
        clippy::unused_self
    )]
    async fn search(&self, term: String) -> Vec<Hit> {
        self.hits(Some(term)).await
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
impl ::innkeeper_rest::Resource for Search {
    type Mode = ::innkeeper_rest::Shared;
    const NAME: &'static str = "Search";
    const BASE: &'static str = "/search";
    const ROUTES: &'static [::innkeeper_rest::Route] = &[
        ::innkeeper_rest::Route {
            id: 0u16,
            verb: ::innkeeper_rest::Verb::Get,
            template: "/search",
            matcher: "/search",
            params: &[],
            operation: "find",
            resource: "Search",
            declared_at: ::core::concat!(
                ::core::file!(), ":", ::core::line!(), ":", ::core::column!()
            ),
            docs: "",
            arguments: &[
                ::innkeeper_rest::Argument {
                    name: "term",
                    source: ::innkeeper_rest::Source::Param,
                    default: ::core::option::Option::None,
                    separator: ::core::option::Option::None,
                    ty: ::innkeeper_rest::describe_type!(Option < String >),
                    ..::innkeeper_rest::Argument::NONE
                },
            ],
            returns: ::innkeeper_rest::describe_return!(Vec < Hit >),
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
            template: "/search/{term}",
            matcher: "/search/{p0}",
            params: &[
                ::innkeeper_rest::PathParam {
                    name: "term",
                    pattern: ::core::option::Option::None,
                    tail: false,
                },
            ],
            operation: "find",
            resource: "Search",
            declared_at: ::core::concat!(
                ::core::file!(), ":", ::core::line!(), ":", ::core::column!()
            ),
            docs: "",
            arguments: &[
                ::innkeeper_rest::Argument {
                    name: "term",
                    source: ::innkeeper_rest::Source::Path,
                    default: ::core::option::Option::None,
                    separator: ::core::option::Option::None,
                    ty: ::innkeeper_rest::describe_type!(Option < String >),
                    ..::innkeeper_rest::Argument::NONE
                },
            ],
            returns: ::innkeeper_rest::describe_return!(Vec < Hit >),
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
            id: 2u16,
            verb: ::innkeeper_rest::Verb::Head,
            template: "/search/{term}",
            matcher: "/search/{p0}",
            params: &[
                ::innkeeper_rest::PathParam {
                    name: "term",
                    pattern: ::core::option::Option::None,
                    tail: false,
                },
            ],
            operation: "find",
            resource: "Search",
            declared_at: ::core::concat!(
                ::core::file!(), ":", ::core::line!(), ":", ::core::column!()
            ),
            docs: "",
            arguments: &[
                ::innkeeper_rest::Argument {
                    name: "term",
                    source: ::innkeeper_rest::Source::Path,
                    default: ::core::option::Option::None,
                    separator: ::core::option::Option::None,
                    ty: ::innkeeper_rest::describe_type!(Option < String >),
                    ..::innkeeper_rest::Argument::NONE
                },
            ],
            returns: ::innkeeper_rest::describe_return!(Vec < Hit >),
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
            id: 3u16,
            verb: ::innkeeper_rest::Verb::Post,
            template: "/search",
            matcher: "/search",
            params: &[],
            operation: "search",
            resource: "Search",
            declared_at: ::core::concat!(
                ::core::file!(), ":", ::core::line!(), ":", ::core::column!()
            ),
            docs: "",
            arguments: &[
                ::innkeeper_rest::Argument {
                    name: "term",
                    source: ::innkeeper_rest::Source::Param,
                    default: ::core::option::Option::None,
                    separator: ::core::option::Option::None,
                    ty: ::innkeeper_rest::describe_type!(String),
                    ..::innkeeper_rest::Argument::NONE
                },
            ],
            returns: ::innkeeper_rest::describe_return!(Vec < Hit >),
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
            id: 4u16,
            verb: ::innkeeper_rest::Verb::Other("QUERY"),
            template: "/search/query",
            matcher: "/search/query",
            params: &[],
            operation: "search",
            resource: "Search",
            declared_at: ::core::concat!(
                ::core::file!(), ":", ::core::line!(), ":", ::core::column!()
            ),
            docs: "",
            arguments: &[
                ::innkeeper_rest::Argument {
                    name: "term",
                    source: ::innkeeper_rest::Source::Param,
                    default: ::core::option::Option::None,
                    separator: ::core::option::Option::None,
                    ty: ::innkeeper_rest::describe_type!(String),
                    ..::innkeeper_rest::Argument::NONE
                },
            ],
            returns: ::innkeeper_rest::describe_return!(Vec < Hit >),
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
            id: 5u16,
            verb: ::innkeeper_rest::Verb::Options,
            template: "/search",
            matcher: "/search",
            params: &[],
            operation: "search",
            resource: "Search",
            declared_at: ::core::concat!(
                ::core::file!(), ":", ::core::line!(), ":", ::core::column!()
            ),
            docs: "",
            arguments: &[
                ::innkeeper_rest::Argument {
                    name: "term",
                    source: ::innkeeper_rest::Source::Param,
                    default: ::core::option::Option::None,
                    separator: ::core::option::Option::None,
                    ty: ::innkeeper_rest::describe_type!(String),
                    ..::innkeeper_rest::Argument::NONE
                },
            ],
            returns: ::innkeeper_rest::describe_return!(Vec < Hit >),
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
                __rest::dispatch::future(async move {
                    let __call = &__call;
                    let __in0 = __rest::param(__call, "term")?;
                    let __arg0: Option<String> = __rest::read!(
                        Option < String >, & __in0
                    )?;
                    let __value = Self::find(&**__this, __arg0).await;
                    __rest::reply!(__call, __value)
                })
            }
            1u16 => {
                __rest::dispatch::future(async move {
                    let __call = &__call;
                    let __in0 = __rest::path(__call, 0usize, "term")?;
                    let __arg0: Option<String> = __rest::read!(
                        Option < String >, & __in0
                    )?;
                    let __value = Self::find(&**__this, __arg0).await;
                    __rest::reply!(__call, __value)
                })
            }
            2u16 => {
                __rest::dispatch::future(async move {
                    let __call = &__call;
                    let __in0 = __rest::path(__call, 0usize, "term")?;
                    let __arg0: Option<String> = __rest::read!(
                        Option < String >, & __in0
                    )?;
                    let __value = Self::find(&**__this, __arg0).await;
                    __rest::reply!(__call, __value)
                })
            }
            3u16 => {
                __rest::dispatch::future(async move {
                    let __body = __call.take_body();
                    let __call = &__call;
                    let __form = __rest::form(__call, __body).await?;
                    let __in0 = __rest::form_param(__call, &__form, "term")?;
                    let __arg0: String = __rest::read!(String, & __in0)?;
                    let __value = Self::search(&**__this, __arg0).await;
                    __rest::reply!(__call, __value)
                })
            }
            4u16 => {
                __rest::dispatch::future(async move {
                    let __call = &__call;
                    let __in0 = __rest::param(__call, "term")?;
                    let __arg0: String = __rest::read!(String, & __in0)?;
                    let __value = Self::search(&**__this, __arg0).await;
                    __rest::reply!(__call, __value)
                })
            }
            5u16 => {
                __rest::dispatch::future(async move {
                    let __call = &__call;
                    let __in0 = __rest::param(__call, "term")?;
                    let __arg0: String = __rest::read!(String, & __in0)?;
                    let __value = Self::search(&**__this, __arg0).await;
                    __rest::reply!(__call, __value)
                })
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
impl Search {
    ///The path of `find`: `/search`, with its parameters filled in.
    #[must_use]
    pub fn find_path() -> ::innkeeper_rest::Location {
        ::innkeeper_rest::__private::reverse_path(
            &[::innkeeper_rest::__private::PathPart::Text("/search")],
        )
    }
    ///The path of `search`: `/search`, with its parameters filled in.
    #[must_use]
    pub fn search_path() -> ::innkeeper_rest::Location {
        ::innkeeper_rest::__private::reverse_path(
            &[::innkeeper_rest::__private::PathPart::Text("/search")],
        )
    }
}
