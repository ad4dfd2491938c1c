// This file was generated with `cornucopia`. Do not modify.

#[derive(Debug)]
pub struct InsertCustomerParams<T1: crate::StringSql, T2: crate::StringSql> {
    pub id: T1,
    pub name: T2,
    pub now: jiff::Timestamp,
}
#[derive(Debug, Clone, PartialEq)]
pub struct FindCustomer {
    pub id: String,
    pub name: String,
    pub created_at: jiff::Timestamp,
}
pub struct FindCustomerBorrowed<'a> {
    pub id: &'a str,
    pub name: &'a str,
    pub created_at: jiff::Timestamp,
}
impl<'a> From<FindCustomerBorrowed<'a>> for FindCustomer {
    fn from(
        FindCustomerBorrowed {
            id,
            name,
            created_at,
        }: FindCustomerBorrowed<'a>,
    ) -> Self {
        Self {
            id: id.into(),
            name: name.into(),
            created_at,
        }
    }
}
#[derive(Debug, Clone, PartialEq)]
pub struct ListCustomers {
    pub id: String,
    pub name: String,
    pub created_at: jiff::Timestamp,
    pub machines: i64,
    pub keys: i64,
}
pub struct ListCustomersBorrowed<'a> {
    pub id: &'a str,
    pub name: &'a str,
    pub created_at: jiff::Timestamp,
    pub machines: i64,
    pub keys: i64,
}
impl<'a> From<ListCustomersBorrowed<'a>> for ListCustomers {
    fn from(
        ListCustomersBorrowed {
            id,
            name,
            created_at,
            machines,
            keys,
        }: ListCustomersBorrowed<'a>,
    ) -> Self {
        Self {
            id: id.into(),
            name: name.into(),
            created_at,
            machines,
            keys,
        }
    }
}
use crate::client::async_::GenericClient;
use futures::{self, StreamExt, TryStreamExt};
pub struct StringQuery<'c, 'a, 's, C: GenericClient, T, const N: usize> {
    client: &'c C,
    params: [&'a (dyn postgres_types::ToSql + Sync); N],
    query: &'static str,
    cached: Option<&'s tokio_postgres::Statement>,
    extractor: fn(&tokio_postgres::Row) -> Result<&str, tokio_postgres::Error>,
    mapper: fn(&str) -> T,
}
impl<'c, 'a, 's, C, T: 'c, const N: usize> StringQuery<'c, 'a, 's, C, T, N>
where
    C: GenericClient,
{
    pub fn map<R>(self, mapper: fn(&str) -> R) -> StringQuery<'c, 'a, 's, C, R, N> {
        StringQuery {
            client: self.client,
            params: self.params,
            query: self.query,
            cached: self.cached,
            extractor: self.extractor,
            mapper,
        }
    }
    pub async fn one(self) -> Result<T, tokio_postgres::Error> {
        let row =
            crate::client::async_::one(self.client, self.query, &self.params, self.cached).await?;
        Ok((self.mapper)((self.extractor)(&row)?))
    }
    pub async fn all(self) -> Result<Vec<T>, tokio_postgres::Error> {
        self.iter().await?.try_collect().await
    }
    pub async fn opt(self) -> Result<Option<T>, tokio_postgres::Error> {
        let opt_row =
            crate::client::async_::opt(self.client, self.query, &self.params, self.cached).await?;
        Ok(opt_row
            .map(|row| {
                let extracted = (self.extractor)(&row)?;
                Ok((self.mapper)(extracted))
            })
            .transpose()?)
    }
    pub async fn iter(
        self,
    ) -> Result<
        impl futures::Stream<Item = Result<T, tokio_postgres::Error>> + 'c,
        tokio_postgres::Error,
    > {
        let stream = crate::client::async_::raw(
            self.client,
            self.query,
            crate::slice_iter(&self.params),
            self.cached,
        )
        .await?;
        let mapped = stream
            .map(move |res| {
                res.and_then(|row| {
                    let extracted = (self.extractor)(&row)?;
                    Ok((self.mapper)(extracted))
                })
            })
            .into_stream();
        Ok(mapped)
    }
}
pub struct FindCustomerQuery<'c, 'a, 's, C: GenericClient, T, const N: usize> {
    client: &'c C,
    params: [&'a (dyn postgres_types::ToSql + Sync); N],
    query: &'static str,
    cached: Option<&'s tokio_postgres::Statement>,
    extractor: fn(&tokio_postgres::Row) -> Result<FindCustomerBorrowed, tokio_postgres::Error>,
    mapper: fn(FindCustomerBorrowed) -> T,
}
impl<'c, 'a, 's, C, T: 'c, const N: usize> FindCustomerQuery<'c, 'a, 's, C, T, N>
where
    C: GenericClient,
{
    pub fn map<R>(
        self,
        mapper: fn(FindCustomerBorrowed) -> R,
    ) -> FindCustomerQuery<'c, 'a, 's, C, R, N> {
        FindCustomerQuery {
            client: self.client,
            params: self.params,
            query: self.query,
            cached: self.cached,
            extractor: self.extractor,
            mapper,
        }
    }
    pub async fn one(self) -> Result<T, tokio_postgres::Error> {
        let row =
            crate::client::async_::one(self.client, self.query, &self.params, self.cached).await?;
        Ok((self.mapper)((self.extractor)(&row)?))
    }
    pub async fn all(self) -> Result<Vec<T>, tokio_postgres::Error> {
        self.iter().await?.try_collect().await
    }
    pub async fn opt(self) -> Result<Option<T>, tokio_postgres::Error> {
        let opt_row =
            crate::client::async_::opt(self.client, self.query, &self.params, self.cached).await?;
        Ok(opt_row
            .map(|row| {
                let extracted = (self.extractor)(&row)?;
                Ok((self.mapper)(extracted))
            })
            .transpose()?)
    }
    pub async fn iter(
        self,
    ) -> Result<
        impl futures::Stream<Item = Result<T, tokio_postgres::Error>> + 'c,
        tokio_postgres::Error,
    > {
        let stream = crate::client::async_::raw(
            self.client,
            self.query,
            crate::slice_iter(&self.params),
            self.cached,
        )
        .await?;
        let mapped = stream
            .map(move |res| {
                res.and_then(|row| {
                    let extracted = (self.extractor)(&row)?;
                    Ok((self.mapper)(extracted))
                })
            })
            .into_stream();
        Ok(mapped)
    }
}
pub struct ListCustomersQuery<'c, 'a, 's, C: GenericClient, T, const N: usize> {
    client: &'c C,
    params: [&'a (dyn postgres_types::ToSql + Sync); N],
    query: &'static str,
    cached: Option<&'s tokio_postgres::Statement>,
    extractor: fn(&tokio_postgres::Row) -> Result<ListCustomersBorrowed, tokio_postgres::Error>,
    mapper: fn(ListCustomersBorrowed) -> T,
}
impl<'c, 'a, 's, C, T: 'c, const N: usize> ListCustomersQuery<'c, 'a, 's, C, T, N>
where
    C: GenericClient,
{
    pub fn map<R>(
        self,
        mapper: fn(ListCustomersBorrowed) -> R,
    ) -> ListCustomersQuery<'c, 'a, 's, C, R, N> {
        ListCustomersQuery {
            client: self.client,
            params: self.params,
            query: self.query,
            cached: self.cached,
            extractor: self.extractor,
            mapper,
        }
    }
    pub async fn one(self) -> Result<T, tokio_postgres::Error> {
        let row =
            crate::client::async_::one(self.client, self.query, &self.params, self.cached).await?;
        Ok((self.mapper)((self.extractor)(&row)?))
    }
    pub async fn all(self) -> Result<Vec<T>, tokio_postgres::Error> {
        self.iter().await?.try_collect().await
    }
    pub async fn opt(self) -> Result<Option<T>, tokio_postgres::Error> {
        let opt_row =
            crate::client::async_::opt(self.client, self.query, &self.params, self.cached).await?;
        Ok(opt_row
            .map(|row| {
                let extracted = (self.extractor)(&row)?;
                Ok((self.mapper)(extracted))
            })
            .transpose()?)
    }
    pub async fn iter(
        self,
    ) -> Result<
        impl futures::Stream<Item = Result<T, tokio_postgres::Error>> + 'c,
        tokio_postgres::Error,
    > {
        let stream = crate::client::async_::raw(
            self.client,
            self.query,
            crate::slice_iter(&self.params),
            self.cached,
        )
        .await?;
        let mapped = stream
            .map(move |res| {
                res.and_then(|row| {
                    let extracted = (self.extractor)(&row)?;
                    Ok((self.mapper)(extracted))
                })
            })
            .into_stream();
        Ok(mapped)
    }
}
pub struct InsertCustomerStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn insert_customer() -> InsertCustomerStmt {
    InsertCustomerStmt(
        "insert into customers (id, name, created_at) values ($1, $2, $3) on conflict (id) do nothing returning id",
        None,
    )
}
impl InsertCustomerStmt {
    pub async fn prepare<'a, C: GenericClient>(
        mut self,
        client: &'a C,
    ) -> Result<Self, tokio_postgres::Error> {
        self.1 = Some(client.prepare(self.0).await?);
        Ok(self)
    }
    pub fn bind<'c, 'a, 's, C: GenericClient, T1: crate::StringSql, T2: crate::StringSql>(
        &'s self,
        client: &'c C,
        id: &'a T1,
        name: &'a T2,
        now: &'a jiff::Timestamp,
    ) -> StringQuery<'c, 'a, 's, C, String, 3> {
        StringQuery {
            client,
            params: [id, name, now],
            query: self.0,
            cached: self.1.as_ref(),
            extractor: |row| Ok(row.try_get(0)?),
            mapper: |it| it.into(),
        }
    }
}
impl<'c, 'a, 's, C: GenericClient, T1: crate::StringSql, T2: crate::StringSql>
    crate::client::async_::Params<
        'c,
        'a,
        's,
        InsertCustomerParams<T1, T2>,
        StringQuery<'c, 'a, 's, C, String, 3>,
        C,
    > for InsertCustomerStmt
{
    fn params(
        &'s self,
        client: &'c C,
        params: &'a InsertCustomerParams<T1, T2>,
    ) -> StringQuery<'c, 'a, 's, C, String, 3> {
        self.bind(client, &params.id, &params.name, &params.now)
    }
}
pub struct FindCustomerStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn find_customer() -> FindCustomerStmt {
    FindCustomerStmt(
        "select c.id, c.name, c.created_at from customers c where c.id = $1",
        None,
    )
}
impl FindCustomerStmt {
    pub async fn prepare<'a, C: GenericClient>(
        mut self,
        client: &'a C,
    ) -> Result<Self, tokio_postgres::Error> {
        self.1 = Some(client.prepare(self.0).await?);
        Ok(self)
    }
    pub fn bind<'c, 'a, 's, C: GenericClient, T1: crate::StringSql>(
        &'s self,
        client: &'c C,
        id: &'a T1,
    ) -> FindCustomerQuery<'c, 'a, 's, C, FindCustomer, 1> {
        FindCustomerQuery {
            client,
            params: [id],
            query: self.0,
            cached: self.1.as_ref(),
            extractor:
                |row: &tokio_postgres::Row| -> Result<FindCustomerBorrowed, tokio_postgres::Error> {
                    Ok(FindCustomerBorrowed {
                        id: row.try_get(0)?,
                        name: row.try_get(1)?,
                        created_at: row.try_get(2)?,
                    })
                },
            mapper: |it| FindCustomer::from(it),
        }
    }
}
pub struct ListCustomersStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn list_customers() -> ListCustomersStmt {
    ListCustomersStmt(
        "select c.id, c.name, c.created_at, (select count(*) from machines m where m.customer_id = c.id) as machines, (select count(*) from api_keys k where k.customer_id = c.id and k.revoked_at is null) as keys from customers c order by c.created_at, c.id",
        None,
    )
}
impl ListCustomersStmt {
    pub async fn prepare<'a, C: GenericClient>(
        mut self,
        client: &'a C,
    ) -> Result<Self, tokio_postgres::Error> {
        self.1 = Some(client.prepare(self.0).await?);
        Ok(self)
    }
    pub fn bind<'c, 'a, 's, C: GenericClient>(
        &'s self,
        client: &'c C,
    ) -> ListCustomersQuery<'c, 'a, 's, C, ListCustomers, 0> {
        ListCustomersQuery {
            client,
            params: [],
            query: self.0,
            cached: self.1.as_ref(),
            extractor:
                |row: &tokio_postgres::Row| -> Result<ListCustomersBorrowed, tokio_postgres::Error> {
                    Ok(ListCustomersBorrowed {
                        id: row.try_get(0)?,
                        name: row.try_get(1)?,
                        created_at: row.try_get(2)?,
                        machines: row.try_get(3)?,
                        keys: row.try_get(4)?,
                    })
                },
            mapper: |it| ListCustomers::from(it),
        }
    }
}
pub struct DeleteCustomerStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn delete_customer() -> DeleteCustomerStmt {
    DeleteCustomerStmt("delete from customers where id = $1 returning id", None)
}
impl DeleteCustomerStmt {
    pub async fn prepare<'a, C: GenericClient>(
        mut self,
        client: &'a C,
    ) -> Result<Self, tokio_postgres::Error> {
        self.1 = Some(client.prepare(self.0).await?);
        Ok(self)
    }
    pub fn bind<'c, 'a, 's, C: GenericClient, T1: crate::StringSql>(
        &'s self,
        client: &'c C,
        id: &'a T1,
    ) -> StringQuery<'c, 'a, 's, C, String, 1> {
        StringQuery {
            client,
            params: [id],
            query: self.0,
            cached: self.1.as_ref(),
            extractor: |row| Ok(row.try_get(0)?),
            mapper: |it| it.into(),
        }
    }
}
