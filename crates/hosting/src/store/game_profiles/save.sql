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
                  updated_at = excluded.updated_at
