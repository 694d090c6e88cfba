// How fast the journal takes events and how fast a state file is read. Appending is the real writer on the real file:
// jobs wait for the syncs that they wait for in a run, and share them. Imports nothing that would hide a cost: the bytes
// are on the disk when the clock stops.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '../src/base/json.ts';
import { Redactor } from '../src/base/redactor.ts';
import { realClock } from '../src/core/clock.ts';
import { Journal } from '../src/core/journal.ts';
import type { Move } from '../src/model/record/job.ts';
import type { Header } from '../src/model/record/line.ts';
import { formatVersion } from '../src/model/record/schemas.ts';
import { type Loaded, loadState } from '../src/state/load-state.ts';
import { StateFile } from '../src/state/state-file.ts';
import { silentTerms } from '../test/state/records.ts';
import { defineBench, type Goal, type Row } from './frame/bench.ts';

interface Times {
  readonly seconds: number;
  /** Seconds of processor time of the whole process. */
  readonly processor: number;
}

interface Step {
  readonly move: Move;
  /** The item goes on when it is on disk. */
  readonly durable: boolean;
}

const header: Header = { shotlist: formatVersion, pipeline: 'bench', service: 'rehearsal' };
const eventsPerItem = 7;

/** The events of a photo that is uploaded, searched for faces, swapped, saved and deleted at the service. */
function stepsOf(number: number): readonly Step[] {
  const item = `p${String(number).padStart(6, '0')}.jpg`;
  const [photo, faces, swap, sha256] = Array.from({ length: 4 }, () =>
    randomBytes(32).toString('hex'),
  ) as [string, string, string, string];
  const at = new Date(1_800_000_000_000 + number).toISOString();
  const task = `swap:${item}`;
  const project = `clx7${randomBytes(8).toString('hex')}`;
  const supplied = (job: string, kind: string, result: JsonObject): Move => ({
    ...{ is: 'supplied', job, task: `${kind}:${item}`, kind, result },
  });
  const result = {
    ...{ downloads: 1, type: 'FACE_SWAP', width: 512, height: 512, image_count: 1 },
    ...{ total_frame_cost: 10, created_at: at },
  };
  const measure = { of: 'face-swap-photo list=2', amount: 10 };
  const attempt = `bench ${task} #${randomBytes(5).toString('hex')}`;
  const path = `out/${item}.png`;
  const file = { task: `save:${item}`, index: 0, path, bytes: 20_480 + number, sha256 };
  const intent = { task, kind: 'face-swap-photo', attempt, reserve: 10, measure, forgets: [] };
  const face = `api-assets/${project}/0-0.png`;
  const about = { job: swap, attempt };
  const charge = { credits: 10, read: at };
  return [
    {
      durable: false,
      move: supplied(photo, 'upload', { file_path: `api-assets/${number}/a.jpg` }),
    },
    {
      durable: false,
      move: supplied(faces, 'face-detect', { id: `d${number}`, faces: [{ path: face }] }),
    },
    { durable: true, move: { is: 'intent', job: swap, ...intent } },
    { durable: true, move: { is: 'created', ...about, project, charge } },
    { durable: false, move: { is: 'complete', ...about, charge, result } },
    { durable: true, move: { is: 'output', job: swap, output: { of: attempt, ...file } } },
    { durable: false, move: { is: 'deleted', ...about } },
  ];
}

const rate =
  (what: string): Goal['figure'] =>
  (rows) => {
    const found = rows.find((row) => row['what'] === what);
    const cell = found?.[what === appending ? 'events/s' : 'seconds'];
    return typeof cell === 'number' ? cell : undefined;
  };

const appending = 'append';
const loading = 'load what was appended';
const loadingWhole = 'load the whole file';

export const journalBench = defineBench({
  name: 'journal',
  description:
    'Events a second that the journal takes, with every sync, and how long a state file takes to load.',
  full: { events: 1_000_000, inFlight: 128 },
  tiny: { events: 70, inFlight: 4 },
  goals: [
    {
      what: 'events/s appended',
      bound: { atLeast: 100_000 },
      figure: rate(appending),
      obstacle: 'Each event is checked, and the line of its job is written whole, on one thread.',
    },
    {
      what: 'seconds to load a million events',
      bound: { atMost: 3 },
      figure: rate(loading),
      obstacle: 'Each line of a job is checked and joined with the ones before it, on one thread.',
    },
  ],
  async *run({ events, inFlight }) {
    const folder = mkdtempSync(join(tmpdir(), 'shotlist-journal-'));
    const file = join(folder, 'bench.state.jsonl');
    const items = Math.ceil(events / eventsPerItem);
    const count = items * eventsPerItem;
    try {
      yield await append(file, items, inFlight);
      yield await load(loading, file, count);
      await writeWhole(file);
      yield await load(loadingWhole, file, count);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
});

async function append(file: string, items: number, inFlight: number): Promise<Row> {
  const { state, record } = await opened(file);
  const journal = new Journal({
    ledger: state.ledger,
    file: record,
    clock: realClock,
    redactor: new Redactor([]),
  });
  let [next, seconds, processor] = [0, 0, 0];
  // Events are made while the clock stands still.
  while (next < items) {
    const batch = Array.from({ length: Math.min(5_000, items - next) }, () => stepsOf(next++));
    const began = performance.now();
    const before = process.cpuUsage();
    await through(batch, journal, inFlight);
    seconds += (performance.now() - began) / 1000;
    const { user, system } = process.cpuUsage(before);
    processor += (user + system) / 1e6;
  }
  journal.end();
  await record.close();
  return rowOf('append', file, items * eventsPerItem, { seconds, processor });
}

/** How many groups of items are in different places: while one waits for the disk, the others write. */
const groups = 4;

async function through(
  batch: readonly (readonly Step[])[],
  journal: Journal,
  inFlight: number,
): Promise<void> {
  let taken = 0;
  const groupOf = async (size: number): Promise<void> => {
    const open: Iterator<Step>[] = [];
    for (;;) {
      while (open.length < size) {
        const steps = batch[taken++];
        if (steps === undefined) break;
        open.push(steps[Symbol.iterator]());
      }
      if (open.length === 0) return;
      let kept = 0;
      for (const steps of open) if (goOn(steps, journal)) open[kept++] = steps;
      open.length = kept;
      await journal.sync();
    }
  };
  const size = Math.max(1, Math.round(inFlight / groups));
  await Promise.all(Array.from({ length: groups }, () => groupOf(size)));
}

/** Writes the events of an item up to the next one that it waits for. False if the item is over. */
function goOn(steps: Iterator<Step>, journal: Journal): boolean {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return false;
    journal.note(step.value.move);
    if (step.value.durable) return true;
  }
}

async function load(what: string, file: string, events: number): Promise<Row> {
  const began = performance.now();
  const before = process.cpuUsage();
  const loaded = await loadState(file);
  const seconds = (performance.now() - began) / 1000;
  const { user, system } = process.cpuUsage(before);
  if (!loaded.ok) throw new Error(loaded.error);
  if (loaded.value.ledger.totals().charged !== (events / eventsPerItem) * 10)
    throw new Error('bug: credits are missing');
  return rowOf(what, file, events, { seconds, processor: (user + system) / 1e6 });
}

async function opened(file: string): Promise<{ state: Loaded; record: StateFile }> {
  const loaded = await loadState(file, { header });
  if (!loaded.ok) throw new Error(loaded.error);
  const { record } = loaded.value;
  if (record === undefined) throw new Error('bug: the record is in no file');
  return { state: loaded.value, record: new StateFile(file, record, silentTerms) };
}

async function writeWhole(file: string): Promise<void> {
  const { record } = await opened(file);
  const written = await record.writeWhole();
  if (!written.ok) throw new Error(written.error);
}

function rowOf(what: string, file: string, events: number, { seconds, processor }: Times): Row {
  const MB = statSync(file).size / 1e6;
  return { what, events, seconds, 'processor s': processor, 'events/s': events / seconds, MB };
}
