//! The contents of a schema, one line per object.

use tokio_postgres::Client;

/// Returns everything by which two schemas could differ, sorted. GoTrue's bookkeeping tables have
/// one of two forms and are left out.
pub(super) async fn catalog(client: &Client, schema: &str) -> Vec<String> {
    let mut lines = Vec::new();
    for sql in [COLUMNS, CONSTRAINTS, INDEXES, ENUMS, FUNCTIONS, TABLES] {
        for row in client.query(sql, &[&schema]).await.unwrap() {
            lines.push(row.get(0));
        }
    }
    let quoted = format!("\"{}\"", schema.replace('"', "\"\""));
    let mut lines: Vec<String> = lines
        .iter()
        .map(|line: &String| {
            line.replace(&format!("{schema}."), "")
                .replace(&format!("{quoted}."), "")
        })
        .collect();
    lines.sort();
    lines
}

const COLUMNS: &str = "
    select 'column ' || c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
        || case when a.attnotnull then ' not null' else '' end
        || case a.attgenerated when 's' then ' generated ' else ' default ' end
        || coalesce(pg_get_expr(d.adbin, d.adrelid), 'none')
    from pg_attribute a
    join pg_class c on c.oid = a.attrelid and c.relkind = 'r' and c.relname <> 'schema_migrations'
    left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where c.relnamespace = (select oid from pg_namespace where nspname = $1)
        and a.attnum > 0
        and not a.attisdropped";

const CONSTRAINTS: &str = "
    select 'constraint ' || c.relname || '.' || k.conname || ' ' || pg_get_constraintdef(k.oid)
    from pg_constraint k
    join pg_class c on c.oid = k.conrelid and c.relname <> 'schema_migrations'
    where c.relnamespace = (select oid from pg_namespace where nspname = $1)
        and k.contype <> 'n'";

const INDEXES: &str = "
    select 'index ' || indexdef
    from pg_indexes
    where schemaname = $1
        and tablename <> 'schema_migrations'";

const ENUMS: &str = "
    select 'enum ' || t.typname || ' ' || string_agg(e.enumlabel, ', ' order by e.enumsortorder)
    from pg_enum e
    join pg_type t on t.oid = e.enumtypid
    where t.typnamespace = (select oid from pg_namespace where nspname = $1)
    group by t.typname";

const FUNCTIONS: &str = "
    select 'function ' || proname || '(' || pg_get_function_arguments(oid) || ') '
        || pg_get_function_result(oid) || ' ' || btrim(regexp_replace(prosrc, '\\s+', ' ', 'g'))
    from pg_proc
    where pronamespace = (select oid from pg_namespace where nspname = $1)";

const TABLES: &str = "
    select 'table ' || relname || case when relrowsecurity then ' row security' else '' end
    from pg_class
    where relnamespace = (select oid from pg_namespace where nspname = $1)
        and relkind = 'r'";
