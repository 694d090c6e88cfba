// Whatever becomes of a state file that lives in git, nothing is paid for twice, and what was paid for comes back. One seed
// is one story: `ROUNDS=300 SEED=1 npx vitest run test/e2e/losses.test.ts` tells many.
import {
  closeSync,
  existsSync,
  openSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, test } from 'vitest';
import { plan } from '../../src/features/plan/plan.ts';
import { repair } from '../../src/features/repair/repair.ts';
import { resolve } from '../../src/features/resolve/resolve.ts';
import type { RunInternals, RunOptions } from '../../src/features/run/run.ts';
import { status } from '../../src/features/status/status.ts';
import { loadPipeline } from '../../src/language/load/load.ts';
import { renderProblem, resultOf } from '../../src/language/load/refusal.ts';
import type { LocalService } from '../../src/service/start.ts';
import { ended, envOf, type Rig, service, type Told, until } from '../rig.ts';
import { git } from './clones.ts';
import {
  Chances,
  contentsIn,
  hashOf,
  headVersion,
  jobsOf,
  losses,
  pipelines,
  receiptFiles,
  repository,
  state,
} from './losing.ts';
import { cutAt, PowerCut } from './power-cut.ts';
import { rerolls } from './taken.ts';

const rounds = Number(process.env['ROUNDS'] ?? 1);
const first = Number(process.env['SEED'] ?? 3);
const seeds = Array.from({ length: rounds }, (_, index) => first + index);

/** How the runs before the loss end, and what becomes of the receipts. */
type Trouble = 'none' | 'kills' | 'receipts';

type Entry = ReturnType<LocalService['ledger']>[number];

/** What was asked for: here, tasks with one name have one request. */
const requestOf = ({ tool, name }: Entry): string =>
  `${tool} ${(name ?? '').replace(/ #[0-9a-z]+$/, '')}`;

const requestsIn = (entries: readonly Entry[]): readonly string[] =>
  entries.filter(({ kind }) => kind === 'charge').map(requestOf);

interface Paid {
  readonly project: string;
  readonly path: string;
  readonly sha256: string;
}

/** One story: it has a service, folders, and what was saved in them before the loss. */
class Story {
  readonly chance: Chances;
  readonly local: LocalService;
  readonly rigs: Rig[];
  readonly saved = new Map<string, Paid>();
  /** The fingerprint of each attempt, by the name that was sent. */
  readonly fingerprints = new Map<string, string>();
  readonly told: string[] = [];
  /** As people run, or with every file here. */
  readonly requireOutputs: boolean;
  /** Git has the outputs, too: what it brings into other folders is in no receipt. */
  readonly commitsOutputs: boolean;

  constructor(chance: Chances, local: LocalService, rig: Rig, commitsOutputs: boolean) {
    this.commitsOutputs = commitsOutputs;
    this.chance = chance;
    this.local = local;
    this.rigs = [rig];
    this.requireOutputs = chance.happens(0.7);
  }

  get here(): Rig {
    const rig = this.rigs.at(-1);
    if (rig === undefined) throw new Error('no folder');
    return rig;
  }

  async note(): Promise<void> {
    for (const { job, name = '', project = '', outputs = [] } of await jobsOf(this.here)) {
      this.fingerprints.set(name, job);
      for (const { path, sha256 } of outputs)
        if (!path.startsWith('out/takes/')) this.saved.set(path, { project, path, sha256 });
    }
  }

  async run(options: RunOptions = {}, internals: RunInternals = {}): Promise<Told> {
    return await this.here.run(
      this.local,
      { requireOutputs: this.requireOutputs, ...options },
      internals,
    );
  }

  lose(loss: string): void {
    const before = this.here;
    this.told.push(loss);
    const after = losses[loss]?.(before, this.chance);
    if (after !== undefined && after !== before) this.rigs.push(after);
  }

  /** To the folder where all began; false if this is it. */
  goesBack(): boolean {
    const [rig] = this.rigs;
    if (rig === undefined || rig === this.here) return false;
    this.told.push('back in the first folder');
    this.rigs.push(rig);
    return true;
  }

  async plans(): Promise<{ readonly credits: number; readonly warnings: readonly string[] }> {
    const planned = await plan(await loadPipeline(this.here.file), {
      env: envOf(this.local),
      requireOutputs: this.requireOutputs,
    });
    return { credits: planned.plan.credits, warnings: planned.warnings };
  }

  /** A refused state file is repaired as the refusal says; one that no repair helps is removed. */
  async cure(): Promise<void> {
    const options = { env: envOf(this.local), requireOutputs: this.requireOutputs };
    const pipeline = await loadPipeline(this.here.file);
    const refused = await resultOf(() => plan(pipeline, options));
    if (refused.ok) return;
    const text = renderProblem(refused.error);
    // A changed byte of the header: the file is another one's, and this pipeline begins one of its own.
    if (text.includes('belongs to')) return rmSync(this.here.path(state));
    expect(this.told.at(-1), text).not.toBe('repaired');
    if (!text.includes('shotlist repair')) throw new Error(`no cure: ${text}`);
    const repaired = await repair(pipeline, { env: envOf(this.local), write: true, accept: true });
    expect(repaired.written).toBeDefined();
    this.told.push('repaired');
    await this.cure();
  }

  /** A person looks up at the service what became of each creation. */
  async settleDoubts(): Promise<number> {
    const found = await resultOf(async () =>
      status(await loadPipeline(this.here.file), { service: this.local.address }),
    );
    if (!found.ok) return 0;
    const env = envOf(this.local);
    for (const { name } of found.value.doubts) {
      // Nobody can look up what has no name: it stays in doubt, and is not bought.
      if (name === undefined || name === '') continue;
      const project = this.local.ledger().find((entry) => entry.name === name)?.project;
      const how =
        typeof project === 'string'
          ? ({ how: 'project', project } as const)
          : ({ how: 'not-charged' } as const);
      const resolved = await resultOf(async () =>
        resolve(await loadPipeline(this.here.file), name, how, { env }),
      );
      if (resolved.ok) continue;
      const refused = renderProblem(resolved.error);
      // A line with a changed fingerprint has the same project: the doubt stays, and is not bought.
      if (!refused.includes(' belongs to ')) throw new Error(refused);
    }
    return found.value.doubts.length;
  }

  async isAlive(project: string): Promise<boolean> {
    const headers = { authorization: `Bearer ${this.local.key}` };
    const answer = await fetch(`${this.local.address}/v1/image-projects/${project}`, { headers });
    if (!answer.ok) return false;
    const body: unknown = await answer.json();
    return (body as { enabled?: unknown }).enabled !== false;
  }
}

/** Runs a pipeline in part or as a whole, in one of the ways in which a run may end. */
async function runsSomehow(
  story: Story,
  trouble: Trouble,
  steps: readonly string[],
): Promise<void> {
  const { chance, local, here } = story;
  const items = chance.happens(0.5) ? chance.of(['p1*', 'p[12]*', 'p[234]*', 'p3*']) : undefined;
  const options: RunOptions = {
    ...(items === undefined ? {} : { items: { only: items } }),
    ...(chance.happens(0.3) ? { until: [chance.of(steps)] } : {}),
  };
  const manner = trouble === 'kills' ? chance.of(['cut', 'cut', 'kill', 'whole']) : 'whole';
  story.told.push(`${manner} run of ${items ?? 'all'} ${options.until ?? ''}`);
  if (manner === 'cut') {
    const when = chance.of(['before', 'after'] as const);
    const cut = cutAt(1 + chance.below(30), when, here.path(state));
    const death = await story.run(options, cut).catch((error: unknown) => error);
    if (death instanceof Error && !(death instanceof PowerCut)) throw death;
    cut.restore();
  } else if (manner === 'kill') {
    const charges = () => requestsIn(local.ledger()).length;
    const child = here.start(['run', 'pipeline.yaml'], envOf(local));
    const after = charges() + 1 + chance.below(4);
    let isOver = false;
    const dead = ended(child).finally(() => {
      isOver = true;
    });
    await until('it has bought some', () => isOver || charges() >= after);
    child.kill('SIGKILL');
    await dead;
  } else await story.run(options);
  await story.note();
}

/** What happens to the database of receipts; the answer undoes a lock. */
function spoil(chance: Chances, told: string[]): () => void {
  const [file = ''] = receiptFiles();
  const how = chance.of(['absent', 'cut', 'log cut', 'read-only', 'locked', 'not a database']);
  told.push(`receipts ${how}`);
  const nothing = (): void => undefined;
  if (file === '') return nothing;
  switch (how) {
    case 'absent':
      for (const one of receiptFiles()) rmSync(one);
      return nothing;
    case 'cut':
      truncateSync(file, chance.below(statSync(file).size));
      return nothing;
    case 'log cut': {
      const log = `${file}-wal`;
      if (existsSync(log)) truncateSync(log, chance.below(statSync(log).size + 1));
      return nothing;
    }
    case 'read-only': {
      // A format that this SQLite may read and not write: permissions do not stop a superuser.
      const open = openSync(file, 'r+');
      writeSync(open, Buffer.of(3), 0, 1, 18);
      closeSync(open);
      return nothing;
    }
    case 'locked': {
      const other = new DatabaseSync(file);
      other.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE;');
      return () => other.close();
    }
    default:
      writeFileSync(file, 'no database');
      return nothing;
  }
}

const counts = { rounds: 0, lost: 0, doubts: 0, back: 0, unknown: 0, unsaid: 0, refused: 0 };

async function tell(seed: number, trouble: Trouble): Promise<void> {
  const chance = new Chances(seed * 31 + trouble.length);
  const name = chance.of(Object.keys(pipelines));
  const [pipeline = '', steps = []] = pipelines[name] ?? [];
  const local = await service({ seed, credits: 100_000 });
  const commitsOutputs = chance.happens(0.25);
  const rig = await repository(pipeline, commitsOutputs);
  const story = new Story(chance, local, rig, commitsOutputs);
  story.told.push(`seed ${seed}: ${name}`);
  try {
    await play(story, trouble, steps);
  } catch (error) {
    if (error instanceof Error) error.message = `${story.told.join(' > ')}: ${error.message}`;
    throw error;
  }
}

async function play(story: Story, trouble: Trouble, steps: readonly string[]): Promise<void> {
  const { chance, told } = story;
  const rig = story.here;
  await runsSomehow(story, trouble, steps);
  if (chance.happens(0.8)) commits(rig, 'A run');
  if (chance.happens(0.3) && trouble === 'none') await rerollsOne(story);
  if (chance.happens(0.6)) {
    if (chance.happens(0.6)) git(rig.folder, 'checkout', '--quiet', '-b', 'other');
    await runsSomehow(story, trouble, steps);
    if (chance.happens(0.5)) commits(rig, 'Another run');
  }
  for (let turns = 1 + chance.below(trouble === 'receipts' ? 1 : 2); turns > 0; turns -= 1) {
    for (let count = 1 + chance.below(3); count > 0; count -= 1)
      story.lose(chance.of(Object.keys(losses)));
    const undo = trouble === 'receipts' ? spoil(chance, told) : () => undefined;
    try {
      await endsWell(story, trouble);
    } finally {
      undo();
    }
    if (chance.happens(0.4) && story.goesBack()) await endsWell(story, trouble);
  }
}

/** A run that was cut may have changed nothing. */
function commits(rig: Rig, message: string): void {
  git(rig.folder, 'add', '--all');
  git(rig.folder, 'commit', '--quiet', '--allow-empty', '--message', message);
}

async function rerollsOne(story: Story): Promise<void> {
  const jobs = await jobsOf(story.here);
  const paid = jobs.find(
    ({ kind, state: is }) => kind !== 'face-detect' && (is === 'complete' || is === 'deleted'),
  );
  const [task] = paid?.tasks.filter((one) => /^(swap|picture):/.test(one)) ?? [];
  if (task === undefined) return;
  story.told.push(`reroll of ${task}`);
  await rerolls(story.here, story.local, [task]);
}

async function endsWell(story: Story, trouble: Trouble): Promise<void> {
  const { local, told } = story;
  await story.cure();
  const before = local.ledger();
  const paid = new Set(requestsIn(before));
  const known = knownPayments(story, trouble);
  const requests = new Set(known.map(requestOf));
  const planned = await story.plans();
  const warnings: string[] = [...planned.warnings];
  const hear = (ran: Told): void => {
    for (const event of ran.events) if (event.type === 'warning') warnings.push(event.message);
  };
  const began = await story.run().catch((error: unknown) => error);
  if (began instanceof Error) {
    // Creations that are in no record close the purse; without any record, files that are in the way are the last hint.
    expect(trouble, began.message).not.toBe('none');
    expect(began.message).toMatch(/shotlist did not make|in no record|lines are missing/);
    expect(local.ledger()).toHaveLength(before.length);
    counts.refused += 1;
    return;
  }
  let ran = began as Told;
  hear(ran);
  const charges = (): readonly string[] => requestsIn(local.ledger().slice(before.length));
  const charged = local
    .ledger()
    .slice(before.length)
    .filter(({ kind }) => kind === 'charge')
    .reduce((sum, { credits }) => sum + credits, 0);
  expect(planned.credits, 'the plan').toBeGreaterThanOrEqual(charged);
  // A plan only reads: damaged receipts are set aside, and what can be read of them is kept, by the run.
  if (charged === 0 && ran.summary.outcome === 'done' && trouble !== 'receipts')
    expect(planned.credits, 'the plan of what is paid').toBe(0);
  // A doubt is resolved by whoever has looked at the service.
  for (let turns = 0; turns < 4 && ran.summary.tasks.doubt > 0; turns += 1) {
    expect(trouble, 'a doubt without a kill').not.toBe('none');
    counts.doubts += await story.settleDoubts();
    ran = await story.run();
    hear(ran);
  }
  const again = charges().filter((name) => paid.has(name));
  const unknown = again.filter((name) => !requests.has(name));
  expect(
    again.filter((name) => requests.has(name)),
    'charged again',
  ).toEqual([]);
  if (unknown.length > 0) {
    counts.unknown += unknown.length;
    if (warnings.length === 0) counts.unsaid += unknown.length;
    if (warnings.length === 0) process.stderr.write(`unsaid: ${told.join(' > ')}\n`);
  }
  counts.rounds += 1;
  counts.lost += ran.summary.tasks.failed;
  // Without receipts, what a line lost is lost to the steps after it as well; the run says so.
  const mayLack = trouble === 'receipts' && ran.summary.outcome !== 'done';
  if (again.length === 0 && !mayLack) await expectResults(story, trouble, known);
  const total = local.ledger().length;
  const last = await story.run();
  expect(last.summary.outcome, 'once more').toBe(ran.summary.outcome);
  expect(local.ledger()).toHaveLength(total);
  if (ran.summary.outcome !== 'done')
    for (const { why } of ran.summary.problems)
      expect(why).toMatch(/deleted|gone|lost|in doubt|did not find|not sent: your receipts/);
}

/** What some record knows now: without the receipts, a line has the payment under its own fingerprint. */
function knownPayments(story: Story, trouble: Trouble): readonly Entry[] {
  const { local, here, fingerprints } = story;
  const all = local.ledger().filter(({ kind }) => kind === 'charge');
  if (trouble !== 'receipts') return all;
  const records = (existsSync(here.path(state)) ? here.read(state) : '') + headVersion(here);
  const lines = records.split('\n');
  return all.filter(({ name, project }) => {
    const job = fingerprints.get(name ?? '') ?? '';
    return lines.some(
      (line) => line.includes(job) && (line.includes(name ?? '?') || line.includes(project ?? '?')),
    );
  });
}

/** Each file that was saved is here if its project or a copy is anywhere. Only receipts know of copies elsewhere. */
async function expectResults(
  story: Story,
  trouble: Trouble,
  known: readonly Entry[],
): Promise<void> {
  const { saved, here, rigs } = story;
  if (!story.requireOutputs) return;
  const contents =
    trouble === 'receipts' || story.commitsOutputs
      ? new Set()
      : contentsIn(rigs.map(({ folder }) => folder));
  const projects = new Set(known.map(({ project }) => project));
  for (const { path, project, sha256 } of saved.values()) {
    if (!projects.has(project)) continue;
    const isHere = existsSync(here.path(path)) && hashOf(here.path(path)) === sha256;
    if (isHere) counts.back += 1;
    if (isHere) continue;
    const alive = await story.isAlive(project);
    expect({ path, alive, copied: contents.has(sha256) }).toEqual({
      ...{ path, alive: false, copied: false },
    });
  }
}

describe('a lost state file costs nothing', () => {
  test.each(seeds)('seed %d: after whole runs', { tags: 'long' }, async (seed) => {
    await tell(seed, 'none');
  });

  test.each(seeds)('seed %d: after runs that were killed', async (seed) => {
    await tell(seed, 'kills');
  });

  test.each(seeds)('seed %d: with damaged receipts, as far as any record knows', async (seed) => {
    await tell(seed, 'receipts');
  });

  afterAll(() => {
    if (process.env['ROUNDS'] !== undefined) process.stderr.write(`${JSON.stringify(counts)}\n`);
  });
});
