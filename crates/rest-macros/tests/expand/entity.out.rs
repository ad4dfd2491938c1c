impl Users {
    #[allow(
        clippy::needless_pass_by_value,
        clippy::trivially_copy_pass_by_ref,
        clippy::unnecessary_wraps,
        clippy::unused_async,
        clippy::unused_self
    )]
    async fn create(&self, user: NewUser) -> Result<Response, UserError> {
        self.insert(user).await
    }
    #[allow(
        clippy::needless_pass_by_value,
        clippy::trivially_copy_pass_by_ref,
        clippy::unnecessary_wraps,
        clippy::unused_async,
        clippy::unused_self
    )]
    async fn replace(&self, id: u64, user: User) -> Result<User, UserError> {
        self.put(id, user).await
    }
    #[allow(
        clippy::needless_pass_by_value,
        clippy::trivially_copy_pass_by_ref,
        clippy::unnecessary_wraps,
        clippy::unused_async,
        clippy::unused_self
    )]
    async fn remove(&self, id: u64, reason: Reason) -> Result<(), UserError> {
        self.delete(id, reason).await
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
            verb: ::innkeeper_rest::Verb::Post,
            template: "/users",
            matcher: "/users",
            params: &[],
            operation: "create",
            resource: "Users",
            declared_at: ::core::concat!(
                ::core::file!(), ":", ::core::line!(), ":", ::core::column!()
            ),
            docs: "",
            arguments: &[
                ::innkeeper_rest::Argument {
                    name: "user",
                    source: ::innkeeper_rest::Source::Entity,
                    default: ::core::option::Option::None,
                    separator: ::core::option::Option::None,
                    ty: ::innkeeper_rest::describe_type!(NewUser),
                    ..::innkeeper_rest::Argument::NONE
                },
            ],
            returns: ::innkeeper_rest::describe_return!(Result < Response, UserError >),
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
            template: "/users/{id}",
            matcher: "/users/{p0}",
            params: &[
                ::innkeeper_rest::PathParam {
                    name: "id",
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
                    name: "id",
                    source: ::innkeeper_rest::Source::Path,
                    default: ::core::option::Option::None,
                    separator: ::core::option::Option::None,
                    ty: ::innkeeper_rest::describe_type!(u64),
                    ..::innkeeper_rest::Argument::NONE
                },
                ::innkeeper_rest::Argument {
                    name: "user",
                    source: ::innkeeper_rest::Source::Entity,
                    default: ::core::option::Option::None,
                    separator: ::core::option::Option::None,
                    ty: ::innkeeper_rest::describe_type!(User),
                    ..::innkeeper_rest::Argument::NONE
                },
            ],
            returns: ::innkeeper_rest::describe_return!(Result < User, UserError >),
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
            verb: ::innkeeper_rest::Verb::Delete,
            template: "/users/{id}",
            matcher: "/users/{p0}",
            params: &[
                ::innkeeper_rest::PathParam {
                    name: "id",
                    pattern: ::core::option::Option::None,
                    tail: false,
                },
            ],
            operation: "remove",
            resource: "Users",
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
                    name: "reason",
                    source: ::innkeeper_rest::Source::Entity,
                    default: ::core::option::Option::None,
                    separator: ::core::option::Option::None,
                    ty: ::innkeeper_rest::describe_type!(Reason),
                    ..::innkeeper_rest::Argument::NONE
                },
            ],
            returns: ::innkeeper_rest::describe_return!(Result < (), UserError >),
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
                    let __arg0: NewUser = __rest::entity!(NewUser, __call, __body)
                        .await?;
                    {
                        let mut __violations = __rest::Violations::new();
                        __rest::check!(
                            NewUser, & __arg0, __call, __violations
                            .at(::innkeeper_rest::Source::Entity, "user")
                        );
                        __violations.into_result()?;
                    }
                    let __value = Self::create(&**__this, __arg0).await;
                    __rest::reply!(__call, __value)
                })
            }
            1u16 => {
                __rest::dispatch::future(async move {
                    let __body = __call.take_body();
                    let __call = &__call;
                    let __in0 = __rest::path(__call, 0usize, "id")?;
                    let __arg0: u64 = __rest::read!(u64, & __in0)?;
                    let __arg1: User = __rest::entity!(User, __call, __body).await?;
                    {
                        let mut __violations = __rest::Violations::new();
                        __rest::check!(
                            User, & __arg1, __call, __violations
                            .at(::innkeeper_rest::Source::Entity, "user")
                        );
                        __violations.into_result()?;
                    }
                    let __value = Self::replace(&**__this, __arg0, __arg1).await;
                    __rest::reply!(__call, __value)
                })
            }
            2u16 => {
                __rest::dispatch::future(async move {
                    let __body = __call.take_body();
                    let __call = &__call;
                    let __in0 = __rest::path(__call, 0usize, "id")?;
                    let __arg0: u64 = __rest::read!(u64, & __in0)?;
                    let __arg1: Reason = __rest::entity!(Reason, __call, __body).await?;
                    {
                        let mut __violations = __rest::Violations::new();
                        __rest::check!(
                            Reason, & __arg1, __call, __violations
                            .at(::innkeeper_rest::Source::Entity, "reason")
                        );
                        __violations.into_result()?;
                    }
                    let __value = Self::remove(&**__this, __arg0, __arg1).await;
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
    ///The path of `create`: `/users`, with its parameters filled in.
    #[must_use]
    pub fn create_path() -> ::innkeeper_rest::Location {
        ::innkeeper_rest::__private::reverse_path(
            &[::innkeeper_rest::__private::PathPart::Text("/users")],
        )
    }
    ///The path of `replace`: `/users/{id}`, with its parameters filled in.
    #[must_use]
    pub fn replace_path(
        id: impl ::innkeeper_rest::PathValue<u64>,
    ) -> ::innkeeper_rest::Location {
        ::innkeeper_rest::__private::reverse_path(
            &[
                ::innkeeper_rest::__private::PathPart::Text("/users/"),
                ::innkeeper_rest::__private::PathPart::One(
                    "id",
                    ::innkeeper_rest::PathValue::in_path(&id),
                    ::core::option::Option::None,
                ),
            ],
        )
    }
    ///The path of `remove`: `/users/{id}`, with its parameters filled in.
    #[must_use]
    pub fn remove_path(
        id: impl ::innkeeper_rest::PathValue<u64>,
    ) -> ::innkeeper_rest::Location {
        ::innkeeper_rest::__private::reverse_path(
            &[
                ::innkeeper_rest::__private::PathPart::Text("/users/"),
                ::innkeeper_rest::__private::PathPart::One(
                    "id",
                    ::innkeeper_rest::PathValue::in_path(&id),
                    ::core::option::Option::None,
                ),
            ],
        )
    }
}
