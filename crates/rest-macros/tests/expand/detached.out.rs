impl Payments {
    #[allow(
        clippy::needless_pass_by_value,
        clippy::trivially_copy_pass_by_ref,
        clippy::unnecessary_wraps,
        clippy::unused_async,
        clippy::unused_self
    )]
    async fn pay(&self, order: u64, card: Card) -> Result<Receipt, PayError> {
        self.charge(order, card).await
    }
    #[allow(
        clippy::needless_pass_by_value,
        clippy::trivially_copy_pass_by_ref,
        clippy::unnecessary_wraps,
        clippy::unused_async,
        clippy::unused_self
    )]
    fn note(&self, note: String) {
        self.notes.push(note);
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
impl ::innkeeper_rest::Resource for Payments {
    type Mode = ::innkeeper_rest::Shared;
    const NAME: &'static str = "Payments";
    const BASE: &'static str = "/payments";
    const ROUTES: &'static [::innkeeper_rest::Route] = &[
        ::innkeeper_rest::Route {
            id: 0u16,
            verb: ::innkeeper_rest::Verb::Post,
            template: "/payments/{order}",
            matcher: "/payments/{p0}",
            params: &[
                ::innkeeper_rest::PathParam {
                    name: "order",
                    pattern: ::core::option::Option::None,
                    tail: false,
                },
            ],
            operation: "pay",
            resource: "Payments",
            declared_at: ::core::concat!(
                ::core::file!(), ":", ::core::line!(), ":", ::core::column!()
            ),
            docs: "",
            arguments: &[
                ::innkeeper_rest::Argument {
                    name: "order",
                    source: ::innkeeper_rest::Source::Path,
                    default: ::core::option::Option::None,
                    separator: ::core::option::Option::None,
                    ty: ::innkeeper_rest::describe_type!(u64),
                    ..::innkeeper_rest::Argument::NONE
                },
                ::innkeeper_rest::Argument {
                    name: "card",
                    source: ::innkeeper_rest::Source::Entity,
                    default: ::core::option::Option::None,
                    separator: ::core::option::Option::None,
                    ty: ::innkeeper_rest::describe_type!(Card),
                    ..::innkeeper_rest::Argument::NONE
                },
            ],
            returns: ::innkeeper_rest::describe_return!(Result < Receipt, PayError >),
            responds: &[],
            security: &[],
            consumes: &[],
            produces: &[],
            meta: &[],
            body_limit: ::core::option::Option::None,
            timeout: ::core::option::Option::None,
            detached: true,
            ..::innkeeper_rest::Route::NONE
        },
        ::innkeeper_rest::Route {
            id: 1u16,
            verb: ::innkeeper_rest::Verb::Post,
            template: "/payments",
            matcher: "/payments",
            params: &[],
            operation: "note",
            resource: "Payments",
            declared_at: ::core::concat!(
                ::core::file!(), ":", ::core::line!(), ":", ::core::column!()
            ),
            docs: "",
            arguments: &[
                ::innkeeper_rest::Argument {
                    name: "X-Note",
                    source: ::innkeeper_rest::Source::Header,
                    default: ::core::option::Option::None,
                    separator: ::core::option::Option::None,
                    ty: ::innkeeper_rest::describe_type!(String),
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
            detached: true,
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
                __rest::dispatch::detached(
                    __call,
                    {
                        let __this = ::std::sync::Arc::clone(__this);
                        move |mut __owned: __rest::OwnedCall| async move {
                            let __this = &__this;
                            let mut __call = __owned.call();
                            let __body = __call.take_body();
                            let __call = &__call;
                            let __in0 = __rest::path(__call, 0usize, "order")?;
                            let __arg0: u64 = __rest::read!(u64, & __in0)?;
                            let __arg1: Card = __rest::entity!(Card, __call, __body)
                                .await?;
                            {
                                let mut __violations = __rest::Violations::new();
                                __rest::check!(
                                    Card, & __arg1, __call, __violations
                                    .at(::innkeeper_rest::Source::Entity, "card")
                                );
                                __violations.into_result()?;
                            }
                            let __value = Self::pay(&**__this, __arg0, __arg1).await;
                            __rest::reply!(__call, __value)
                        }
                    },
                )
            }
            1u16 => {
                __rest::dispatch::detached(
                    __call,
                    {
                        let __this = ::std::sync::Arc::clone(__this);
                        move |mut __owned: __rest::OwnedCall| async move {
                            let __this = &__this;
                            let mut __call = __owned.call();
                            let __call = &__call;
                            let __in0 = __rest::header(
                                __call,
                                const { __rest::HeaderName::from_static("x-note") },
                                "X-Note",
                            )?;
                            let __arg0: String = __rest::read!(String, & __in0)?;
                            let __value = Self::note(&**__this, __arg0);
                            __rest::reply!(__call, __value)
                        }
                    },
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
impl Payments {
    ///The path of `pay`: `/payments/{order}`, with its parameters filled in.
    #[must_use]
    pub fn pay_path(
        order: impl ::innkeeper_rest::PathValue<u64>,
    ) -> ::innkeeper_rest::Location {
        ::innkeeper_rest::__private::reverse_path(
            &[
                ::innkeeper_rest::__private::PathPart::Text("/payments/"),
                ::innkeeper_rest::__private::PathPart::One(
                    "order",
                    ::innkeeper_rest::PathValue::in_path(&order),
                    ::core::option::Option::None,
                ),
            ],
        )
    }
    ///The path of `note`: `/payments`, with its parameters filled in.
    #[must_use]
    pub fn note_path() -> ::innkeeper_rest::Location {
        ::innkeeper_rest::__private::reverse_path(
            &[::innkeeper_rest::__private::PathPart::Text("/payments")],
        )
    }
}
