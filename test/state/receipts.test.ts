// What this machine paid for: who may send a request, and what one state file learns of another.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { current, isOver } from '../../src/model/record/job.ts';
import { type Job, lineText } from '../../src/model/record/line.ts';
import { listReceipts } from '../../src/state/receipts.ts';
import {
  after,
  at,
  freshFolder,
  intent,
  jobNamed,
  movesTo,
  type Side,
  saved,
  side,
} from './paying.ts';

const swap = jobNamed('swap');

/** What the row says of an attempt of another state file, who asks for the same, and what the answer is. */
interface Asking {
  readonly says: string;
  readonly lock?: 'held' | 'free';
  readonly asks?: 'other' | 'same' | 'who forgets it';
  /** The accounts of the row and of the asker; '': not known. */
  readonly accounts?: readonly [string, string];
}

function answer({ says, lock = 'free', asks = 'other', accounts = ['', ''] }: Asking): string {
  const file = join(freshFolder(), 'receipts.db');
  const locks = new Set<string>();
  const payer = side(file, 'a', {}, locks);
  const asker = side(file, asks === 'same' ? 'a' : 'b', {}, locks);
  if (lock === 'held') locks.add(payer.lock);
  payer.receipts.ownedBy(accounts[0]);
  asker.receipts.ownedBy(accounts[1]);
  if (says !== 'nothing') {
    const begun = after('swap', [intent('n1')]);
    expect(payer.receipts.claim(begun, 'n1')).toEqual({ is: 'go' });
    payer.receipts.note(after('swap', movesTo(says, 'n1')));
    payer.receipts.flush();
  }
  const claim = asker.receipts.claim(lineOf(asks, says), 'n2');
  if (claim.is === 'busy')
    return `busy ${claim.payer.state === join(payer.folder, 'x.state.jsonl')}`;
  if (claim.is !== 'known') return claim.is;
  const counting = current(claim.line);
  return `known ${counting?.state}${counting?.adopted ? ', adopted' : ''}`;
}

function lineOf(asks: Asking['asks'], says: string): Job {
  const own = after('swap', [intent('n2')]);
  if (asks !== 'who forgets it') return own;
  const adopted = after('swap', movesTo(says, 'n1'));
  return after('swap', [intent('n2', 'n1')], {
    ...adopted,
    attempts: adopted.attempts.map((attempt) => ({ ...attempt, adopted: true })),
  });
}

const table: readonly (Asking & { readonly gets: string })[] = [
  { says: 'nothing', gets: 'go' },
  { says: 'intended', lock: 'held', gets: 'busy true' },
  { says: 'intended', gets: 'known intended, adopted' },
  { says: 'doubt', gets: 'known doubt, adopted' },
  { says: 'doubt', lock: 'held', gets: 'known doubt, adopted' },
  { says: 'refused', gets: 'go' },
  { says: 'failed', gets: 'go' },
  { says: 'created', gets: 'known created, adopted' },
  { says: 'created', lock: 'held', gets: 'known created, adopted' },
  { says: 'complete', gets: 'known complete, adopted' },
  { says: 'deleted', gets: 'known deleted, adopted' },
  { says: 'not charged', gets: 'go' },
  { says: 'given up', gets: 'go' },
  { says: 'forgotten', gets: 'go' },
  { says: 'complete', asks: 'who forgets it', gets: 'go' },
  { says: 'doubt', asks: 'who forgets it', gets: 'go' },
  // An older state file was put back after a kill: the lock is our own now, and nobody sends anything.
  { says: 'intended', asks: 'same', lock: 'held', gets: 'known intended' },
  { says: 'complete', asks: 'same', gets: 'known complete' },
  { says: 'complete', accounts: ['ann', 'ann'], gets: 'known complete, adopted' },
  { says: 'complete', accounts: ['ann', 'bob'], gets: 'go' },
  { says: 'complete', accounts: ['', 'bob'], gets: 'known complete, adopted' },
  { says: 'complete', accounts: ['ann', ''], gets: 'known complete, adopted' },
  { says: 'intended', lock: 'held', accounts: ['', 'bob'], gets: 'busy true' },
];

test.each(table.map((row) => [Object.values(row).join(', '), row] as const))(
  'a claim: %s',
  (_title, { gets, ...asking }) => {
    expect(answer(asking)).toBe(gets);
  },
);

const two = (): { readonly a: Side; readonly b: Side; readonly file: string } => {
  const file = join(freshFolder(), 'receipts.db');
  return { a: side(file, 'a'), b: side(file, 'b'), file };
};

function write({ receipts }: Side, line: Job): void {
  receipts.note(line);
  expect(receipts.flush()).toBe(true);
}

test('a state file learns what another one paid for and saved, and nothing else of it', () => {
  const { a, b } = two();
  const done = after('swap', [...movesTo('complete', 'n1'), saved('n1')]);
  write(a, { ...done, picked: { take: 1, at: '2026-11-28T10:00:00.000Z' } });
  const seen = b.receipts.get(swap);
  expect(seen?.line).toMatchObject({ tasks: [], outputs: [], attempts: [{ adopted: true }] });
  expect(seen?.line.picked).toBeUndefined();
  expect(seen?.copies.map(({ path }) => path)).toEqual([join(a.folder, 'out/0.png')]);
  expect(seen?.payer).toEqual({
    state: join(a.folder, 'x.state.jsonl'),
    pipeline: join(a.folder, 'x.yaml'),
    branch: 'main',
  });
  expect(seen?.hasSaved).toBe(true);
  expect(a.receipts.get(swap)).toBeUndefined();
  expect(b.receipts.get(jobNamed('other'))).toBeUndefined();
});

test('an adopter adds its files, and says that it has deleted the project only if it has all of them', () => {
  const { a, b } = two();
  const done = after('swap', movesTo('complete', 'n1'));
  write(a, done);
  const taken = b.receipts.get(swap)?.line;
  const discarded = after('swap', [{ is: 'deleted', attempt: 'n1' }], taken);
  write(b, discarded);
  expect(b.receipts.get(swap)?.line.attempts).toMatchObject([{ state: 'complete' }]);
  write(b, after('swap', [saved('n1')], discarded));
  const seen = a.receipts.get(swap);
  expect(seen?.line.attempts).toEqual([{ ...done.attempts[0], state: 'deleted' }]);
  expect(seen?.copies.map(({ path }) => path)).toEqual([join(b.folder, 'out/0.png')]);
  // The payer has no file: its project must not be deleted.
  expect(b.receipts.get(swap)?.hasSaved).toBe(false);
  expect([...b.receipts.ownLines()]).toEqual([]);
});

test('what a person says of a doubt that was taken over reaches whoever paid, and what it costs does not', () => {
  const { a, b } = two();
  write(a, after('swap', movesTo('doubt', 'n1')));
  write(a, after('other', movesTo('doubt', 'n2')));
  const charge = { credits: 9, read: at };
  const created = { is: 'created', attempt: 'n1', project: 'p', charge } as const;
  write(b, after('swap', [created], b.receipts.get(swap)?.line));
  const other = b.receipts.get(jobNamed('other'))?.line;
  write(b, after('other', [{ is: 'said', attempt: 'n2', mark: 'notCharged' }], other));
  const [heard] = a.receipts.get(swap)?.line.attempts ?? [];
  expect(heard).toMatchObject({ state: 'created', project: 'p' });
  expect([heard?.charge, heard?.adopted]).toEqual([undefined, undefined]);
  const [free] = a.receipts.get(jobNamed('other'))?.line.attempts ?? [];
  expect(free && isOver(free)).toBe(true);
});

test.each<readonly [string, Job, boolean]>([
  ['one of two files', after('swap', [...twoFiles(), saved('n1')]), false],
  ['both files', after('swap', [...twoFiles(), saved('n1'), saved('n1', 1)]), true],
  ['one file twice', after('swap', [...twoFiles(), saved('n1'), saved('n1', 0, 'b.png')]), false],
  ['a kept file', marked({ kept: true }), false],
  ['a file that nothing could check', marked({ unchecked: true }), false],
])('of %s, whether all is saved', (_name, line, hasSaved) => {
  const { a, b } = two();
  write(a, line);
  expect(b.receipts.get(swap)?.hasSaved).toBe(hasSaved);
});

function twoFiles() {
  const [begun, created] = movesTo('created', 'n1');
  if (begun === undefined || created === undefined) throw new Error('no moves');
  const result = { downloads: 2 };
  return [begun, created, { is: 'complete', attempt: 'n1', charge: undefined, result }] as const;
}

function marked(mark: { readonly kept?: true; readonly unchecked?: true }): Job {
  const line = after('swap', [...movesTo('complete', 'n1'), saved('n1')]);
  return { ...line, outputs: line.outputs.map((output) => ({ ...output, ...mark })) };
}

test('a lost state file gets back what it paid for, of every account, as it said it', () => {
  const { a, b } = two();
  a.receipts.ownedBy('ann');
  const done = after('swap', [...movesTo('deleted', 'n1'), saved('n1')]);
  const line = { ...done, picked: { take: 1, at: '2026-11-28T10:00:00.000Z' } };
  write(a, line);
  a.receipts.ownedBy('bob');
  write(a, after('other', movesTo('refused', 'n2')));
  write(b, after('swap', movesTo('created', 'n3')));
  const lost = side(join(a.folder, '..', 'receipts.db'), 'a');
  lost.receipts.ownedBy('eve');
  const own = [...lost.receipts.ownLines()].map(({ line }) => line);
  expect(own.map(({ job }) => job).sort()).toEqual([swap, jobNamed('other')].sort());
  expect(own.find(({ job }) => job === swap)).toEqual(line);
});

test('a copy of a state file does not become the payer', () => {
  const { a, b } = two();
  const line = after('swap', movesTo('created', 'n1'));
  write(a, line);
  write(b, line);
  expect(b.receipts.get(swap)?.payer.state).toBe(join(a.folder, 'x.state.jsonl'));
  expect([...b.receipts.ownLines()].flatMap(({ line }) => line.attempts)).toEqual([]);
  expect([...a.receipts.ownLines()].flatMap(({ line }) => line.attempts)).toEqual(line.attempts);
});

test('a refused attempt is nobody else’s business', () => {
  const { a, b } = two();
  write(a, after('swap', movesTo('refused', 'n1')));
  expect(b.receipts.get(swap)).toBeUndefined();
  expect([...a.receipts.ownLines()].flatMap(({ line }) => line.attempts)).toHaveLength(1);
});

test('a pruned file is no copy any more', () => {
  const { a, b } = two();
  const done = after('swap', [...movesTo('deleted', 'n1'), saved('n1')]);
  write(a, done);
  const place = { of: 'n1', task: 'save:a.png', index: 0, path: 'out/0.png' };
  write(a, after('swap', [{ is: 'pruned', ...place }], done));
  expect(b.receipts.get(swap)?.copies).toEqual([]);
});

test('what is written in turn by two processes keeps what both say', () => {
  const { a, b } = two();
  const again = side(join(a.folder, '..', 'receipts.db'), 'a');
  const created = after('swap', movesTo('created', 'n1'));
  write(a, created);
  write(b, after('swap', movesTo('intended', 'n2')));
  write(b, after('swap', movesTo('created', 'n2')));
  expect(b.receipts.get(swap)?.line.attempts.map(({ name }) => name)).toEqual(['n1', 'n2']);
  write(again, after('swap', movesTo('complete', 'n1')));
  // An older state file was put back.
  write(a, created);
  const states = b.receipts.get(swap)?.line.attempts.map(({ name, state }) => `${name} ${state}`);
  expect(states).toEqual(['n1 complete', 'n2 created']);
});

test('a free detection is remembered, an upload is not', () => {
  const { a, b } = two();
  const supplied = { is: 'supplied', task: 'faces:a', result: { file_path: 'x/y.png' } } as const;
  write(a, after('faces', [{ ...supplied, kind: 'face-detect' }]));
  write(a, after('up', [{ ...supplied, kind: 'upload' }]));
  expect(b.receipts.get(jobNamed('faces'))?.line.supplied?.result).toEqual(supplied.result);
  expect(b.receipts.get(jobNamed('up'))).toBeUndefined();
});

test('a row of an unknown account becomes that of the account that is learnt', () => {
  const { a, file } = two();
  write(a, after('swap', movesTo('created', 'n1')));
  a.receipts.ownedBy('ann');
  write(a, after('swap', movesTo('complete', 'n1')));
  const rows = [...listReceipts(file)].map(({ owner, line }) => [owner, current(line)?.state]);
  expect(rows).toEqual([['ann', 'complete']]);
});

test('a project is ours if the account that pays now has paid for it, and was known when it did', () => {
  const { a, b } = two();
  const buy = (name: string, attempt: string): void => {
    expect(a.receipts.claim(after(name, [intent(attempt)]), attempt).is).toBe('go');
    write(a, after(name, movesTo('created', attempt)));
  };
  buy('unknown', 'n2');
  a.receipts.ownedBy('ann');
  buy('swap', 'n1');
  // What git brought, and what the account was not known for, becomes a row of the account as soon as it is noted.
  write(a, after('brought', movesTo('created', 'n3')));
  write(a, after('unknown', movesTo('complete', 'n2')));
  const isOurs = (owner: string, name: string, project: string): boolean => {
    b.receipts.ownedBy(owner);
    return b.receipts.isOurs(jobNamed(name), project);
  };
  expect(isOurs('ann', 'swap', 'pn1')).toBe(true);
  expect([
    ...[isOurs('ann', 'swap', 'other'), isOurs('bob', 'swap', 'pn1'), isOurs('', 'swap', 'pn1')],
    ...[isOurs('ann', 'brought', 'pn3'), isOurs('ann', 'unknown', 'pn2')],
    ...[isOurs('', 'unknown', 'pn2'), isOurs('', 'brought', 'pn3')],
  ]).not.toContain(true);
});

test('notes are written after a quarter of a second, at 64, and at the end', async () => {
  const { a, b, file } = two();
  const isThere = (name: string): boolean => b.receipts.get(jobNamed(name)) !== undefined;
  const note = (name: string): void => a.receipts.note(after(name, movesTo('created', name)));
  note('first');
  expect(a.slept).toEqual([250]);
  expect(isThere('first')).toBe(false);
  await a.wake();
  expect(isThere('first')).toBe(true);
  for (let number = 0; number < 63; number++) note(`n${number}`);
  expect(isThere('n0')).toBe(false);
  note('n63');
  expect(isThere('n0')).toBe(true);
  note('last');
  a.receipts.close();
  expect(isThere('last')).toBe(true);
  expect([...listReceipts(file)]).toHaveLength(66);
});

test('what a state file says and the receipts do not is added, and is known to both then', () => {
  const { a, b } = two();
  const lines = [after('swap', movesTo('complete', 'n1')), after('other', movesTo('doubt', 'n2'))];
  write(b, after('swap', movesTo('complete', 'n1')));
  expect(a.receipts.ownJobs).toBe(0);
  a.receipts.add(lines);
  expect(a.receipts.ownJobs).toBe(2);
  const textOf = (job: string): string =>
    lines.flatMap((line) => (line.job === job ? [lineText(line)] : [])).join('');
  expect([...a.receipts.ownLines(textOf)]).toEqual([]);
  // An older state file was put back, of which the receipts know more.
  const older = after('other', movesTo('intended', 'n2'));
  const differing = a.receipts.ownLines((job) =>
    job === older.job ? lineText(older) : textOf(job),
  );
  expect([...differing].map(({ line }) => line.job)).toEqual([older.job]);
});

test('while another program holds the database, nothing is sent, and what is known is read', () => {
  const { a, b, file } = two();
  write(b, after('other', movesTo('created', 'n2')));
  const holder = new DatabaseSync(file);
  holder.exec('BEGIN IMMEDIATE');
  expect(a.receipts.claim(after('swap', [intent('n1')]), 'n1').is).toBe('locked');
  expect(a.receipts.get(jobNamed('other'))).toBeDefined();
  holder.close();
  expect(a.receipts.claim(after('swap', [intent('n1')]), 'n1').is).toBe('go');
  expect(a.warnings).toEqual([]);
});
