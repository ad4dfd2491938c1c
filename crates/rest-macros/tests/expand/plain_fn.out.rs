impl Hello {
    #[allow(
        clippy::needless_pass_by_value,
        clippy::trivially_copy_pass_by_ref,
        clippy::unnecessary_wraps,
        clippy::unused_async,
        clippy::unused_self
    )]
    fn hello() -> &'static str {
        "hello"
    }
    #[allow(
        clippy::needless_pass_by_value,
        clippy::trivially_copy_pass_by_ref,
        clippy::unnecessary_wraps,
        clippy::unused_async,
        clippy::unused_self
    )]
    fn greet(&self, name: &str) -> String {
        format!("{} {name}", self.greeting)
    }
    #[allow(
        clippy::needless_pass_by_value,
        clippy::trivially_copy_pass_by_ref,
        clippy::unnecessary_wraps,
        clippy::unused_async,
        clippy::unused_self
    )]
    fn replace(&self, text: String) {
        self.set(text);
    }
    fn set(&self, text: String) {
        drop(text);
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
impl ::innkeeper_rest::Resource for Hello {
    type Mode = ::innkeeper_rest::Shared;
    const NAME: &'static str = "Hello";
    const BASE: &'static str = "/";
    const ROUTES: &'static [::innkeeper_rest::Route] = &[
        ::innkeeper_rest::Route {
            id: 0u16,
            verb: ::innkeeper_rest::Verb::Get,
            template: "/",
            matcher: "/",
            params: &[],
            operation: "hello",
            resource: "Hello",
            declared_at: ::core::concat!(
                ::core::file!(), ":", ::core::line!(), ":", ::core::column!()
            ),
            docs: "",
            arguments: &[],
            returns: ::innkeeper_rest::describe_return!(& 'static str),
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
            template: "/{name}",
            matcher: "/{p0}",
            params: &[
                ::innkeeper_rest::PathParam {
                    name: "name",
                    pattern: ::core::option::Option::None,
                    tail: false,
                },
            ],
            operation: "greet",
            resource: "Hello",
            declared_at: ::core::concat!(
                ::core::file!(), ":", ::core::line!(), ":", ::core::column!()
            ),
            docs: "",
            arguments: &[
                ::innkeeper_rest::Argument {
                    name: "name",
                    source: ::innkeeper_rest::Source::Path,
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
            id: 2u16,
            verb: ::innkeeper_rest::Verb::Put,
            template: "/greeting",
            matcher: "/greeting",
            params: &[],
            operation: "replace",
            resource: "Hello",
            declared_at: ::core::concat!(
                ::core::file!(), ":", ::core::line!(), ":", ::core::column!()
            ),
            docs: "",
            arguments: &[
                ::innkeeper_rest::Argument {
                    name: "text",
                    source: ::innkeeper_rest::Source::Body,
                    default: ::core::option::Option::None,
                    separator: ::core::option::Option::None,
                    ty: ::innkeeper_rest::describe_type!(String),
                    ..::innkeeper_rest::Argument::NONE
                },
            ],
            returns: ::innkeeper_rest::describe_return!(()),
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
                        let __value = Self::hello();
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
                        let __in0 = __rest::path(__call, 0usize, "name")?;
                        let __arg0: &str = __rest::read!(& str, & __in0)?;
                        let __value = Self::greet(&**__this, __arg0);
                        __rest::reply!(__call, __value)
                    })(),
                )
            }
            2u16 => {
                __rest::dispatch::future(async move {
                    let __body = __call.take_body();
                    let __call = &__call;
                    let __arg0: String = __rest::body!(String, __call, __body).await?;
                    let __value = Self::replace(&**__this, __arg0);
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
impl Hello {
    ///The path of `hello`: `/`, with its parameters filled in.
    #[must_use]
    pub fn hello_path() -> ::innkeeper_rest::Location {
        ::innkeeper_rest::__private::reverse_path(
            &[::innkeeper_rest::__private::PathPart::Text("/")],
        )
    }
    ///The path of `greet`: `/{name}`, with its parameters filled in.
    #[must_use]
    pub fn greet_path<'__path>(
        name: impl ::innkeeper_rest::PathValue<&'__path str>,
    ) -> ::innkeeper_rest::Location {
        ::innkeeper_rest::__private::reverse_path(
            &[
                ::innkeeper_rest::__private::PathPart::Text("/"),
                ::innkeeper_rest::__private::PathPart::One(
                    "name",
                    ::innkeeper_rest::PathValue::in_path(&name),
                    ::core::option::Option::None,
                ),
            ],
        )
    }
    ///The path of `replace`: `/greeting`, with its parameters filled in.
    #[must_use]
    pub fn replace_path() -> ::innkeeper_rest::Location {
        ::innkeeper_rest::__private::reverse_path(
            &[::innkeeper_rest::__private::PathPart::Text("/greeting")],
        )
    }
}
