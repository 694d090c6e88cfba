// The database of a test.
import { onTestFinished } from 'vitest';
import { EngineDatabase, engineAddress, type Term } from '../../src/distributed/database.ts';
import { sharedPostgres } from '../postgres.ts';

/** An open database, which ends with the test. Default: a new one with tables. */
export async function openEngine(url?: string): Promise<EngineDatabase> {
  const address = engineAddress(url ?? (await (await sharedPostgres()).newDatabase()));
  if (!address.ok) throw new Error(address.error);
  const database = await EngineDatabase.open(address.value);
  onTestFinished(() => database.close());
  if (url === undefined) await database.prepare();
  return database;
}

/** The term of a coordinator that finds the run free. */
export async function acquired(database: EngineDatabase, who = 'a coordinator'): Promise<Term> {
  const term = await database.acquire('p', 'https://api.example.com', who);
  if (term === undefined) throw new Error('another coordinator holds the run');
  return term;
}

/** The term lapses, as if 15 seconds had passed. */
export async function lapse({ sql }: EngineDatabase): Promise<void> {
  await sql.query("update shotlist.run set until = clock_timestamp() - interval '1 second'");
}
