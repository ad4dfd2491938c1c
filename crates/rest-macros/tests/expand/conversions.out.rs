impl Tasks {
    #[allow(
        clippy::needless_pass_by_value,
        clippy::trivially_copy_pass_by_ref,
        clippy::unnecessary_wraps,
        clippy::unused_async,
        clippy::unused_self
    )]
    async fn authors(
        &self,
        filter: Filter,
        ids: Vec<u64>,
        tags: Vec<String>,
    ) -> Vec<Author> {
        self.find(filter, ids, tags).await
    }
    #[allow(
        clippy::needless_pass_by_value,
        clippy::trivially_copy_pass_by_ref,
        clippy::unnecessary_wraps,
        clippy::unused_async,
        clippy::unused_self
    )]
    async fn import(&self, path: Vec<String>, name: String, rows: Vec<Row>) {
        self.load(path, name, rows).await;
    }
    #[allow(
        clippy::needless_pass_by_value,
        clippy::trivially_copy_pass_by_ref,
        clippy::unnecessary_wraps,
        clippy::unused_async,
        clippy::unused_self
    )]
    async fn replace(&self, text: &str) {
        self.set(text).await;
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
impl ::innkeeper_rest::Resource for Tasks {
    type Mode = ::innkeeper_rest::Shared;
    const NAME: &'static str = "Tasks";
    const BASE: &'static str = "/tasks";
    const ROUTES: &'static [::innkeeper_rest::Route] = &[
        ::innkeeper_rest::Route {
            id: 0u16,
            verb: ::innkeeper_rest::Verb::Get,
            template: "/tasks/{filter}/authors",
            matcher: "/tasks/{p0}/authors",
            params: &[
                ::innkeeper_rest::PathParam {
                    name: "filter",
                    pattern: ::core::option::Option::None,
                    tail: false,
                },
            ],
            operation: "authors",
            resource: "Tasks",
            declared_at: ::core::concat!(
                ::core::file!(), ":", ::core::line!(), ":", ::core::column!()
            ),
            docs: "",
            arguments: &[
                ::innkeeper_rest::Argument {
                    name: "filter",
                    source: ::innkeeper_rest::Source::Matrix,
                    default: ::core::option::Option::None,
                    separator: ::core::option::Option::None,
                    ty: ::innkeeper_rest::describe_type!(Filter),
                    ..::innkeeper_rest::Argument::NONE
                },
                ::innkeeper_rest::Argument {
                    name: "ids",
                    source: ::innkeeper_rest::Source::Param,
                    default: ::core::option::Option::None,
                    separator: ::core::option::Option::Some(","),
                    ty: ::innkeeper_rest::describe_type!(Vec < u64 >),
                    ..::innkeeper_rest::Argument::NONE
                },
                ::innkeeper_rest::Argument {
                    name: "X-Tags",
                    source: ::innkeeper_rest::Source::Header,
                    default: ::core::option::Option::None,
                    separator: ::core::option::Option::Some(";"),
                    converted: true,
                    ty: ::innkeeper_rest::describe_type!(Vec < String >),
                    ..::innkeeper_rest::Argument::NONE
                },
            ],
            returns: ::innkeeper_rest::describe_return!(Vec < Author >),
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
            verb: ::innkeeper_rest::Verb::Post,
            template: "/tasks/import/{*path}",
            matcher: "/tasks/import/{*p0}",
            params: &[
                ::innkeeper_rest::PathParam {
                    name: "path",
                    pattern: ::core::option::Option::None,
                    tail: true,
                },
            ],
            operation: "import",
            resource: "Tasks",
            declared_at: ::core::concat!(
                ::core::file!(), ":", ::core::line!(), ":", ::core::column!()
            ),
            docs: "",
            arguments: &[
                ::innkeeper_rest::Argument {
                    name: "path",
                    source: ::innkeeper_rest::Source::Path,
                    default: ::core::option::Option::None,
                    separator: ::core::option::Option::Some("/"),
                    converted: true,
                    ty: ::innkeeper_rest::describe_type!(Vec < String >),
                    ..::innkeeper_rest::Argument::NONE
                },
                ::innkeeper_rest::Argument {
                    name: "name",
                    source: ::innkeeper_rest::Source::Value,
                    default: ::core::option::Option::None,
                    separator: ::core::option::Option::None,
                    converted: true,
                    ty: ::innkeeper_rest::describe_type!(String),
                    ..::innkeeper_rest::Argument::NONE
                },
                ::innkeeper_rest::Argument {
                    name: "rows",
                    source: ::innkeeper_rest::Source::Entity,
                    default: ::core::option::Option::None,
                    separator: ::core::option::Option::None,
                    converted: true,
                    ty: ::innkeeper_rest::describe_type!(Vec < Row >),
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
        ::innkeeper_rest::Route {
            id: 2u16,
            verb: ::innkeeper_rest::Verb::Put,
            template: "/tasks",
            matcher: "/tasks",
            params: &[],
            operation: "replace",
            resource: "Tasks",
            declared_at: ::core::concat!(
                ::core::file!(), ":", ::core::line!(), ":", ::core::column!()
            ),
            docs: "",
            arguments: &[
                ::innkeeper_rest::Argument {
                    name: "text",
                    source: ::innkeeper_rest::Source::Body,
                    default: ::core::option::Option::None,
                    separator: ::core::option::Option::None,
                    converted: true,
                    ty: ::innkeeper_rest::describe_type!(& str),
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
                __rest::dispatch::future(async move {
                    let __call = &__call;
                    let __in0 = __rest::matrix(__call, 0usize, "filter")?;
                    let __arg0: Filter = __rest::read_map!(Filter, & __in0)?;
                    let __in1 = __rest::param(__call, "ids")?;
                    let __in1 = __rest::convert(__in1, &__rest::SeparatedBy(","))?;
                    let __arg1: Vec<u64> = __rest::read!(Vec < u64 >, & __in1)?;
                    let __in2 = __rest::header(
                        __call,
                        const { __rest::HeaderName::from_static("x-tags") },
                        "X-Tags",
                    )?;
                    let __in2 = __rest::convert(__in2, &__rest::HeaderList(";"))?;
                    let __in2 = __rest::convert(__in2, &(Lowercase))?;
                    let __arg2: Vec<String> = __rest::read!(Vec < String >, & __in2)?;
                    let __value = Self::authors(&**__this, __arg0, __arg1, __arg2).await;
                    __rest::reply!(__call, __value)
                })
            }
            1u16 => {
                __rest::dispatch::future(async move {
                    let __body = __call.take_body();
                    let __call = &__call;
                    let __in0 = __rest::path(__call, 0usize, "path")?;
                    let __in0 = __rest::convert(__in0, &(Trimmed))?;
                    let __in0 = __rest::convert(__in0, &__rest::SeparatedBy("/"))?;
                    let __arg0: Vec<String> = __rest::read!(Vec < String >, & __in0)?;
                    let __in1 = __rest::value_input(
                        __call,
                        ::core::option::Option::None,
                        "name",
                    )?;
                    let __in1 = __rest::convert(__in1, &(Upper { locale: "de" }))?;
                    let __arg1: String = __rest::read!(String, & __in1)?;
                    let __in2 = __rest::entity_input(__call, __body).await?;
                    let __in2 = __rest::convert(__in2, &(Csv::new(b';')))?;
                    let __arg2: Vec<Row> = __rest::read_entity!(Vec < Row >, & __in2)?;
                    {
                        let mut __violations = __rest::Violations::new();
                        __rest::check!(
                            Vec < Row >, & __arg2, __call, __violations
                            .at(::innkeeper_rest::Source::Entity, "rows")
                        );
                        __violations.into_result()?;
                    }
                    let __value = Self::import(&**__this, __arg0, __arg1, __arg2).await;
                    __rest::reply!(__call, __value)
                })
            }
            2u16 => {
                __rest::dispatch::future(async move {
                    let __body = __call.take_body();
                    let __call = &__call;
                    let __in0 = __rest::body_input(__call, __body).await?;
                    let __in0 = __rest::convert(__in0, &(Base64))?;
                    let __arg0: &str = __rest::read!(& str, & __in0)?;
                    let __value = Self::replace(&**__this, __arg0).await;
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
impl Tasks {
    ///The path of `authors`: `/tasks/{filter}/authors`, with its parameters filled in.
    #[must_use]
    pub fn authors_path(
        filter: impl ::core::fmt::Display,
    ) -> ::innkeeper_rest::Location {
        ::innkeeper_rest::__private::reverse_path(
            &[
                ::innkeeper_rest::__private::PathPart::Text("/tasks/"),
                ::innkeeper_rest::__private::PathPart::Matrix("filter", &filter),
                ::innkeeper_rest::__private::PathPart::Text("/authors"),
            ],
        )
    }
    ///The path of `import`: `/tasks/import/{*path}`, with its parameters filled in.
    #[must_use]
    pub fn import_path(path: impl ::core::fmt::Display) -> ::innkeeper_rest::Location {
        ::innkeeper_rest::__private::reverse_path(
            &[
                ::innkeeper_rest::__private::PathPart::Text("/tasks/import/"),
                ::innkeeper_rest::__private::PathPart::Tail("path", &path),
            ],
        )
    }
    ///The path of `replace`: `/tasks`, with its parameters filled in.
    #[must_use]
    pub fn replace_path() -> ::innkeeper_rest::Location {
        ::innkeeper_rest::__private::reverse_path(
            &[::innkeeper_rest::__private::PathPart::Text("/tasks")],
        )
    }
}
