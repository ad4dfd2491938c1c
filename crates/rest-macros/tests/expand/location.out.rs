fn location() -> Location {
    ::innkeeper_rest::__private::location(
        &[
            ::innkeeper_rest::__private::LocationPart::Text("/users/"),
            ::innkeeper_rest::__private::LocationPart::Value(&(user.id)),
            ::innkeeper_rest::__private::LocationPart::Text("/posts/"),
            ::innkeeper_rest::__private::LocationPart::Value(&(7)),
        ],
    )
}
