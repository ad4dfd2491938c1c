//! Functions whose body is SQL, and what is noticed when they do not fit the database.

use innkeeper_service::database::{rows, statements};
use innkeeper_service::testing::check_statements;

use crate::support::database;

const SCHEMA: &str = "create table people (
         id bigint primary key,
         name text not null,
         address text,
         friend_id bigint references people (id));
     create table pets (
         id bigint primary key,
         owner_id bigint not null references people (id),
         name text not null)";

/// Statements that fit the schema.
mod right {
    use super::{rows, statements};

    const FROM_PEOPLE: &str = "from people p";

    rows! {
        #[derive(Debug, PartialEq)]
        pub(super) struct Person {
            pub(super) id: i64,
            pub(super) name: String,
            pub(super) address: Option<String>,
        }

        struct Reachable {
            address: String where "the others are not selected",
        }

        struct Owned {
            person: String,
            pet: Option<String>,
        }
    }

    statements! {
        pub(super) async fn insert(name: &str, id: i64, address: Option<&str>) {
            "insert into people (id, name, address) values (:id, :name, :address)"
        }

        pub(super) async fn rename(person: &Person, name: &str) -> u64
        where { id: i64 = person.id, name: &str, old: &str = &person.name }
        {
            "-- Nobody else has renamed it :since.
             update people set name = :name where id = :id and name = :old"
        }

        pub(super) async fn find(id: i64) -> Option<Person> {
            "select p.id, p.name, p.address", FROM_PEOPLE, "where p.id = :id"
        }

        pub(super) async fn list() -> Vec<Person> {
            "select p.id, p.name, p.address", FROM_PEOPLE, "order by p.id"
        }

        pub(super) async fn count(names: &[&str]) -> i64 {
            "select count(*)", FROM_PEOPLE, "where p.name = any(:names)"
        }

        async fn list_reachable() -> Vec<Reachable> {
            "select p.address", FROM_PEOPLE, "where p.address is not null"
        }

        async fn list_owned() -> Vec<Owned> {
            "select p.name as person, q.name as pet from people p left join pets q on q.owner_id = p.id"
        }
    }
}

/// Statements with one mistake each.
mod wrong {
    use super::{rows, statements};

    rows! {
        struct Person {
            id: i64,
            address: String,
        }

        struct Named {
            id: i64,
            name: Option<String>,
        }

        struct Owned {
            person: String,
            pet: String,
        }

        struct Told {
            id: i64 where "it is the key",
        }
    }

    statements! {
        async fn type_of_a_parameter(id: i32) { "delete from people where id = :id" }
        async fn type_of_a_column() -> Vec<String> { "select id from people" }
        async fn unknown_parameter(id: i64) { "delete from people where id = :ident" }
        async fn unused_parameter(id: i64, name: &str) { "delete from people where id = :id" }
        async fn swapped_in_a_condition(name: &str, address: &str) {
            "delete from people where address = :name and people.name = :address"
        }
        async fn swapped_in_an_insert(id: i64, friend_id: i64, name: &str) {
            "insert into people (id, name, friend_id) values (:friend_id, upper(:name), :id)"
        }
        async fn swapped_in_a_select(id: i64, friend_id: i64) {
            "insert into people (id, name, friend_id) select :friend_id, concat(p.name, 2), :id from people p"
        }
        async fn swapped_in_the_code(id: i64, name: &str, address: &str)
        where { id: i64, name: &str = address, address: &str = name }
        {
            "update people set name = :name, address = :address where id = :id"
        }
        async fn missing_column() -> Vec<Named> { "select id from people" }
        async fn other_column() -> Vec<Named> { "select p.id, p.name as nickname from people p where false" }
        async fn unknown_column() -> Vec<i64> { "select number from people" }
        async fn nullable() -> Vec<Person> { "select id, address from people" }
        async fn never_null() -> Option<Named> { "select id, name from people limit 1" }
        async fn outer_join() -> Vec<Owned> {
            "select p.name as person, q.name as pet from people p left join pets q on q.owner_id = p.id"
        }
        async fn needless_reason() -> Vec<Told> { "select id from people" }
        async fn two_columns() -> Vec<i64> { "select id, friend_id from people" }
        async fn invalid() { "delete people" }
    }
}

#[tokio::test]
async fn statements_that_fit_the_schema_pass_and_run() {
    let (_database, shared, outside) = database("statements").await;
    outside.batch_execute(SCHEMA).await.unwrap();
    let problems = check_statements(&outside, right::STATEMENTS).await;
    assert_eq!(problems, [] as [String; 0]);

    let conn = shared.shared().await.unwrap();
    right::insert(&conn, "Ada", 1, None).await.unwrap();
    let mut pooled = shared.connection().await.unwrap();
    let transaction = pooled.transaction().await.unwrap();
    right::insert(&transaction, "Bob", 2, Some("b@example.com"))
        .await
        .unwrap();
    assert_eq!(
        right::count(&transaction, &["Ada", "Bob", "Eve"])
            .await
            .unwrap(),
        2
    );
    assert_eq!(right::find(&conn, 2).await.unwrap(), None);
    transaction.commit().await.unwrap();

    let ada = right::find(&conn, 1).await.unwrap().unwrap();
    assert_eq!(right::rename(&conn, &ada, "Ada Lovelace").await.unwrap(), 1);
    assert_eq!(right::rename(&conn, &ada, "Eve").await.unwrap(), 0);
    let names = right::list(&conn).await.unwrap().into_iter();
    let names: Vec<_> = names.map(|person| (person.id, person.name)).collect();
    assert_eq!(
        names,
        [(1, "Ada Lovelace".to_owned()), (2, "Bob".to_owned())]
    );
}

#[tokio::test]
async fn a_statement_is_prepared_once_per_connection() {
    let (_database, shared, outside) = database("prepared").await;
    outside.batch_execute(SCHEMA).await.unwrap();
    let conn = shared.connection().await.unwrap();
    for id in 0..3 {
        right::insert(&conn, "Ada", id, None).await.unwrap();
        right::find(&conn, id).await.unwrap();
    }
    let prepared = "select count(*) from pg_prepared_statements where statement not like '%pg_%'";
    assert_eq!(
        conn.query_one(prepared, &[])
            .await
            .unwrap()
            .get::<_, i64>(0),
        2
    );
}

#[tokio::test]
async fn every_kind_of_mistake_is_named() {
    let (_database, _shared, outside) = database("mistakes").await;
    outside.batch_execute(SCHEMA).await.unwrap();
    let problems = check_statements(&outside, wrong::STATEMENTS).await;
    let expected = [
        "type_of_a_parameter: :id must be of type int8",
        "type_of_a_column: column id is of type int8",
        "unknown_parameter: nothing is given for :ident",
        "unknown_parameter: :id is not used",
        "unknown_parameter: syntax error at or near \":\" (42601)",
        "unused_parameter: :name is not used",
        "swapped_in_a_condition: address and name are swapped",
        "swapped_in_an_insert: friend_id and id are swapped",
        "swapped_in_a_select: friend_id and id are swapped",
        "swapped_in_the_code: address and name are swapped",
        "missing_column: 2 columns are read of [\"id\"]",
        "other_column: column nickname is read as Some(\"name\")",
        "other_column: column nickname is never null",
        "unknown_column: column \"number\" does not exist (42703)",
        "nullable: column address can be null",
        "never_null: column name is never null",
        "outer_join: column pet can be null",
        "needless_reason: column id needs no reason",
        "two_columns: 1 columns are read of [\"id\", \"friend_id\"]",
        "invalid: syntax error at or near \"people\" (42601)",
    ];
    let found: Vec<&str> = problems
        .iter()
        .filter_map(|problem| problem.strip_prefix("wrong::"))
        .collect();
    assert_eq!(found, expected);
}
