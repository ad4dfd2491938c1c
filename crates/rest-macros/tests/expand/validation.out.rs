impl Users {
    #[allow(
        clippy::needless_pass_by_value,
        clippy::trivially_copy_pass_by_ref,
        clippy::unnecessary_wraps,
        clippy::unused_async,
        clippy::unused_self
    )]
    fn list(&self, org: &str, rest: String, limit: u32, sort: Vec<String>) -> Vec<User> {
        self.find(org, &rest, limit, &sort)
    }
    #[allow(
        clippy::needless_pass_by_value,
        clippy::trivially_copy_pass_by_ref,
        clippy::unnecessary_wraps,
        clippy::unused_async,
        clippy::unused_self
    )]
    async fn replace(&self, mail: String, user: NewUser, filter: Filter) {
        self.put(mail, user, filter).await;
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
impl ::innkeeper_rest::Resource for Users {
    type Mode = ::innkeeper_rest::Shared;
    const NAME: &'static str = "Users";
    const BASE: &'static str = "/users";
    const ROUTES: &'static [::innkeeper_rest::Route] = &[
        ::innkeeper_rest::Route {
            id: 0u16,
            verb: ::innkeeper_rest::Verb::Get,
            template: "/users/{org:[a-z]+}/{*rest}",
            matcher: "/users/{p0}/{*p1}",
            params: &[
                ::innkeeper_rest::PathParam {
                    name: "org",
                    pattern: ::core::option::Option::Some("[a-z]+"),
                    tail: false,
                },
                ::innkeeper_rest::PathParam {
                    name: "rest",
                    pattern: ::core::option::Option::None,
                    tail: true,
                },
            ],
            operation: "list",
            resource: "Users",
            declared_at: ::core::concat!(
                ::core::file!(), ":", ::core::line!(), ":", ::core::column!()
            ),
            docs: "",
            arguments: &[
                ::innkeeper_rest::Argument {
                    name: "org",
                    source: ::innkeeper_rest::Source::Path,
                    default: ::core::option::Option::None,
                    separator: ::core::option::Option::None,
                    ty: ::innkeeper_rest::describe_type!(& str),
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
                    name: "limit",
                    source: ::innkeeper_rest::Source::Param,
                    default: ::core::option::Option::Some("10"),
                    separator: ::core::option::Option::None,
                    ty: ::innkeeper_rest::describe_type!(u32),
                    validated: true,
                    bounds: ::innkeeper_rest::Bounds {
                        minimum: ::core::option::Option::Some(1f64),
                        maximum: ::core::option::Option::Some(
                            (MOST) as ::core::primitive::f64,
                        ),
                        ..::innkeeper_rest::Bounds::NONE
                    },
                    ..::innkeeper_rest::Argument::NONE
                },
                ::innkeeper_rest::Argument {
                    name: "sort",
                    source: ::innkeeper_rest::Source::Param,
                    default: ::core::option::Option::None,
                    separator: ::core::option::Option::None,
                    ty: ::innkeeper_rest::describe_type!(Vec < String >),
                    validated: true,
                    bounds: ::innkeeper_rest::Bounds {
                        max_length: ::core::option::Option::Some(3),
                        items: ::core::option::Option::Some(
                            &::innkeeper_rest::Bounds {
                                pattern: ::core::option::Option::Some("^a"),
                                ..::innkeeper_rest::Bounds::NONE
                            },
                        ),
                        ..::innkeeper_rest::Bounds::NONE
                    },
                    ..::innkeeper_rest::Argument::NONE
                },
            ],
            returns: ::innkeeper_rest::describe_return!(Vec < User >),
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
            verb: ::innkeeper_rest::Verb::Put,
            template: "/users/{mail}",
            matcher: "/users/{p0}",
            params: &[
                ::innkeeper_rest::PathParam {
                    name: "mail",
                    pattern: ::core::option::Option::None,
                    tail: false,
                },
            ],
            operation: "replace",
            resource: "Users",
            declared_at: ::core::concat!(
                ::core::file!(), ":", ::core::line!(), ":", ::core::column!()
            ),
            docs: "",
            arguments: &[
                ::innkeeper_rest::Argument {
                    name: "mail",
                    source: ::innkeeper_rest::Source::Path,
                    default: ::core::option::Option::None,
                    separator: ::core::option::Option::None,
                    ty: ::innkeeper_rest::describe_type!(String),
                    validated: true,
                    bounds: ::innkeeper_rest::Bounds {
                        format: ::core::option::Option::Some("email"),
                        ..::innkeeper_rest::Bounds::NONE
                    },
                    ..::innkeeper_rest::Argument::NONE
                },
                ::innkeeper_rest::Argument {
                    name: "user",
                    source: ::innkeeper_rest::Source::Entity,
                    default: ::core::option::Option::None,
                    separator: ::core::option::Option::None,
                    ty: ::innkeeper_rest::describe_type!(NewUser),
                    validated: true,
                    ..::innkeeper_rest::Argument::NONE
                },
                ::innkeeper_rest::Argument {
                    name: "filter",
                    source: ::innkeeper_rest::Source::Param,
                    default: ::core::option::Option::None,
                    separator: ::core::option::Option::None,
                    ty: ::innkeeper_rest::describe_type!(Filter),
                    validated: true,
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
                        let __in0 = __rest::path(__call, 0usize, "org")?;
                        let __arg0: &str = __rest::read!(& str, & __in0)?;
                        let __in1 = __rest::path(__call, 1usize, "rest")?;
                        let __arg1: String = __rest::read!(String, & __in1)?;
                        let __in2 = __rest::param(__call, "limit")?;
                        let __arg2: u32 = if __in2.is_absent() {
                            10
                        } else {
                            __rest::read!(u32, & __in2)?
                        };
                        let __in3 = __rest::param(__call, "sort")?;
                        let __arg3: Vec<String> = __rest::read!(
                            Vec < String >, & __in3
                        )?;
                        {
                            let mut __violations = __rest::Violations::new();
                            __rest::validate! {
                                __violations.at(::innkeeper_rest::Source::Param, "limit")
                                .record(__rest::validation::range(& __arg2,
                                (::core::option::Option::Some(1),
                                ::core::option::Option::Some(MOST)))); __violations
                                .at(::innkeeper_rest::Source::Param, "limit").record((even)
                                (& __arg2, & ()));
                            }
                            __rest::validate! {
                                __violations.at(::innkeeper_rest::Source::Param, "sort")
                                .record(__rest::length!(& __arg3, (0, 3))); let mut
                                __argument = __violations
                                .at(::innkeeper_rest::Source::Param, "sort");
                                __rest::rules::inner::apply(& __arg3, | __item, __key | {
                                __argument.record_item(__key, { static __PATTERN :
                                __rest::LazyRegex = __rest::LazyRegex::anywhere("^a");
                                __rest::rules::pattern::apply(__item, (& __PATTERN,)) });
                                __argument.record_item(__key,
                                __rest::rules::ascii::apply(__item, ())); });
                            }
                            __violations.into_result()?;
                        }
                        let __value = Self::list(
                            &**__this,
                            __arg0,
                            __arg1,
                            __arg2,
                            __arg3,
                        );
                        __rest::reply!(__call, __value)
                    })(),
                )
            }
            1u16 => {
                __rest::dispatch::future(async move {
                    let __body = __call.take_body();
                    let __call = &__call;
                    let __in0 = __rest::path(__call, 0usize, "mail")?;
                    let __arg0: String = __rest::read!(String, & __in0)?;
                    let __in2 = __rest::param(__call, "filter")?;
                    let __arg2: Filter = __rest::read!(Filter, & __in2)?;
                    let __arg1: NewUser = __rest::entity!(NewUser, __call, __body)
                        .await?;
                    {
                        let mut __violations = __rest::Violations::new();
                        __rest::validate! {
                            __violations.at(::innkeeper_rest::Source::Path, "mail")
                            .record(__rest::rules::email::apply(& __arg0, ()));
                            __violations.at(::innkeeper_rest::Source::Path, "mail")
                            .record(__rest::rules::prefix::apply(& __arg0, ("a",)));
                        }
                        __rest::validate! {
                            __rest::dive!(NewUser, & __arg1, __call, __violations
                            .at(::innkeeper_rest::Source::Entity, "user"));
                        }
                        __rest::validate! {
                            __rest::dive!(Filter, & __arg2, __call, __violations
                            .at(::innkeeper_rest::Source::Param, "filter"));
                        }
                        __violations.into_result()?;
                    }
                    let __value = Self::replace(&**__this, __arg0, __arg1, __arg2).await;
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
impl Users {
    ///The path of `list`: `/users/{org:[a-z]+}/{*rest}`, with its parameters filled in.
    #[must_use]
    pub fn list_path<'__path>(
        org: impl ::innkeeper_rest::PathValue<&'__path str>,
        rest: impl ::innkeeper_rest::PathValue<String>,
    ) -> ::innkeeper_rest::Location {
        static __PATTERN0: ::innkeeper_rest::__private::LazyRegex = ::innkeeper_rest::__private::LazyRegex::whole(
            "[a-z]+",
        );
        ::innkeeper_rest::__private::reverse_path(
            &[
                ::innkeeper_rest::__private::PathPart::Text("/users/"),
                ::innkeeper_rest::__private::PathPart::One(
                    "org",
                    ::innkeeper_rest::PathValue::in_path(&org),
                    ::core::option::Option::Some(&__PATTERN0),
                ),
                ::innkeeper_rest::__private::PathPart::Text("/"),
                ::innkeeper_rest::__private::PathPart::Tail(
                    "rest",
                    ::innkeeper_rest::PathValue::in_path(&rest),
                ),
            ],
        )
    }
    ///The path of `replace`: `/users/{mail}`, with its parameters filled in.
    #[must_use]
    pub fn replace_path(
        mail: impl ::innkeeper_rest::PathValue<String>,
    ) -> ::innkeeper_rest::Location {
        ::innkeeper_rest::__private::reverse_path(
            &[
                ::innkeeper_rest::__private::PathPart::Text("/users/"),
                ::innkeeper_rest::__private::PathPart::One(
                    "mail",
                    ::innkeeper_rest::PathValue::in_path(&mail),
                    ::core::option::Option::None,
                ),
            ],
        )
    }
}
