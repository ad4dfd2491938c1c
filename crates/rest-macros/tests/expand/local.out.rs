impl Counter {
    #[allow(
        clippy::needless_pass_by_value,
        clippy::trivially_copy_pass_by_ref,
        clippy::unnecessary_wraps,
        clippy::unused_async,
        clippy::unused_self
    )]
    async fn count(&self) -> u64 {
        self.count.get()
    }
    #[allow(
        clippy::needless_pass_by_value,
        clippy::trivially_copy_pass_by_ref,
        clippy::unnecessary_wraps,
        clippy::unused_async,
        clippy::unused_self
    )]
    fn exists(&self) {}
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
impl ::innkeeper_rest::Resource for Counter {
    type Mode = ::innkeeper_rest::Local;
    const NAME: &'static str = "Counter";
    const BASE: &'static str = "/local";
    const ROUTES: &'static [::innkeeper_rest::Route] = &[
        ::innkeeper_rest::Route {
            id: 0u16,
            verb: ::innkeeper_rest::Verb::Get,
            template: "/local",
            matcher: "/local",
            params: &[],
            operation: "count",
            resource: "Counter",
            declared_at: ::core::concat!(
                ::core::file!(), ":", ::core::line!(), ":", ::core::column!()
            ),
            docs: "",
            arguments: &[],
            returns: ::innkeeper_rest::describe_return!(u64),
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
            verb: ::innkeeper_rest::Verb::Head,
            template: "/local",
            matcher: "/local",
            params: &[],
            operation: "exists",
            resource: "Counter",
            declared_at: ::core::concat!(
                ::core::file!(), ":", ::core::line!(), ":", ::core::column!()
            ),
            docs: "",
            arguments: &[],
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
        ::innkeeper_rest::__private::ErasedResource::local(self)
    }
    fn dispatch<'__call>(
        __this: &'__call ::std::sync::Arc<Self>,
        mut __call: ::innkeeper_rest::__private::Call<'__call>,
    ) -> ::innkeeper_rest::__private::Dispatch<'__call> {
        use ::innkeeper_rest::__private as __rest;
        match __call.id() {
            0u16 => {
                __rest::dispatch::local(async move {
                    let __call = &__call;
                    let __value = Self::count(&**__this).await;
                    __rest::reply!(__call, __value)
                })
            }
            1u16 => {
                __rest::dispatch::ready(
                    (|| -> ::core::result::Result<
                        ::innkeeper_rest::Response,
                        ::innkeeper_rest::Rejection,
                    > {
                        let __call = &__call;
                        let __value = Self::exists(&**__this);
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
impl Counter {
    ///The path of `count`: `/local`, with its parameters filled in.
    #[must_use]
    pub fn count_path() -> ::innkeeper_rest::Location {
        ::innkeeper_rest::__private::reverse_path(
            &[::innkeeper_rest::__private::PathPart::Text("/local")],
        )
    }
    ///The path of `exists`: `/local`, with its parameters filled in.
    #[must_use]
    pub fn exists_path() -> ::innkeeper_rest::Location {
        ::innkeeper_rest::__private::reverse_path(
            &[::innkeeper_rest::__private::PathPart::Text("/local")],
        )
    }
}
