// Records of the new state file for these tests.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type Move, stateAfter } from '../../src/model/record/job.ts';
import { Ledger } from '../../src/model/record/ledger.ts';
import { type Job, type Line, lineText, type RunLine } from '../../src/model/record/line.ts';
import { type LoadedRecord, type LoadTerms, loadRecord } from '../../src/state/load-record.ts';
import { StateFile, type StateFileTerms } from '../../src/state/state-file.ts';

export const header = { shotlist: 4, pipeline: 'p', service: 'rehearsal' } as const;
export const time = '2026-01-01T00:00:00.000Z';
export const runLine: RunLine = { run: 'r', at: time };

export const fingerprint = (of: string): string => createHash('sha256').update(of).digest('hex');

const begin = (of: string, attempt: string): Move => ({
  ...{ job: fingerprint(of), is: 'intent', kind: 'ai-meme-generator', task: `picture:${of}` },
  ...{ attempt, reserve: 5, forgets: [], to: [{ task: `save:${of}`, path: `${of}.png` }] },
});

/** A job whose attempt is about to be sent. */
export const intended = (of: string, attempt = of): Job =>
  stateAfter(undefined, begin(of, attempt), 'r', time);

/** A job that was paid for. */
export const created = (of: string, attempt = of): Job =>
  stateAfter(
    intended(of, attempt),
    {
      ...{ job: fingerprint(of), is: 'created', attempt, project: `id-${attempt}` },
      charge: { credits: 5, read: time },
    },
    'r',
    time,
  );

export const textOf = (...lines: readonly Line[]): string =>
  lines.map((line) => `${lineText(line)}\n`).join('');

/** As a run writes it at its end. */
export const wholeText = (...lines: readonly Line[]): string =>
  [...Ledger.of(lines).texts()].map((line) => `${line}\n`).join('');

export async function load(file: string, terms: LoadTerms = {}): Promise<LoadedRecord> {
  const loaded = await loadRecord(file, { header, ...terms });
  if (!loaded.ok) throw new Error(loaded.error);
  return loaded.value;
}

export const read = (file: string): string => readFileSync(file, 'utf8');

/** Nothing happens around the file. */
export const silentTerms: StateFileTerms = {
  holdsLock: () => true,
  head: async () => undefined,
  pause: async () => undefined,
  now: () => Date.parse(time),
  makeRoom: () => false,
  closeBuying: () => undefined,
};

export interface OpenFile {
  readonly ledger: Ledger;
  readonly file: StateFile;
  /** What the file asked and said. */
  readonly calls: string[];
  /** Puts it into the ledger, and appends it. */
  append(...lines: readonly Line[]): void;
}

export async function openFile(
  path: string,
  terms: Partial<StateFileTerms> = {},
): Promise<OpenFile> {
  const loaded = await load(path);
  const calls: string[] = [];
  const file = new StateFile(path, loaded, {
    ...silentTerms,
    head: async () => {
      calls.push('read');
      return undefined;
    },
    pause: async () => void calls.push('pause'),
    closeBuying: () => void calls.push('closeBuying'),
    ...terms,
  });
  const { ledger } = loaded;
  const append = (...lines: readonly Line[]): void => {
    for (const line of lines) {
      ledger.put(line);
      file.append(lineText(line));
    }
  };
  return { ledger, file, calls, append };
}
