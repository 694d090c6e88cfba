// Two clones in real git, which run, commit, and do to the record what people do. Afterwards, every payment that the file, HEAD
// or the history of a clone has is known there, nothing is missed that is there, and no later reading of a charge is lost.
// `ROUNDS=200 SEED=1 npx vitest run test/state/git-histories.test.ts` tries more, and prints what it counted.
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { headRecord, historyRecord } from '../../src/features/git/head.ts';
import { unionLine } from '../../src/features/git/union.ts';
import { current, type Move, stateAfter } from '../../src/model/record/job.ts';
import { Ledger } from '../../src/model/record/ledger.ts';
import { type Line, lineText, parseLine } from '../../src/model/record/line.ts';
import { type LoadedRecord, loadRecord } from '../../src/state/load-record.ts';
import { StateFile } from '../../src/state/state-file.ts';
import { identity } from '../e2e/clones.ts';
import { temporaryFolder } from '../files/places.ts';
import { fingerprint, header, silentTerms } from './records.ts';

const state = 'p.state.jsonl';
const env = { PATH: process.env['PATH'] ?? '', LC_ALL: 'C', GIT_EDITOR: 'true', ...identity };
const settings = ['-c', 'core.fsync=none', '-c', 'gc.auto=0', '-c', 'init.defaultBranch=main'];

/** What a clone may know besides HEAD, and how. */
type Knowledge = 'head' | 'history';

interface Clone {
  readonly folder: string;
  readonly id: string;
  readonly file: string;
  /** Attempts of runs that are not committed. */
  readonly fresh: Set<string>;
}

/** What a history has counted, by operation. */
type Counts = Map<string, Record<string, number>>;

class History {
  readonly #random: () => number;
  readonly #counts: Counts;
  readonly #how: Knowledge;
  /** All creations that were ever sent, with their runs. */
  readonly #bought = new Map<string, string>();
  readonly #blobs = new Map<string, ReadonlyMap<string, string>>();
  #clock = Date.parse('2026-01-01T00:00:00Z');

  constructor(random: () => number, counts: Counts, how: Knowledge) {
    this.#random = random;
    this.#counts = counts;
    this.#how = how;
  }

  #below(most: number): number {
    return Math.floor(this.#random() * most);
  }

  #now(): string {
    this.#clock += 1000;
    return new Date(this.#clock).toISOString();
  }

  #count(operation: string, what: string): void {
    const counts = this.#counts.get(operation) ?? {};
    counts[what] = (counts[what] ?? 0) + 1;
    this.#counts.set(operation, counts);
  }

  /** Some operations, chosen from these. */
  async play(operations: readonly (keyof typeof operationsOf)[]): Promise<void> {
    const root = temporaryFolder();
    const [a, b] = ['A', 'B'].map((id): Clone => {
      const folder = join(root, id);
      mkdirSync(folder);
      return { folder, id, file: join(folder, state), fresh: new Set() };
    });
    if (a === undefined || b === undefined) return;
    git(a, 'init', '--quiet');
    const isUnion = this.#below(4) > 0;
    if (isUnion) writeFileSync(join(a.folder, '.gitattributes'), `${unionLine}\n`);
    writeFileSync(join(a.folder, 'pipeline.yaml'), '');
    // Both sides may begin the record: then a merge doubles all of it.
    const isShared = this.#below(3) > 0;
    if (isShared) await this.#run(a);
    commitAll(a);
    spawnSync('git', [...settings, 'clone', '--quiet', a.folder, b.folder], { env });
    for (const clone of [a, b]) if (!isShared) await this.#runAndCommit(clone);
    for (let left = changes; left > 0; left--) {
      const [x, y] = this.#below(2) === 0 ? [a, b] : [b, a];
      await this.#runAndCommit(x);
      if (this.#below(2) === 0) await this.#runAndCommit(y);
      if (this.#below(3) === 0) await this.#runAndCommit(x);
      git(x, 'fetch', '--quiet', y.folder, '+refs/heads/main:refs/remotes/y/main');
      const operation = operations[this.#below(operations.length)];
      if (operation !== undefined) await this.#change(x, y, operation, isUnion);
    }
  }

  async #change(
    x: Clone,
    y: Clone,
    operation: keyof typeof operationsOf,
    isUnion: boolean,
  ): Promise<void> {
    const name = isUnion ? operation : `${operation} without union`;
    this.#count(name, 'times');
    const lostBefore = await this.#lostBefore(x, y);
    const more = await operationsOf[operation](x, y, () => this.#run(x));
    const should = new Map([...this.#versions(x, 'HEAD'), ...this.#namesIn(more)]);
    for (const attempt of x.fresh) if (!should.has(attempt)) should.set(attempt, '');
    const loaded = await this.#load(x);
    if (loaded === undefined) return this.#count(name, 'refused');
    const known = readingsOf(loaded.ledger);
    const lost = beyond(should, known).filter((attempt) => !lostBefore.has(attempt));
    if (lost.length > 0) this.#count(name, 'lost');
    const late = [...should].filter(([attempt, read]) => read > (known.get(attempt) ?? read));
    if (late.length > 0) this.#count(name, 'later reading lost');
    for (const { run, creations } of loaded.ledger.missing()) {
      const gone = [...this.#bought].filter(([sent, by]) => by === run && !known.has(sent));
      if (gone.length !== creations) this.#count(name, 'false alarm');
    }
    const isNoticed = loaded.ledger
      .missing()
      .some(({ run }) => lost.some((attempt) => this.#bought.get(attempt) === run));
    if (isNoticed) this.#count(name, 'noticed by creations');
    // A command that writes comes before the commit of what was only checked out.
    if (/^(checkoutFile|checkoutOlder|remove|dropbox)$/.test(operation)) await this.#tidy(x);
    if (this.#below(2) === 0) await this.#run(x);
    commitAll(x);
  }

  async #load(clone: Clone): Promise<LoadedRecord | undefined> {
    const head = await headRecord(clone.file, { env });
    const history =
      this.#how === 'history'
        ? await historyRecord(clone.file, header, undefined, { env })
        : undefined;
    const others = [head, history].flatMap((record) => record ?? []);
    const loaded = await loadRecord(clone.file, { header, others });
    const isKnown =
      loaded.ok && !loaded.value.warnings.some((text) => text.includes('not be read'));
    return isKnown ? loaded.value : undefined;
  }

  /** What was lost before an operation is not lost by it. With the history, nothing is ever lost. */
  async #lostBefore(x: Clone, y: Clone): Promise<ReadonlySet<string>> {
    if (this.#how === 'history') return new Set();
    return new Set([
      ...beyond(this.#versions(x, 'HEAD'), await this.#known(x)),
      ...beyond(this.#versions(x, 'y/main'), await this.#known(y)),
    ]);
  }

  async #known(clone: Clone): Promise<ReadonlyMap<string, string>> {
    const loaded = await this.#load(clone);
    return readingsOf(loaded?.ledger ?? new Ledger());
  }

  async #runAndCommit(clone: Clone): Promise<void> {
    await this.#run(clone);
    commitAll(clone);
  }

  /** Writes what was joined, and nothing else. */
  async #tidy(clone: Clone): Promise<void> {
    const loaded = await this.#load(clone);
    if (loaded !== undefined && !loaded.isClean) await this.#write(clone, loaded, [header]);
  }

  async #write(clone: Clone, loaded: LoadedRecord, lines: readonly Line[], isKilled = false) {
    await using file = new StateFile(clone.file, loaded, {
      ...silentTerms,
      head: () => headRecord(clone.file, { env }),
    });
    for (const line of lines) file.append(lineText(line));
    await file.sync();
    if (!isKilled) await file.writeWhole();
  }

  /** Buys a few of the wanted, learns what others cost; one of six is killed, and may leave a torn line. */
  async #run(clone: Clone): Promise<void> {
    const loaded = await this.#load(clone);
    if (loaded === undefined) return this.#count('run', 'refused');
    const { ledger } = loaded;
    const run = `${this.#now()}-${clone.id}`;
    const lines: Line[] = [];
    const put = (line: Line): void => {
      ledger.put(line);
      lines.push(line);
    };
    const begun = { run, at: this.#now() };
    put(begun);
    const move = (what: Move): void =>
      put(stateAfter(ledger.job(what.job), what, run, this.#now()));
    const isKilled = this.#below(6) === 0;
    let creations = 0;
    for (let left = 1 + this.#below(4); left > 0; left--) {
      const job = fingerprint(`wanted ${this.#below(24)}`);
      const known = ledger.job(job);
      const attempt = known && current(known);
      const charge = { credits: this.#below(9), read: this.#now() };
      if (attempt !== undefined) {
        move({ job, is: 'charged', attempt: attempt.name, charge });
        continue;
      }
      creations += 1;
      const sent = `${clone.id}-${this.#bought.size}`;
      this.#bought.set(sent, run);
      clone.fresh.add(sent);
      const paid = { job, attempt: sent, charge: { credits: 5, read: this.#now() } };
      const task = `picture:${job.slice(0, 4)}`;
      move({
        job,
        is: 'intent',
        kind: 'ai-meme-generator',
        task,
        attempt: sent,
        reserve: 5,
        forgets: [],
      });
      move({ ...paid, is: 'created', project: `id-${sent}` });
      if (this.#below(3) > 0) move({ ...paid, is: 'complete', result: { downloads: 1 } });
    }
    if (!isKilled) put({ ...begun, ended: this.#now(), creations });
    await this.#write(clone, loaded, lines, isKilled);
    const last = lines.at(-1);
    if (isKilled && last !== undefined && this.#below(3) === 0)
      appendFileSync(clone.file, lineText(last).slice(0, 9 + this.#below(60)));
  }

  /** The attempts in all versions that a commit or its parents have, with the latest reading of each. */
  #versions(clone: Clone, commit: string): ReadonlyMap<string, string> {
    const all = new Map<string, string>();
    const asked = ['log', '--format=', '--raw', '--no-abbrev', '-m', commit, '--', state];
    const blobs = git(clone, ...asked).said.matchAll(/^:\d+ \d+ [0-9a-f]+ ([0-9a-f]+)/gm);
    for (const [, blob = ''] of blobs) {
      if (/^0+$/.test(blob)) continue;
      const known = this.#blobs.get(blob) ?? namesIn(git(clone, 'cat-file', 'blob', blob).said);
      this.#blobs.set(blob, known);
      for (const [attempt, read] of known)
        if (read >= (all.get(attempt) ?? '')) all.set(attempt, read);
    }
    return all;
  }

  #namesIn(text: string | undefined): ReadonlyMap<string, string> {
    return text === undefined ? new Map() : namesIn(text);
  }
}

/** The attempts that were sent, with the time at which their charge was read. Not read as the product reads it. */
function namesIn(text: string): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const line of text.split('\n')) {
    const parsed = parseLine(line);
    if (!parsed.ok || !('job' in parsed.value)) continue;
    for (const { name, charge } of parsed.value.attempts)
      if ((charge?.read ?? '') >= (names.get(name) ?? '')) names.set(name, charge?.read ?? '');
  }
  return names;
}

const readingsOf = (ledger: Ledger): ReadonlyMap<string, string> =>
  new Map([...ledger.own()].map(({ name, charge }) => [name, charge?.read ?? '']));

const beyond = (
  should: ReadonlyMap<string, string>,
  known: ReadonlyMap<string, string>,
): readonly string[] => [...should.keys()].filter((attempt) => !known.has(attempt));

function git(clone: Clone, ...args: readonly string[]): { readonly ok: boolean; said: string } {
  const ran = spawnSync('git', [...settings, ...args], {
    ...{ cwd: clone.folder, env, encoding: 'utf8' as const, maxBuffer: 1 << 28 },
  });
  return { ok: ran.status === 0, said: ran.stdout };
}

function commitAll(clone: Clone): void {
  git(clone, 'add', '--all');
  git(clone, 'commit', '--quiet', '--message', 'x');
  clone.fresh.clear();
}

/** Commits conflicts as they are, until git is content. */
function settle(clone: Clone, ...goOn: readonly string[]): void {
  const isBusy = (): boolean =>
    ['rebase-merge', 'CHERRY_PICK_HEAD', 'MERGE_HEAD', 'REVERT_HEAD'].some((name) =>
      existsSync(join(clone.folder, '.git', name)),
    );
  for (let left = 12; left > 0 && isBusy(); left--) {
    git(clone, 'add', '--all');
    if (git(clone, ...goOn).ok) continue;
    if (git(clone, 'commit', '--quiet', '--allow-empty', '--message', 'x').ok) continue;
    if (goOn[0] !== 'commit') git(clone, goOn[0] ?? '', '--skip');
  }
}

const versionIn = (clone: Clone, commit: string): string =>
  git(clone, 'show', `${commit}:${state}`).said;

/** What is done in a clone; returns the text of a version that must be known then. */
type Operation = (
  x: Clone,
  y: Clone,
  run: () => Promise<void>,
) => Promise<string | undefined> | string | undefined;

const mergeArgs = ['merge', '--quiet', '--no-edit', '--allow-unrelated-histories'];
const merge = (x: Clone, ...more: readonly string[]): undefined => {
  git(x, ...mergeArgs, ...more, 'y/main');
  settle(x, 'commit', '--quiet', '--message', 'm');
};

const operationsOf = {
  merge: (x) => merge(x),
  rebase: (x) => {
    git(x, 'rebase', '--quiet', 'y/main');
    settle(x, 'rebase', '--continue');
    return undefined;
  },
  squash: (x) => {
    git(x, 'merge', '--squash', 'y/main');
    return versionIn(x, 'y/main');
  },
  cherryPick: (x) => {
    // A merge has no single change.
    if (git(x, 'rev-parse', '--verify', '--quiet', 'y/main^2').ok) return undefined;
    const added = git(x, 'diff', '-U0', 'y/main~1', 'y/main', '--', state).said;
    git(x, 'cherry-pick', 'y/main');
    settle(x, 'cherry-pick', '--continue');
    const lines = added.split('\n').filter((line) => line.startsWith('+{'));
    const before = namesIn(versionIn(x, 'y/main~1'));
    const isNew = (line: string): boolean => [...namesIn(line).keys()].some((n) => !before.has(n));
    return lines
      .map((line) => line.slice(1))
      .filter(isNew)
      .join('\n');
  },
  stashPop: async (x, _, run) => {
    await run();
    git(x, 'stash', '--quiet');
    merge(x);
    if (!git(x, 'stash', 'pop').ok) git(x, 'stash', 'drop');
    git(x, 'reset', '--quiet');
    return undefined;
  },
  amend: async (x, _, run) => {
    await run();
    git(x, 'add', '--all');
    git(x, 'commit', '--quiet', '--amend', '--no-edit');
    return undefined;
  },
  checkoutFile: (x) => {
    git(x, 'checkout', '--quiet', 'y/main', '--', state);
    return versionIn(x, 'y/main');
  },
  checkoutOlder: (x) => {
    git(x, 'checkout', '--quiet', 'HEAD~1', '--', state);
    return undefined;
  },
  dropbox: (x, y) => {
    copyFileSync(y.file, x.file);
    return readFileSync(y.file, 'utf8');
  },
  remove: (x) => {
    rmSync(x.file, { force: true });
    return undefined;
  },
  markers: (x) => {
    writeFileSync(join(x.folder, '.git', 'info', 'attributes'), '*.jsonl merge=text\n');
    merge(x);
    rmSync(join(x.folder, '.git', 'info', 'attributes'));
    return undefined;
  },
  revert: (x) => {
    git(x, 'revert', '--no-edit', 'HEAD');
    settle(x, 'revert', '--continue');
    return undefined;
  },
  revertOlder: (x) => {
    git(x, 'revert', '--no-edit', 'HEAD~1');
    settle(x, 'revert', '--continue');
    return undefined;
  },
  checkoutCommitted: (x) => {
    git(x, 'checkout', '--quiet', 'y/main', '--', state);
    commitAll(x);
    return undefined;
  },
  ours: (x) => merge(x, '--strategy', 'ours'),
  theirs: (x) => merge(x, '--strategy-option', 'theirs'),
} satisfies Record<string, Operation>;

/** After these, HEAD does not have what the history has. */
const lossy = ['revert', 'revertOlder', 'checkoutCommitted', 'ours', 'theirs'] as const;
const all = Object.keys(operationsOf).filter(
  (name): name is keyof typeof operationsOf => name in operationsOf,
);
const harmless = all.filter((name) => !lossy.some((other) => other === name));

const seed = Number(process.env['SEED'] ?? 20_261_128);
const rounds = Number(process.env['ROUNDS'] ?? 1);
const changes = process.env['ROUNDS'] === undefined ? 4 : 7;

/** Histories of both kinds of clones. */
async function played(how: Knowledge, operations: typeof all): Promise<Counts> {
  const counts: Counts = new Map();
  for (let round = 0; round < rounds; round++) {
    let random = seed + round * 7919;
    const next = (): number => {
      random = (Math.imul(random, 1_103_515_245) + 12_345) & 0x7f_ff_ff_ff;
      return (random >>> 8) / (1 << 23);
    };
    await new History(next, counts, how).play(operations);
  }
  if (process.env['ROUNDS'] !== undefined)
    console.log(how, JSON.stringify(Object.fromEntries([...counts].sort()), null, 1));
  return counts;
}

const faultsIn = (counts: Counts): readonly string[] =>
  [...counts].flatMap(([operation, found]) =>
    Object.keys(found)
      .filter((what) => what !== 'times')
      .map((what) => `${operation}: ${what}`),
  );

const timeout = 3_600_000;

test(
  'with HEAD, no merge, rebase, squash, stash or older file loses a payment',
  async () => {
    expect(faultsIn(await played('head', harmless))).toEqual([]);
  },
  timeout,
);

test(
  'with the history of the file, a revert and a committed checkout do not either',
  async () => {
    expect(faultsIn(await played('history', all))).toEqual([]);
  },
  timeout,
);

test(
  'without it, they do, which is why it is read',
  async () => {
    const faults = faultsIn(await played('head', [...lossy]));
    expect(faults.some((fault) => fault.endsWith(': lost'))).toBe(true);
  },
  timeout,
);
