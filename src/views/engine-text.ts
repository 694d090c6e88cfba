// What `engine check` says about a database and the runs in it.
import { printable } from '../base/printable.ts';
import { count } from '../base/text.ts';

/** A worker that was silent for longer is gone, in milliseconds: it beats every few seconds. */
const longestSilenceMs = 20_000;

interface Worker {
  readonly worker: string;
  readonly places: number;
  readonly busy: number;
  readonly silentMs: number;
}

interface EngineFacts {
  readonly database: string;
  readonly condition: {
    readonly server: string;
    readonly tables: number | undefined;
    readonly wanted: number;
    readonly unsafe: readonly string[];
    readonly changedFrom?: string;
    readonly encrypted: boolean;
  };
  readonly runs: readonly {
    readonly pipeline: string;
    readonly service: string;
    readonly stage: string;
    readonly coordinator?: string;
    readonly queue: {
      readonly queued: number;
      readonly parked: number;
      readonly active: number;
      readonly workers: readonly Worker[];
    };
  }[];
}

export function engineText({ database, condition, runs }: EngineFacts): string {
  const { server, tables, wanted, unsafe, changedFrom, encrypted } = condition;
  return [
    `${printable(database)}: ${printable(server)}`,
    tables === undefined
      ? 'It has no tables of shotlist: shotlist engine migrate makes them.'
      : tables === wanted
        ? 'The tables of shotlist are up to date.'
        : `The tables have version ${tables}, and this shotlist uses version ${wanted}.`,
    encrypted ? 'The connection is encrypted.' : 'The connection is not encrypted.',
    ...unsafe.map((why) => `Unsafe: ${printable(why)}`),
    ...(changedFrom === undefined
      ? []
      : ['The database was restored or failed over since its runs were last open.']),
    ...runs.flatMap(runLines),
  ].join('\n');
}

function runLines(run: EngineFacts['runs'][number]): readonly string[] {
  const { pipeline, service, stage } = run;
  const head = `${printable(pipeline)} (${printable(service)}): ${stage === 'open' ? 'open' : 'its record is in the state file'}`;
  if (stage !== 'open') return ['', head];
  return ['', head, ...queueLines(run).map((line) => `  ${line}`)];
}

type Run = Pick<EngineFacts['runs'][number], 'coordinator' | 'queue'>;

/** Who works on a distributed run, and what waits. */
export function queueLines({ coordinator, queue }: Run): readonly string[] {
  const { queued, parked, active } = queue;
  const workers = workersHere(queue);
  return [
    `coordinator: ${coordinator === undefined ? 'none' : printable(coordinator)}`,
    `orders: ${queued} queued, ${active} at workers, ${parked} parked; ${count(workers.length, 'worker')}`,
    ...workers.map(
      ({ worker, busy, places, silentMs }) =>
        `  ${printable(worker)}: ${busy} of ${places} busy, last heard ${Math.round(silentMs / 1000)} s ago`,
    ),
  ];
}

const workersHere = ({ workers }: Run['queue']): readonly Worker[] =>
  workers.filter(({ silentMs }) => silentMs < longestSilenceMs);
