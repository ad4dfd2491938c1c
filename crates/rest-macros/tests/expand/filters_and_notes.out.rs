impl Notes {
    /// Lists notes.
    #[tracing::instrument(skip_all)]
    #[allow(
        clippy::needless_pass_by_value,
        clippy::trivially_copy_pass_by_ref,
        clippy::unnecessary_wraps,
        clippy::unused_async,
        clippy::unused_self
    )]
    async fn list(&self) -> Vec<Note> {
        self.all().await
    }
    #[allow(
        clippy::needless_pass_by_value,
        clippy::trivially_copy_pass_by_ref,
        clippy::unnecessary_wraps,
        clippy::unused_async,
        clippy::unused_self
    )]
    async fn free(&self) {}
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
impl ::innkeeper_rest::Resource for Notes {
    type Mode = ::innkeeper_rest::Shared;
    const NAME: &'static str = "Notes";
    const BASE: &'static str = "/notes";
    const ROUTES: &'static [::innkeeper_rest::Route] = &[
        ::innkeeper_rest::Route {
            id: 0u16,
            verb: ::innkeeper_rest::Verb::Get,
            template: "/notes",
            matcher: "/notes",
            params: &[],
            operation: "list",
            resource: "Notes",
            declared_at: ::core::concat!(
                ::core::file!(), ":", ::core::line!(), ":", ::core::column!()
            ),
            docs: "Lists notes.",
            arguments: &[],
            returns: ::innkeeper_rest::describe_return!(Vec < Note >),
            responds: &[
                ::innkeeper_rest::Responds {
                    status: 200u16,
                    ty: ::core::option::Option::Some(
                        ::innkeeper_rest::describe_type!(Vec < Note >),
                    ),
                    description: "",
                },
                ::innkeeper_rest::Responds {
                    status: 404u16,
                    ty: ::core::option::Option::None,
                    description: "",
                },
                ::innkeeper_rest::Responds {
                    status: 409u16,
                    ty: ::core::option::Option::None,
                    description: "taken",
                },
                ::innkeeper_rest::Responds {
                    status: 201u16,
                    ty: ::core::option::Option::Some(
                        ::innkeeper_rest::describe_type!(Note),
                    ),
                    description: "made",
                },
            ],
            security: &[
                ::innkeeper_rest::Security {
                    scheme: "bearer",
                    scopes: &[],
                },
                ::innkeeper_rest::Security {
                    scheme: "api_key",
                    scopes: &["read", "write"],
                },
            ],
            consumes: &["application/json", "text/csv"],
            produces: &["image/png"],
            meta: &[
                ::innkeeper_rest::Meta {
                    name: "area",
                    value: ::innkeeper_rest::MetaValue::Text("people"),
                },
                ::innkeeper_rest::Meta {
                    name: "cached",
                    value: ::innkeeper_rest::MetaValue::Int(60),
                },
                ::innkeeper_rest::Meta {
                    name: "hot",
                    value: ::innkeeper_rest::MetaValue::Bool(true),
                },
                ::innkeeper_rest::Meta {
                    name: "weight",
                    value: ::innkeeper_rest::MetaValue::Float(-1.5),
                },
            ],
            body_limit: ::core::option::Option::Some(
                ::innkeeper_rest::Limit::At(1024 * 1024),
            ),
            timeout: ::core::option::Option::Some(::innkeeper_rest::Limit::At(30)),
            detached: false,
            ..::innkeeper_rest::Route::NONE
        },
        ::innkeeper_rest::Route {
            id: 1u16,
            verb: ::innkeeper_rest::Verb::Post,
            template: "/notes",
            matcher: "/notes",
            params: &[],
            operation: "list",
            resource: "Notes",
            declared_at: ::core::concat!(
                ::core::file!(), ":", ::core::line!(), ":", ::core::column!()
            ),
            docs: "Lists notes.",
            arguments: &[],
            returns: ::innkeeper_rest::describe_return!(Vec < Note >),
            responds: &[
                ::innkeeper_rest::Responds {
                    status: 200u16,
                    ty: ::core::option::Option::Some(
                        ::innkeeper_rest::describe_type!(Vec < Note >),
                    ),
                    description: "",
                },
                ::innkeeper_rest::Responds {
                    status: 404u16,
                    ty: ::core::option::Option::None,
                    description: "",
                },
                ::innkeeper_rest::Responds {
                    status: 409u16,
                    ty: ::core::option::Option::None,
                    description: "taken",
                },
                ::innkeeper_rest::Responds {
                    status: 201u16,
                    ty: ::core::option::Option::Some(
                        ::innkeeper_rest::describe_type!(Note),
                    ),
                    description: "made",
                },
            ],
            security: &[
                ::innkeeper_rest::Security {
                    scheme: "bearer",
                    scopes: &[],
                },
                ::innkeeper_rest::Security {
                    scheme: "api_key",
                    scopes: &["read", "write"],
                },
            ],
            consumes: &["application/json", "text/csv"],
            produces: &["image/png"],
            meta: &[
                ::innkeeper_rest::Meta {
                    name: "area",
                    value: ::innkeeper_rest::MetaValue::Text("people"),
                },
                ::innkeeper_rest::Meta {
                    name: "cached",
                    value: ::innkeeper_rest::MetaValue::Int(60),
                },
                ::innkeeper_rest::Meta {
                    name: "hot",
                    value: ::innkeeper_rest::MetaValue::Bool(true),
                },
                ::innkeeper_rest::Meta {
                    name: "weight",
                    value: ::innkeeper_rest::MetaValue::Float(-1.5),
                },
            ],
            body_limit: ::core::option::Option::Some(
                ::innkeeper_rest::Limit::At(1024 * 1024),
            ),
            timeout: ::core::option::Option::Some(::innkeeper_rest::Limit::At(30)),
            detached: false,
            ..::innkeeper_rest::Route::NONE
        },
        ::innkeeper_rest::Route {
            id: 2u16,
            verb: ::innkeeper_rest::Verb::Put,
            template: "/notes",
            matcher: "/notes",
            params: &[],
            operation: "free",
            resource: "Notes",
            declared_at: ::core::concat!(
                ::core::file!(), ":", ::core::line!(), ":", ::core::column!()
            ),
            docs: "",
            arguments: &[],
            returns: ::innkeeper_rest::describe_return!(()),
            responds: &[],
            security: &[
                ::innkeeper_rest::Security {
                    scheme: "bearer",
                    scopes: &[],
                },
            ],
            consumes: &[],
            produces: &[],
            meta: &[
                ::innkeeper_rest::Meta {
                    name: "area",
                    value: ::innkeeper_rest::MetaValue::Text("people"),
                },
                ::innkeeper_rest::Meta {
                    name: "hot",
                    value: ::innkeeper_rest::MetaValue::Bool(false),
                },
            ],
            body_limit: ::core::option::Option::Some(::innkeeper_rest::Limit::Off),
            timeout: ::core::option::Option::Some(::innkeeper_rest::Limit::Off),
            detached: false,
            ..::innkeeper_rest::Route::NONE
        },
    ];
    fn filters(&self) -> ::std::vec::Vec<::innkeeper_rest::__private::RouteFilter> {
        use ::innkeeper_rest::__private as __rest;
        ::std::vec![
            __rest::RouteFilter::resource(self.audit.clone()),
            __rest::RouteFilter::resource(Compress::default()),
            __rest::RouteFilter::route(0u16, self.require("notes")),
            __rest::RouteFilter::route(1u16, self.require("notes"))
        ]
    }
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
                    let __value = Self::list(&**__this).await;
                    __rest::reply!(__call, __value)
                })
            }
            1u16 => {
                __rest::dispatch::future(async move {
                    let __call = &__call;
                    let __value = Self::list(&**__this).await;
                    __rest::reply!(__call, __value)
                })
            }
            2u16 => {
                __rest::dispatch::future(async move {
                    let __call = &__call;
                    let __value = Self::free(&**__this).await;
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
impl Notes {
    ///The path of `list`: `/notes`, with its parameters filled in.
    #[must_use]
    pub fn list_path() -> ::innkeeper_rest::Location {
        ::innkeeper_rest::__private::reverse_path(
            &[::innkeeper_rest::__private::PathPart::Text("/notes")],
        )
    }
    ///The path of `free`: `/notes`, with its parameters filled in.
    #[must_use]
    pub fn free_path() -> ::innkeeper_rest::Location {
        ::innkeeper_rest::__private::reverse_path(
            &[::innkeeper_rest::__private::PathPart::Text("/notes")],
        )
    }
}
