#!/bin/bash
# Run once, when the database is made: lets the standby follow, and other cells copy a school that moves.
set -euo pipefail
echo 'host replication bursar all scram-sha-256' >>"$PGDATA/pg_hba.conf"
