// shotlist run --first n: runs a few items, shows what they became and what the rest will cost, and asks before it goes on.
import { plan } from '../operations/plan.ts';
import { type Ran, type RunOptions, run } from '../operations/run.ts';
import { savedBy } from '../operations/saved-by.ts';
import { type Canary, canaryText } from '../report/canary-text.ts';
import { withPipeline } from './command.ts';
import { commandLine } from './command-line.ts';
import { exitCodes } from './exit-code.ts';
import { filterOf } from './options.ts';
import { canAsk, isYes } from './question.ts';
import { type Manner, performCommand, type RunFlags } from './run.ts';
import { fail, print, printJson } from './terminal.ts';

interface CanaryTerms {
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

export async function canaryCommand(
  file: string,
  flags: RunFlags,
  { first, yes, asking }: CanaryTerms,
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
  const code = await performCommand(file, flags, {
    ...mannerOf(),
    operate: async (pipeline, options = {}) => {
      const items = { ...options.items, keys: new Set(keys) };
      const result = await run(pipeline, { ...options, ...asking, items });
      if (result.ok) ran = result.value;
      return result;
    },
  });
  if (ran === undefined) return code;
  const canary = await look(file, flags, { ran, keys, rest });
  if (json) printJson({ type: 'canary', ...canary });
  else print(canaryText(canary));
  const stay = (): number => {
    if (!json) print(`To continue with the rest: ${commandLine('run', file, flags)}`);
    return code;
  };
  const asks = !json && canAsk();
  if (ran.summary.outcome !== 'done' || !(yes === true || asks)) return stay();
  // Runs with one id share their budget anyway.
  const left =
    budget === undefined || flags.runId !== undefined
      ? {}
      : { budget: Math.max(0, budget - canary.credits) };
  const ask = (): Promise<boolean> => isYes(question(canary));
  if (yes === true) return await whole(left);
  // A rehearsal buys nothing, so the run itself would not ask.
  if (ran.rehearsal) return (await ask()) ? await whole(left) : stay();
  return await whole({ ...left, confirm: ask, confirmAbove: 0 }, stay);
}

const question = ({ rest, projected }: Canary): string =>
  `Go on with the other ${rest}, for about ${projected} credits? [y/N] `;

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
    const planned = await plan(pipeline, { ...flags, items: filterOf(flags) });
    if (!planned.ok) return fail(planned.error, flags.json === true);
    const { itemsToDo, budget } = planned.value;
    const keys = itemsToDo.first.slice(0, first);
    chosen = { keys, rest: itemsToDo.count - keys.length, budget };
    return exitCodes.done;
  });
  return chosen ?? code;
}

interface Looked {
  readonly ran: Ran;
  readonly keys: readonly string[];
  readonly rest: number;
}

async function look(file: string, flags: RunFlags, { ran, keys, rest }: Looked): Promise<Canary> {
  let saved: Canary['items'] = [];
  await withPipeline(file, flags, async (pipeline) => {
    const places = { ...flags, rehearse: ran.rehearsal, hosted: !ran.rehearsal };
    const found = await savedBy(pipeline, places, keys);
    if (found.ok) saved = found.value;
    return exitCodes.done;
  });
  const { charged, refunded } = ran.summary.credits;
  const credits = charged - refunded;
  const projected = Math.ceil((credits / keys.length) * rest);
  return { items: saved, credits, rest, projected };
}
