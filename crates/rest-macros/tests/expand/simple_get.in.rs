#[resource("/users")]
impl Users {
    /// One user.
    ///
    /// Unknown ids are 404.
    #[get("/{id}")]
    pub async fn get(&self, id: u64, page: Option<u32>) -> Result<User, UserError> {
        self.find(id, page).await
    }
}
