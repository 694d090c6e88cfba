// Promise 6: what the plan says is what a run then does. Promises 1 and 3 beside it: nothing is paid twice, and no cap is
// passed. Tried on random pipelines with random histories, selections, caps, faults of the service, lost state files and
// a second pipeline that wants the same. `ROUNDS=20000 SEED=1` for more.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { validate } from '../../src/language/validate.ts';
import type { PlannedAction } from '../../src/plan/planned-action.ts';
import type { TaskEnding } from '../../src/run/run-event.ts';
import type { Fate } from '../fakes/memory-service.ts';
import { type Outcome, PlanWorld } from './plan-world.ts';
import { type Caps, pipelineText, type Round, type Story, stories } from './random-pipelines.ts';

/** How a task of each outlook ends in a run in which nothing goes wrong. */
const endingOf: Readonly<Record<Exclude<PlannedAction, 'maybe'>, TaskEnding>> = {
  begin: 'done',
  attach: 'done',
  copy: 'done',
  store: 'done',
  reuse: 'reused',
  skipped: 'skipped',
  excluded: 'excluded',
  doubt: 'doubt',
  lost: 'failed',
  keep: 'failed',
  defer: 'skipped',
  problem: 'failed',
  blocked: 'blocked',
};

/** What may come between a plan and its run. */
interface Hindrances {
  readonly capped: boolean;
  readonly faults: boolean;
  /** A shared result may be bought again after, or before, another item has looked whether its own file is there. */
  readonly paysAgain: boolean;
}

/** Endings for which a plan is not to blame. */
const hindered = (
  { capped, faults }: Pick<Hindrances, 'capped' | 'faults'>,
  maybeFailed: boolean,
): ReadonlySet<TaskEnding> =>
  new Set([
    // Skipped: a fan-in that leaves out what is missing.
    ...(capped || faults || maybeFailed ? (['pending', 'blocked', 'skipped'] as const) : []),
    ...(faults ? (['failed', 'doubt'] as const) : []),
  ]);

/** True if a task failed of which the plan could not say whether it is wanted: others wait for it. */
const anyMaybeFailed = ({ plannedItems, endings }: Outcome): boolean =>
  plannedItems.plan.rows.some(
    ({ step, tasks }) =>
      (tasks.maybe ?? 0) > 0 &&
      [...endings.values()].some((one) => one.step === step && one.ending === 'failed'),
  );

/**
 * Where a row of the plan and what the run did differ; empty: nowhere. Of two tasks with the same content one does it
 * and the other reuses it: which one is a matter of time, so the two are told apart over all steps of a kind.
 */
function differences(outcome: Outcome, hindrances: Hindrances): readonly string[] {
  const { plannedItems, endings, charged } = outcome;
  const found: string[] = [];
  const excused = hindered(hindrances, anyMaybeFailed(outcome));
  const { paysAgain } = hindrances;
  let uncertain = excused.size > 0;
  const doings = new Map<string, { planned: number; did: number }>();
  for (const { step, kind, tasks, times } of plannedItems.plan.rows) {
    const { maybe: unknown = 0, keep = 0, ...certain } = tasks;
    // A project that is kept for the sake of one item may have been deleted by another before, which has the same content.
    const maybe = unknown + keep;
    // Of a fan-out whose list only the run knows, the plan has one task for all elements.
    if (times?.open === true) {
      uncertain = true;
      continue;
    }
    // Of a step that is left out and depends on what an earlier one finds, nobody knows whether it is skipped or reused.
    const excluded = tasks.excluded ?? 0;
    uncertain ||= maybe + excluded > 0;
    const planned = new Map<TaskEnding, number>();
    const doing = doings.get(kind) ?? { planned: 0, did: 0 };
    doings.set(kind, doing);
    for (const [action, count] of Object.entries(certain)) {
      const ending = endingOf[action as Exclude<PlannedAction, 'maybe'>];
      if (ending === 'done') doing.planned += count;
      const shown = ending === 'reused' ? 'done' : ending;
      planned.set(shown, (planned.get(shown) ?? 0) + count);
    }
    const did = new Map<TaskEnding, number>();
    for (const one of endings.values()) {
      if (one.step !== step) continue;
      if (one.ending === 'done') doing.did += 1;
      const shown = one.ending === 'reused' ? 'done' : one.ending;
      did.set(shown, (did.get(shown) ?? 0) + 1);
    }
    for (const ending of new Set([...planned.keys(), ...did.keys()])) {
      // What would be blocked, and the run excludes, is excluded.
      if (excused.has(ending === 'excluded' ? 'blocked' : ending)) continue;
      const [said, done] = [planned.get(ending) ?? 0, did.get(ending) ?? 0];
      // A cap keeps whole items out, and a failure whole fan-outs, of which the run then tells nothing.
      const fewest = ending === 'excluded' || excused.size > 0 ? 0 : said;
      const free = maybe + (['excluded', 'skipped', 'done'].includes(ending) ? excluded : 0);
      if (done < fewest || done > said + free)
        found.push(`${step}: the plan says ${said} (+${free}) ${ending}, the run had ${done}`);
    }
  }
  for (const [kind, { planned, did }] of doings)
    if (!uncertain && planned !== did && !(paysAgain && kind === 'download'))
      found.push(`${kind}: the plan does ${planned}, the run did ${did}`);
  const { credits, uncounted } = plannedItems.plan;
  if (uncounted === 0 && charged > credits)
    found.push(`the plan says at most ${credits} credits, the run took ${charged}`);
  if (!uncertain && charged !== credits)
    found.push(`the plan says ${credits} credits, the run took ${charged}`);
  return found;
}

/** What a run must never do, whatever is planned and whatever happens. */
class Watch {
  readonly #world: PlanWorld;
  readonly #caps: Caps;
  #mostPaid = 1;
  /** Credits by state file and day. */
  readonly #days = new Map<string, number>();

  constructor(world: PlanWorld, caps: Caps) {
    this.#world = world;
    this.#caps = caps;
  }

  /** `began`: epoch milliseconds. `payAgain`: the run may pay once more for what is lost. */
  wrongs({ charged }: Outcome, began: number, payAgain = false): readonly string[] {
    if (payAgain) this.#mostPaid += 1;
    const { run, item, day } = this.#caps;
    const { creations, service, record } = this.#world;
    const found: string[] = [];
    if (run !== null && charged > run) found.push(`a run with ${run} credits took ${charged}`);
    const key = `${record} ${new Date(began).toISOString().slice(0, 10)}`;
    const spent = (this.#days.get(key) ?? 0) + charged;
    this.#days.set(key, spent);
    if (day !== null && spent > day) found.push(`a day with ${day} credits took ${spent}`);
    const [paid, items] = [new Map<string, number>(), new Map<string, number>()];
    for (const { body, credits, fate } of service.projects.values()) {
      const creation = creations.get(String(body['name']));
      if (creation === undefined) found.push(`${body['name']} was sent without an intent`);
      if (creation === undefined || fate === 'error') continue;
      paid.set(creation.job, (paid.get(creation.job) ?? 0) + 1);
      const of = itemOf(creation.task);
      const owner = `${creation.record} ${creation.edits} ${of}`;
      if (of !== undefined) items.set(owner, (items.get(owner) ?? 0) + credits);
    }
    for (const [job, times] of paid)
      if (times > this.#mostPaid) found.push(`${job} was paid ${times} times`);
    for (const [owner, credits] of items)
      if (item !== null && credits > item)
        found.push(`an item with ${item} took ${credits} (${owner})`);
    return found;
  }

  /** Promise 3: under a cap, an item begins only if all that it still needs fits. For a run without trouble. */
  unfinished({ endings }: Outcome): readonly string[] {
    const { creations, runs } = this.#world;
    const begun = new Set<string>();
    for (const { task, run } of creations.values()) if (run === runs) begun.add(itemOf(task) ?? '');
    return [...endings].flatMap(([task, { ending }]) => {
      const item = itemOf(task);
      return ending === 'pending' && item !== undefined && begun.has(item)
        ? [`${item} was begun, and ${task} has to wait`]
        : [];
    });
  }
}

const itemOf = (task: string): string | undefined => /:(k\d)/.exec(task)?.[1];

/** How many stories were told to the end, so that the property cannot pass by trying nothing. */
const told = { all: 0, capped: 0, faults: 0, receipts: 0 };

async function tell(story: Story): Promise<void> {
  const text = pipelineText(story);
  const validated = validate('p.yaml', text);
  if (!validated.ok) return;
  const receipts = story.receipts ? mkdtempSync(join(tmpdir(), 'shotlist-story-')) : undefined;
  try {
    await tellIn(new PlanWorld(validated.value.pipeline, receipts), story, text);
  } finally {
    if (receipts !== undefined) rmSync(receipts, { recursive: true });
  }
}

async function tellIn(world: PlanWorld, story: Story, text: string): Promise<void> {
  const { caps, rounds, last } = story;
  const watch = new Watch(world, caps);
  /** What became of the creations of this run. */
  const drawn: Fate[] = [];
  const play = async ({
    fates,
    selection,
  }: Round): Promise<readonly [Outcome, readonly string[]]> => {
    drawn.length = 0;
    world.service.fate = () => {
      const fate = fates[drawn.length] ?? 'fine';
      drawn.push(fate);
      return fate;
    };
    const began = world.clock.now();
    const outcome = await world.run(selection, caps.run ?? undefined);
    return [outcome, watch.wrongs(outcome, began, selection.payAgain)];
  };
  for (const round of rounds) {
    const [outcome, wrongs] = await play(round);
    if (wrongs.length > 0) throw failure(wrongs, outcome, text);
    for (const mutation of round.after) world.change(mutation);
  }
  for (const made of world.service.projects.values())
    if (made.fate === 'endless') made.fate = 'fine';
  const [outcome, wrongs] = await play(last);
  if (outcome.plannedItems.problems.length > 0) return;
  const { capped } = outcome;
  const paysAgain = last.selection.payAgain === true;
  const faults = drawn.some((fate) => fate !== 'fine');
  told.all += 1;
  if (capped) told.capped += 1;
  if (faults) told.faults += 1;
  if (story.receipts) told.receipts += 1;
  const isCertain = !faults && outcome.plannedItems.plan.uncounted === 0;
  const unfinished = isCertain ? watch.unfinished(outcome) : [];
  const found = [...wrongs, ...unfinished, ...differences(outcome, { capped, faults, paysAgain })];
  if (found.length > 0) throw failure(found, outcome, text);
}

function failure(
  found: readonly string[],
  { endings, plannedItems }: Outcome,
  text: string,
): Error {
  const did = [...endings].map(
    ([task, { ending, why }]) => `${task}: ${ending}${why === '' ? '' : ` (${why})`}`,
  );
  return new Error([...found, ...did, JSON.stringify(plannedItems.plan.rows), text].join('\n'));
}

const seed = Number(process.env['SEED'] ?? 20261122);
const rounds = Number(process.env['ROUNDS'] ?? 150);

interface Found {
  readonly what: string;
  readonly story: Story;
}

/** What the property found once, each shrunk to one line. */
const found: readonly Found[] = readFileSync(
  new URL('../fixtures/found-stories.jsonl', import.meta.url),
  'utf8',
)
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line));

for (const { what, story } of found)
  test(what, async () => {
    const before = told.all;
    await tell(story);
    expect(told.all).toBe(before + 1);
  });

test(`each row of the plan is what a run then does (seed ${seed})`, {
  timeout: 3_600_000,
}, async () => {
  await fc.assert(fc.asyncProperty(stories, tell), { numRuns: rounds, seed });
  if (process.env['ROUNDS'] !== undefined) console.log(JSON.stringify(told));
  expect(told.all).toBeGreaterThan(rounds / 4);
  for (const some of [told.capped, told.faults, told.receipts])
    expect(some).toBeGreaterThan(rounds / 80);
});
