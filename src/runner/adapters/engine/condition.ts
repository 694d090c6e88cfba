// The condition of a database: whether its settings can lose committed transactions, and whether it was restored.
import { systemCode } from '../../../contract/files/system-error.ts';
import type { EngineCondition } from '../../run/engine/database.ts';
import { isTrue, optionalText, textOf } from './columns.ts';
import type { Sql, Statements } from './sql.ts';
import { schema, versionOf, wantedVersion } from './tables.ts';

export async function conditionOf(sql: Sql): Promise<EngineCondition> {
  const [server] = await sql.query(
    `select version() as version, current_setting('fsync') as fsync,
       current_setting('full_page_writes') as full_page_writes,
       coalesce((select ssl from pg_stat_ssl where pid = pg_backend_pid()), false) as encrypted`,
  );
  const tables = await versionOf(sql);
  const incarnation = await incarnationOf(sql);
  const before = tables === undefined ? undefined : await acceptedIn(sql);
  return {
    server: textOf(server, 'version'),
    tables,
    wanted: wantedVersion,
    unsafe: unsafeSettings
      .filter(({ setting }) => textOf(server, setting) === 'off')
      .map(({ setting, sentence }) => `${setting} is off: ${sentence}`),
    incarnation,
    ...(before === undefined || incarnation === undefined || before === incarnation
      ? {}
      : { changedFrom: before }),
    encrypted: isTrue(server, 'encrypted'),
  };
}

/** `synchronous_commit` is not here, because each of our transactions sets it. */
const unsafeSettings = [
  {
    setting: 'fsync',
    sentence: 'a crash of the server can lose transactions that it has acknowledged.',
  },
  {
    setting: 'full_page_writes',
    sentence: 'a crash of the server can damage pages that were being written.',
  },
];

/**
 * The system identifier, which a restored backup shares, and the timeline, which a restore and a failover change.
 * Servers may keep both from ordinary roles.
 */
export async function incarnationOf(sql: Statements): Promise<string | undefined> {
  try {
    const [row] = await sql.query(
      `select system_identifier::text || '/' || timeline_id::text as incarnation
       from pg_control_system(), pg_control_checkpoint()`,
    );
    return textOf(row, 'incarnation');
  } catch (error) {
    if (systemCode(error) === insufficientPrivilege || systemCode(error) === undefinedFunction)
      return undefined;
    throw error;
  }
}

const insufficientPrivilege = '42501';
const undefinedFunction = '42883';

async function acceptedIn(sql: Statements): Promise<string | undefined> {
  const [row] = await sql.query(`select incarnation from ${schema}.version`);
  return optionalText(row, 'incarnation');
}

/** From now on, this incarnation is the right one. */
export async function acceptIncarnation(sql: Sql): Promise<void> {
  const incarnation = await incarnationOf(sql);
  await sql.query(`update ${schema}.version set incarnation = $1`, [incarnation ?? null]);
}
