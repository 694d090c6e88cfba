-- What the role "shotlist" may do. Run this as shotlist_owner, after every shotlist engine migrate:
--   psql -h db.example -U shotlist_owner -d shotlist -f grants.sql

grant usage on schema shotlist, shotlist_queue to shotlist;

grant select on shotlist.version to shotlist;
grant select, insert on shotlist.terms to shotlist;
grant select, insert, update on shotlist.snapshot to shotlist;
grant select, insert, delete on shotlist.record to shotlist;
grant select, insert, update, delete
  on shotlist.run, shotlist.line, shotlist.job, shotlist.worker, shotlist.rate
  to shotlist;

grant select, insert, delete on shotlist_queue.queue to shotlist;
grant select, insert, update, delete on shotlist_queue.job, shotlist_queue.job_common to shotlist;
