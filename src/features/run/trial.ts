// shotlist run --first n: runs a few items, shows what they became and what the rest will cost, and asks before it goes on.
import { count, table } from '../../base/text.ts';
import { boundPipeline } from '../../language/load/bound-pipeline.ts';
import type { LoadedPipeline } from '../../language/load/loaded-pipeline.ts';
import { resultOf } from '../../language/load/refusal.ts';
import { fannedOutIn, itemOf } from '../../model/task.ts';
import { realClock } from '../../run/clock.ts';
import { type LocateOptions, locateState } from '../../state/locate-state.ts';
import { filterOf } from '../../terminal/flags.ts';
import { canAsk, isYes } from '../../terminal/question.ts';
import { print, printJson } from '../../terminal/terminal.ts';
import { pipelineFor } from '../command.ts';
import { commandLines } from '../command-line.ts';
import { openState } from '../open-state.ts';
import { plan } from '../plan/plan.ts';
import { asRun, performCommand, type RunFlags } from './perform-command.ts';
import { type Ran, type RunOptions, run } from './run.ts';

export async function trialCommand(
  file: string,
  flags: RunFlags,
  first: number,
  yes: boolean,
  asking: Pick<RunOptions, 'confirm' | 'confirmAbove'>,
): Promise<number> {
  const json = flags.json === true;
  const whole = (more: Partial<RunOptions>, ifNo?: () => number): Promise<number> =>
    performCommand(file, flags, {
      ...asRun(ifNo),
      operate: (pipeline, options) => run(pipeline, { ...options, ...more }),
    });
  const pipeline = await pipelineFor(file, flags);
  const { itemsToDo, budget } = await plan(pipeline, { ...flags, items: filterOf(flags) });
  const keys = itemsToDo.first.slice(0, first);
  // Nothing would be left to ask about.
  if (itemsToDo.count === keys.length) return await whole(asking);
  let ran: Ran | undefined;
  let continuing = '';
  const code = await performCommand(file, flags, {
    ...asRun(),
    operate: async (pipeline, options = {}) => {
      const items = { ...options.items, keys: new Set(keys) };
      ran = await run(pipeline, { ...options, ...asking, items });
      continuing = commandLines(pipeline, flags, ran.rehearsal).line('run');
      return ran;
    },
  });
  if (ran === undefined) return code;
  const trial = await trialOf(file, flags, ran, keys);
  if (json) printJson({ type: 'canary', ...trial });
  else print(trialText(trial));
  const stay = (): number => {
    if (!json) print(`To continue with the rest: ${continuing}`);
    return code;
  };
  const asks = !json && canAsk();
  if (ran.summary.outcome !== 'done' || !(yes || asks)) return stay();
  // Runs with one id share their budget anyway.
  const isShared = budget === undefined || flags.runId !== undefined;
  const left = { budget: isShared ? undefined : Math.max(0, budget - trial.credits) };
  if (yes) return await whole(left);
  const ask = (): Promise<boolean> => isYes(question(trial, left.budget));
  // A rehearsal buys nothing, so the run itself would not ask.
  if (ran.rehearsal) return (await ask()) ? await whole(left) : stay();
  return await whole({ ...left, confirm: ask, confirmAbove: 0 }, stay);
}

const question = ({ rest, projected }: TrialRun, budget = Infinity): string =>
  `Buy up to ${count(Math.min(projected, budget), 'credit')} for the other ${count(rest, 'item')}?`;

/** What the first items became, and what the rest may cost by a plan that knows what the first were charged. */
async function trialOf(
  file: string,
  flags: RunFlags,
  { rehearsal, summary }: Ran,
  keys: readonly string[],
): Promise<TrialRun> {
  const places = { ...flags, rehearse: rehearsal, hosted: !rehearsal };
  const pipeline = await pipelineFor(file, flags);
  const saved = await resultOf(() => savedBy(pipeline, places, keys));
  const planned = await plan(pipeline, { ...places, items: filterOf(flags) });
  const { charged, refunded } = summary.credits;
  return {
    items: saved.ok ? saved.value : [],
    credits: charged - refunded,
    rest: planned.itemsToDo.count,
    projected: planned.plan.credits,
  };
}

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

const maxShown = 20;

function trialText({ items, credits, rest, projected }: TrialRun): string {
  const rows = items
    .slice(0, maxShown)
    .map(({ item, files }) => [item, '→', files.join(', ') || 'nothing saved']);
  const each = Math.round((credits / Math.max(1, items.length)) * 100) / 100;
  return [
    `The first ${count(items.length, 'item')}:`,
    table(rows),
    ...(items.length > maxShown ? [`  and ${items.length - maxShown} more`] : []),
    `They cost ${count(credits, 'credit')}, ${each} each. The other ${count(rest, 'item')} may cost up to ${count(projected, 'credit')}.`,
  ].join('\n');
}

interface SavedItem {
  /** The key. */
  readonly item: string;
  /** Relative to the pipeline file. */
  readonly files: readonly string[];
}

/** Sends and writes nothing. */
async function savedBy(
  loaded: LoadedPipeline,
  options: LocateOptions,
  items: readonly string[],
): Promise<readonly SavedItem[]> {
  const bound = boundPipeline(loaded);
  const { paths } = locateState(bound, options);
  const onWarning = (): void => undefined;
  await using open = await openState(bound, paths, 'read', {
    clock: realClock,
    onWarning,
    env: undefined,
  });
  const isFannedOut = fannedOutIn(bound.pipeline.steps);
  const files = new Map<string, Set<string>>(items.map((item) => [item, new Set()]));
  for (const { outputs = [] } of open.state.ledger.jobs())
    for (const { task, path } of outputs)
      files.get(itemOf(task, isFannedOut(task)) ?? '')?.add(path);
  return [...files].map(([item, paths]) => ({ item, files: [...paths].sort() }));
}
