// Is a task needed, and why? Every state of an attempt with every condition of its files: test/golden/decisions.txt.
import { describe, expect, test } from 'vitest';
import { digestOf } from '../../src/base/digest.ts';
import {
  type Decision,
  decideCreate,
  decideDelete,
  decideDownload,
  decideSupply,
  Known,
  type Source,
} from '../../src/core/decide.ts';
import { done } from '../../src/core/ending.ts';
import type { Facts, FileFact, Receipt } from '../../src/core/facts.ts';
import { type ReasonCode, textOf } from '../../src/core/reason.ts';
import type { Attempt, Job, Output } from '../../src/model/record/line.ts';
import { expectGolden } from '../golden.ts';
import { aligned, type Case, everyCase, expectTables, type Table } from '../text-table.ts';
import { Disk, hash } from './plan-world.ts';

const ours = '0123456789abcdef';
const another = 'fedcba9876543210';
const at = '2026-08-01T10:00:00.000Z';
const later = '2026-08-02T10:00:00.000Z';

class StoreDisk extends Disk implements Facts {
  store: string | undefined;
  mustBeHere = false;
  readonly copies = new Map<string, string>();

  copy({ path, bytes }: Output): FileFact {
    const content = this.copies.get(path);
    return content === undefined
      ? { is: 'absent', why: 'does not exist' }
      : { is: 'file', bytes, digest: digestOf({ content }) };
  }

  mayReplace(): boolean {
    return true;
  }
}

/** The condition of a recorded file: its record, and what is on this disk. */
interface Recorded {
  readonly line: Partial<Output>;
  /** Absent: nothing is at its path. */
  readonly content?: string;
  readonly unread?: true;
  readonly kept?: true;
  readonly elsewhere?: true;
}

const whole: Recorded = { line: {}, content: 'result' };
const changed: Recorded = { line: {}, content: 'edited' };
const lost: Recorded = { line: {} };
const elsewhere: Recorded = { line: {}, elsewhere: true };
const stored = { stored: ours };
const pruned = { pruned: at };

const conditions: Readonly<Record<string, Recorded | undefined>> = {
  'not recorded': undefined,
  whole,
  'whole, stored': { ...whole, line: stored },
  'whole, in another store': { ...whole, line: { stored: another } },
  'whole, unchecked': { ...whole, line: { unchecked: true } },
  'whole, forgotten': { ...whole, line: { forgotten: at } },
  unread: { ...whole, unread: true },
  changed,
  'changed, kept': { ...changed, kept: true },
  'changed, stored': { ...changed, line: stored },
  lost,
  'lost, kept': { ...lost, kept: true },
  'lost, stored': { line: stored },
  'lost, in another store': { line: { stored: another } },
  elsewhere,
  'elsewhere, kept': { ...elsewhere, kept: true },
  pruned: { line: pruned },
  'pruned, another in its place': { ...changed, line: pruned },
  'pruned, back again': { ...whole, line: pruned },
  'whole at another path': { ...whole, line: { path: 'old/a.png' } },
  'lost at another path': { line: { path: 'old/a.png' } },
  'whole, of another task': { ...whole, line: { task: 'other:a' } },
  'lost, of another task': { line: { task: 'other:a' } },
  'elsewhere, of another task': { ...elsewhere, line: { task: 'other:a' } },
};

const attempts: Readonly<Record<string, Partial<Attempt> & Pick<Attempt, 'state'>>> = {
  intended: { state: 'intended' },
  doubt: { state: 'doubt' },
  'doubt, given up': { state: 'doubt', gaveUp: later },
  'created, given up': { state: 'created', gaveUp: later },
  refused: { state: 'refused', fault: { code: 'refused', message: 'no' } },
  created: { state: 'created' },
  'created, adopted': { state: 'created', adopted: true },
  'created, missing': { state: 'created', missing: later },
  failed: { state: 'failed', fault: { code: 'no_source_face', message: 'no face' } },
  'two projects': { state: 'created', clash: ['p-1', 'p-2'] },
  complete: { state: 'complete' },
  'complete, adopted': { state: 'complete', adopted: true },
  'complete, forgotten': { state: 'complete', forgotten: later },
  'complete, gone': { state: 'complete', gone: later },
  deleted: { state: 'deleted' },
  'deleted, adopted': { state: 'deleted', adopted: true },
};

const attemptOf = (name: string, downloads: number): Attempt => {
  const { state = 'complete', ...more } = attempts[name] ?? {};
  const isPaid = state !== 'intended' && state !== 'doubt' && state !== 'refused';
  const isOver = state === 'complete' || state === 'deleted';
  return {
    ...{ name: 'swap:a #1', run: 'run-1', at, state, reserve: 10 },
    ...(isPaid ? { project: 'p-1', charge: { credits: 10, read: at } } : {}),
    ...(isOver ? { result: { downloads } } : {}),
    ...more,
  };
};

/** A disk, and a job with a recorded file in each of these conditions. */
function sceneOf(name: string, files: readonly string[], store: string) {
  const disk = new StoreDisk();
  if (store === 'used') disk.store = ours;
  const outputs = files.flatMap((condition, index): readonly Output[] => {
    const one = conditions[condition];
    if (one === undefined) return [];
    const mark = files.length === 1 ? '' : `-${index + 1}`;
    const content = `result${mark}`;
    const output: Output = {
      ...{ of: 'swap:a #1', task: 'save:a', index, at, path: `out/a${mark}.png` },
      ...{ bytes: content.length, sha256: hash(content) },
      ...one.line,
    };
    const found = one.content === 'result' ? content : one.content;
    if (found !== undefined) disk.outputs.set(output.path, found);
    if (one.unread === true) disk.unread.add(output.path);
    if (one.elsewhere === true) disk.elsewhere.add(output.path);
    if (one.kept === true) disk.keptFiles.set(`${hash(content)}.png`, content);
    return [output];
  });
  const job: Job = {
    ...{ job: hash('job'), kind: 'face-swap-photo', tasks: ['swap:a'] },
    ...{ attempts: [attemptOf(name, files.length)], outputs },
  };
  return { disk, job };
}

function said({ action, reason: { code, about }, files = nothing }: Decision): string {
  const counts = Object.entries(files).filter(([, count]) => count > 0);
  const more = counts.map(([condition, count]) => `, ${count} ${condition}`).join('');
  return `${action} ${code}${about === undefined ? '' : ` ${about}`}${more}`;
}

const nothing = { changed: 0, elsewhere: 0, stored: 0 };

const receiptOf = (job: Job, files: number, disk: StoreDisk, more: Partial<Receipt>): Receipt => ({
  line: { ...job, attempts: job.attempts.map((one) => ({ ...one, adopted: true })), outputs: [] },
  copies: Array.from({ length: files }, (_, index) => {
    const content = files === 1 ? 'result' : `result-${index + 1}`;
    const path = `/elsewhere/${content}.png`;
    disk.copies.set(path, content);
    return {
      ...{ of: 'swap:a #1', task: 'save:a', index, at, path },
      ...{ bytes: content.length, sha256: hash(content) },
    };
  }),
  ...{ payer: { state: 'other.state.jsonl', pipeline: 'other.yaml' }, isBusy: false },
  ...{ hasSaved: false, ...more },
});

const sourceOf = (known: Known): Source => ({ known, asked: undefined, end: done });

function downloadOf(one: Case): Decision {
  const files = filesOf(one);
  const { disk, job } = sceneOf(one['attempt'] ?? '', files, one['store'] ?? '');
  disk.mustBeHere = one['files'] === 'required here';
  const receipt =
    one['receipts'] === 'know a copy' ? receiptOf(job, files.length, disk, {}) : undefined;
  const source = sourceOf(new Known(job, () => receipt));
  return decideDownload({ task: 'save:a', to: 'a.png', source, isDry: false }, disk);
}

const savers: Readonly<Record<string, readonly string[]>> = {
  none: [],
  'save:a': ['save:a'],
  'save:a, more:a': ['save:a', 'more:a'],
};

function deleteOf(one: Case): Decision {
  const { disk, job } = sceneOf(one['attempt'] ?? '', filesOf(one), one['store'] ?? '');
  const source = sourceOf(new Known(job));
  return decideDelete(
    {
      source,
      discard: one['result'] === 'discard',
      savers: (savers[one['savers'] ?? ''] ?? []).map((task) => ({
        task,
        to: 'a.png',
        end: undefined,
      })),
      ...{ readers: [], isSaved: false, waiting: undefined, isDry: false },
    },
    disk,
  );
}

const filesOf = (one: Case): readonly string[] => [
  one['file'] ?? one['first file'] ?? '',
  ...(one['second file'] === undefined ? [] : [one['second file']]),
];

function createOf(one: Case): Decision {
  const { attempt = '', receipts, 'pay again': again } = one;
  const { disk, job } = sceneOf(attempt, [one['file'] ?? 'not recorded'], 'none');
  const own = attempt === 'none' || receipts === 'know it alone' ? undefined : job;
  const isBusy = receipts === 'know it alone, and its payer is at work';
  const isForeign = receipts !== 'know nothing' && attempt !== 'none';
  const receipt = isForeign
    ? receiptOf(job, 1, new StoreDisk(), { copies: [], isBusy })
    : undefined;
  const known = new Known(isBusy ? undefined : own, () => receipt);
  return decideCreate({ known, mayPayAgain: again === 'yes' }, disk);
}

const one = Object.keys(conditions);
const ofTwo = [
  ...[
    'not recorded',
    'whole',
    'changed',
    'lost',
    'lost, kept',
    'lost, stored',
    'elsewhere',
    'pruned',
  ],
];
const used = ['none', 'used'];
const everyAttempt = Object.keys(attempts);
const over = ['complete', 'complete, adopted', 'complete, gone', 'deleted', 'deleted, adopted'];

const tables: Readonly<Record<string, Table>> = {
  'upload, face-detect': [
    { supplied: ['never', 'before'] },
    ({ supplied }) => {
      const job = { job: hash('job'), kind: 'upload', tasks: ['up:a'], attempts: [], outputs: [] };
      const before = { ...job, supplied: { at, result: { file_path: 'a' } } };
      return said(decideSupply(new Known(supplied === 'before' ? before : job)));
    },
  ],
  create: [
    {
      attempt: ['none', ...everyAttempt],
      file: ['not recorded', 'whole'],
      receipts: ['know nothing', 'know it alone', 'know it alone, and its payer is at work'],
      'pay again': ['no', 'yes'],
    },
    (each) => said(createOf(each)),
  ],
  'download of one file': [
    {
      attempt: over,
      file: one,
      files: ['anywhere', 'required here'],
      store: used,
      receipts: ['know no copy', 'know a copy'],
    },
    (each) => said(downloadOf(each)),
  ],
  'download of two files': [
    {
      attempt: ['complete', 'deleted'],
      'first file': ofTwo,
      'second file': ofTwo,
      files: ['anywhere', 'required here'],
      store: used,
    },
    (each) => said(downloadOf(each)),
  ],
  'delete, one file': [
    {
      attempt: over,
      file: one,
      store: used,
      savers: Object.keys(savers),
      result: ['keep', 'discard'],
    },
    (each) => said(deleteOf(each)),
  ],
  'delete, two files': [
    {
      attempt: ['complete'],
      'first file': ofTwo,
      'second file': ofTwo,
      store: used,
      savers: ['none', 'save:a'],
    },
    (each) => said(deleteOf(each)),
  ],
};

test('every decision is as in the table', () => {
  expectTables('decisions.txt', header, tables);
});

const header = `# Every decision about a task: what is known of its attempt and its files → action, code of the reason.
# "*": whatever it is.
`;

describe('whatever the table says', () => {
  const ofFiles = (title: string): readonly Case[] => everyCase(tables[title]?.[0] ?? {});

  test('a project is deleted only if its files are safe, or discarded on purpose', () => {
    const safe = ['whole', 'kept', 'stored', 'unread', 'back again'];
    let deleted = 0;
    for (const each of [...ofFiles('delete, one file'), ...ofFiles('delete, two files')]) {
      if (deleteOf(each).action !== 'remove' || each['result'] === 'discard') continue;
      deleted += 1;
      for (const file of filesOf(each))
        expect(
          safe.some((word) => file.includes(word)),
          JSON.stringify(each),
        ).toBe(true);
    }
    expect(deleted).toBeGreaterThan(10);
  });

  test('a download of a deleted project begins nothing that only the service could answer', () => {
    for (const each of ofFiles('download of one file'))
      if (each['attempt']?.startsWith('deleted')) expect(downloadOf(each).action).not.toBe('save');
  });

  test('what may be paid never begins unasked', () => {
    for (const attempt of ['intended', 'doubt', 'created', 'two projects', 'complete', 'deleted'])
      for (const receipts of ['know nothing', 'know it alone'])
        expect(createOf({ attempt, receipts, 'pay again': 'no' }).action, attempt).not.toBe(
          'create',
        );
  });
});

test.each([
  [3, 4, undefined, 'keep', 'fewer-than-asked'],
  [3, undefined, 4, 'keep', 'fewer-than-asked'],
  [1, 1, 1, 'remove', 'files-safe'],
])(
  'a project that lists %j results, of %j by its record and %j by the request: %s',
  (downloads, image_count, asked, action, code) => {
    const files = Array.from({ length: downloads }, () => 'whole');
    const { disk, job } = sceneOf('complete', files, '');
    const [attempt] = job.attempts;
    if (attempt === undefined) throw new Error('the scene has no attempt');
    const result = { downloads, ...(image_count === undefined ? {} : { image_count }) };
    const known = new Known({ ...job, attempts: [{ ...attempt, result }] });
    const source = { ...sourceOf(known), asked };
    const beside = { savers: [], readers: [], isSaved: true, waiting: undefined };
    const question = { source, discard: false, ...beside, isDry: false };
    expect(decideDelete(question, disk)).toMatchObject({ action, reason: { code } });
  },
);

const codes: Readonly<Record<ReasonCode, true>> = {
  'same-content': true,
  'new-content': true,
  'upload-elsewhere': true,
  'upload-expired': true,
  'same-request': true,
  'new-request': true,
  'asked-again': true,
  'take-asked': true,
  'failed-before': true,
  'paid-already': true,
  'paid-elsewhere': true,
  'made-elsewhere': true,
  'busy-elsewhere': true,
  'in-doubt': true,
  'doubt-elsewhere': true,
  'two-projects': true,
  'given-up': true,
  'gone-at-service': true,
  'missing-at-service': true,
  'gone-unseen': true,
  'input-deleted': true,
  'saved-before': true,
  'changed-on-disk': true,
  'in-store': true,
  'in-other-checkout': true,
  'not-in-store-yet': true,
  'at-other-place': true,
  'saved-elsewhere': true,
  'not-saved-yet': true,
  'file-pruned': true,
  'file-gone': true,
  'deleted-and-gone': true,
  'deleted-and-pruned': true,
  'deleted-before': true,
  discarded: true,
  'files-safe': true,
  'not-complete': true,
  'still-needed': true,
  'reader-excluded': true,
  'payer-has-not-saved': true,
  'no-step-downloads': true,
  'not-saved': true,
  'saver-skipped': true,
  'files-elsewhere': true,
  'not-whole': true,
  damaged: true,
  'not-in-store': true,
  'fewer-than-asked': true,
  unchecked: true,
};

test('every reason has one text', () => {
  const rows = Object.keys(codes).map((code) => [
    code,
    textOf({ code: code as ReasonCode, about: '<about>' }),
  ]);
  expectGolden('reasons.txt', aligned(rows));
});
