// Is a task needed, and why? Every state of a job with every condition of its files: test/golden/decisions.txt.
import { describe, expect, test } from 'vitest';
import { digestOf } from '../../src/base/digest.ts';
import {
  conditionOf,
  downloadCount,
  keptCopy,
  wholeCopies,
} from '../../src/core/recorded-files.ts';
import { fingerprintFrom } from '../../src/model/fingerprint.ts';
import type { JobLine, OutputLine } from '../../src/model/line.ts';
import {
  type Decision,
  decideCreate,
  decideDelete,
  decideDownload,
  decideSupply,
  decideTake,
} from '../../src/plan/decide.ts';
import { type PlainReasonCode, type Reason, whyOf } from '../../src/plan/reason.ts';
import { expectGolden } from '../golden.ts';
import { aligned, type Case, everyCase, expectTables, type Table } from '../text-table.ts';
import { Disk, hash, jobLine, outputLine } from './plan-world.ts';

const ours = '0123456789abcdef';
const another = 'fedcba9876543210';
const prunedAt = '2026-08-01T10:00:00.000Z';
const adoptedAt = '2026-08-02T10:00:00.000Z';

class StoreDisk extends Disk {
  store: string | undefined;
}

/** The condition of a recorded file: its record, and what is on this disk. */
interface Recorded {
  readonly line: Partial<OutputLine>;
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
const pruned = { pruned: prunedAt };

const conditions: Readonly<Record<string, Recorded | undefined>> = {
  'not recorded': undefined,
  whole,
  'whole, stored': { ...whole, line: stored },
  'whole, in another store': { ...whole, line: { stored: another } },
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

const jobs: Readonly<Record<string, Partial<JobLine> & Pick<JobLine, 'state'>>> = {
  intended: { state: 'intended' },
  doubt: { state: 'doubt' },
  created: { state: 'created' },
  complete: { state: 'complete' },
  'complete, adopted': { state: 'complete', adopted: adoptedAt },
  failed: { state: 'failed' },
  forgotten: { state: 'forgotten' },
  deleted: { state: 'deleted' },
  'deleted, adopted': { state: 'deleted', adopted: adoptedAt },
};

/** A disk, and a job with a recorded file in each of these conditions. */
function sceneOf(job: string, files: readonly string[], store: string) {
  const disk = new StoreDisk();
  if (store === 'used') disk.store = ours;
  const outputs = files.flatMap((name, index) => {
    const one = conditions[name];
    if (one === undefined) return [];
    const mark = files.length === 1 ? '' : `-${index + 1}`;
    const content = `result${mark}`;
    const output = { ...outputLine('save:a', `out/a${mark}.png`, content, index), ...one.line };
    const found = one.content === 'result' ? content : one.content;
    if (found !== undefined) disk.outputs.set(output.path, found);
    if (one.unread === true) disk.unread.add(output.path);
    if (one.elsewhere === true) disk.elsewhere.add(output.path);
    if (one.kept === true) disk.keptFiles.set(`${hash(content)}.png`, content);
    return [output];
  });
  const { state = 'complete', ...more } = jobs[job] ?? {};
  const about = { project: 'p-1', result: { downloads: files.length }, outputs };
  return { disk, line: jobLine(state, { ...about, ...more }) };
}

function said(decision: Decision): string {
  const { act, reason } = decision;
  const counts = 'files' in decision ? decision.files : undefined;
  const files = Object.entries(counts ?? {}).filter(([, count]) => count > 0);
  const more = files.map(([condition, count]) => `, ${count} ${condition}`).join('');
  const which = 'path' in reason ? ` ${reason.path}` : 'task' in reason ? ` ${reason.task}` : '';
  const how = 'condition' in reason ? ` ${reason.condition}` : '';
  return `${act} ${reason.code}${how}${which}${more}`;
}

const copyOf = outputLine('save:a', '/elsewhere/a.png', 'result');

function downloadOf(one: Case): Decision {
  const files = filesOf(one);
  const { disk, line } = sceneOf(one['job'] ?? '', files, one['store'] ?? '');
  const question = {
    task: 'save:a',
    to: 'a.png',
    job: line,
    required: one['files'] === 'required here',
  };
  const copies = () => (one['receipts'] === 'know a copy' ? files.map(() => copyOf) : []);
  return decideDownload({ ...question, copies }, disk);
}

const savers: Readonly<Record<string, readonly string[]>> = {
  none: [],
  'save:a': ['save:a'],
  'save:a, more:a': ['save:a', 'more:a'],
};

function deleteOf(one: Case): Decision {
  const { disk, line } = sceneOf(one['job'] ?? '', filesOf(one), one['store'] ?? '');
  const discard = one['result'] === 'discard';
  return decideDelete({ job: line, savers: savers[one['savers'] ?? ''] ?? [], discard }, disk);
}

const filesOf = (one: Case): readonly string[] => [
  one['file'] ?? one['first file'] ?? '',
  ...(one['second file'] === undefined ? [] : [one['second file']]),
];

const one = Object.keys(conditions);
const ofTwo = [
  'not recorded',
  'whole',
  'changed',
  'lost',
  'lost, kept',
  'lost, stored',
  'elsewhere',
  'pruned',
];
const used = ['none', 'used'];
const saved = ['complete', 'deleted'];
const everyJob = Object.keys(jobs);

const tables: Readonly<Record<string, Table>> = {
  'upload, face-detect': [
    { job: ['none', ...everyJob, 'supplied'] },
    ({ job }) => said(decideSupply(job === 'supplied' ? jobLine(job) : lineOf(job))),
  ],
  create: [
    { job: ['none', ...everyJob, 'complete, not saved', 'supplied'], reroll: ['no', 'take 2'] },
    createOf,
  ],
  'download of one file': [
    {
      job: everyJob,
      file: one,
      files: ['anywhere', 'required here'],
      store: used,
      receipts: ['know no copy', 'know a copy'],
    },
    (each) => said(downloadOf(each)),
  ],
  'download of two files': [
    {
      job: saved,
      'first file': ofTwo,
      'second file': ofTwo,
      files: ['anywhere', 'required here'],
      store: used,
    },
    (each) => said(downloadOf(each)),
  ],
  'delete, one file': [
    {
      job: everyJob,
      file: one,
      store: used,
      savers: Object.keys(savers),
      result: ['keep', 'discard'],
    },
    (each) => said(deleteOf(each)),
  ],
  'delete, two files': [
    {
      job: ['complete'],
      'first file': ofTwo,
      'second file': ofTwo,
      store: used,
      savers: ['none', 'save:a'],
    },
    (each) => said(deleteOf(each)),
  ],
};

function lineOf(name = ''): JobLine | undefined {
  return jobs[name] === undefined ? undefined : sceneOf(name, ['whole'], 'none').line;
}

function createOf({ job = '', reroll }: Case): string {
  const line =
    job === 'supplied'
      ? jobLine(job)
      : job === 'complete, not saved'
        ? sceneOf('complete', ['not recorded'], 'none').line
        : lineOf(job);
  const first = fingerprintFrom(digestOf('first'));
  const take = { first, number: 2, known: 1, others: 10 };
  try {
    return said(
      reroll === 'no' ? decideCreate(line) : decideTake({ ...take, saveTo: 'takes/a.png' }, line),
    );
  } catch (error) {
    return String(error).split(' (')[0] ?? '';
  }
}

test('every decision is as in the table', () => {
  expectTables('decisions.txt', header, tables);
});

const header = `# Every decision about a task: what is known of its job and its files → act, code of the reason.
# "*": whatever it is. --pay-again turns "lost" into a new creation of the step that is downloaded.
`;

describe('whatever the table says', () => {
  const ofFiles = (title: string): readonly Case[] => everyCase(tables[title]?.[0] ?? {});

  test('a project is deleted only if its files are safe, or discarded on purpose', () => {
    const safe = ['whole', 'kept', 'stored', 'back again'];
    for (const each of [...ofFiles('delete, one file'), ...ofFiles('delete, two files')]) {
      if (deleteOf(each).act !== 'begin' || each['result'] === 'discard') continue;
      for (const file of filesOf(each))
        expect(
          safe.some((word) => file.includes(word)),
          JSON.stringify(each),
        ).toBe(true);
    }
  });

  test('a download of a deleted project begins nothing that only the service could answer', () => {
    for (const each of ofFiles('download of one file'))
      if (each['job']?.startsWith('deleted')) expect(downloadOf(each).act).not.toBe('begin');
  });

  test('what may be paid never begins', () => {
    for (const job of ['intended', 'doubt', 'created', 'complete', 'deleted'])
      expect(decideCreate(lineOf(job)).act, job).not.toBe('begin');
  });
});

const plainCodes: Readonly<Record<PlainReasonCode, true>> = {
  'same-content': true,
  'new-content': true,
  'same-request': true,
  'new-request': true,
  forgotten: true,
  'in-doubt': true,
  'paid-meanwhile': true,
  'downloaded-before': true,
  'changed-on-disk': true,
  'in-store': true,
  'in-other-checkout': true,
  'not-in-store-yet': true,
  'at-other-place': true,
  'saved-by-other-run': true,
  'not-downloaded-yet': true,
  'file-pruned': true,
  'file-gone': true,
  'required-here': true,
  'gone-unseen': true,
  'deleted-and-gone': true,
  'deleted-and-no-copy': true,
  'deleted-before': true,
  'paid-by-another': true,
  discarded: true,
  'files-safe': true,
  'files-elsewhere': true,
  'no-files-on-disk': true,
  'not-all-in-store': true,
  'no-step-downloads': true,
};

test.each([
  [3, 4, false, 'keep', 'fewer-results'],
  [0, 1, false, 'keep', 'fewer-results'],
  [3, 4, true, 'begin', 'discarded'],
  [4, 4, false, 'keep', 'saver-without-files'],
  [4, undefined, false, 'keep', 'saver-without-files'],
])(
  'a project with %j of %j results, discard: %j: %s',
  (downloads, image_count, discard, act, code) => {
    const { disk, line } = sceneOf('complete', ['not recorded'], '');
    const result = {
      ...line.result,
      downloads,
      ...(image_count === undefined ? {} : { image_count }),
    };
    const job = { ...line, result };
    expect(decideDelete({ job, savers: ['save:a'], discard }, disk)).toMatchObject({
      act,
      reason: { code },
    });
  },
);

test('a result that was late, and has been saved since, keeps its project no more', () => {
  const { disk, line } = sceneOf('complete', ['whole'], '');
  const job = { ...line, result: { ...line.result, downloads: 0, image_count: 1 } };
  const question = { job, savers: ['save:a'], discard: false };
  expect(decideDelete(question, disk).reason.code).toBe('files-safe');
});

test('a file that may be a part of itself keeps the project of the task that saved it', () => {
  const { disk, line } = sceneOf('complete', ['whole'], '');
  const [whole] = line.outputs ?? [];
  if (whole === undefined) throw new Error('the scene has no output');
  const codeOf = (task: string, savers: readonly string[]): string => {
    const job = { ...line, outputs: [whole, { ...whole, task, unproved: true as const }] };
    return decideDelete({ job, savers, discard: false }, disk).reason.code;
  };
  expect(codeOf('more:a', ['save:a'])).toBe('files-safe');
  expect(codeOf('more:a', ['save:a', 'more:a'])).toBe('unproved-file');
  expect(codeOf('more:a', [])).toBe('unproved-file');
});

test('every reason has one text', () => {
  const path = 'out/a.png';
  const reasons: readonly Reason[] = [
    { code: 'upload-elsewhere', path },
    { code: 'failed-before', error: 'no_source_face' },
    { code: 'failed-before', error: undefined },
    { code: 'paid-already', project: 'p-7' },
    { code: 'take-asked', take: 2 },
    { code: 'take-not-saved', take: 2 },
    { code: 'deleted-and-elsewhere', path },
    { code: 'deleted-and-pruned', at: prunedAt },
    { code: 'not-complete', state: 'created' },
    { code: 'fewer-results', listed: 3, asked: 4 },
    { code: 'saver-without-files', task: 'save:a' },
    { code: 'saver-skipped', task: 'save:a' },
    { code: 'saved-file-not-whole', path, condition: 'lost' },
    { code: 'saved-file-not-whole', path, condition: 'changed' },
    { code: 'saved-file-not-whole', path, condition: 'unread' },
    { code: 'saved-file-not-whole', path, condition: 'pruned' },
    { code: 'saved-file-not-in-store', path },
    { code: 'unproved-file', path },
  ];
  const rows = [
    ...Object.keys(plainCodes).map((code) => [code, whyOf({ code: code as PlainReasonCode })]),
    ...reasons.map((reason) => [reason.code, whyOf(reason)]),
  ];
  expectGolden('reasons.txt', aligned(rows));
});

describe('a recorded file is', () => {
  const own = outputLine('save:a', 'out/a.png', 'picture');

  test.each([
    ['whole', 'picture', false, 'whole'],
    ['gone', undefined, false, 'lost'],
    ['of another size', 'pictures', false, 'changed'],
    ['of another content', 'pictura', false, 'changed'],
    ['not read yet', 'picture', true, 'unread'],
  ])('%s', (_, content, unread, expected) => {
    const disk = new Disk();
    if (content !== undefined) disk.outputs.set('out/a.png', content);
    if (unread) disk.unread.add('out/a.png');
    expect(conditionOf(own, disk)).toBe(expected);
  });

  test('a copy where every download has one, and where it was kept', () => {
    const disk = new Disk();
    const outputs = [own, outputLine('other:b', 'out/b.png', 'two', 1)];
    const job = jobLine('deleted', { result: { downloads: 2 }, outputs });
    disk.outputs.set('out/a.png', 'picture');
    expect(wholeCopies(job, disk)).toBeUndefined();
    disk.keptFiles.set(`${hash('two')}.png`, 'two');
    expect(wholeCopies(job, disk)).toEqual(outputs);
    expect(keptCopy(own, disk)).toBe(false);
  });

  test('none where a job has no count of downloads', () => {
    expect(downloadCount(jobLine('complete'))).toBe(0);
    expect(downloadCount(jobLine('complete', { result: { downloads: '2' } }))).toBe(0);
  });
});
