// The tables of runs, and their upgrades. The schema has a version; `migrate` applies what a database lacks.
//
// `run` is the one hot row of a run: every batch of a worker locks it, so what is large or seldom changes is in `terms`
// and in `snapshot`. Only the holder of that lock writes to `job` and `record`, so neither needs locks of its own. The
// job lines are apart from `job`, so that a fold and the workers never wait for each other.
import type { Statements } from './sql.ts';

export const schema = 'shotlist';

const initialTables = `
create table ${schema}.run (
  run text primary key,
  stage text not null,
  epoch bigint not null default 0,
  coordinator text,
  coordinator_until timestamptz,
  stopping boolean not null default false,
  closed text,
  cap bigint,
  throttled_until timestamptz,
  seq bigint not null default 0,
  charged bigint not null,
  refunded bigint not null,
  reserved bigint not null,
  surprise bigint not null default 0
) with (fillfactor = 10, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0);

create table ${schema}.terms (
  run text primary key references ${schema}.run on delete cascade,
  pipeline text not null,
  file text not null,
  service text not null,
  options text not null,
  canary text not null,
  unique (pipeline, service)
);

create table ${schema}.snapshot (
  run text primary key references ${schema}.run on delete cascade,
  header text not null,
  runs text not null,
  tasks text not null,
  seq bigint not null
);

create table ${schema}.line (
  run text not null,
  job text not null,
  line text not null,
  primary key (run, job)
) with (autovacuum_vacuum_scale_factor = 0.1);

create table ${schema}.job (
  run text not null,
  job text not null,
  state text not null,
  attempt bigint not null,
  name text,
  reserve bigint not null default 0,
  credits bigint not null default 0,
  project text,
  past jsonb,
  files text[],
  take boolean not null default false,
  unknown boolean not null default false,
  owner text,
  at timestamptz(3) not null,
  adopted boolean not null default false,
  primary key (run, job)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.1);

create table ${schema}.record (
  run text not null,
  seq bigint not null,
  is_ text not null,
  key text not null,
  by_ text not null,
  fact text,
  body text,
  at timestamptz(3) not null,
  primary key (run, seq)
) with (autovacuum_vacuum_scale_factor = 0.1);
create unique index record_fact on ${schema}.record (run, fact) where fact is not null;

create table ${schema}.worker (
  run text not null,
  worker text not null,
  host text not null,
  places integer not null,
  busy integer not null,
  at timestamptz not null,
  primary key (run, worker)
) with (fillfactor = 50);

create table ${schema}.rate (
  run text primary key,
  next_at timestamptz not null
) with (fillfactor = 10, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0);
`;

/** The text that leads from each version to the next. Never change one that was released; append. */
const upgrades: readonly string[] = [initialTables];

export const wantedVersion = upgrades.length;

/** The version of the tables; undefined: there are none. */
export async function versionOf(sql: Statements): Promise<number | undefined> {
  const [found] = await sql.query(`select to_regclass('${schema}.version') is not null as found`);
  if (found?.['found'] !== true) return undefined;
  const [row] = await sql.query(`select version from ${schema}.version`);
  return typeof row?.['version'] === 'number' ? row['version'] : undefined;
}

/** Within a transaction. The caller renews the functions. */
export async function upgradeTables(sql: Statements): Promise<void> {
  await sql.query("select pg_advisory_xact_lock(hashtext('shotlist.migrate'))");
  await sql.query(`create schema if not exists ${schema}`);
  await sql.query(
    `create table if not exists ${schema}.version (version integer not null, incarnation text)`,
  );
  const version = (await versionOf(sql)) ?? 0;
  if (version > wantedVersion)
    throw new Error(
      `the tables of this database have version ${version}, and this shotlist knows ${wantedVersion}: a newer shotlist made them. Upgrade shotlist on this host.`,
    );
  for (const text of upgrades.slice(version)) await sql.query(text);
  if (version === 0) await sql.query(`insert into ${schema}.version values (${wantedVersion})`);
  else await sql.query(`update ${schema}.version set version = ${wantedVersion}`);
}
