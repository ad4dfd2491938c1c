#[resource("/r")]
impl r#Box {
    #[get("/{type}/@{name}")]
    fn r#match(&self, r#type: Kind, mut name: String, r#in: &str) -> String {
        name.push_str(r#in);
        name
    }

    #[get("/{file}.json")]
    fn file(&self, file: std::borrow::Cow<'_, str>) -> impl IntoReply + use<> {
        file.into_owned()
    }
}
