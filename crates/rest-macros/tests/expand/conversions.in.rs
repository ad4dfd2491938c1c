#[resource("/tasks")]
impl Tasks {
    #[get("/{filter}/authors")]
    async fn authors(
        &self,
        #[matrix] filter: Filter,
        #[separated_by(",")] ids: Vec<u64>,
        #[header("X-Tags")]
        #[separated_by(";")]
        #[convert(Lowercase)]
        tags: Vec<String>,
    ) -> Vec<Author> {
        self.find(filter, ids, tags).await
    }

    #[post("/import/{*path}")]
    async fn import(
        &self,
        #[convert(Trimmed)]
        #[separated_by("/")]
        path: Vec<String>,
        #[value]
        #[convert(Upper { locale: "de" })]
        name: String,
        #[convert(Csv::new(b';'))] rows: Vec<Row>,
    ) {
        self.load(path, name, rows).await;
    }

    #[put]
    async fn replace(&self, #[body] #[convert(Base64)] text: &str) {
        self.set(text).await;
    }
}
