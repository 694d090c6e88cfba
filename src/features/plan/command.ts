// shotlist plan: what would run, what it would cost, and what is reused. If a run would refuse to begin, plan ends
// with the same exit code.

import { printable } from '../../base/printable.ts';
import type { EnvUse } from '../../core/env-uses.ts';
import type { LoadedPipeline } from '../../language/load/loaded-pipeline.ts';
import type { Problem } from '../../language/load/refusal.ts';
import { planPaint } from '../../terminal/colors.ts';
import { checkCreditPrice, ownCreditDollars } from '../../terminal/credit-price.ts';
import { problemCode } from '../../terminal/exit-code.ts';
import { filterOf, type PlanFlags } from '../../terminal/flags.ts';
import {
  caution,
  print,
  printJson,
  printPainted,
  printProse,
  printWarnings,
} from '../../terminal/terminal.ts';
import { budgetLeft, budgetLeftText } from '../../views/calendar-text.ts';
import { balanceLine, planText } from '../../views/plan-text.ts';
import { fallbackLine, rehearsalLine, serviceLine } from '../../views/service-text.ts';
import { answer, pipelineFor, stopGrowth } from '../command.ts';
import { type CommandLine, commandLines } from '../command-line.ts';
import { orphansLine } from '../prune/prune-text.ts';
import { graph, type Planned, plan, resolvedPipeline, UnrunnablePlan } from './plan.ts';
import { explanationText, planReadingText } from './plan-text.ts';

/** Terraform uses 2 for this; here, 2 means that something is wrong. */
const somethingToDo = 10;

export async function planCommand(file: string, flags: PlanFlags): Promise<number> {
  stopGrowth();
  const json = flags.json === true;
  checkCreditPrice();
  if (flags.resolved === true)
    return answer(resolvedPipeline(file, flags), json, { text: ({ yaml }) => yaml.trimEnd() });
  const pipeline = await pipelineFor(file, flags);
  if (flags.graph === true) {
    print(await graph(pipeline));
    return 0;
  }
  const made = await plan(pipeline, {
    ...flags,
    items: filterOf(flags),
    ...(json || flags.explain !== undefined
      ? {}
      : { onConnect: (address) => print(serviceLine(address)) }),
  }).catch(whatItWouldBe);
  const planned = made instanceof UnrunnablePlan ? made.planned : made;
  const refused = made instanceof UnrunnablePlan ? made.problem : undefined;
  const problems = refused?.diagnostics ?? [];
  if (json) printJson({ ...planned, calendar: planned.calendar.map(budgetLeft), problems });
  else if (planned.explanation !== undefined) {
    print(explanationText(planned.explanation));
    printWarnings(problems, pipeline.text);
  } else show(planned, problems, pipeline, flags);
  if (refused !== undefined) return problemCode(refused);
  if (planned.plan.badItems > 0) return 1;
  return flags.exitCode === true && planned.hasWork ? somethingToDo : 0;
}

/** A person wants to see the plan all the same. */
function whatItWouldBe(error: unknown): UnrunnablePlan {
  if (error instanceof UnrunnablePlan) return error;
  throw error;
}

function show(
  planned: Planned,
  problems: Problem['diagnostics'],
  pipeline: LoadedPipeline,
  flags: PlanFlags,
): void {
  const { rehearsal, balance, plan } = planned;
  const messages = problems.map(({ message }) => message);
  if (rehearsal) printProse(flags.rehearse === true ? rehearsalLine : fallbackLine);
  printWarnings(pipeline.warnings, pipeline.text);
  planned.warnings.forEach(caution);
  printPainted(planText(plan, messages), planPaint);
  const creditDollars = rehearsal ? undefined : (ownCreditDollars() ?? planned.creditDollars);
  const reading = planReadingText(plan, { ...planned, creditDollars }, rehearsal);
  if (reading !== '') printProse(reading);
  for (const limit of planned.calendar) printProse(budgetLeftText(limit, planned.plan.credits));
  const line = commandLines(pipeline, flags, rehearsal);
  const orphans = orphansLine(planned.orphans, line('prune'));
  if (orphans !== undefined) print(orphans);
  for (const line of exposed(planned)) print(line);
  if (balance?.credits !== undefined) print(balanceLine(balance.credits));
  if (balance?.warning !== undefined) caution(balance.warning);
  printWarnings(problems, pipeline.text);
  if (problems.length === 0) print(nextStep(planned, line, flags.limit === undefined));
}

/** With so many items, the first ones are worth a look before the rest. */
const manyItems = 20;
const itemsForALook = 5;

/** `isWhole`: the user did not limit the items. */
function nextStep(
  { plan, hasWork, itemsToDo, reasons, budget, budgetFrom, enough }: Planned,
  shown: CommandLine,
  isWhole: boolean,
): string {
  const line = (command: string, ...more: readonly string[]): string =>
    `Next: ${shown(command, [], more)}`;
  if (!hasWork) {
    if (plan.rows.some(({ tasks }) => (tasks.doubt ?? 0) > 0)) return line('status');
    // An upload only lacks its file.
    const isLost = plan.rows.some(({ kind, tasks }) => kind !== 'upload' && (tasks.lost ?? 0) > 0);
    if (!isLost) return 'Nothing to do.';
    const again = shown('plan', [], ['--pay-again']);
    return `Nothing to do. To see what it would cost to buy the lost results again:\n      ${again}`;
  }
  const [dear] = (enough?.tooDear ?? []).toSorted((one, other) => one.credits - other.credits);
  if (enough?.items === 0 && dear !== undefined && budget !== undefined && dear.credits > budget)
    return `Next: raise ${budgetFrom} to ${dear.credits} or more, because no item fits ${budget}.`;
  const isFresh = reasons.some(({ because }) => because === 'new' || because === 'changed');
  // Later, the first items are done, and have been looked at.
  const fits = enough === undefined || enough.items > itemsForALook;
  const nobodyLooked = isWhole && itemsToDo === plan.items && itemsToDo > manyItems && fits;
  if (plan.credits === 0 || !isFresh || !nobodyLooked) return line('run');
  const about = Math.ceil((plan.credits / itemsToDo) * itemsForALook);
  const command = line('run', '--limit', String(itemsForALook));
  return `${command}\n      for ${itemsForALook} of ${itemsToDo} items and about ${about} credits, then look`;
}

/** What a person should see before they run a pipeline that someone else wrote. */
const exposed = ({ env, service, outside }: Planned): readonly string[] =>
  [envText(env, service), outsideText(outside)].filter((text) => text !== undefined);

// The part of a plan that shows what a pipeline exposes: environment variables that it sends, and
// files outside the repository.

/** JSON output has more. */
const maxFilesShown = 5;

/**
 * One line per variable. `service` is the address that receives the values; undefined in a
 * rehearsal.
 */
function envText(uses: readonly EnvUse[], service: string | undefined): string | undefined {
  if (uses.length === 0) return undefined;
  return uses.map((use) => printable(lineOf(use, service))).join('\n');
}

function lineOf({ name, sent, local }: EnvUse, service: string | undefined): string {
  if (sent.length > 0 && service !== undefined)
    return `Sends env.${name} to ${service} (${stepsText(sent)}).`;
  const steps = [...new Set([...sent, ...local])];
  if (steps.length === 0) return `No step uses env.${name}.`;
  const why = sent.length > 0 ? ', because this is a rehearsal' : '';
  return `Uses env.${name} on this machine only${why} (${stepsText(steps)}).`;
}

const stepsText = (steps: readonly string[]): string =>
  `${steps.length === 1 ? 'step' : 'steps'} ${steps.join(', ')}`;

/** The files that were read outside the repository, with the user's permission. */
function outsideText(paths: readonly string[]): string | undefined {
  if (paths.length === 0) return undefined;
  const some = paths.slice(0, maxFilesShown).map((path) => `  ${printable(path)}`);
  const rest = paths.length - some.length;
  const more = rest > 0 ? [`  and ${rest} more`] : [];
  return ['Reads outside the repository (--allow-outside):', ...some, ...more].join('\n');
}
