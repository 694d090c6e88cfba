// A new, empty database for tests of the SQL. A server costs a fraction of the time and memory of Postgres inside the
// process, which the suite of the database is for: it runs over both.
import { connect } from '../../../src/distributed/database/connection.ts';
import type { Sql } from '../../../src/distributed/database/sql.ts';
import { sharedPostgres } from '../../postgres.ts';
import { isMissing } from '../../programs.ts';
import { startPglite } from './pglite.ts';

/** Of the server that the test files of this process share. */
export async function connectToServer(): Promise<Sql> {
  const url = await (await sharedPostgres()).newDatabase();
  return await connect(url, { application: 'shotlist test', connections: 3 });
}

/** Of a server, or inside the process where there is none. */
export const connectToDatabase = isMissing('postgres') ? startPglite : connectToServer;
