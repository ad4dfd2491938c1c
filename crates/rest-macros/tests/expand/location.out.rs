fn location() -> Location {
    ::innkeeper_rest::__private::location(
        &[
            ::innkeeper_rest::__private::Piece::Text("/users/"),
            ::innkeeper_rest::__private::Piece::Value(&(user.id)),
            ::innkeeper_rest::__private::Piece::Text("/posts/"),
            ::innkeeper_rest::__private::Piece::Value(&(7)),
        ],
    )
}
