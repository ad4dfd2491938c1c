#[resource("/payments")]
impl Payments {
    #[post("/{order}")]
    #[detached]
    async fn pay(&self, order: u64, card: Card) -> Result<Receipt, PayError> {
        self.charge(order, card).await
    }

    #[post]
    #[detached]
    fn note(&self, #[header("X-Note")] note: String) {
        self.notes.push(note);
    }
}
