// shotlist plan: what would run, what it would cost, and what is reused. Exit code 2: a run would refuse to begin.
import type { LoadedPipeline } from '../operations/pipeline/loaded-pipeline.ts';
import type { Problem } from '../operations/pipeline/problem.ts';
import { type Planned, plan } from '../operations/plan.ts';
import { resolvedPipeline } from '../operations/resolved.ts';
import { budgetLeft, budgetLeftText } from '../report/calendar-text.ts';
import { envText, outsideText } from '../report/exposure-text.ts';
import { balanceLine, planText } from '../report/plan-text.ts';
import { orphansLine } from '../report/prune-text.ts';
import { fallbackLine, rehearsalLine, serviceLine } from '../report/service-text.ts';
import { answer, withPipeline } from './command.ts';
import { filterOf, type PipelineFlags } from './options.ts';
import { caution, fail, print, printJson, printWarnings } from './terminal.ts';

export interface PlanFlags extends PipelineFlags {
  readonly resolved?: boolean;
}

export async function planCommand(file: string, flags: PlanFlags): Promise<number> {
  const json = flags.json === true;
  if (flags.resolved === true)
    return answer(resolvedPipeline(file, flags), json, { text: ({ yaml }) => yaml.trimEnd() });
  return await withPipeline(file, flags, async (pipeline) => {
    const result = await plan(pipeline, {
      ...flags,
      items: filterOf(flags),
      ...(json ? {} : { onConnect: (address) => print(serviceLine(address)) }),
    });
    const planned = result.ok ? result.value : result.error.planned;
    if (planned === undefined) return result.ok ? 0 : fail(result.error, json);
    const problems = result.ok ? [] : result.error.diagnostics;
    if (json) printJson({ ...planned, calendar: planned.calendar.map(budgetLeft), problems });
    else show(planned, problems, pipeline, flags.rehearse === true);
    if (problems.length > 0) return 2;
    return planned.plan.badItems > 0 ? 1 : 0;
  });
}

function show(
  planned: Planned,
  problems: Problem['diagnostics'],
  pipeline: LoadedPipeline,
  asked: boolean,
): void {
  const { rehearsal, balance } = planned;
  const messages = problems.map(({ message }) => message);
  if (rehearsal) print(asked ? rehearsalLine : fallbackLine);
  printWarnings(pipeline.warnings, pipeline);
  planned.warnings.forEach(caution);
  print(planText(planned.plan, messages));
  for (const limit of planned.calendar) print(budgetLeftText(limit, planned.plan.credits));
  const orphans = orphansLine(
    planned.orphans,
    rehearsal ? `${pipeline.file} --rehearse` : pipeline.file,
  );
  if (orphans !== undefined) print(orphans);
  for (const line of exposed(planned)) print(line);
  if (balance?.credits !== undefined) print(balanceLine(balance.credits));
  if (balance?.warning !== undefined) caution(balance.warning);
  printWarnings(problems, pipeline);
}

/** What a person should see before they run a pipeline that someone else wrote. */
const exposed = ({ env, service, outside }: Planned): readonly string[] =>
  [envText(env, service), outsideText(outside)].filter((text) => text !== undefined);
