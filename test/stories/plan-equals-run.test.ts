// Promise 6: what the plan says is what a run then does. Promises 1, 2 and 3 beside it: nothing is paid twice, no project is
// deleted whose files are not all saved, no cap is passed. Tried on random pipelines with random histories, selections, caps,
// faults of the service and the disk, kills, lost state files, and a second pipeline that wants the same. `ROUNDS=20000 SEED=1`
// for more. `TALLY=1` with them sorts what is wrong by kind, with the places of the stories and the first of each kind, and
// shrinks nothing.
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PlanRow, TaskEnding } from '../../src/index.ts';
import { type Story, stories, storiesOfTwo } from './random-pipelines.ts';
import { itemOf, type Outcome, Telling } from './telling.ts';

type PlannedAction = keyof PlanRow['tasks'];

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
const anyMaybeFailed = ({ planned, told }: Outcome): boolean =>
  planned.plan.rows.some(
    ({ step, tasks }) =>
      (tasks.maybe ?? 0) > 0 &&
      [...told.ends.values()].some((one) => one.step === step && one.ending === 'failed'),
  );

/**
 * Where a row of the plan and what the run did differ; empty: nowhere. Of two tasks with the same content one does it
 * and the other reuses it: which one is a matter of time, so the two are told apart over all steps of a kind.
 */
function differences(outcome: Outcome, hindrances: Hindrances): readonly string[] {
  const { planned: foretold, told } = outcome;
  const { ends, charged } = told;
  const found: string[] = [];
  const excused = hindered(hindrances, anyMaybeFailed(outcome));
  const { paysAgain } = hindrances;
  let uncertain = excused.size > 0;
  const doings = new Map<string, { planned: number; did: number }>();
  for (const { step, kind, tasks, times } of foretold.plan.rows) {
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
    for (const one of ends.values()) {
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
  const { credits, uncounted } = foretold.plan;
  const { dearer } = outcome;
  if (uncounted === 0 && !dearer && charged > credits)
    found.push(`the plan says at most ${credits} credits, the run took ${charged}`);
  if (!uncertain && !dearer && charged !== credits)
    found.push(`the plan says ${credits} credits, the run took ${charged}`);
  return found;
}

/** Promise 3: under a cap, an item begins only if all that it still needs fits. For a run without trouble. */
const unfinished = ({ begun, told }: Outcome): readonly string[] => {
  const items = new Set([...begun].map((task) => itemOf(task) ?? ''));
  return [...told.ends].flatMap(([task, { ending }]) => {
    const item = itemOf(task);
    return ending === 'pending' && item !== undefined && items.has(item)
      ? [`${item} was begun, and ${task} has to wait`]
      : [];
  });
};

/** How many stories were told to the end, so that the property cannot pass by trying nothing. */
const counts = { all: 0, compared: 0, capped: 0, faults: 0, receipts: 0, killed: 0, again: 0 };

async function tell(story: Story): Promise<void> {
  using telling = await Telling.of(story);
  if (telling === undefined) return;
  for (const round of story.rounds) {
    await telling.play(round);
    if (telling.wrongs.length > 0) throw failure(telling.wrongs, undefined, telling);
  }
  const outcome = await telling.end(story.last);
  if (outcome === undefined) {
    if (telling.wrongs.length > 0) throw failure(telling.wrongs, outcome, telling);
    return;
  }
  const { capped, faults, planned, told } = outcome;
  counts.all += 1;
  if (capped) counts.capped += 1;
  if (faults) counts.faults += 1;
  if (story.receipts) counts.receipts += 1;
  if (telling.killed > 0) counts.killed += 1;
  const isCertain = !faults && planned.plan.uncounted === 0 && story.loose !== true;
  const paysAgain = story.last.selection.payAgain === true;
  const found = [...telling.wrongs, ...(isCertain ? unfinished(outcome) : [])];
  if (story.loose !== true) {
    counts.compared += 1;
    found.push(...differences(outcome, { capped, faults, paysAgain }));
  }
  if (found.length > 0) throw failure(found, outcome, telling);
  // What an exclusion left out may begin, because another step has done the same meanwhile.
  const isWhole = [...told.ends.values()].every(({ ending }) => ending !== 'excluded');
  if (told.outcome !== 'done' || faults || !isWhole) return;
  counts.again += 1;
  await telling.again(story.last);
  if (telling.wrongs.length > 0) throw failure(telling.wrongs, outcome, telling);
}

function failure(found: readonly string[], outcome: Outcome | undefined, { text }: Telling): Error {
  const did = [...(outcome?.told.ends ?? [])].map(
    ([task, { ending, why }]) => `${task}: ${ending}${why === '' ? '' : ` (${why})`}`,
  );
  return new Error([...found, ...did, JSON.stringify(outcome?.planned.plan.rows), text].join('\n'));
}

const seed = Number(process.env['SEED'] ?? 20261122);
const rounds = Number(process.env['ROUNDS'] ?? 60);

/** Empty if nothing is wrong. */
async function tally(told: fc.Arbitrary<Story>): Promise<string> {
  const kinds = new Map<string, { readonly places: number[]; readonly first: string }>();
  for (const [place, story] of fc.sample(told, { numRuns: rounds, seed }).entries())
    await tell(story).catch((error: unknown) => {
      const text = String(error);
      const kind = text.split('\n', 1).join('').replaceAll(/\d+/g, 'n');
      const known = kinds.get(kind) ?? { places: [], first: `${text}\n${JSON.stringify(story)}` };
      known.places.push(place);
      kinds.set(kind, known);
    });
  return [...kinds]
    .map(([kind, { places, first }]) => `${places.length} × ${kind}: ${places.join(' ')}\n${first}`)
    .join('\n\n');
}

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

test.each(found)('$what', async ({ story }) => {
  const before = counts.all;
  await tell(story);
  expect(counts.all).toBe(before + 1);
});

test.each([
  ['each row of the plan is what a run then does', stories],
  ['and after runs of two pipelines at the same time', storiesOfTwo],
] as const)(`%s (seed ${seed})`, { timeout: 3_600_000 }, async (_, told) => {
  for (const what of Object.keys(counts) as (keyof typeof counts)[]) counts[what] = 0;
  if (process.env['TALLY'] === undefined)
    await fc.assert(fc.asyncProperty(told, tell), { numRuns: rounds, seed });
  else expect(await tally(told)).toBe('');
  if (process.env['ROUNDS'] !== undefined) console.log(JSON.stringify(counts));
  expect(counts.all).toBeGreaterThan(rounds / 4);
  for (const some of Object.values(counts)) expect(some).toBeGreaterThan(rounds / 80);
});
