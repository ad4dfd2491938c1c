enum UserError {
    #[api(status = 404)]
    NotFound,
    #[api(status = 409, code = "taken")]
    EmailTaken { email: String },
    #[api(status = 500)]
    Database(io::Error),
    #[api(transparent)]
    Other(OtherError),
}

#[api(status = 422)]
struct TooShort(usize);

#[api(transparent)]
struct Wrapped<E> {
    source: E,
}

enum Never {}
