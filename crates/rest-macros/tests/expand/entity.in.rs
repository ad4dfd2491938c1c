#[resource("/users")]
impl Users {
    #[post]
    async fn create(&self, user: NewUser) -> Result<Response, UserError> {
        self.insert(user).await
    }

    #[put("/{id}")]
    async fn replace(&self, id: u64, user: User) -> Result<User, UserError> {
        self.put(id, user).await
    }

    #[delete("/{id}")]
    async fn remove(&self, id: u64, #[entity] reason: Reason) -> Result<(), UserError> {
        self.delete(id, reason).await
    }
}
