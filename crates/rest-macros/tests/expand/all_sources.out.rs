impl All {
    #[allow(
        clippy::needless_pass_by_value,
        clippy::trivially_copy_pass_by_ref,
        clippy::unnecessary_wraps,
        clippy::unused_async,
        clippy::unused_self
    )]
    async fn all(
        &self,
        id: u64,
        rest: String,
        page: u32,
        max: Option<u32>,
        request_id: String,
        session: Option<String>,
        user: User,
        tenant: Tenant,
        request: &Request,
        order: Order,
    ) -> Response {
        Response::ok()
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
impl ::innkeeper_rest::Resource for All {
    type Mode = ::innkeeper_rest::Shared;
    const NAME: &'static str = "All";
    const BASE: &'static str = "/all";
    const ROUTES: &'static [::innkeeper_rest::Route] = &[
        ::innkeeper_rest::Route {
            id: 0u16,
            verb: ::innkeeper_rest::Verb::Post,
            template: "/all/{id}/{*rest}",
            matcher: "/all/{p0}/{*p1}",
            params: &[
                ::innkeeper_rest::PathParam {
                    name: "id",
                    pattern: ::core::option::Option::None,
                    tail: false,
                },
                ::innkeeper_rest::PathParam {
                    name: "rest",
                    pattern: ::core::option::Option::None,
                    tail: true,
                },
            ],
            operation: "all",
            resource: "All",
            declared_at: ::core::concat!(
                ::core::file!(), ":", ::core::line!(), ":", ::core::column!()
            ),
            docs: "",
            arguments: &[
                ::innkeeper_rest::Argument {
                    name: "id",
                    source: ::innkeeper_rest::Source::Path,
                    default: ::core::option::Option::None,
                    separator: ::core::option::Option::None,
                    ty: ::innkeeper_rest::describe_type!(u64),
                    ..::innkeeper_rest::Argument::NONE
                },
                ::innkeeper_rest::Argument {
                    name: "rest",
                    source: ::innkeeper_rest::Source::Path,
                    default: ::core::option::Option::None,
                    separator: ::core::option::Option::None,
                    ty: ::innkeeper_rest::describe_type!(String),
                    ..::innkeeper_rest::Argument::NONE
                },
                ::innkeeper_rest::Argument {
                    name: "page",
                    source: ::innkeeper_rest::Source::Param,
                    default: ::core::option::Option::None,
                    separator: ::core::option::Option::None,
                    ty: ::innkeeper_rest::describe_type!(u32),
                    ..::innkeeper_rest::Argument::NONE
                },
                ::innkeeper_rest::Argument {
                    name: "max-items",
                    source: ::innkeeper_rest::Source::Param,
                    default: ::core::option::Option::None,
                    separator: ::core::option::Option::None,
                    ty: ::innkeeper_rest::describe_type!(Option < u32 >),
                    ..::innkeeper_rest::Argument::NONE
                },
                ::innkeeper_rest::Argument {
                    name: "X-Request-Id",
                    source: ::innkeeper_rest::Source::Header,
                    default: ::core::option::Option::None,
                    separator: ::core::option::Option::None,
                    ty: ::innkeeper_rest::describe_type!(String),
                    ..::innkeeper_rest::Argument::NONE
                },
                ::innkeeper_rest::Argument {
                    name: "sid",
                    source: ::innkeeper_rest::Source::Cookie,
                    default: ::core::option::Option::None,
                    separator: ::core::option::Option::None,
                    ty: ::innkeeper_rest::describe_type!(Option < String >),
                    ..::innkeeper_rest::Argument::NONE
                },
                ::innkeeper_rest::Argument {
                    name: "user",
                    source: ::innkeeper_rest::Source::Value,
                    default: ::core::option::Option::None,
                    separator: ::core::option::Option::None,
                    ty: ::innkeeper_rest::describe_type!(User),
                    ..::innkeeper_rest::Argument::NONE
                },
                ::innkeeper_rest::Argument {
                    name: "tenant",
                    source: ::innkeeper_rest::Source::Value,
                    default: ::core::option::Option::None,
                    separator: ::core::option::Option::None,
                    ty: ::innkeeper_rest::describe_type!(Tenant),
                    ..::innkeeper_rest::Argument::NONE
                },
                ::innkeeper_rest::Argument {
                    name: "request",
                    source: ::innkeeper_rest::Source::Request,
                    default: ::core::option::Option::None,
                    separator: ::core::option::Option::None,
                    ty: ::innkeeper_rest::describe_type!(& Request),
                    ..::innkeeper_rest::Argument::NONE
                },
                ::innkeeper_rest::Argument {
                    name: "order",
                    source: ::innkeeper_rest::Source::Entity,
                    default: ::core::option::Option::None,
                    separator: ::core::option::Option::None,
                    ty: ::innkeeper_rest::describe_type!(Order),
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
                    let __in0 = __rest::path(__call, 0usize, "id")?;
                    let __arg0: u64 = __rest::read!(u64, & __in0)?;
                    let __in1 = __rest::path(__call, 1usize, "rest")?;
                    let __arg1: String = __rest::read!(String, & __in1)?;
                    let __in2 = __rest::param(__call, "page")?;
                    let __arg2: u32 = __rest::read!(u32, & __in2)?;
                    let __in3 = __rest::param(__call, "max-items")?;
                    let __arg3: Option<u32> = __rest::read!(Option < u32 >, & __in3)?;
                    let __in4 = __rest::header(
                        __call,
                        const { __rest::HeaderName::from_static("x-request-id") },
                        "X-Request-Id",
                    )?;
                    let __arg4: String = __rest::read!(String, & __in4)?;
                    let __in5 = __rest::cookie(__call, "sid")?;
                    let __arg5: Option<String> = __rest::read!(
                        Option < String >, & __in5
                    )?;
                    let __arg6: User = __rest::value!(User, __call)?;
                    let __arg7: Tenant = __rest::value!(Tenant, __call, "tenant")?;
                    let __arg8: &Request = __rest::request(__call);
                    let __arg9: Order = __rest::entity!(Order, __call, __body).await?;
                    {
                        let mut __violations = __rest::Violations::new();
                        __rest::check!(
                            Order, & __arg9, __call, __violations
                            .at(::innkeeper_rest::Source::Entity, "order")
                        );
                        __violations.into_result()?;
                    }
                    let __value = Self::all(
                            &**__this,
                            __arg0,
                            __arg1,
                            __arg2,
                            __arg3,
                            __arg4,
                            __arg5,
                            __arg6,
                            __arg7,
                            __arg8,
                            __arg9,
                        )
                        .await;
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
impl All {
    ///The path of `all`: `/all/{id}/{*rest}`, with its parameters filled in.
    #[must_use]
    pub fn all_path(
        id: impl ::innkeeper_rest::PathValue<u64>,
        rest: impl ::innkeeper_rest::PathValue<String>,
    ) -> ::innkeeper_rest::Location {
        ::innkeeper_rest::__private::reverse_path(
            &[
                ::innkeeper_rest::__private::PathPart::Text("/all/"),
                ::innkeeper_rest::__private::PathPart::One(
                    "id",
                    ::innkeeper_rest::PathValue::in_path(&id),
                    ::core::option::Option::None,
                ),
                ::innkeeper_rest::__private::PathPart::Text("/"),
                ::innkeeper_rest::__private::PathPart::Tail(
                    "rest",
                    ::innkeeper_rest::PathValue::in_path(&rest),
                ),
            ],
        )
    }
}
