impl Login {
    #[allow(
        clippy::needless_pass_by_value,
        clippy::trivially_copy_pass_by_ref,
        clippy::unnecessary_wraps,
        clippy::unused_async,
        clippy::unused_self
    )]
    async fn login(&self, name: String, remember: bool, agent: &str) -> Response {
        self.enter(name, remember, agent).await
    }
    #[allow(
        clippy::needless_pass_by_value,
        clippy::trivially_copy_pass_by_ref,
        clippy::unnecessary_wraps,
        clippy::unused_async,
        clippy::unused_self
    )]
    fn plain(&self, name: String) -> String {
        name
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
impl ::innkeeper_rest::Resource for Login {
    type Mode = ::innkeeper_rest::Shared;
    const NAME: &'static str = "Login";
    const BASE: &'static str = "/login";
    const ROUTES: &'static [::innkeeper_rest::Route] = &[
        ::innkeeper_rest::Route {
            id: 0u16,
            verb: ::innkeeper_rest::Verb::Post,
            template: "/login",
            matcher: "/login",
            params: &[],
            operation: "login",
            resource: "Login",
            declared_at: ::core::concat!(
                ::core::file!(), ":", ::core::line!(), ":", ::core::column!()
            ),
            docs: "",
            arguments: &[
                ::innkeeper_rest::Argument {
                    name: "name",
                    source: ::innkeeper_rest::Source::Param,
                    default: ::core::option::Option::None,
                    separator: ::core::option::Option::None,
                    ty: ::innkeeper_rest::describe_type!(String),
                    ..::innkeeper_rest::Argument::NONE
                },
                ::innkeeper_rest::Argument {
                    name: "remember",
                    source: ::innkeeper_rest::Source::Param,
                    default: ::core::option::Option::Some("false"),
                    separator: ::core::option::Option::None,
                    ty: ::innkeeper_rest::describe_type!(bool),
                    ..::innkeeper_rest::Argument::NONE
                },
                ::innkeeper_rest::Argument {
                    name: "User-Agent",
                    source: ::innkeeper_rest::Source::Header,
                    default: ::core::option::Option::None,
                    separator: ::core::option::Option::None,
                    ty: ::innkeeper_rest::describe_type!(& str),
                    ..::innkeeper_rest::Argument::NONE
                },
            ],
            returns: ::innkeeper_rest::describe_return!(Response),
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
            verb: ::innkeeper_rest::Verb::Post,
            template: "/login/plain",
            matcher: "/login/plain",
            params: &[],
            operation: "plain",
            resource: "Login",
            declared_at: ::core::concat!(
                ::core::file!(), ":", ::core::line!(), ":", ::core::column!()
            ),
            docs: "",
            arguments: &[
                ::innkeeper_rest::Argument {
                    name: "name",
                    source: ::innkeeper_rest::Source::Param,
                    default: ::core::option::Option::None,
                    separator: ::core::option::Option::None,
                    ty: ::innkeeper_rest::describe_type!(String),
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
                    let __body = __call.take_body();
                    let __call = &__call;
                    let __in2 = __rest::header(
                        __call,
                        const { __rest::HeaderName::from_static("user-agent") },
                        "User-Agent",
                    )?;
                    let __arg2: &str = __rest::read!(& str, & __in2)?;
                    let __form = __rest::form(__call, __body).await?;
                    let __in0 = __rest::form_param(__call, &__form, "name")?;
                    let __arg0: String = __rest::read!(String, & __in0)?;
                    let __in1 = __rest::form_param(__call, &__form, "remember")?;
                    let __arg1: bool = if __in1.is_absent() {
                        false
                    } else {
                        __rest::read!(bool, & __in1)?
                    };
                    let __value = Self::login(&**__this, __arg0, __arg1, __arg2).await;
                    __rest::reply!(__call, __value)
                })
            }
            1u16 => {
                __rest::dispatch::future(async move {
                    let __body = __call.take_body();
                    let __call = &__call;
                    let __form = __rest::form(__call, __body).await?;
                    let __in0 = __rest::form_param(__call, &__form, "name")?;
                    let __arg0: String = __rest::read!(String, & __in0)?;
                    let __value = Self::plain(&**__this, __arg0);
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
impl Login {
    ///The path of `login`: `/login`, with its parameters filled in.
    #[must_use]
    pub fn login_path() -> ::innkeeper_rest::Location {
        ::innkeeper_rest::__private::reverse_path(
            &[::innkeeper_rest::__private::PathPart::Text("/login")],
        )
    }
    ///The path of `plain`: `/login/plain`, with its parameters filled in.
    #[must_use]
    pub fn plain_path() -> ::innkeeper_rest::Location {
        ::innkeeper_rest::__private::reverse_path(
            &[::innkeeper_rest::__private::PathPart::Text("/login/plain")],
        )
    }
}
