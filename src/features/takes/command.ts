// shotlist reroll: pays for another take of results, and says how to choose between them. shotlist pick: chooses the take that
// counts, and shows what the next run will do.

import { printable } from '../../base/printable.ts';
import { rerolledText } from '../../core/takes.ts';
import type { LoadedPipeline } from '../../language/load/loaded-pipeline.ts';
import { resultOf } from '../../language/load/refusal.ts';
import type { PickFlags, RerollFlags } from '../../terminal/flags.ts';
import { caution, print, printJson, printProse } from '../../terminal/terminal.ts';
import { planText } from '../../views/plan-text.ts';
import { fallbackLine, rehearsalLine } from '../../views/service-text.ts';
import { command, pipelineFor, sayState } from '../command.ts';
import { type CommandLine, commandLines, stateLines } from '../command-line.ts';
import { plan } from '../plan/plan.ts';
import { questionsOf } from '../run/command.ts';
import { asRun, performCommand } from '../run/perform-command.ts';
import { type Picked, pick } from './pick.ts';
import { planReroll, type Rerolled, reroll } from './reroll.ts';

export async function rerollCommand(
  file: string,
  names: readonly string[],
  flags: RerollFlags,
): Promise<number> {
  const { dryRun, confirmAbove: _, yes: __, ...own } = flags;
  const json = flags.json === true;
  if (dryRun === true)
    return await command(
      file,
      own,
      async (pipeline: LoadedPipeline, { onConnect }) => {
        const planned = await planReroll(pipeline, names, { ...own, onConnect });
        if (planned.rehearsal && !json)
          printProse(own.rehearse === true ? rehearsalLine : fallbackLine);
        return planned;
      },
      { text: ({ plan }) => planText(plan, []) },
    );
  const asking = questionsOf(flags);
  let rerolled: Rerolled | undefined;
  let line: CommandLine | undefined;
  const code = await performCommand(file, own, {
    ...asRun,
    operate: async (pipeline, options) => {
      rerolled = await reroll(pipeline, names, { ...options, ...asking });
      line = commandLines(pipeline, own, rerolled.rehearsal);
      return rerolled;
    },
  });
  if (rerolled === undefined || line === undefined) return code;
  const { takes } = rerolled;
  if (json) printJson({ type: 'takes', takes });
  else if (takes.length > 0) print(rerolledText(takes, line));
  return code;
}

export async function pickCommand(
  file: string,
  task: string,
  take: number,
  flags: PickFlags,
): Promise<number> {
  const json = flags.json === true;
  const pipeline = await pipelineFor(file, flags);
  const { rehearse: _, hosted: __, ...own } = flags;
  const line = stateLines(pipeline, flags);
  const onState = sayState(json ? () => undefined : print);
  const picked = await pick(pipeline, task, take, { ...flags, onState, onWarning: caution });
  const { rehearsal } = picked;
  // The plan may need what a pick does not: the address of the service and the key.
  const planned = await resultOf(() =>
    plan(pipeline, {
      ...own,
      ...(rehearsal ? { rehearse: true } : { hosted: true }),
    }),
  );
  if (json) printJson({ ...picked, ...(planned.ok ? { plan: planned.value.plan } : {}) });
  else {
    print(textOf(picked));
    if (planned.ok) print(planText(planned.value.plan));
    print(`Next: ${line(planned.ok ? 'run' : 'plan')}`);
  }
  return 0;
}

function textOf({ tasks, take, changed }: Picked): string {
  const whose = printable(tasks.join(', '));
  return changed
    ? `Take ${take} of ${whose} counts from now on. Nothing was bought, and nothing has run yet.`
    : `Take ${take} of ${whose} was picked before.`;
}
