-- How servers of each game are run.

--: ProfileRow(version?, ready_pattern?)

--! find_by_name : ProfileRow
select p.name, p.version, p.image, p.command, p.environment, p.data_path, p.stop, p.ready_pattern,
       p.ready_seconds, p.ports, p.read_only_root
  from game_profiles p
 where p.name = :name;

--! list_profiles : ProfileRow
select p.name, p.version, p.image, p.command, p.environment, p.data_path, p.stop, p.ready_pattern,
       p.ready_seconds, p.ports, p.read_only_root
  from game_profiles p
 order by p.name;

--! upsert_profile (version?, ready_pattern?)
-- Servers that run keep what they were started with.
insert into game_profiles
       (name, version, image, command, environment, data_path, stop, ready_pattern, ready_seconds, ports,
        read_only_root, created_at, updated_at)
values (:name, :version, :image, :command, :environment, :data_path, :stop, :ready_pattern,
        :ready_seconds, :ports, :read_only_root, :now, :now)
    on conflict (name)
    do update set version = excluded.version,
                  image = excluded.image,
                  command = excluded.command,
                  environment = excluded.environment,
                  data_path = excluded.data_path,
                  stop = excluded.stop,
                  ready_pattern = excluded.ready_pattern,
                  ready_seconds = excluded.ready_seconds,
                  ports = excluded.ports,
                  read_only_root = excluded.read_only_root,
                  updated_at = excluded.updated_at;

--! delete_profile
-- Fails while a machine uses it.
delete from game_profiles
 where name = :name;
