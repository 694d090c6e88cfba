// What a database says of a run, for people: who coordinates it, and what its workers do.
import type { OtherRecord } from '../state/load-record.ts';
import { type EngineAddress, EngineDatabase, reachable } from './database.ts';

export interface EngineStatus {
  /** The address of the database, without its role. */
  readonly database: string;
  /** Undefined if nobody coordinates the run; `silent`: nobody has heard of it for longer than its term. */
  readonly coordinator?: { readonly name: string; readonly silent: boolean } | undefined;
  /** Those that were heard of lately. */
  readonly workers: readonly WorkerStatus[];
}

interface WorkerStatus {
  readonly host: string;
  /** How many errands it does at once, and how many it does now. */
  readonly places: number;
  readonly busy: number;
  /** Its output folder is the one of the run. */
  readonly shares: boolean;
  /** What is wrong there. */
  readonly note?: string;
}

interface Opened extends AsyncDisposable {
  readonly status: EngineStatus;
  /** Undefined if the database has no such run. */
  readonly rows: OtherRecord | undefined;
}

const heardSeconds = 20;

/** `service`: its base address; undefined if there is no state file that names it. */
export async function openEngineStatus(
  address: EngineAddress,
  pipeline: string,
  service: string | undefined,
): Promise<Opened> {
  const database = await EngineDatabase.open(address);
  try {
    return await reachable(address, async () => {
      const runs = (await database.hasTables()) ? await database.runs(pipeline) : [];
      const found = runs.find((run) => service === undefined || run.service === service);
      const workers =
        found === undefined
          ? []
          : await database.sql.query<Omit<WorkerStatus, 'note'> & { readonly note: string | null }>(
              `select host, places, busy, files as shares, note from shotlist.worker
               where run = $1 and at > clock_timestamp() - $2 * interval '1 s' order by host, worker`,
              [found.run, heardSeconds],
            );
      const { coordinator: name = null, isHeld = false } = found ?? {};
      return {
        status: {
          database: address.shown,
          coordinator: name === null ? undefined : { name, silent: !isHeld },
          workers: workers.map(({ note, ...one }) => (note === null ? one : { ...one, note })),
        },
        rows: found && database.record(found.run),
        [Symbol.asyncDispose]: () => database.close(),
      };
    });
  } catch (error) {
    await database.close();
    throw error;
  }
}
