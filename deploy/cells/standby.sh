#!/bin/bash
# A copy of the primary that follows it. What was answered is on both: the primary waits for it from now on, under the name
# that a standby has by itself. It must not be `*`: a cell that a school moves to follows the primary too, and is no copy of it.
set -euo pipefail
PGPASSWORD=$(cat "$POSTGRES_PASSWORD_FILE")
export PGPASSWORD PGDATA=/var/lib/postgresql/18/docker
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  install -d -o postgres -g postgres -m 700 "$(dirname "$PGDATA")" "$PGDATA"
  gosu postgres pg_basebackup --host "$PRIMARY" --username bursar --pgdata "$PGDATA" --wal-method stream --write-recovery-conf
  psql --host "$PRIMARY" --username bursar --dbname bursar \
    --command "alter system set synchronous_standby_names = 'walreceiver'" --command 'select pg_reload_conf()'
fi
exec gosu postgres postgres -c wal_level=logical -c max_replication_slots=20 -c max_wal_senders=20
