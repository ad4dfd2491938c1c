//! An operator, who calls the admin API with a service token.

use innkeeper_rest::Method;
use serde_json::Value;

use super::client::{Answer, bearer};
use super::{Sql, TestApp};

/// Sends requests with an admin token.
pub(crate) struct Operator<'a> {
    app: &'a TestApp,
    pub(crate) key: String,
}

impl TestApp {
    /// Returns an operator whose token has a role and no other claims.
    pub(crate) fn operator(&self) -> Operator<'_> {
        self.operator_with(self.service_key())
    }

    /// Returns an operator with this token.
    pub(crate) fn operator_with(&self, key: String) -> Operator<'_> {
        Operator { app: self, key }
    }
}

impl Operator<'_> {
    pub(crate) async fn get(&self, target: &str) -> Answer {
        self.app.get_as(&self.key, target).await
    }

    pub(crate) async fn post(&self, target: &str, body: Value) -> Answer {
        self.app.post_as(&self.key, target, body).await
    }

    pub(crate) async fn put(&self, target: &str, body: Value) -> Answer {
        self.app.put_as(&self.key, target, body).await
    }

    pub(crate) async fn delete(&self, target: &str, body: Option<Value>) -> Answer {
        self.app.delete_as(&self.key, target, body).await
    }

    /// Sends a request with one more header.
    pub(crate) async fn send(
        &self,
        method: Method,
        target: &str,
        header: (&str, &str),
        body: Option<&Value>,
    ) -> Answer {
        let (name, value) = bearer(&self.key);
        self.app
            .send(method, target, &[(name, &value), header], body)
            .await
    }

    /// Creates a user; the request must succeed.
    #[track_caller]
    pub(crate) fn create(&self, body: Value) -> impl Future<Output = Value> {
        let created = self.post("/admin/users", body);
        async move { created.await.ok() }
    }

    /// Returns a user from the admin API.
    pub(crate) async fn show(&self, user: &Value) -> Value {
        self.get(&path_of(user)).await.ok()
    }
}

/// Returns the path of a user in the admin API.
pub(crate) fn path_of(user: &Value) -> String {
    let id = user["id"].as_str().unwrap();
    format!("/admin/users/{id}")
}

/// Returns the number in the only field of the only row of a query.
pub(crate) async fn count(client: &Sql, sql: &str) -> i64 {
    client.query_one(sql, &[]).await.unwrap().get(0)
}
