impl X {
    #[allow(
        clippy::needless_pass_by_value,
        clippy::trivially_copy_pass_by_ref,
        clippy::unnecessary_wraps,
        clippy::unused_async,
        clippy::unused_self
    )]
    fn get(&self, id: u64) -> u64 {
        id
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
impl web::Resource for X {
    type Mode = web::Shared;
    const NAME: &'static str = "X";
    const BASE: &'static str = "/x";
    const ROUTES: &'static [web::Route] = &[
        web::Route {
            id: 0u16,
            verb: web::Verb::Get,
            template: "/x/{id}",
            matcher: "/x/{p0}",
            params: &[
                web::PathParam {
                    name: "id",
                    pattern: ::core::option::Option::None,
                    tail: false,
                },
            ],
            operation: "get",
            resource: "X",
            declared_at: ::core::concat!(
                ::core::file!(), ":", ::core::line!(), ":", ::core::column!()
            ),
            docs: "",
            arguments: &[
                web::Argument {
                    name: "id",
                    source: web::Source::Path,
                    default: ::core::option::Option::None,
                    separator: ::core::option::Option::None,
                    ty: web::describe_type!(u64),
                    ..web::Argument::NONE
                },
            ],
            returns: web::describe_return!(u64),
            responds: &[],
            security: &[],
            consumes: &[],
            produces: &[],
            meta: &[],
            body_limit: ::core::option::Option::None,
            timeout: ::core::option::Option::None,
            detached: false,
            ..web::Route::NONE
        },
    ];
    fn erase(self) -> web::__private::ErasedResource {
        web::__private::ErasedResource::shared(self)
    }
    fn dispatch<'__call>(
        __this: &'__call ::std::sync::Arc<Self>,
        mut __call: web::__private::Call<'__call>,
    ) -> web::__private::Dispatch<'__call> {
        use web::__private as __rest;
        match __call.id() {
            0u16 => {
                __rest::dispatch::ready(
                    (|| -> ::core::result::Result<web::Response, web::Rejection> {
                        let __call = &__call;
                        let __in0 = __rest::path(__call, 0usize, "id")?;
                        let __arg0: u64 = __rest::read!(u64, & __in0)?;
                        let __value = Self::get(&**__this, __arg0);
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
impl X {
    ///The path of `get`: `/x/{id}`, with its parameters filled in.
    #[must_use]
    pub fn get_path(id: impl web::PathValue<u64>) -> web::Location {
        web::__private::reverse_path(
            &[
                web::__private::PathPart::Text("/x/"),
                web::__private::PathPart::One(
                    "id",
                    web::PathValue::in_path(&id),
                    ::core::option::Option::None,
                ),
            ],
        )
    }
}
impl Y {
    #[allow(
        clippy::needless_pass_by_value,
        clippy::trivially_copy_pass_by_ref,
        clippy::unnecessary_wraps,
        clippy::unused_async,
        clippy::unused_self
    )]
    async fn get(&self) {}
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
impl crate::web::Resource for Y {
    type Mode = crate::web::Local;
    const NAME: &'static str = "Y";
    const BASE: &'static str = "/y";
    const ROUTES: &'static [crate::web::Route] = &[
        crate::web::Route {
            id: 0u16,
            verb: crate::web::Verb::Get,
            template: "/y",
            matcher: "/y",
            params: &[],
            operation: "get",
            resource: "Y",
            declared_at: ::core::concat!(
                ::core::file!(), ":", ::core::line!(), ":", ::core::column!()
            ),
            docs: "",
            arguments: &[],
            returns: crate::web::describe_return!(()),
            responds: &[],
            security: &[],
            consumes: &[],
            produces: &[],
            meta: &[],
            body_limit: ::core::option::Option::None,
            timeout: ::core::option::Option::None,
            detached: false,
            ..crate::web::Route::NONE
        },
    ];
    fn erase(self) -> crate::web::__private::ErasedResource {
        crate::web::__private::ErasedResource::local(self)
    }
    fn dispatch<'__call>(
        __this: &'__call ::std::sync::Arc<Self>,
        mut __call: crate::web::__private::Call<'__call>,
    ) -> crate::web::__private::Dispatch<'__call> {
        use crate::web::__private as __rest;
        match __call.id() {
            0u16 => {
                __rest::dispatch::local(async move {
                    let __call = &__call;
                    let __value = Self::get(&**__this).await;
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
impl Y {
    ///The path of `get`: `/y`, with its parameters filled in.
    #[must_use]
    pub fn get_path() -> crate::web::Location {
        crate::web::__private::reverse_path(
            &[crate::web::__private::PathPart::Text("/y")],
        )
    }
}
#[automatically_derived]
#[allow(clippy::all, clippy::pedantic, deprecated, unused_qualifications)]
impl web::ApiError for Bad {
    const RESPONSES: &'static [web::Responds] = &[
        web::Responds {
            status: 400u16,
            ty: ::core::option::Option::None,
            description: "bad",
        },
    ];
    fn status(&self) -> web::StatusCode {
        match self {
            Self => const { web::__private::status(400u16) }
        }
    }
    fn code(&self) -> &str {
        match self {
            Self => "bad",
        }
    }
}
#[automatically_derived]
#[allow(clippy::all, clippy::pedantic, deprecated, unused_qualifications)]
impl web::IntoReply for Bad {
    const KIND: web::ReplyKind = web::ReplyKind::Error;
    fn into_reply(self) -> web::Response {
        web::__private::api_error(&self)
    }
}
