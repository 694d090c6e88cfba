-- The roles of distributed runs. Run this once, as a superuser, in the database "shotlist":
--   sudo -u postgres psql -d shotlist -f roles.sql
-- Then give both a password: \password shotlist_owner and \password shotlist in psql. Passwords do not belong in a file.

-- Owns the tables. For: shotlist engine migrate | accept | drop
create role shotlist_owner login;

-- Reads and writes rows. For: shotlist run, worker, status, resolve and the other commands
create role shotlist login;

revoke all on database shotlist from public;
grant connect, create on database shotlist to shotlist_owner;
grant connect on database shotlist to shotlist;
