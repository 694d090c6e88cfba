// shotlist pick: chooses the take that counts, and shows what the next run will do.

import { printable } from '../../base/printable.ts';
import { resultOf } from '../../language/load/refusal.ts';
import type { PickFlags } from '../../terminal/flags.ts';
import { caution, print, printJson } from '../../terminal/terminal.ts';
import { planText } from '../../views/plan-text.ts';
import { sayState, withPipeline } from '../command.ts';
import { stateLines } from '../command-line.ts';
import { plan } from '../plan/plan.ts';
import { type Picked, pick } from './pick.ts';

export async function pickCommand(
  file: string,
  task: string,
  take: number,
  flags: PickFlags,
): Promise<number> {
  const json = flags.json === true;
  return await withPipeline(file, flags, async (pipeline) => {
    const { rehearse: _, hosted: __, ...own } = flags;
    const { line } = stateLines(pipeline, flags);
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
  });
}

function textOf({ tasks, take, changed }: Picked): string {
  const whose = printable(tasks.join(', '));
  return changed
    ? `Take ${take} of ${whose} counts from now on. Nothing was bought, and nothing has run yet.`
    : `Take ${take} of ${whose} was picked before.`;
}
