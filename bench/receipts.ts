// What the receipts of a user cost: a creation all in all (it is claimed, created, settled, saved and deleted), a look-up, and
// the comparison with one state file, in a database that has many already.
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { digestOfBytes } from '../src/base/digest.ts';
import type { Attempt, Job } from '../src/model/record/line.ts';
import { defineBench, type Goal, type Row } from './frame/bench.ts';

const service = 'https://service.example';
const jobOf = (number: number): string => digestOfBytes(`bench ${number}`);
/** Creations of one state file. */
const perState = 1_000;
const folderOf = (state: number): string => `/home/somebody/pipelines/shop-${state}`;

function lineOf(number: number, state: Attempt['state']): Job {
  const [job, at] = [jobOf(number), new Date(1_800_000_000_000 + number).toISOString()];
  const name = `bench swap:p${number}.jpg #${job.slice(0, 10)}`;
  const result = { downloads: 1, type: 'FACE_SWAP', width: 512, height: 512, created_at: at };
  const isOver = state === 'complete' || state === 'deleted';
  const attempt: Attempt = { name, run: `${at}-1a2b`, at, state, reserve: 10 };
  if (state !== 'intended') attempt.charge = { credits: 10, read: at };
  if (state !== 'intended') attempt.project = `clx7${job.slice(0, 20)}`;
  if (isOver) attempt.result = result;
  const file = {
    ...{ of: name, task: `save:p${number}.jpg`, index: 0, at, path: `out/p${number}.png` },
    ...{ bytes: 20_480 + number, sha256: job },
  };
  return {
    ...{ job, kind: 'face-swap-photo', tasks: [`swap:p${number}.jpg`] },
    ...{ attempts: [attempt], outputs: isOver ? [file] : [] },
  };
}

const creating = 'a creation, all in all';
const asking = 'a look-up';
const processor = 'processor ms each';
const ms =
  (what: string, column: string): Goal['figure'] =>
  (rows) => {
    const cell = rows.find((row) => row['what'] === what)?.[column];
    return typeof cell === 'number' ? cell : undefined;
  };

export const receipts = defineBench({
  name: 'receipts',
  description:
    'What the receipts take of a creation, all in all, and of a look-up, in a database with many.',
  full: { rows: 1_000_000, creations: 10_000 },
  tiny: { rows: 200, creations: 20 },
  goals: [
    {
      what: 'ms of processor a creation',
      bound: { atMost: 0.16 },
      figure: ms(creating, processor),
      obstacle: 'The claim is a transaction of its own, and a row is a line of JSON.',
    },
    {
      what: 'ms a look-up',
      bound: { atMost: 0.02 },
      figure: ms(asking, 'ms each'),
      obstacle: 'A row is a line of JSON, which is parsed and checked.',
    },
  ],
  async *run({ rows, creations }) {
    // Only here: the other benches are compared with versions that have no such receipts.
    const { Receipts } = await import('../src/state/receipts.ts');
    const { lineText } = await import('../src/model/record/line.ts');
    const folder = mkdtempSync(join(tmpdir(), 'shotlist-receipts-'));
    const file = join(folder, 'receipts.db');
    const receiptsOf = (state: number, writes = true) =>
      new Receipts({
        ...{ file, service, writes, lock: `${folderOf(state)}/x.lock` },
        by: {
          state: `${folderOf(state)}/shop.state.jsonl`,
          pipeline: `${folderOf(state)}/pipeline.yaml`,
          branch: 'main',
        },
        clock: { now: Date.now, sleep: () => new Promise(() => undefined) },
        isHeld: () => false,
        jobs: () => [],
        warn: (message) => {
          throw new Error(message);
        },
      });
    const size = (): number => statSync(file).size / 1e6;
    const timed = (what: string, count: number, work: () => void): Row => {
      const began = performance.now();
      const before = process.cpuUsage();
      work();
      const seconds = (performance.now() - began) / 1000;
      const { user, system } = process.cpuUsage(before);
      const each = (total: number): number => (total * 1000) / count;
      const used = (user + system) / 1e6;
      return {
        what,
        count,
        seconds,
        'ms each': each(seconds),
        [processor]: each(used),
        MB: size(),
      };
    };
    const own = receiptsOf(-1);
    const other = receiptsOf(-2, false);
    try {
      yield timed('fill', rows, () => {
        for (let state = 0; state * perState < rows; state++) {
          const filling = receiptsOf(state);
          const from = state * perState;
          const size = Math.min(perState, rows - from);
          filling.add(Array.from({ length: size }, (_, n) => lineOf(from + n, 'complete')));
          filling.close();
        }
      });
      own.ownedBy('somebody');
      // The journal has made these lines, and their texts.
      const states = ['intended', 'created', 'complete', 'complete', 'deleted'] as const;
      const lives = Array.from({ length: creations }, (_, n) =>
        states.map((state) => lineOf(rows + n, state)),
      );
      for (const life of lives) life.forEach(lineText);
      // As in a run with 32 creations at a time: claimed one by one, noted in groups.
      yield timed(creating, creations, () => {
        for (let from = 0; from < creations; from += 32) {
          const group = lives.slice(from, from + 32);
          for (const [line] of group)
            if (line === undefined || own.claim(line, line.attempts[0]?.name ?? '').is !== 'go')
              throw new Error('bug: a new creation is not ours');
          for (let moment = 1; moment < states.length; moment++) {
            for (const { [moment]: line } of group) if (line !== undefined) own.note(line);
            own.flush();
          }
        }
      });
      yield timed(asking, creations, () => {
        for (let n = 0; n < creations; n++)
          if (other.get(jobOf((n * 7919) % rows)) === undefined)
            throw new Error('bug: a receipt is missing');
      });
      yield timed('a look-up of what nobody paid', creations, () => {
        for (let n = 0; n < creations; n++)
          if (other.get(jobOf(-1 - n)) !== undefined) throw new Error('bug: a receipt');
      });
      yield timed('a state file that is lost', Math.min(perState, rows), () => {
        const found = [...receiptsOf(0, false).ownLines()];
        if (found.length < Math.min(perState, rows)) throw new Error('bug: receipts are missing');
      });
      yield timed('open, and one look-up', 1, () => {
        receiptsOf(-3, false).get(jobOf(0));
      });
    } finally {
      own.close();
      other.close();
      rmSync(folder, { recursive: true, force: true });
    }
  },
});
