#!/bin/sh
# Gives the roles their passwords when the database of compose.yaml is made. The values come from db.env.
psql -v ON_ERROR_STOP=1 -U postgres -d shotlist -v owner="$OWNER_PASSWORD" -v shotlist="$SHOTLIST_PASSWORD" <<'SQL'
alter role shotlist_owner password :'owner';
alter role shotlist password :'shotlist';
SQL
