// What the receipts of a user cost: a creation all in all (it is claimed, created, settled, saved and deleted), a look-up, and
// the receipts of one state file, in a database that has many already.
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { digestOfBytes } from '../src/base/digest.ts';
import type { JobLine } from '../src/model/line.ts';
import type { Receipt, SavedFile } from '../src/state/receipts/receipt.ts';
import { defineBench, type Goal, type Row } from './frame/bench.ts';

const service = 'https://service.example';
const jobOf = (number: number): string => digestOfBytes(`bench ${number}`);
/** Creations of one state file. */
const perState = 1_000;

function receiptOf(number: number, state: JobLine['state']): Receipt {
  const folder = `/home/somebody/pipelines/shop-${Math.floor(number / perState)}`;
  const [job, at] = [jobOf(number), new Date(1_800_000_000_000 + number).toISOString()];
  const saved: SavedFile = {
    ...{ index: 0, task: `save:p${number}.jpg`, path: `${folder}/out/p${number}.png` },
    ...{ bytes: 20_480 + number, sha256: job },
  };
  const result = { downloads: 1, type: 'FACE_SWAP', width: 512, height: 512, created_at: at };
  const line: JobLine = {
    ...{ job, kind: 'face-swap-photo', state, tasks: [`swap:p${number}.jpg`], attempt: 1, at },
    ...{ name: `bench swap:p${number}.jpg #${job.slice(0, 10)}`, reserve: 10 },
    ...(state === 'intended' ? {} : { project: `clx7${job.slice(0, 20)}`, credits: 10 }),
    ...(state === 'complete' || state === 'deleted' ? { expires: at, result } : {}),
  };
  return {
    ...{ service, line, account: `account:${job.slice(0, 32)}` },
    holder: state === 'intended' ? '4711 host 123456' : undefined,
    source: {
      ...{ folder, pipeline: 'pipeline.yaml', branch: 'main' },
      state: `${folder}/shop.state.jsonl`,
    },
    saved: state === 'complete' || state === 'deleted' ? [saved] : [],
  };
}

const creating = 'a creation, all in all';
const asking = 'a look-up';
const ms =
  (what: string): Goal['figure'] =>
  (rows) => {
    const cell = rows.find((row) => row['what'] === what)?.['ms each'];
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
      what: 'ms a creation',
      bound: { atMost: 0.1 },
      figure: ms(creating),
      obstacle: 'The claim is a transaction of its own; each line is checked as it is read again.',
    },
    {
      what: 'ms a look-up',
      bound: { atMost: 0.02 },
      figure: ms(asking),
      obstacle: 'A row is a line of JSON, which is parsed and checked.',
    },
  ],
  async *run({ rows, creations }) {
    // Only here: the other benches are compared with versions that have no receipts.
    const { ReceiptStore } = await import('../src/state/receipts/receipt-store.ts');
    const folder = mkdtempSync(join(tmpdir(), 'shotlist-receipts-'));
    const file = join(folder, 'receipts.db');
    const onWarning = (message: string): never => {
      throw new Error(message);
    };
    const store = new ReceiptStore({ file, onWarning, now: Date.now });
    const size = (): number => statSync(file).size / 1e6;
    const timed = (what: string, count: number, work: () => void): Row => {
      const began = performance.now();
      const before = process.cpuUsage();
      work();
      const seconds = (performance.now() - began) / 1000;
      const { user, system } = process.cpuUsage(before);
      const each = { 'ms each': (seconds * 1000) / count, MB: size() };
      return { what, count, seconds, 'processor s': (user + system) / 1e6, ...each };
    };
    try {
      yield timed('fill', rows, () => {
        for (let from = 0; from < rows; from += 10_000) {
          const until = Math.min(rows, from + 10_000);
          const batch: Receipt[] = [];
          for (let number = from; number < until; number++)
            batch.push(receiptOf(number, 'complete'));
          store.put(batch);
        }
      });
      const states = ['created', 'complete', 'complete', 'deleted'] as const;
      yield timed(creating, creations, () => {
        for (let number = rows; number < rows + creations; number++) {
          if (store.claim(receiptOf(number, 'intended'), ([other]) => other) !== 'ours')
            throw new Error('bug: a new creation is not ours');
          for (const state of states) store.put([receiptOf(number, state)]);
        }
      });
      yield timed(`${creating}, 32 in a group`, creations, () => {
        for (let from = rows + creations; from < rows + 2 * creations; from += 32) {
          const group = Array.from(
            { length: Math.min(32, rows + 2 * creations - from) },
            (_, n) => from + n,
          );
          for (const number of group)
            store.claim(receiptOf(number, 'intended'), ([other]) => other);
          for (const state of states) store.put(group.map((number) => receiptOf(number, state)));
        }
      });
      yield timed(asking, creations, () => {
        for (let n = 0; n < creations; n++)
          if (store.of(service, jobOf((n * 7919) % rows))?.length !== 1)
            throw new Error('bug: a receipt is missing');
      });
      yield timed('a look-up of what nobody paid', creations, () => {
        for (let n = 0; n < creations; n++)
          if (store.of(service, jobOf(-1 - n))?.length !== 0) throw new Error('bug: a receipt');
      });
      yield timed('the receipts of a state file', Math.min(perState, rows), () => {
        const found = [...store.ofState('/home/somebody/pipelines/shop-0/shop.state.jsonl')];
        if (found.length < Math.min(perState, rows)) throw new Error('bug: receipts are missing');
      });
      store.close();
      yield timed('open, and one look-up', 1, () => {
        new ReceiptStore({ file, onWarning, now: Date.now }).of(service, jobOf(0));
      });
    } finally {
      store.close();
      rmSync(folder, { recursive: true, force: true });
    }
  },
});
