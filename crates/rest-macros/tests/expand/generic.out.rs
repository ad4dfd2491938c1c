#[cfg(feature = "items")]
///Kept.
impl<S: Store, const N: usize> storage::Items<S, N>
where
    S: Send + Sync + 'static,
{
    const LIMIT: usize = N;
    #[cfg(feature = "read")]
    #[allow(
        clippy::needless_pass_by_value,
        clippy::trivially_copy_pass_by_ref,
        clippy::unnecessary_wraps,
        clippy::unused_async,
        clippy::unused_self
    )]
    async fn get<'a>(
        &'a self,
        org: &'a str,
        id: u32,
    ) -> Result<Cow<'a, S::Item>, Error> {
        self.store.get(org, id).await
    }
    #[cfg(all(feature = "read", unix))]
    #[must_use]
    #[allow(
        clippy::needless_pass_by_value,
        clippy::trivially_copy_pass_by_ref,
        clippy::unnecessary_wraps,
        clippy::unused_async,
        clippy::unused_self
    )]
    async fn by_slug(&self, org: String, slug: String) -> Option<S::Item> {
        self.store.by_slug(org, slug).await
    }
}
#[cfg(feature = "items")]
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
impl<S: Store, const N: usize> ::innkeeper_rest::Resource for storage::Items<S, N>
where
    S: Send + Sync + 'static,
{
    type Mode = ::innkeeper_rest::Shared;
    const NAME: &'static str = "Items";
    const BASE: &'static str = "/orgs/{org}/items";
    const ROUTES: &'static [::innkeeper_rest::Route] = &[
        #[cfg(feature = "read")]
        ::innkeeper_rest::Route {
            id: 0u16,
            verb: ::innkeeper_rest::Verb::Get,
            template: "/orgs/{org}/items/{id:[0-9]{1,9}}",
            matcher: "/orgs/{p0}/items/{p1}",
            params: &[
                ::innkeeper_rest::PathParam {
                    name: "org",
                    pattern: ::core::option::Option::None,
                    tail: false,
                },
                ::innkeeper_rest::PathParam {
                    name: "id",
                    pattern: ::core::option::Option::Some("[0-9]{1,9}"),
                    tail: false,
                },
            ],
            operation: "get",
            resource: "Items",
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
                    ty: ::innkeeper_rest::describe_type!(& '_ str),
                    ..::innkeeper_rest::Argument::NONE
                },
                ::innkeeper_rest::Argument {
                    name: "id",
                    source: ::innkeeper_rest::Source::Path,
                    default: ::core::option::Option::None,
                    separator: ::core::option::Option::None,
                    ty: ::innkeeper_rest::describe_type!(u32),
                    ..::innkeeper_rest::Argument::NONE
                },
            ],
            returns: ::innkeeper_rest::describe_return!(
                Result < Cow < '_, S::Item >, Error >
            ),
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
        #[cfg(all(feature = "read", unix))]
        ::innkeeper_rest::Route {
            id: 1u16,
            verb: ::innkeeper_rest::Verb::Get,
            template: "/orgs/{org}/items/{slug}",
            matcher: "/orgs/{p0}/items/{p1}",
            params: &[
                ::innkeeper_rest::PathParam {
                    name: "org",
                    pattern: ::core::option::Option::None,
                    tail: false,
                },
                ::innkeeper_rest::PathParam {
                    name: "slug",
                    pattern: ::core::option::Option::None,
                    tail: false,
                },
            ],
            operation: "by_slug",
            resource: "Items",
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
                    ty: ::innkeeper_rest::describe_type!(String),
                    ..::innkeeper_rest::Argument::NONE
                },
                ::innkeeper_rest::Argument {
                    name: "slug",
                    source: ::innkeeper_rest::Source::Path,
                    default: ::core::option::Option::None,
                    separator: ::core::option::Option::None,
                    ty: ::innkeeper_rest::describe_type!(String),
                    ..::innkeeper_rest::Argument::NONE
                },
            ],
            returns: ::innkeeper_rest::describe_return!(Option < S::Item >),
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
    const DOCS: &'static str = "Kept.";
    fn filters(&self) -> ::std::vec::Vec<::innkeeper_rest::__private::RouteFilter> {
        use ::innkeeper_rest::__private as __rest;
        ::std::vec![
            #[cfg(feature = "read")] __rest::RouteFilter::route(0u16, Cached::new(60))
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
            #[cfg(feature = "read")]
            0u16 => {
                __rest::dispatch::future(async move {
                    let __call = &__call;
                    let __in0 = __rest::path(__call, 0usize, "org")?;
                    let __arg0: &'_ str = __rest::read!(& '_ str, & __in0)?;
                    let __in1 = __rest::path(__call, 1usize, "id")?;
                    let __arg1: u32 = __rest::read!(u32, & __in1)?;
                    let __value = Self::get(&**__this, __arg0, __arg1).await;
                    __rest::reply!(__call, __value)
                })
            }
            #[cfg(all(feature = "read", unix))]
            1u16 => {
                __rest::dispatch::future(async move {
                    let __call = &__call;
                    let __in0 = __rest::path(__call, 0usize, "org")?;
                    let __arg0: String = __rest::read!(String, & __in0)?;
                    let __in1 = __rest::path(__call, 1usize, "slug")?;
                    let __arg1: String = __rest::read!(String, & __in1)?;
                    let __value = Self::by_slug(&**__this, __arg0, __arg1).await;
                    __rest::reply!(__call, __value)
                })
            }
            _ => __rest::dispatch::unknown(),
        }
    }
}
#[cfg(feature = "items")]
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
impl<S: Store, const N: usize> storage::Items<S, N>
where
    S: Send + Sync + 'static,
{
    #[cfg(feature = "read")]
    ///The path of `get`: `/orgs/{org}/items/{id:[0-9]{1,9}}`, with its parameters filled in.
    #[must_use]
    pub fn get_path<'__path>(
        org: impl ::innkeeper_rest::PathValue<&'__path str>,
        id: impl ::innkeeper_rest::PathValue<u32>,
    ) -> ::innkeeper_rest::Location {
        static __PATTERN1: ::innkeeper_rest::__private::LazyRegex = ::innkeeper_rest::__private::LazyRegex::whole(
            "[0-9]{1,9}",
        );
        ::innkeeper_rest::__private::reverse_path(
            &[
                ::innkeeper_rest::__private::PathPart::Text("/orgs/"),
                ::innkeeper_rest::__private::PathPart::One(
                    "org",
                    ::innkeeper_rest::PathValue::in_path(&org),
                    ::core::option::Option::None,
                ),
                ::innkeeper_rest::__private::PathPart::Text("/items/"),
                ::innkeeper_rest::__private::PathPart::One(
                    "id",
                    ::innkeeper_rest::PathValue::in_path(&id),
                    ::core::option::Option::Some(&__PATTERN1),
                ),
            ],
        )
    }
    #[cfg(all(feature = "read", unix))]
    ///The path of `by_slug`: `/orgs/{org}/items/{slug}`, with its parameters filled in.
    #[must_use]
    pub fn by_slug_path(
        org: impl ::innkeeper_rest::PathValue<String>,
        slug: impl ::innkeeper_rest::PathValue<String>,
    ) -> ::innkeeper_rest::Location {
        ::innkeeper_rest::__private::reverse_path(
            &[
                ::innkeeper_rest::__private::PathPart::Text("/orgs/"),
                ::innkeeper_rest::__private::PathPart::One(
                    "org",
                    ::innkeeper_rest::PathValue::in_path(&org),
                    ::core::option::Option::None,
                ),
                ::innkeeper_rest::__private::PathPart::Text("/items/"),
                ::innkeeper_rest::__private::PathPart::One(
                    "slug",
                    ::innkeeper_rest::PathValue::in_path(&slug),
                    ::core::option::Option::None,
                ),
            ],
        )
    }
}
