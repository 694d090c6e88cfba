// shotlist run --first n: runs a few items, shows what they became and what the rest will cost, and asks before it goes on.

import { count, table } from '../../base/text.ts';
import { resultOf } from '../../language/load/refusal.ts';
import { exitCodes } from '../../terminal/exit-code.ts';
import { filterOf } from '../../terminal/flags.ts';
import { canAsk, isYes } from '../../terminal/question.ts';
import { fail, print, printJson } from '../../terminal/terminal.ts';
import { withPipeline } from '../command.ts';
import { commandLines } from '../command-line.ts';
import { plan } from '../plan/plan.ts';
import { type Ran, type RunOptions, run } from './run.ts';
import { type Manner, performCommand, type RunFlags } from './run-and-report.ts';
import { savedBy } from './saved-by.ts';

interface TrialTerms {
  readonly first: number;
  readonly yes: boolean | undefined;
  readonly asking: Pick<RunOptions, 'confirm' | 'confirmAbove'>;
}

/** `ifNo`: when the answer is no. */
export const mannerOf = (
  ifNo: () => number = () => exitCodes.interrupted,
): Pick<Manner, 'shows' | 'onProblem'> => ({
  shows: () => true,
  onProblem: (problem, json) => {
    if (problem.declined !== true) return fail(problem, json);
    print('Nothing was bought.');
    return ifNo();
  },
});

export async function trialCommand(
  file: string,
  flags: RunFlags,
  { first, yes, asking }: TrialTerms,
): Promise<number> {
  const json = flags.json === true;
  const whole = (more: Partial<RunOptions>, ifNo?: () => number): Promise<number> =>
    performCommand(file, flags, {
      ...mannerOf(ifNo),
      operate: (pipeline, options) => run(pipeline, { ...options, ...more }),
    });
  const chosen = await choose(file, flags, first);
  if (typeof chosen === 'number') return chosen;
  const { keys, rest, budget } = chosen;
  // Nothing would be left to ask about.
  if (rest === 0) return await whole(asking);
  let ran: Ran | undefined;
  let continuing = '';
  const code = await performCommand(file, flags, {
    ...mannerOf(),
    operate: async (pipeline, options = {}) => {
      const items = { ...options.items, keys: new Set(keys) };
      ran = await run(pipeline, { ...options, ...asking, items });
      continuing = commandLines(pipeline, flags, ran.rehearsal).line('run');
      return ran;
    },
  });
  if (ran === undefined) return code;
  const trial = await look(file, flags, { ran, keys });
  if (json) printJson({ type: 'canary', ...trial });
  else print(trialText(trial));
  const stay = (): number => {
    if (!json) print(`To continue with the rest: ${continuing}`);
    return code;
  };
  const asks = !json && canAsk();
  if (ran.summary.outcome !== 'done' || !(yes === true || asks)) return stay();
  // Runs with one id share their budget anyway.
  const left =
    budget === undefined || flags.runId !== undefined
      ? { budget: undefined }
      : { budget: Math.max(0, budget - trial.credits) };
  const ask = (): Promise<boolean> => isYes(question(trial, left.budget));
  if (yes === true) return await whole(left);
  // A rehearsal buys nothing, so the run itself would not ask.
  if (ran.rehearsal) return (await ask()) ? await whole(left) : stay();
  return await whole({ ...left, confirm: ask, confirmAbove: 0 }, stay);
}

const question = ({ rest, projected }: TrialRun, budget = Infinity): string =>
  `Buy up to ${count(Math.min(projected, budget), 'credit')} for the other ${count(rest, 'item')}?`;

interface Chosen {
  readonly keys: readonly string[];
  /** The items with something to do that are left for later. */
  readonly rest: number;
  readonly budget: number | undefined;
}

/** The first items with something to do; the exit code if a run would not begin. */
async function choose(file: string, flags: RunFlags, first: number): Promise<Chosen | number> {
  let chosen: Chosen | undefined;
  const code = await withPipeline(file, flags, async (pipeline) => {
    const { itemsToDo, budget } = await plan(pipeline, { ...flags, items: filterOf(flags) });
    const keys = itemsToDo.first.slice(0, first);
    chosen = { keys, rest: itemsToDo.count - keys.length, budget };
    return exitCodes.done;
  });
  return chosen ?? code;
}

interface Looked {
  readonly ran: Ran;
  readonly keys: readonly string[];
}

/** What the first items became, and what the rest may cost by a plan that knows what the first were charged. */
async function look(file: string, flags: RunFlags, { ran, keys }: Looked): Promise<TrialRun> {
  let saved: TrialRun['items'] = [];
  let [rest, projected] = [0, 0];
  await withPipeline(file, flags, async (pipeline) => {
    const places = { ...flags, rehearse: ran.rehearsal, hosted: !ran.rehearsal };
    const found = await resultOf(() => savedBy(pipeline, places, keys));
    if (found.ok) saved = found.value;
    const planned = await plan(pipeline, { ...places, items: filterOf(flags) });
    rest = planned.itemsToDo.count;
    projected = planned.plan.credits;
    return exitCodes.done;
  });
  const { charged, refunded } = ran.summary.credits;
  return { items: saved, credits: charged - refunded, rest, projected };
}

// What the first items of a run became, and what the others will cost.

interface TrialRun {
  /** The items, and the files that were saved for each, relative to the pipeline file. */
  readonly items: readonly { readonly item: string; readonly files: readonly string[] }[];
  /** What they were charged, without refunds. */
  readonly credits: number;
  /** The items that are left. */
  readonly rest: number;
  /** The most that those may cost, by the plan. */
  readonly projected: number;
}

/** The most items to show. */
const most = 20;

function trialText({ items, credits, rest, projected }: TrialRun): string {
  const rows = items
    .slice(0, most)
    .map(({ item, files }) => [item, '→', files.join(', ') || 'nothing saved']);
  const each = Math.round((credits / Math.max(1, items.length)) * 100) / 100;
  return [
    `The first ${count(items.length, 'item')}:`,
    table(rows),
    ...(items.length > most ? [`  and ${items.length - most} more`] : []),
    `They cost ${count(credits, 'credit')}, ${each} each. The other ${count(rest, 'item')} may cost up to ${count(projected, 'credit')}.`,
  ].join('\n');
}
