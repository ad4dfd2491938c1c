#[resource("/blobs")]
impl Blobs {
    #[post("/text")]
    async fn text(&self, #[body] text: &str) -> usize {
        text.len()
    }

    #[post("/bytes")]
    async fn bytes(&self, #[body] bytes: Vec<u8>) -> usize {
        bytes.len()
    }

    #[put("/{name}")]
    async fn upload(&self, name: String, #[stream] parts: Multipart) -> Result<(), BlobError> {
        self.store(name, parts).await
    }
}
