// This file was generated with `cornucopia`. Do not modify.

#[derive(Debug)]
pub struct ListActionsParams<
    T1: crate::StringSql,
    T2: crate::StringSql,
    T3: crate::ArraySql<Item = T2>,
    T4: crate::ArraySql<Item = uuid::Uuid>,
    T5: crate::StringSql,
    T6: crate::StringSql,
    T7: crate::StringSql,
    T8: crate::StringSql,
> {
    pub customer_id: T1,
    pub kinds: T3,
    pub machines: Option<T4>,
    pub server: Option<T5>,
    pub status: Option<T6>,
    pub command: Option<T7>,
    pub before_at: jiff::Timestamp,
    pub before_id: T8,
    pub most: i64,
}
#[derive(Debug)]
pub struct InsertActionParams<
    T1: crate::StringSql,
    T2: crate::StringSql,
    T3: crate::StringSql,
    T4: crate::StringSql,
    T5: crate::StringSql,
    T6: crate::StringSql,
    T7: crate::StringSql,
    T8: crate::StringSql,
    T9: crate::StringSql,
> {
    pub id: T1,
    pub machine_id: uuid::Uuid,
    pub customer_id: T2,
    pub command: T3,
    pub status: T4,
    pub step: T5,
    pub step_at: jiff::Timestamp,
    pub stop_seconds: i32,
    pub actor: T6,
    pub address: Option<T7>,
    pub reason: Option<T8>,
    pub result: Option<T9>,
    pub queued_at: jiff::Timestamp,
    pub finished_at: Option<jiff::Timestamp>,
}
#[derive(Debug)]
pub struct CancelActionParams<T1: crate::StringSql, T2: crate::StringSql> {
    pub superseded_by: T1,
    pub now: jiff::Timestamp,
    pub id: T2,
}
#[derive(Debug)]
pub struct ClaimParams<T1: crate::StringSql, T2: crate::ArraySql<Item = T1>> {
    pub holder: uuid::Uuid,
    pub until: jiff::Timestamp,
    pub now: jiff::Timestamp,
    pub known: T2,
    pub most: i64,
}
#[derive(Debug)]
pub struct RenewParams<T1: crate::StringSql, T2: crate::ArraySql<Item = T1>> {
    pub until: jiff::Timestamp,
    pub ids: T2,
    pub holder: uuid::Uuid,
}
#[derive(Debug)]
pub struct SetStepParams<T1: crate::StringSql, T2: crate::StringSql> {
    pub step: T1,
    pub step_at: jiff::Timestamp,
    pub until: jiff::Timestamp,
    pub id: T2,
    pub holder: uuid::Uuid,
}
#[derive(Debug)]
pub struct FinishParams<
    T1: crate::StringSql,
    T2: crate::StringSql,
    T3: crate::StringSql,
    T4: crate::StringSql,
    T5: crate::StringSql,
> {
    pub status: T1,
    pub result: Option<T2>,
    pub error_code: Option<T3>,
    pub error_message: Option<T4>,
    pub now: jiff::Timestamp,
    pub id: T5,
    pub holder: uuid::Uuid,
}
#[derive(Debug, Clone, PartialEq)]
pub struct ActionRow {
    pub id: String,
    pub machine_id: uuid::Uuid,
    pub customer_id: String,
    pub command: String,
    pub status: String,
    pub step: String,
    pub step_at: jiff::Timestamp,
    pub stop_seconds: i32,
    pub actor: String,
    pub address: Option<String>,
    pub reason: Option<String>,
    pub result: Option<String>,
    pub error_code: Option<String>,
    pub error_message: Option<String>,
    pub superseded_by: Option<String>,
    pub queued_at: jiff::Timestamp,
    pub started_at: Option<jiff::Timestamp>,
    pub finished_at: Option<jiff::Timestamp>,
}
pub struct ActionRowBorrowed<'a> {
    pub id: &'a str,
    pub machine_id: uuid::Uuid,
    pub customer_id: &'a str,
    pub command: &'a str,
    pub status: &'a str,
    pub step: &'a str,
    pub step_at: jiff::Timestamp,
    pub stop_seconds: i32,
    pub actor: &'a str,
    pub address: Option<&'a str>,
    pub reason: Option<&'a str>,
    pub result: Option<&'a str>,
    pub error_code: Option<&'a str>,
    pub error_message: Option<&'a str>,
    pub superseded_by: Option<&'a str>,
    pub queued_at: jiff::Timestamp,
    pub started_at: Option<jiff::Timestamp>,
    pub finished_at: Option<jiff::Timestamp>,
}
impl<'a> From<ActionRowBorrowed<'a>> for ActionRow {
    fn from(
        ActionRowBorrowed {
            id,
            machine_id,
            customer_id,
            command,
            status,
            step,
            step_at,
            stop_seconds,
            actor,
            address,
            reason,
            result,
            error_code,
            error_message,
            superseded_by,
            queued_at,
            started_at,
            finished_at,
        }: ActionRowBorrowed<'a>,
    ) -> Self {
        Self {
            id: id.into(),
            machine_id,
            customer_id: customer_id.into(),
            command: command.into(),
            status: status.into(),
            step: step.into(),
            step_at,
            stop_seconds,
            actor: actor.into(),
            address: address.map(|v| v.into()),
            reason: reason.map(|v| v.into()),
            result: result.map(|v| v.into()),
            error_code: error_code.map(|v| v.into()),
            error_message: error_message.map(|v| v.into()),
            superseded_by: superseded_by.map(|v| v.into()),
            queued_at,
            started_at,
            finished_at,
        }
    }
}
use crate::client::async_::GenericClient;
use futures::{self, StreamExt, TryStreamExt};
pub struct ActionRowQuery<'c, 'a, 's, C: GenericClient, T, const N: usize> {
    client: &'c C,
    params: [&'a (dyn postgres_types::ToSql + Sync); N],
    query: &'static str,
    cached: Option<&'s tokio_postgres::Statement>,
    extractor: fn(&tokio_postgres::Row) -> Result<ActionRowBorrowed, tokio_postgres::Error>,
    mapper: fn(ActionRowBorrowed) -> T,
}
impl<'c, 'a, 's, C, T: 'c, const N: usize> ActionRowQuery<'c, 'a, 's, C, T, N>
where
    C: GenericClient,
{
    pub fn map<R>(self, mapper: fn(ActionRowBorrowed) -> R) -> ActionRowQuery<'c, 'a, 's, C, R, N> {
        ActionRowQuery {
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
pub struct I64Query<'c, 'a, 's, C: GenericClient, T, const N: usize> {
    client: &'c C,
    params: [&'a (dyn postgres_types::ToSql + Sync); N],
    query: &'static str,
    cached: Option<&'s tokio_postgres::Statement>,
    extractor: fn(&tokio_postgres::Row) -> Result<i64, tokio_postgres::Error>,
    mapper: fn(i64) -> T,
}
impl<'c, 'a, 's, C, T: 'c, const N: usize> I64Query<'c, 'a, 's, C, T, N>
where
    C: GenericClient,
{
    pub fn map<R>(self, mapper: fn(i64) -> R) -> I64Query<'c, 'a, 's, C, R, N> {
        I64Query {
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
pub struct FindByIdStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn find_by_id() -> FindByIdStmt {
    FindByIdStmt(
        "select a.id, a.machine_id, a.customer_id, a.command, a.status, a.step, a.step_at, a.stop_seconds, a.actor, a.address, a.reason, a.result, a.error_code, a.error_message, a.superseded_by, a.queued_at, a.started_at, a.finished_at from actions a where a.id = $1",
        None,
    )
}
impl FindByIdStmt {
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
    ) -> ActionRowQuery<'c, 'a, 's, C, ActionRow, 1> {
        ActionRowQuery {
            client,
            params: [id],
            query: self.0,
            cached: self.1.as_ref(),
            extractor:
                |row: &tokio_postgres::Row| -> Result<ActionRowBorrowed, tokio_postgres::Error> {
                    Ok(ActionRowBorrowed {
                        id: row.try_get(0)?,
                        machine_id: row.try_get(1)?,
                        customer_id: row.try_get(2)?,
                        command: row.try_get(3)?,
                        status: row.try_get(4)?,
                        step: row.try_get(5)?,
                        step_at: row.try_get(6)?,
                        stop_seconds: row.try_get(7)?,
                        actor: row.try_get(8)?,
                        address: row.try_get(9)?,
                        reason: row.try_get(10)?,
                        result: row.try_get(11)?,
                        error_code: row.try_get(12)?,
                        error_message: row.try_get(13)?,
                        superseded_by: row.try_get(14)?,
                        queued_at: row.try_get(15)?,
                        started_at: row.try_get(16)?,
                        finished_at: row.try_get(17)?,
                    })
                },
            mapper: |it| ActionRow::from(it),
        }
    }
}
pub struct FindActiveStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn find_active() -> FindActiveStmt {
    FindActiveStmt(
        "select a.id, a.machine_id, a.customer_id, a.command, a.status, a.step, a.step_at, a.stop_seconds, a.actor, a.address, a.reason, a.result, a.error_code, a.error_message, a.superseded_by, a.queued_at, a.started_at, a.finished_at from actions a where a.machine_id = $1 and a.status in ('queued', 'running')",
        None,
    )
}
impl FindActiveStmt {
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
        machine_id: &'a uuid::Uuid,
    ) -> ActionRowQuery<'c, 'a, 's, C, ActionRow, 1> {
        ActionRowQuery {
            client,
            params: [machine_id],
            query: self.0,
            cached: self.1.as_ref(),
            extractor:
                |row: &tokio_postgres::Row| -> Result<ActionRowBorrowed, tokio_postgres::Error> {
                    Ok(ActionRowBorrowed {
                        id: row.try_get(0)?,
                        machine_id: row.try_get(1)?,
                        customer_id: row.try_get(2)?,
                        command: row.try_get(3)?,
                        status: row.try_get(4)?,
                        step: row.try_get(5)?,
                        step_at: row.try_get(6)?,
                        stop_seconds: row.try_get(7)?,
                        actor: row.try_get(8)?,
                        address: row.try_get(9)?,
                        reason: row.try_get(10)?,
                        result: row.try_get(11)?,
                        error_code: row.try_get(12)?,
                        error_message: row.try_get(13)?,
                        superseded_by: row.try_get(14)?,
                        queued_at: row.try_get(15)?,
                        started_at: row.try_get(16)?,
                        finished_at: row.try_get(17)?,
                    })
                },
            mapper: |it| ActionRow::from(it),
        }
    }
}
pub struct ListActiveStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn list_active() -> ListActiveStmt {
    ListActiveStmt(
        "select a.id, a.machine_id, a.customer_id, a.command, a.status, a.step, a.step_at, a.stop_seconds, a.actor, a.address, a.reason, a.result, a.error_code, a.error_message, a.superseded_by, a.queued_at, a.started_at, a.finished_at from actions a where a.machine_id = any($1::uuid[]) and a.status in ('queued', 'running')",
        None,
    )
}
impl ListActiveStmt {
    pub async fn prepare<'a, C: GenericClient>(
        mut self,
        client: &'a C,
    ) -> Result<Self, tokio_postgres::Error> {
        self.1 = Some(client.prepare(self.0).await?);
        Ok(self)
    }
    pub fn bind<'c, 'a, 's, C: GenericClient, T1: crate::ArraySql<Item = uuid::Uuid>>(
        &'s self,
        client: &'c C,
        machine_ids: &'a T1,
    ) -> ActionRowQuery<'c, 'a, 's, C, ActionRow, 1> {
        ActionRowQuery {
            client,
            params: [machine_ids],
            query: self.0,
            cached: self.1.as_ref(),
            extractor:
                |row: &tokio_postgres::Row| -> Result<ActionRowBorrowed, tokio_postgres::Error> {
                    Ok(ActionRowBorrowed {
                        id: row.try_get(0)?,
                        machine_id: row.try_get(1)?,
                        customer_id: row.try_get(2)?,
                        command: row.try_get(3)?,
                        status: row.try_get(4)?,
                        step: row.try_get(5)?,
                        step_at: row.try_get(6)?,
                        stop_seconds: row.try_get(7)?,
                        actor: row.try_get(8)?,
                        address: row.try_get(9)?,
                        reason: row.try_get(10)?,
                        result: row.try_get(11)?,
                        error_code: row.try_get(12)?,
                        error_message: row.try_get(13)?,
                        superseded_by: row.try_get(14)?,
                        queued_at: row.try_get(15)?,
                        started_at: row.try_get(16)?,
                        finished_at: row.try_get(17)?,
                    })
                },
            mapper: |it| ActionRow::from(it),
        }
    }
}
pub struct ListActionsStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn list_actions() -> ListActionsStmt {
    ListActionsStmt(
        "select a.id, a.machine_id, a.customer_id, a.command, a.status, a.step, a.step_at, a.stop_seconds, a.actor, a.address, a.reason, a.result, a.error_code, a.error_message, a.superseded_by, a.queued_at, a.started_at, a.finished_at from actions a join machines m on m.id = a.machine_id where a.customer_id = $1 and m.kind = any($2::text[]) and ($3::uuid[] is null or a.machine_id = any($3::uuid[])) and ($4::text is null or m.public_id = $4) and ($5::text is null or a.status = $5) and ($6::text is null or a.command = $6) and (a.queued_at, a.id) < ($7, $8) order by a.queued_at desc, a.id desc limit $9",
        None,
    )
}
impl ListActionsStmt {
    pub async fn prepare<'a, C: GenericClient>(
        mut self,
        client: &'a C,
    ) -> Result<Self, tokio_postgres::Error> {
        self.1 = Some(client.prepare(self.0).await?);
        Ok(self)
    }
    pub fn bind<
        'c,
        'a,
        's,
        C: GenericClient,
        T1: crate::StringSql,
        T2: crate::StringSql,
        T3: crate::ArraySql<Item = T2>,
        T4: crate::ArraySql<Item = uuid::Uuid>,
        T5: crate::StringSql,
        T6: crate::StringSql,
        T7: crate::StringSql,
        T8: crate::StringSql,
    >(
        &'s self,
        client: &'c C,
        customer_id: &'a T1,
        kinds: &'a T3,
        machines: &'a Option<T4>,
        server: &'a Option<T5>,
        status: &'a Option<T6>,
        command: &'a Option<T7>,
        before_at: &'a jiff::Timestamp,
        before_id: &'a T8,
        most: &'a i64,
    ) -> ActionRowQuery<'c, 'a, 's, C, ActionRow, 9> {
        ActionRowQuery {
            client,
            params: [
                customer_id,
                kinds,
                machines,
                server,
                status,
                command,
                before_at,
                before_id,
                most,
            ],
            query: self.0,
            cached: self.1.as_ref(),
            extractor:
                |row: &tokio_postgres::Row| -> Result<ActionRowBorrowed, tokio_postgres::Error> {
                    Ok(ActionRowBorrowed {
                        id: row.try_get(0)?,
                        machine_id: row.try_get(1)?,
                        customer_id: row.try_get(2)?,
                        command: row.try_get(3)?,
                        status: row.try_get(4)?,
                        step: row.try_get(5)?,
                        step_at: row.try_get(6)?,
                        stop_seconds: row.try_get(7)?,
                        actor: row.try_get(8)?,
                        address: row.try_get(9)?,
                        reason: row.try_get(10)?,
                        result: row.try_get(11)?,
                        error_code: row.try_get(12)?,
                        error_message: row.try_get(13)?,
                        superseded_by: row.try_get(14)?,
                        queued_at: row.try_get(15)?,
                        started_at: row.try_get(16)?,
                        finished_at: row.try_get(17)?,
                    })
                },
            mapper: |it| ActionRow::from(it),
        }
    }
}
impl<
    'c,
    'a,
    's,
    C: GenericClient,
    T1: crate::StringSql,
    T2: crate::StringSql,
    T3: crate::ArraySql<Item = T2>,
    T4: crate::ArraySql<Item = uuid::Uuid>,
    T5: crate::StringSql,
    T6: crate::StringSql,
    T7: crate::StringSql,
    T8: crate::StringSql,
>
    crate::client::async_::Params<
        'c,
        'a,
        's,
        ListActionsParams<T1, T2, T3, T4, T5, T6, T7, T8>,
        ActionRowQuery<'c, 'a, 's, C, ActionRow, 9>,
        C,
    > for ListActionsStmt
{
    fn params(
        &'s self,
        client: &'c C,
        params: &'a ListActionsParams<T1, T2, T3, T4, T5, T6, T7, T8>,
    ) -> ActionRowQuery<'c, 'a, 's, C, ActionRow, 9> {
        self.bind(
            client,
            &params.customer_id,
            &params.kinds,
            &params.machines,
            &params.server,
            &params.status,
            &params.command,
            &params.before_at,
            &params.before_id,
            &params.most,
        )
    }
}
pub struct InsertActionStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn insert_action() -> InsertActionStmt {
    InsertActionStmt(
        "insert into actions (id, machine_id, customer_id, command, status, step, step_at, stop_seconds, actor, address, reason, result, queued_at, finished_at) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)",
        None,
    )
}
impl InsertActionStmt {
    pub async fn prepare<'a, C: GenericClient>(
        mut self,
        client: &'a C,
    ) -> Result<Self, tokio_postgres::Error> {
        self.1 = Some(client.prepare(self.0).await?);
        Ok(self)
    }
    pub async fn bind<
        'c,
        'a,
        's,
        C: GenericClient,
        T1: crate::StringSql,
        T2: crate::StringSql,
        T3: crate::StringSql,
        T4: crate::StringSql,
        T5: crate::StringSql,
        T6: crate::StringSql,
        T7: crate::StringSql,
        T8: crate::StringSql,
        T9: crate::StringSql,
    >(
        &'s self,
        client: &'c C,
        id: &'a T1,
        machine_id: &'a uuid::Uuid,
        customer_id: &'a T2,
        command: &'a T3,
        status: &'a T4,
        step: &'a T5,
        step_at: &'a jiff::Timestamp,
        stop_seconds: &'a i32,
        actor: &'a T6,
        address: &'a Option<T7>,
        reason: &'a Option<T8>,
        result: &'a Option<T9>,
        queued_at: &'a jiff::Timestamp,
        finished_at: &'a Option<jiff::Timestamp>,
    ) -> Result<u64, tokio_postgres::Error> {
        client
            .execute(
                &client.prepare(self.0).await?,
                &[
                    id,
                    machine_id,
                    customer_id,
                    command,
                    status,
                    step,
                    step_at,
                    stop_seconds,
                    actor,
                    address,
                    reason,
                    result,
                    queued_at,
                    finished_at,
                ],
            )
            .await
    }
}
impl<
    'a,
    C: GenericClient + Send + Sync,
    T1: crate::StringSql,
    T2: crate::StringSql,
    T3: crate::StringSql,
    T4: crate::StringSql,
    T5: crate::StringSql,
    T6: crate::StringSql,
    T7: crate::StringSql,
    T8: crate::StringSql,
    T9: crate::StringSql,
>
    crate::client::async_::Params<
        'a,
        'a,
        'a,
        InsertActionParams<T1, T2, T3, T4, T5, T6, T7, T8, T9>,
        std::pin::Pin<
            Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
        >,
        C,
    > for InsertActionStmt
{
    fn params(
        &'a self,
        client: &'a C,
        params: &'a InsertActionParams<T1, T2, T3, T4, T5, T6, T7, T8, T9>,
    ) -> std::pin::Pin<
        Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
    > {
        Box::pin(self.bind(
            client,
            &params.id,
            &params.machine_id,
            &params.customer_id,
            &params.command,
            &params.status,
            &params.step,
            &params.step_at,
            &params.stop_seconds,
            &params.actor,
            &params.address,
            &params.reason,
            &params.result,
            &params.queued_at,
            &params.finished_at,
        ))
    }
}
pub struct CancelActionStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn cancel_action() -> CancelActionStmt {
    CancelActionStmt(
        "update actions set status = 'cancelled', superseded_by = $1, finished_at = $2, lease_until = null where id = $3 and status in ('queued', 'running')",
        None,
    )
}
impl CancelActionStmt {
    pub async fn prepare<'a, C: GenericClient>(
        mut self,
        client: &'a C,
    ) -> Result<Self, tokio_postgres::Error> {
        self.1 = Some(client.prepare(self.0).await?);
        Ok(self)
    }
    pub async fn bind<'c, 'a, 's, C: GenericClient, T1: crate::StringSql, T2: crate::StringSql>(
        &'s self,
        client: &'c C,
        superseded_by: &'a T1,
        now: &'a jiff::Timestamp,
        id: &'a T2,
    ) -> Result<u64, tokio_postgres::Error> {
        client.execute(&client.prepare(self.0).await?, &[superseded_by, now, id]).await
    }
}
impl<'a, C: GenericClient + Send + Sync, T1: crate::StringSql, T2: crate::StringSql>
    crate::client::async_::Params<
        'a,
        'a,
        'a,
        CancelActionParams<T1, T2>,
        std::pin::Pin<
            Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
        >,
        C,
    > for CancelActionStmt
{
    fn params(
        &'a self,
        client: &'a C,
        params: &'a CancelActionParams<T1, T2>,
    ) -> std::pin::Pin<
        Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
    > {
        Box::pin(self.bind(client, &params.superseded_by, &params.now, &params.id))
    }
}
pub struct ClaimStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn claim() -> ClaimStmt {
    ClaimStmt(
        "update actions a set status = 'running', holder = $1, lease_until = $2, started_at = coalesce(a.started_at, $3) where a.id in ( select c.id from actions c where c.status in ('queued', 'running') and c.id <> all($4::text[]) and (c.holder is null or c.holder = $1 or c.lease_until <= $3 or c.lease_until > $2::timestamptz + ($2::timestamptz - $3::timestamptz)) order by c.queued_at, c.id limit $5 for update skip locked) returning a.id, a.machine_id, a.customer_id, a.command, a.status, a.step, a.step_at, a.stop_seconds, a.actor, a.address, a.reason, a.result, a.error_code, a.error_message, a.superseded_by, a.queued_at, a.started_at, a.finished_at",
        None,
    )
}
impl ClaimStmt {
    pub async fn prepare<'a, C: GenericClient>(
        mut self,
        client: &'a C,
    ) -> Result<Self, tokio_postgres::Error> {
        self.1 = Some(client.prepare(self.0).await?);
        Ok(self)
    }
    pub fn bind<
        'c,
        'a,
        's,
        C: GenericClient,
        T1: crate::StringSql,
        T2: crate::ArraySql<Item = T1>,
    >(
        &'s self,
        client: &'c C,
        holder: &'a uuid::Uuid,
        until: &'a jiff::Timestamp,
        now: &'a jiff::Timestamp,
        known: &'a T2,
        most: &'a i64,
    ) -> ActionRowQuery<'c, 'a, 's, C, ActionRow, 5> {
        ActionRowQuery {
            client,
            params: [holder, until, now, known, most],
            query: self.0,
            cached: self.1.as_ref(),
            extractor:
                |row: &tokio_postgres::Row| -> Result<ActionRowBorrowed, tokio_postgres::Error> {
                    Ok(ActionRowBorrowed {
                        id: row.try_get(0)?,
                        machine_id: row.try_get(1)?,
                        customer_id: row.try_get(2)?,
                        command: row.try_get(3)?,
                        status: row.try_get(4)?,
                        step: row.try_get(5)?,
                        step_at: row.try_get(6)?,
                        stop_seconds: row.try_get(7)?,
                        actor: row.try_get(8)?,
                        address: row.try_get(9)?,
                        reason: row.try_get(10)?,
                        result: row.try_get(11)?,
                        error_code: row.try_get(12)?,
                        error_message: row.try_get(13)?,
                        superseded_by: row.try_get(14)?,
                        queued_at: row.try_get(15)?,
                        started_at: row.try_get(16)?,
                        finished_at: row.try_get(17)?,
                    })
                },
            mapper: |it| ActionRow::from(it),
        }
    }
}
impl<'c, 'a, 's, C: GenericClient, T1: crate::StringSql, T2: crate::ArraySql<Item = T1>>
    crate::client::async_::Params<
        'c,
        'a,
        's,
        ClaimParams<T1, T2>,
        ActionRowQuery<'c, 'a, 's, C, ActionRow, 5>,
        C,
    > for ClaimStmt
{
    fn params(
        &'s self,
        client: &'c C,
        params: &'a ClaimParams<T1, T2>,
    ) -> ActionRowQuery<'c, 'a, 's, C, ActionRow, 5> {
        self.bind(
            client,
            &params.holder,
            &params.until,
            &params.now,
            &params.known,
            &params.most,
        )
    }
}
pub struct RenewStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn renew() -> RenewStmt {
    RenewStmt(
        "update actions set lease_until = $1 where id = any($2::text[]) and holder = $3 and status = 'running' returning id",
        None,
    )
}
impl RenewStmt {
    pub async fn prepare<'a, C: GenericClient>(
        mut self,
        client: &'a C,
    ) -> Result<Self, tokio_postgres::Error> {
        self.1 = Some(client.prepare(self.0).await?);
        Ok(self)
    }
    pub fn bind<
        'c,
        'a,
        's,
        C: GenericClient,
        T1: crate::StringSql,
        T2: crate::ArraySql<Item = T1>,
    >(
        &'s self,
        client: &'c C,
        until: &'a jiff::Timestamp,
        ids: &'a T2,
        holder: &'a uuid::Uuid,
    ) -> StringQuery<'c, 'a, 's, C, String, 3> {
        StringQuery {
            client,
            params: [until, ids, holder],
            query: self.0,
            cached: self.1.as_ref(),
            extractor: |row| Ok(row.try_get(0)?),
            mapper: |it| it.into(),
        }
    }
}
impl<'c, 'a, 's, C: GenericClient, T1: crate::StringSql, T2: crate::ArraySql<Item = T1>>
    crate::client::async_::Params<
        'c,
        'a,
        's,
        RenewParams<T1, T2>,
        StringQuery<'c, 'a, 's, C, String, 3>,
        C,
    > for RenewStmt
{
    fn params(
        &'s self,
        client: &'c C,
        params: &'a RenewParams<T1, T2>,
    ) -> StringQuery<'c, 'a, 's, C, String, 3> {
        self.bind(client, &params.until, &params.ids, &params.holder)
    }
}
pub struct SetStepStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn set_step() -> SetStepStmt {
    SetStepStmt(
        "update actions set step = $1, step_at = $2, lease_until = $3 where id = $4 and holder = $5 and status = 'running' returning id",
        None,
    )
}
impl SetStepStmt {
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
        step: &'a T1,
        step_at: &'a jiff::Timestamp,
        until: &'a jiff::Timestamp,
        id: &'a T2,
        holder: &'a uuid::Uuid,
    ) -> StringQuery<'c, 'a, 's, C, String, 5> {
        StringQuery {
            client,
            params: [step, step_at, until, id, holder],
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
        SetStepParams<T1, T2>,
        StringQuery<'c, 'a, 's, C, String, 5>,
        C,
    > for SetStepStmt
{
    fn params(
        &'s self,
        client: &'c C,
        params: &'a SetStepParams<T1, T2>,
    ) -> StringQuery<'c, 'a, 's, C, String, 5> {
        self.bind(
            client,
            &params.step,
            &params.step_at,
            &params.until,
            &params.id,
            &params.holder,
        )
    }
}
pub struct FinishStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn finish() -> FinishStmt {
    FinishStmt(
        "update actions set status = $1, result = $2, error_code = $3, error_message = $4, finished_at = $5, lease_until = null where id = $6 and holder = $7 and status = 'running' returning id",
        None,
    )
}
impl FinishStmt {
    pub async fn prepare<'a, C: GenericClient>(
        mut self,
        client: &'a C,
    ) -> Result<Self, tokio_postgres::Error> {
        self.1 = Some(client.prepare(self.0).await?);
        Ok(self)
    }
    pub fn bind<
        'c,
        'a,
        's,
        C: GenericClient,
        T1: crate::StringSql,
        T2: crate::StringSql,
        T3: crate::StringSql,
        T4: crate::StringSql,
        T5: crate::StringSql,
    >(
        &'s self,
        client: &'c C,
        status: &'a T1,
        result: &'a Option<T2>,
        error_code: &'a Option<T3>,
        error_message: &'a Option<T4>,
        now: &'a jiff::Timestamp,
        id: &'a T5,
        holder: &'a uuid::Uuid,
    ) -> StringQuery<'c, 'a, 's, C, String, 7> {
        StringQuery {
            client,
            params: [status, result, error_code, error_message, now, id, holder],
            query: self.0,
            cached: self.1.as_ref(),
            extractor: |row| Ok(row.try_get(0)?),
            mapper: |it| it.into(),
        }
    }
}
impl<
    'c,
    'a,
    's,
    C: GenericClient,
    T1: crate::StringSql,
    T2: crate::StringSql,
    T3: crate::StringSql,
    T4: crate::StringSql,
    T5: crate::StringSql,
>
    crate::client::async_::Params<
        'c,
        'a,
        's,
        FinishParams<T1, T2, T3, T4, T5>,
        StringQuery<'c, 'a, 's, C, String, 7>,
        C,
    > for FinishStmt
{
    fn params(
        &'s self,
        client: &'c C,
        params: &'a FinishParams<T1, T2, T3, T4, T5>,
    ) -> StringQuery<'c, 'a, 's, C, String, 7> {
        self.bind(
            client,
            &params.status,
            &params.result,
            &params.error_code,
            &params.error_message,
            &params.now,
            &params.id,
            &params.holder,
        )
    }
}
pub struct ReleaseStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn release() -> ReleaseStmt {
    ReleaseStmt(
        "update actions set holder = null, lease_until = null where holder = $1 and status = 'running'",
        None,
    )
}
impl ReleaseStmt {
    pub async fn prepare<'a, C: GenericClient>(
        mut self,
        client: &'a C,
    ) -> Result<Self, tokio_postgres::Error> {
        self.1 = Some(client.prepare(self.0).await?);
        Ok(self)
    }
    pub async fn bind<'c, 'a, 's, C: GenericClient>(
        &'s self,
        client: &'c C,
        holder: &'a uuid::Uuid,
    ) -> Result<u64, tokio_postgres::Error> {
        client.execute(&client.prepare(self.0).await?, &[holder]).await
    }
}
pub struct CountStartsStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn count_starts() -> CountStartsStmt {
    CountStartsStmt(
        "select count(*) as starts from actions a where a.command = 'start' and a.actor = $1 and a.status in ('queued', 'running')",
        None,
    )
}
impl CountStartsStmt {
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
        actor: &'a T1,
    ) -> I64Query<'c, 'a, 's, C, i64, 1> {
        I64Query {
            client,
            params: [actor],
            query: self.0,
            cached: self.1.as_ref(),
            extractor: |row| Ok(row.try_get(0)?),
            mapper: |it| it,
        }
    }
}
pub struct DeleteFinishedStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn delete_finished() -> DeleteFinishedStmt {
    DeleteFinishedStmt("delete from actions where finished_at < $1", None)
}
impl DeleteFinishedStmt {
    pub async fn prepare<'a, C: GenericClient>(
        mut self,
        client: &'a C,
    ) -> Result<Self, tokio_postgres::Error> {
        self.1 = Some(client.prepare(self.0).await?);
        Ok(self)
    }
    pub async fn bind<'c, 'a, 's, C: GenericClient>(
        &'s self,
        client: &'c C,
        before: &'a jiff::Timestamp,
    ) -> Result<u64, tokio_postgres::Error> {
        client.execute(&client.prepare(self.0).await?, &[before]).await
    }
}
