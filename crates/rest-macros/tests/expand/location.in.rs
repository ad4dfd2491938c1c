location_impl! { ::innkeeper_rest; "/users/{id}/posts/{post}", user.id, 7 }
