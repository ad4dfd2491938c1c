impl Rooms {
    #[allow(
        clippy::needless_pass_by_value,
        clippy::trivially_copy_pass_by_ref,
        clippy::unnecessary_wraps,
        clippy::unused_async,
        clippy::unused_self
    )]
    async fn live(&self, upgrade: Upgrade, id: u64, name: &str) -> Response {
        self.open(id, name, upgrade)
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
impl ::innkeeper_rest::Resource for Rooms {
    type Mode = ::innkeeper_rest::Shared;
    const NAME: &'static str = "Rooms";
    const BASE: &'static str = "/rooms";
    const ROUTES: &'static [::innkeeper_rest::Route] = &[
        ::innkeeper_rest::Route {
            id: 0u16,
            verb: ::innkeeper_rest::Verb::Get,
            template: "/rooms/{id}/live",
            matcher: "/rooms/{p0}/live",
            params: &[
                ::innkeeper_rest::PathParam {
                    name: "id",
                    pattern: ::core::option::Option::None,
                    tail: false,
                },
            ],
            operation: "live",
            resource: "Rooms",
            declared_at: ::core::concat!(
                ::core::file!(), ":", ::core::line!(), ":", ::core::column!()
            ),
            docs: "",
            arguments: &[
                ::innkeeper_rest::Argument {
                    name: "upgrade",
                    source: ::innkeeper_rest::Source::Upgrade,
                    default: ::core::option::Option::None,
                    separator: ::core::option::Option::None,
                    ty: ::innkeeper_rest::describe_type!(Upgrade),
                    ..::innkeeper_rest::Argument::NONE
                },
                ::innkeeper_rest::Argument {
                    name: "id",
                    source: ::innkeeper_rest::Source::Path,
                    default: ::core::option::Option::None,
                    separator: ::core::option::Option::None,
                    ty: ::innkeeper_rest::describe_type!(u64),
                    ..::innkeeper_rest::Argument::NONE
                },
                ::innkeeper_rest::Argument {
                    name: "name",
                    source: ::innkeeper_rest::Source::Param,
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
                    let __in1 = __rest::path(__call, 0usize, "id")?;
                    let __arg1: u64 = __rest::read!(u64, & __in1)?;
                    let __in2 = __rest::param(__call, "name")?;
                    let __arg2: &str = __rest::read!(& str, & __in2)?;
                    let __arg0: Upgrade = __rest::upgrade::<Upgrade>(__call)?;
                    let __value = Self::live(&**__this, __arg0, __arg1, __arg2).await;
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
impl Rooms {
    ///The path of `live`: `/rooms/{id}/live`, with its parameters filled in.
    #[must_use]
    pub fn live_path(
        id: impl ::innkeeper_rest::PathValue<u64>,
    ) -> ::innkeeper_rest::Location {
        ::innkeeper_rest::__private::reverse_path(
            &[
                ::innkeeper_rest::__private::PathPart::Text("/rooms/"),
                ::innkeeper_rest::__private::PathPart::One(
                    "id",
                    ::innkeeper_rest::PathValue::in_path(&id),
                    ::core::option::Option::None,
                ),
                ::innkeeper_rest::__private::PathPart::Text("/live"),
            ],
        )
    }
}
