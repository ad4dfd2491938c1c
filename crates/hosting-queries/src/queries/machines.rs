// This file was generated with `cornucopia`. Do not modify.

#[derive(Debug)]
pub struct FindByPublicIdParams<T1: crate::StringSql, T2: crate::StringSql> {
    pub kind: T1,
    pub public_id: T2,
}
#[derive(Debug)]
pub struct ListOfCustomerParams<
    T1: crate::StringSql,
    T2: crate::StringSql,
    T3: crate::ArraySql<Item = uuid::Uuid>,
    T4: crate::StringSql,
> {
    pub customer_id: T1,
    pub kind: T2,
    pub machines: Option<T3>,
    pub after: T4,
    pub most: i64,
}
#[derive(Debug)]
pub struct InsertMachineParams<
    T1: crate::StringSql,
    T2: crate::StringSql,
    T3: crate::StringSql,
    T4: crate::StringSql,
    T5: crate::StringSql,
    T6: crate::StringSql,
    T7: crate::StringSql,
    T8: crate::StringSql,
    T9: crate::ArraySql<Item = T8>,
    T10: crate::JsonSql,
> {
    pub id: uuid::Uuid,
    pub kind: T1,
    pub public_id: T2,
    pub customer_id: T3,
    pub name: T4,
    pub profile: Option<T5>,
    pub plan: Option<T6>,
    pub location: Option<T7>,
    pub addresses: T9,
    pub spec: T10,
    pub auto_restart: bool,
    pub now: jiff::Timestamp,
}
#[derive(Debug)]
pub struct SaveMachineParams<
    T1: crate::StringSql,
    T2: crate::StringSql,
    T3: crate::StringSql,
    T4: crate::StringSql,
    T5: crate::StringSql,
    T6: crate::StringSql,
    T7: crate::ArraySql<Item = jiff::Timestamp>,
> {
    pub administrative: T1,
    pub desired: T2,
    pub observed: T3,
    pub ready: bool,
    pub observed_at: jiff::Timestamp,
    pub unreachable_since: Option<jiff::Timestamp>,
    pub host_boot: Option<T4>,
    pub started_at: Option<jiff::Timestamp>,
    pub stopped_at: Option<jiff::Timestamp>,
    pub stop_reason: Option<T5>,
    pub exit_code: Option<i32>,
    pub exit_signal: Option<i32>,
    pub failure: Option<T6>,
    pub crashes: T7,
    pub restart_at: Option<jiff::Timestamp>,
    pub disk_bytes: Option<i64>,
    pub id: uuid::Uuid,
}
#[derive(Debug)]
pub struct SetUnreachableParams<T1: crate::StringSql> {
    pub now: jiff::Timestamp,
    pub kind: T1,
}
#[derive(Clone, Copy, Debug)]
pub struct SetDiskBytesParams {
    pub disk_bytes: i64,
    pub id: uuid::Uuid,
}
#[derive(Debug, Clone, PartialEq)]
pub struct MachineRow {
    pub id: uuid::Uuid,
    pub kind: String,
    pub public_id: String,
    pub customer_id: String,
    pub name: String,
    pub profile: Option<String>,
    pub plan: Option<String>,
    pub location: Option<String>,
    pub addresses: Vec<String>,
    pub spec: serde_json::Value,
    pub administrative: String,
    pub desired: String,
    pub observed: String,
    pub ready: bool,
    pub observed_at: jiff::Timestamp,
    pub unreachable_since: Option<jiff::Timestamp>,
    pub host_boot: Option<String>,
    pub started_at: Option<jiff::Timestamp>,
    pub stopped_at: Option<jiff::Timestamp>,
    pub stop_reason: Option<String>,
    pub exit_code: Option<i32>,
    pub exit_signal: Option<i32>,
    pub failure: Option<String>,
    pub auto_restart: bool,
    pub crashes: Vec<jiff::Timestamp>,
    pub restart_at: Option<jiff::Timestamp>,
    pub disk_bytes: Option<i64>,
    pub generation: i64,
    pub created_at: jiff::Timestamp,
    pub ports: serde_json::Value,
}
pub struct MachineRowBorrowed<'a> {
    pub id: uuid::Uuid,
    pub kind: &'a str,
    pub public_id: &'a str,
    pub customer_id: &'a str,
    pub name: &'a str,
    pub profile: Option<&'a str>,
    pub plan: Option<&'a str>,
    pub location: Option<&'a str>,
    pub addresses: crate::ArrayIterator<'a, &'a str>,
    pub spec: postgres_types::Json<&'a serde_json::value::RawValue>,
    pub administrative: &'a str,
    pub desired: &'a str,
    pub observed: &'a str,
    pub ready: bool,
    pub observed_at: jiff::Timestamp,
    pub unreachable_since: Option<jiff::Timestamp>,
    pub host_boot: Option<&'a str>,
    pub started_at: Option<jiff::Timestamp>,
    pub stopped_at: Option<jiff::Timestamp>,
    pub stop_reason: Option<&'a str>,
    pub exit_code: Option<i32>,
    pub exit_signal: Option<i32>,
    pub failure: Option<&'a str>,
    pub auto_restart: bool,
    pub crashes: crate::ArrayIterator<'a, jiff::Timestamp>,
    pub restart_at: Option<jiff::Timestamp>,
    pub disk_bytes: Option<i64>,
    pub generation: i64,
    pub created_at: jiff::Timestamp,
    pub ports: postgres_types::Json<&'a serde_json::value::RawValue>,
}
impl<'a> From<MachineRowBorrowed<'a>> for MachineRow {
    fn from(
        MachineRowBorrowed {
            id,
            kind,
            public_id,
            customer_id,
            name,
            profile,
            plan,
            location,
            addresses,
            spec,
            administrative,
            desired,
            observed,
            ready,
            observed_at,
            unreachable_since,
            host_boot,
            started_at,
            stopped_at,
            stop_reason,
            exit_code,
            exit_signal,
            failure,
            auto_restart,
            crashes,
            restart_at,
            disk_bytes,
            generation,
            created_at,
            ports,
        }: MachineRowBorrowed<'a>,
    ) -> Self {
        Self {
            id,
            kind: kind.into(),
            public_id: public_id.into(),
            customer_id: customer_id.into(),
            name: name.into(),
            profile: profile.map(|v| v.into()),
            plan: plan.map(|v| v.into()),
            location: location.map(|v| v.into()),
            addresses: addresses.map(|v| v.into()).collect(),
            spec: serde_json::from_str(spec.0.get()).unwrap(),
            administrative: administrative.into(),
            desired: desired.into(),
            observed: observed.into(),
            ready,
            observed_at,
            unreachable_since,
            host_boot: host_boot.map(|v| v.into()),
            started_at,
            stopped_at,
            stop_reason: stop_reason.map(|v| v.into()),
            exit_code,
            exit_signal,
            failure: failure.map(|v| v.into()),
            auto_restart,
            crashes: crashes.map(|v| v).collect(),
            restart_at,
            disk_bytes,
            generation,
            created_at,
            ports: serde_json::from_str(ports.0.get()).unwrap(),
        }
    }
}
use crate::client::async_::GenericClient;
use futures::{self, StreamExt, TryStreamExt};
pub struct MachineRowQuery<'c, 'a, 's, C: GenericClient, T, const N: usize> {
    client: &'c C,
    params: [&'a (dyn postgres_types::ToSql + Sync); N],
    query: &'static str,
    cached: Option<&'s tokio_postgres::Statement>,
    extractor: fn(&tokio_postgres::Row) -> Result<MachineRowBorrowed, tokio_postgres::Error>,
    mapper: fn(MachineRowBorrowed) -> T,
}
impl<'c, 'a, 's, C, T: 'c, const N: usize> MachineRowQuery<'c, 'a, 's, C, T, N>
where
    C: GenericClient,
{
    pub fn map<R>(
        self,
        mapper: fn(MachineRowBorrowed) -> R,
    ) -> MachineRowQuery<'c, 'a, 's, C, R, N> {
        MachineRowQuery {
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
pub struct UuidUuidQuery<'c, 'a, 's, C: GenericClient, T, const N: usize> {
    client: &'c C,
    params: [&'a (dyn postgres_types::ToSql + Sync); N],
    query: &'static str,
    cached: Option<&'s tokio_postgres::Statement>,
    extractor: fn(&tokio_postgres::Row) -> Result<uuid::Uuid, tokio_postgres::Error>,
    mapper: fn(uuid::Uuid) -> T,
}
impl<'c, 'a, 's, C, T: 'c, const N: usize> UuidUuidQuery<'c, 'a, 's, C, T, N>
where
    C: GenericClient,
{
    pub fn map<R>(self, mapper: fn(uuid::Uuid) -> R) -> UuidUuidQuery<'c, 'a, 's, C, R, N> {
        UuidUuidQuery {
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
        "select m.id, m.kind, m.public_id, m.customer_id, m.name, m.profile, m.plan, m.location, m.addresses, m.spec, m.administrative, m.desired, m.observed, m.ready, m.observed_at, m.unreachable_since, m.host_boot, m.started_at, m.stopped_at, m.stop_reason, m.exit_code, m.exit_signal, m.failure, m.auto_restart, m.crashes, m.restart_at, m.disk_bytes, m.generation, m.created_at, (select coalesce(jsonb_agg(to_jsonb(p) order by p.protocol, p.host_port), '[]') from machine_ports p where p.machine_id = m.id) as ports from machines m where m.id = $1",
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
    pub fn bind<'c, 'a, 's, C: GenericClient>(
        &'s self,
        client: &'c C,
        id: &'a uuid::Uuid,
    ) -> MachineRowQuery<'c, 'a, 's, C, MachineRow, 1> {
        MachineRowQuery {
            client,
            params: [id],
            query: self.0,
            cached: self.1.as_ref(),
            extractor:
                |row: &tokio_postgres::Row| -> Result<MachineRowBorrowed, tokio_postgres::Error> {
                    Ok(MachineRowBorrowed {
                        id: row.try_get(0)?,
                        kind: row.try_get(1)?,
                        public_id: row.try_get(2)?,
                        customer_id: row.try_get(3)?,
                        name: row.try_get(4)?,
                        profile: row.try_get(5)?,
                        plan: row.try_get(6)?,
                        location: row.try_get(7)?,
                        addresses: row.try_get(8)?,
                        spec: row.try_get(9)?,
                        administrative: row.try_get(10)?,
                        desired: row.try_get(11)?,
                        observed: row.try_get(12)?,
                        ready: row.try_get(13)?,
                        observed_at: row.try_get(14)?,
                        unreachable_since: row.try_get(15)?,
                        host_boot: row.try_get(16)?,
                        started_at: row.try_get(17)?,
                        stopped_at: row.try_get(18)?,
                        stop_reason: row.try_get(19)?,
                        exit_code: row.try_get(20)?,
                        exit_signal: row.try_get(21)?,
                        failure: row.try_get(22)?,
                        auto_restart: row.try_get(23)?,
                        crashes: row.try_get(24)?,
                        restart_at: row.try_get(25)?,
                        disk_bytes: row.try_get(26)?,
                        generation: row.try_get(27)?,
                        created_at: row.try_get(28)?,
                        ports: row.try_get(29)?,
                    })
                },
            mapper: |it| MachineRow::from(it),
        }
    }
}
pub struct FindByPublicIdStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn find_by_public_id() -> FindByPublicIdStmt {
    FindByPublicIdStmt(
        "select m.id, m.kind, m.public_id, m.customer_id, m.name, m.profile, m.plan, m.location, m.addresses, m.spec, m.administrative, m.desired, m.observed, m.ready, m.observed_at, m.unreachable_since, m.host_boot, m.started_at, m.stopped_at, m.stop_reason, m.exit_code, m.exit_signal, m.failure, m.auto_restart, m.crashes, m.restart_at, m.disk_bytes, m.generation, m.created_at, (select coalesce(jsonb_agg(to_jsonb(p) order by p.protocol, p.host_port), '[]') from machine_ports p where p.machine_id = m.id) as ports from machines m where m.kind = $1 and m.public_id = $2",
        None,
    )
}
impl FindByPublicIdStmt {
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
        kind: &'a T1,
        public_id: &'a T2,
    ) -> MachineRowQuery<'c, 'a, 's, C, MachineRow, 2> {
        MachineRowQuery {
            client,
            params: [kind, public_id],
            query: self.0,
            cached: self.1.as_ref(),
            extractor:
                |row: &tokio_postgres::Row| -> Result<MachineRowBorrowed, tokio_postgres::Error> {
                    Ok(MachineRowBorrowed {
                        id: row.try_get(0)?,
                        kind: row.try_get(1)?,
                        public_id: row.try_get(2)?,
                        customer_id: row.try_get(3)?,
                        name: row.try_get(4)?,
                        profile: row.try_get(5)?,
                        plan: row.try_get(6)?,
                        location: row.try_get(7)?,
                        addresses: row.try_get(8)?,
                        spec: row.try_get(9)?,
                        administrative: row.try_get(10)?,
                        desired: row.try_get(11)?,
                        observed: row.try_get(12)?,
                        ready: row.try_get(13)?,
                        observed_at: row.try_get(14)?,
                        unreachable_since: row.try_get(15)?,
                        host_boot: row.try_get(16)?,
                        started_at: row.try_get(17)?,
                        stopped_at: row.try_get(18)?,
                        stop_reason: row.try_get(19)?,
                        exit_code: row.try_get(20)?,
                        exit_signal: row.try_get(21)?,
                        failure: row.try_get(22)?,
                        auto_restart: row.try_get(23)?,
                        crashes: row.try_get(24)?,
                        restart_at: row.try_get(25)?,
                        disk_bytes: row.try_get(26)?,
                        generation: row.try_get(27)?,
                        created_at: row.try_get(28)?,
                        ports: row.try_get(29)?,
                    })
                },
            mapper: |it| MachineRow::from(it),
        }
    }
}
impl<'c, 'a, 's, C: GenericClient, T1: crate::StringSql, T2: crate::StringSql>
    crate::client::async_::Params<
        'c,
        'a,
        's,
        FindByPublicIdParams<T1, T2>,
        MachineRowQuery<'c, 'a, 's, C, MachineRow, 2>,
        C,
    > for FindByPublicIdStmt
{
    fn params(
        &'s self,
        client: &'c C,
        params: &'a FindByPublicIdParams<T1, T2>,
    ) -> MachineRowQuery<'c, 'a, 's, C, MachineRow, 2> {
        self.bind(client, &params.kind, &params.public_id)
    }
}
pub struct ListOfCustomerStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn list_of_customer() -> ListOfCustomerStmt {
    ListOfCustomerStmt(
        "select m.id, m.kind, m.public_id, m.customer_id, m.name, m.profile, m.plan, m.location, m.addresses, m.spec, m.administrative, m.desired, m.observed, m.ready, m.observed_at, m.unreachable_since, m.host_boot, m.started_at, m.stopped_at, m.stop_reason, m.exit_code, m.exit_signal, m.failure, m.auto_restart, m.crashes, m.restart_at, m.disk_bytes, m.generation, m.created_at, (select coalesce(jsonb_agg(to_jsonb(p) order by p.protocol, p.host_port), '[]') from machine_ports p where p.machine_id = m.id) as ports from machines m where m.customer_id = $1 and m.kind = $2 and ($3::uuid[] is null or m.id = any($3::uuid[])) and m.public_id collate \"C\" > $4 order by m.public_id collate \"C\" limit $5",
        None,
    )
}
impl ListOfCustomerStmt {
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
        T3: crate::ArraySql<Item = uuid::Uuid>,
        T4: crate::StringSql,
    >(
        &'s self,
        client: &'c C,
        customer_id: &'a T1,
        kind: &'a T2,
        machines: &'a Option<T3>,
        after: &'a T4,
        most: &'a i64,
    ) -> MachineRowQuery<'c, 'a, 's, C, MachineRow, 5> {
        MachineRowQuery {
            client,
            params: [customer_id, kind, machines, after, most],
            query: self.0,
            cached: self.1.as_ref(),
            extractor:
                |row: &tokio_postgres::Row| -> Result<MachineRowBorrowed, tokio_postgres::Error> {
                    Ok(MachineRowBorrowed {
                        id: row.try_get(0)?,
                        kind: row.try_get(1)?,
                        public_id: row.try_get(2)?,
                        customer_id: row.try_get(3)?,
                        name: row.try_get(4)?,
                        profile: row.try_get(5)?,
                        plan: row.try_get(6)?,
                        location: row.try_get(7)?,
                        addresses: row.try_get(8)?,
                        spec: row.try_get(9)?,
                        administrative: row.try_get(10)?,
                        desired: row.try_get(11)?,
                        observed: row.try_get(12)?,
                        ready: row.try_get(13)?,
                        observed_at: row.try_get(14)?,
                        unreachable_since: row.try_get(15)?,
                        host_boot: row.try_get(16)?,
                        started_at: row.try_get(17)?,
                        stopped_at: row.try_get(18)?,
                        stop_reason: row.try_get(19)?,
                        exit_code: row.try_get(20)?,
                        exit_signal: row.try_get(21)?,
                        failure: row.try_get(22)?,
                        auto_restart: row.try_get(23)?,
                        crashes: row.try_get(24)?,
                        restart_at: row.try_get(25)?,
                        disk_bytes: row.try_get(26)?,
                        generation: row.try_get(27)?,
                        created_at: row.try_get(28)?,
                        ports: row.try_get(29)?,
                    })
                },
            mapper: |it| MachineRow::from(it),
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
    T3: crate::ArraySql<Item = uuid::Uuid>,
    T4: crate::StringSql,
>
    crate::client::async_::Params<
        'c,
        'a,
        's,
        ListOfCustomerParams<T1, T2, T3, T4>,
        MachineRowQuery<'c, 'a, 's, C, MachineRow, 5>,
        C,
    > for ListOfCustomerStmt
{
    fn params(
        &'s self,
        client: &'c C,
        params: &'a ListOfCustomerParams<T1, T2, T3, T4>,
    ) -> MachineRowQuery<'c, 'a, 's, C, MachineRow, 5> {
        self.bind(
            client,
            &params.customer_id,
            &params.kind,
            &params.machines,
            &params.after,
            &params.most,
        )
    }
}
pub struct ListByIdsStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn list_by_ids() -> ListByIdsStmt {
    ListByIdsStmt(
        "select m.id, m.kind, m.public_id, m.customer_id, m.name, m.profile, m.plan, m.location, m.addresses, m.spec, m.administrative, m.desired, m.observed, m.ready, m.observed_at, m.unreachable_since, m.host_boot, m.started_at, m.stopped_at, m.stop_reason, m.exit_code, m.exit_signal, m.failure, m.auto_restart, m.crashes, m.restart_at, m.disk_bytes, m.generation, m.created_at, (select coalesce(jsonb_agg(to_jsonb(p) order by p.protocol, p.host_port), '[]') from machine_ports p where p.machine_id = m.id) as ports from machines m where m.id = any($1::uuid[])",
        None,
    )
}
impl ListByIdsStmt {
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
        ids: &'a T1,
    ) -> MachineRowQuery<'c, 'a, 's, C, MachineRow, 1> {
        MachineRowQuery {
            client,
            params: [ids],
            query: self.0,
            cached: self.1.as_ref(),
            extractor:
                |row: &tokio_postgres::Row| -> Result<MachineRowBorrowed, tokio_postgres::Error> {
                    Ok(MachineRowBorrowed {
                        id: row.try_get(0)?,
                        kind: row.try_get(1)?,
                        public_id: row.try_get(2)?,
                        customer_id: row.try_get(3)?,
                        name: row.try_get(4)?,
                        profile: row.try_get(5)?,
                        plan: row.try_get(6)?,
                        location: row.try_get(7)?,
                        addresses: row.try_get(8)?,
                        spec: row.try_get(9)?,
                        administrative: row.try_get(10)?,
                        desired: row.try_get(11)?,
                        observed: row.try_get(12)?,
                        ready: row.try_get(13)?,
                        observed_at: row.try_get(14)?,
                        unreachable_since: row.try_get(15)?,
                        host_boot: row.try_get(16)?,
                        started_at: row.try_get(17)?,
                        stopped_at: row.try_get(18)?,
                        stop_reason: row.try_get(19)?,
                        exit_code: row.try_get(20)?,
                        exit_signal: row.try_get(21)?,
                        failure: row.try_get(22)?,
                        auto_restart: row.try_get(23)?,
                        crashes: row.try_get(24)?,
                        restart_at: row.try_get(25)?,
                        disk_bytes: row.try_get(26)?,
                        generation: row.try_get(27)?,
                        created_at: row.try_get(28)?,
                        ports: row.try_get(29)?,
                    })
                },
            mapper: |it| MachineRow::from(it),
        }
    }
}
pub struct ListOfKindStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn list_of_kind() -> ListOfKindStmt {
    ListOfKindStmt(
        "select m.id, m.kind, m.public_id, m.customer_id, m.name, m.profile, m.plan, m.location, m.addresses, m.spec, m.administrative, m.desired, m.observed, m.ready, m.observed_at, m.unreachable_since, m.host_boot, m.started_at, m.stopped_at, m.stop_reason, m.exit_code, m.exit_signal, m.failure, m.auto_restart, m.crashes, m.restart_at, m.disk_bytes, m.generation, m.created_at, (select coalesce(jsonb_agg(to_jsonb(p) order by p.protocol, p.host_port), '[]') from machine_ports p where p.machine_id = m.id) as ports from machines m where m.kind = $1 order by m.customer_id, m.public_id collate \"C\"",
        None,
    )
}
impl ListOfKindStmt {
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
        kind: &'a T1,
    ) -> MachineRowQuery<'c, 'a, 's, C, MachineRow, 1> {
        MachineRowQuery {
            client,
            params: [kind],
            query: self.0,
            cached: self.1.as_ref(),
            extractor:
                |row: &tokio_postgres::Row| -> Result<MachineRowBorrowed, tokio_postgres::Error> {
                    Ok(MachineRowBorrowed {
                        id: row.try_get(0)?,
                        kind: row.try_get(1)?,
                        public_id: row.try_get(2)?,
                        customer_id: row.try_get(3)?,
                        name: row.try_get(4)?,
                        profile: row.try_get(5)?,
                        plan: row.try_get(6)?,
                        location: row.try_get(7)?,
                        addresses: row.try_get(8)?,
                        spec: row.try_get(9)?,
                        administrative: row.try_get(10)?,
                        desired: row.try_get(11)?,
                        observed: row.try_get(12)?,
                        ready: row.try_get(13)?,
                        observed_at: row.try_get(14)?,
                        unreachable_since: row.try_get(15)?,
                        host_boot: row.try_get(16)?,
                        started_at: row.try_get(17)?,
                        stopped_at: row.try_get(18)?,
                        stop_reason: row.try_get(19)?,
                        exit_code: row.try_get(20)?,
                        exit_signal: row.try_get(21)?,
                        failure: row.try_get(22)?,
                        auto_restart: row.try_get(23)?,
                        crashes: row.try_get(24)?,
                        restart_at: row.try_get(25)?,
                        disk_bytes: row.try_get(26)?,
                        generation: row.try_get(27)?,
                        created_at: row.try_get(28)?,
                        ports: row.try_get(29)?,
                    })
                },
            mapper: |it| MachineRow::from(it),
        }
    }
}
pub struct LockMachineStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn lock_machine() -> LockMachineStmt {
    LockMachineStmt(
        "select m.id from machines m where m.id = $1 for update",
        None,
    )
}
impl LockMachineStmt {
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
        id: &'a uuid::Uuid,
    ) -> UuidUuidQuery<'c, 'a, 's, C, uuid::Uuid, 1> {
        UuidUuidQuery {
            client,
            params: [id],
            query: self.0,
            cached: self.1.as_ref(),
            extractor: |row| Ok(row.try_get(0)?),
            mapper: |it| it,
        }
    }
}
pub struct InsertMachineStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn insert_machine() -> InsertMachineStmt {
    InsertMachineStmt(
        "insert into machines (id, kind, public_id, customer_id, name, profile, plan, location, addresses, spec, auto_restart, observed_at, created_at) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $12)",
        None,
    )
}
impl InsertMachineStmt {
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
        T9: crate::ArraySql<Item = T8>,
        T10: crate::JsonSql,
    >(
        &'s self,
        client: &'c C,
        id: &'a uuid::Uuid,
        kind: &'a T1,
        public_id: &'a T2,
        customer_id: &'a T3,
        name: &'a T4,
        profile: &'a Option<T5>,
        plan: &'a Option<T6>,
        location: &'a Option<T7>,
        addresses: &'a T9,
        spec: &'a T10,
        auto_restart: &'a bool,
        now: &'a jiff::Timestamp,
    ) -> Result<u64, tokio_postgres::Error> {
        client
            .execute(
                &client.prepare(self.0).await?,
                &[
                    id,
                    kind,
                    public_id,
                    customer_id,
                    name,
                    profile,
                    plan,
                    location,
                    addresses,
                    spec,
                    auto_restart,
                    now,
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
    T9: crate::ArraySql<Item = T8>,
    T10: crate::JsonSql,
>
    crate::client::async_::Params<
        'a,
        'a,
        'a,
        InsertMachineParams<T1, T2, T3, T4, T5, T6, T7, T8, T9, T10>,
        std::pin::Pin<
            Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
        >,
        C,
    > for InsertMachineStmt
{
    fn params(
        &'a self,
        client: &'a C,
        params: &'a InsertMachineParams<T1, T2, T3, T4, T5, T6, T7, T8, T9, T10>,
    ) -> std::pin::Pin<
        Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
    > {
        Box::pin(self.bind(
            client,
            &params.id,
            &params.kind,
            &params.public_id,
            &params.customer_id,
            &params.name,
            &params.profile,
            &params.plan,
            &params.location,
            &params.addresses,
            &params.spec,
            &params.auto_restart,
            &params.now,
        ))
    }
}
pub struct SaveMachineStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn save_machine() -> SaveMachineStmt {
    SaveMachineStmt(
        "update machines set administrative = $1, desired = $2, observed = $3, ready = $4, observed_at = $5, unreachable_since = $6, host_boot = $7, started_at = $8, stopped_at = $9, stop_reason = $10, exit_code = $11, exit_signal = $12, failure = $13, crashes = $14, restart_at = $15, disk_bytes = $16, generation = generation + 1 where id = $17",
        None,
    )
}
impl SaveMachineStmt {
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
        T7: crate::ArraySql<Item = jiff::Timestamp>,
    >(
        &'s self,
        client: &'c C,
        administrative: &'a T1,
        desired: &'a T2,
        observed: &'a T3,
        ready: &'a bool,
        observed_at: &'a jiff::Timestamp,
        unreachable_since: &'a Option<jiff::Timestamp>,
        host_boot: &'a Option<T4>,
        started_at: &'a Option<jiff::Timestamp>,
        stopped_at: &'a Option<jiff::Timestamp>,
        stop_reason: &'a Option<T5>,
        exit_code: &'a Option<i32>,
        exit_signal: &'a Option<i32>,
        failure: &'a Option<T6>,
        crashes: &'a T7,
        restart_at: &'a Option<jiff::Timestamp>,
        disk_bytes: &'a Option<i64>,
        id: &'a uuid::Uuid,
    ) -> Result<u64, tokio_postgres::Error> {
        client
            .execute(
                &client.prepare(self.0).await?,
                &[
                    administrative,
                    desired,
                    observed,
                    ready,
                    observed_at,
                    unreachable_since,
                    host_boot,
                    started_at,
                    stopped_at,
                    stop_reason,
                    exit_code,
                    exit_signal,
                    failure,
                    crashes,
                    restart_at,
                    disk_bytes,
                    id,
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
    T7: crate::ArraySql<Item = jiff::Timestamp>,
>
    crate::client::async_::Params<
        'a,
        'a,
        'a,
        SaveMachineParams<T1, T2, T3, T4, T5, T6, T7>,
        std::pin::Pin<
            Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
        >,
        C,
    > for SaveMachineStmt
{
    fn params(
        &'a self,
        client: &'a C,
        params: &'a SaveMachineParams<T1, T2, T3, T4, T5, T6, T7>,
    ) -> std::pin::Pin<
        Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
    > {
        Box::pin(self.bind(
            client,
            &params.administrative,
            &params.desired,
            &params.observed,
            &params.ready,
            &params.observed_at,
            &params.unreachable_since,
            &params.host_boot,
            &params.started_at,
            &params.stopped_at,
            &params.stop_reason,
            &params.exit_code,
            &params.exit_signal,
            &params.failure,
            &params.crashes,
            &params.restart_at,
            &params.disk_bytes,
            &params.id,
        ))
    }
}
pub struct SetUnreachableStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn set_unreachable() -> SetUnreachableStmt {
    SetUnreachableStmt(
        "update machines set unreachable_since = $1 where kind = $2 and unreachable_since is null",
        None,
    )
}
impl SetUnreachableStmt {
    pub async fn prepare<'a, C: GenericClient>(
        mut self,
        client: &'a C,
    ) -> Result<Self, tokio_postgres::Error> {
        self.1 = Some(client.prepare(self.0).await?);
        Ok(self)
    }
    pub async fn bind<'c, 'a, 's, C: GenericClient, T1: crate::StringSql>(
        &'s self,
        client: &'c C,
        now: &'a jiff::Timestamp,
        kind: &'a T1,
    ) -> Result<u64, tokio_postgres::Error> {
        client.execute(&client.prepare(self.0).await?, &[now, kind]).await
    }
}
impl<'a, C: GenericClient + Send + Sync, T1: crate::StringSql>
    crate::client::async_::Params<
        'a,
        'a,
        'a,
        SetUnreachableParams<T1>,
        std::pin::Pin<
            Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
        >,
        C,
    > for SetUnreachableStmt
{
    fn params(
        &'a self,
        client: &'a C,
        params: &'a SetUnreachableParams<T1>,
    ) -> std::pin::Pin<
        Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
    > {
        Box::pin(self.bind(client, &params.now, &params.kind))
    }
}
pub struct SetReachableStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn set_reachable() -> SetReachableStmt {
    SetReachableStmt(
        "update machines set unreachable_since = null where kind = $1 and unreachable_since is not null",
        None,
    )
}
impl SetReachableStmt {
    pub async fn prepare<'a, C: GenericClient>(
        mut self,
        client: &'a C,
    ) -> Result<Self, tokio_postgres::Error> {
        self.1 = Some(client.prepare(self.0).await?);
        Ok(self)
    }
    pub async fn bind<'c, 'a, 's, C: GenericClient, T1: crate::StringSql>(
        &'s self,
        client: &'c C,
        kind: &'a T1,
    ) -> Result<u64, tokio_postgres::Error> {
        client.execute(&client.prepare(self.0).await?, &[kind]).await
    }
}
pub struct SetDiskBytesStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn set_disk_bytes() -> SetDiskBytesStmt {
    SetDiskBytesStmt("update machines set disk_bytes = $1 where id = $2", None)
}
impl SetDiskBytesStmt {
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
        disk_bytes: &'a i64,
        id: &'a uuid::Uuid,
    ) -> Result<u64, tokio_postgres::Error> {
        client.execute(&client.prepare(self.0).await?, &[disk_bytes, id]).await
    }
}
impl<'a, C: GenericClient + Send + Sync>
    crate::client::async_::Params<
        'a,
        'a,
        'a,
        SetDiskBytesParams,
        std::pin::Pin<
            Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
        >,
        C,
    > for SetDiskBytesStmt
{
    fn params(
        &'a self,
        client: &'a C,
        params: &'a SetDiskBytesParams,
    ) -> std::pin::Pin<
        Box<dyn futures::Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>,
    > {
        Box::pin(self.bind(client, &params.disk_bytes, &params.id))
    }
}
pub struct DeleteMachineStmt(&'static str, Option<tokio_postgres::Statement>);
pub fn delete_machine() -> DeleteMachineStmt {
    DeleteMachineStmt("delete from machines where id = $1", None)
}
impl DeleteMachineStmt {
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
        id: &'a uuid::Uuid,
    ) -> Result<u64, tokio_postgres::Error> {
        client.execute(&client.prepare(self.0).await?, &[id]).await
    }
}
