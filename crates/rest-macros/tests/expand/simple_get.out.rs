impl Users {
    /// One user.
    ///
    /// Unknown ids are 404.
    #[allow(
        clippy::needless_pass_by_value,
        clippy::trivially_copy_pass_by_ref,
        clippy::unnecessary_wraps,
        clippy::unused_async,
        clippy::unused_self
    )]
    pub async fn get(&self, id: u64, page: Option<u32>) -> Result<User, UserError> {
        self.find(id, page).await
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
            template: "/users/{id}",
            matcher: "/users/{p0}",
            params: &[
                ::innkeeper_rest::PathParam {
                    name: "id",
                    pattern: ::core::option::Option::None,
                    tail: false,
                },
            ],
            operation: "get",
            resource: "Users",
            declared_at: ::core::concat!(
                ::core::file!(), ":", ::core::line!(), ":", ::core::column!()
            ),
            docs: "One user.\n\nUnknown ids are 404.",
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
                    name: "page",
                    source: ::innkeeper_rest::Source::Param,
                    default: ::core::option::Option::None,
                    separator: ::core::option::Option::None,
                    ty: ::innkeeper_rest::describe_type!(Option < u32 >),
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
                    let __in0 = __rest::path(__call, 0usize, "id")?;
                    let __arg0: u64 = __rest::read!(u64, & __in0)?;
                    let __in1 = __rest::param(__call, "page")?;
                    let __arg1: Option<u32> = __rest::read!(Option < u32 >, & __in1)?;
                    let __value = Self::get(&**__this, __arg0, __arg1).await;
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
    ///The path of `get`: `/users/{id}`, with its parameters filled in.
    #[must_use]
    pub fn get_path(
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
