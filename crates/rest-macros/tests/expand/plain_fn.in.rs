#[resource("/")]
impl Hello {
    #[get]
    fn hello() -> &'static str {
        "hello"
    }

    #[get("/{name}")]
    fn greet(&self, name: &str) -> String {
        format!("{} {name}", self.greeting)
    }

    #[put("/greeting")]
    fn replace(&self, #[body] text: String) {
        self.set(text);
    }

    fn set(&self, text: String) {
        drop(text);
    }
}
