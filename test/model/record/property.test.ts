// The join of lines: whatever three machines do with a job, in whatever order their lines meet, nothing that one of them knows
// is lost. Many: ROUNDS=240000 SEED=1 npx vitest run test/model/record/property.test.ts
import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { chanceOf } from '../../../src/base/chance.ts';
import { creditsOf, current, isClash, isOver } from '../../../src/model/record/job.ts';
import { joined, outputKey } from '../../../src/model/record/join.ts';
import { type Attempt, type Job, lineText, parseLine } from '../../../src/model/record/line.ts';
import { attemptStates } from '../../../src/model/record/schemas.ts';
import { type History, historyOf, type Truth } from './histories.ts';

const rounds = Number(process.env['ROUNDS'] ?? 1500);
const seed = Number(process.env['SEED'] ?? 1);

test('A join loses nothing, and its order does not matter', () => {
  const met = new Set<string>();
  for (let round = 0; round < rounds; round++) {
    const history = historyOf(chanceOf(seed, round));
    const wrong = problemsOf(history);
    if (wrong.length > 0)
      expect(wrong, [`round ${round}`, ...history.sides.map(lineText)].join('\n')).toEqual([]);
    const [a, b, c] = history.sides;
    met.add(current(joined(joined(a, b), c))?.state ?? 'none');
  }
  // Whatever can count is met: what has failed does only where two projects are named for it.
  const most = ['complete', 'created', 'deleted', 'doubt', 'intended', 'none'];
  expect([...met]).toEqual(expect.arrayContaining(most));
});

/** What is wrong. */
function problemsOf({ sides, truth, undone }: History): readonly string[] {
  const [a, b, c] = sides;
  const whole = joined(joined(a, b), c);
  const laws: readonly (readonly [string, boolean])[] = [
    ['it is not idempotent', isDeepStrictEqual(joined(a, structuredClone(a)), a)],
    ['it is not commutative', isDeepStrictEqual(joined(a, b), joined(b, a))],
    ['it is not associative', isDeepStrictEqual(whole, joined(a, joined(b, c)))],
    ['a side undoes it', sides.every((side) => isDeepStrictEqual(joined(side, whole), whole))],
    ['a line is not read as it is written', isReadBack(a)],
  ];
  return [
    ...laws.filter(([, holds]) => !holds).map(([law]) => law),
    ...undone.map(({ move }) => `"${move}" is undone by the line before it`),
    ...whole.attempts.flatMap((attempt) => lossesOf(attempt, whole, sides, truth)),
    ...lossesOfJob(whole, sides),
  ];
}

function isReadBack(job: Job): boolean {
  const read = parseLine(lineText(job));
  return read.ok && 'job' in read.value && lineText(read.value) === lineText(job);
}

/** What the join no longer knows of an attempt. */
function lossesOf(
  attempt: Attempt,
  whole: Job,
  sides: readonly Job[],
  truth: ReadonlyMap<string, Truth>,
): readonly string[] {
  const { name, project, charge, adopted } = attempt;
  const lost = new Set<string>();
  const known = sides.flatMap(({ attempts }) => attempts.filter((one) => one.name === name));
  const ids = new Set([project, ...(attempt.clash ?? [])]);
  for (const one of known) {
    if (one.project !== undefined && !ids.has(one.project)) lost.add('a project');
    if (one.clash?.some((id) => !ids.has(id))) lost.add('a project of a clash');
    if (one.charge !== undefined && !(charge && charge.read >= one.charge.read))
      lost.add('a later reading');
    if (one.adopted === undefined && adopted) lost.add('a payment of its own');
    if (rank(one) > rank(attempt)) lost.add('a state');
    for (const mark of marks)
      if (one[mark] !== undefined && attempt[mark] === undefined) lost.add(mark);
    if (one.result !== undefined && !isDeepStrictEqual(one.result, attempt.result))
      lost.add('a result');
    if (isLiving(one) && isOver(attempt) && !mayEnd(one, attempt)) lost.add('what lives');
  }
  if (truth.get(name)?.isOwed && attempt.to === undefined && !isSaved(attempt, whole, truth))
    lost.add('an owed destination');
  if (charge !== undefined && known.every((one) => one.charge === undefined))
    lost.add('where the charge comes from');
  const isCounted = (one: Attempt): boolean =>
    one.adopted === undefined && one.charge !== undefined && one.charge.read === charge?.read;
  if (
    charge !== undefined &&
    charge.credits > 0 &&
    known.some(isCounted) &&
    !(creditsOf(attempt) > 0)
  )
    lost.add('a credit');
  return [...lost].map((what) => `${name}: ${what} is lost`);
}

const marks = [
  'forgotten',
  'gaveUp',
  'notCharged',
  'accepted',
  'gone',
  'missing',
  'settled',
] as const;

const rank = ({ state }: Attempt): number => attemptStates.indexOf(state);

/** Paid, as far as one side knows, and something may come of it. */
const isLiving = (attempt: Attempt): boolean =>
  !isOver(attempt) && attempt.state !== 'intended' && attempt.state !== 'doubt';

const mayEnd = (one: Attempt, attempt: Attempt): boolean =>
  attempt.forgotten !== undefined ||
  attempt.gaveUp !== undefined ||
  (isClash(one) && attempt.settled !== undefined) ||
  (one.state === 'created' && attempt.state === 'failed');

/** All files of it are recorded. */
function isSaved({ name }: Attempt, { outputs }: Job, truth: ReadonlyMap<string, Truth>): boolean {
  const count = truth.get(name)?.downloads ?? 0;
  const saved = outputs.filter(({ of }) => of === name).map(({ index }) => index);
  return Array.from({ length: count }, (_, index) => index).every((index) => saved.includes(index));
}

function lossesOfJob(whole: Job, sides: readonly Job[]): readonly string[] {
  const lost = new Set<string>();
  const namesOf = (jobs: readonly Job[]): readonly string[] => {
    const own = jobs.flatMap(({ attempts }) => attempts.filter(({ adopted }) => !adopted));
    return [...new Set(own.map(({ name }) => name))].sort();
  };
  if (!isDeepStrictEqual(namesOf([whole]), namesOf(sides))) lost.add('an attempt of its own');
  if (current(whole) === undefined) {
    if (whole.attempts.some((attempt) => !isOver(attempt))) lost.add('what lives');
    if (whole.attempts.some(({ state }) => state === 'complete')) lost.add('what is complete');
  }
  for (const { outputs, tasks, picked, take } of sides) {
    for (const output of outputs) {
      const kept = whole.outputs.find((one) => outputKey(one) === outputKey(output));
      if (kept === undefined) lost.add('an output');
      if (output.stored !== undefined && kept?.stored === undefined) lost.add('a place in a store');
      if (kept !== undefined && kept.at < output.at) lost.add('a later output');
    }
    if (tasks.some((task) => !whole.tasks.includes(task))) lost.add('a task');
    if (picked !== undefined && !(whole.picked && whole.picked.at >= picked.at))
      lost.add('a later pick');
    if (take !== undefined && whole.take === undefined) lost.add('a take');
  }
  return [...lost].map((what) => `${what} is lost`);
}
