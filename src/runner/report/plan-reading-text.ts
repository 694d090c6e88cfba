// What a person reads below the table of a plan: prices, budget, reasons, time.
import { grouped } from '../../contract/base/grouped.ts';
import { printable } from '../../contract/base/printable.ts';
import type { PriceSource } from '../plan/estimate.ts';
import type { Forecast } from '../plan/forecast.ts';
import type { Plan } from '../plan/plan.ts';
import type { PlanReading } from '../plan/plan-reading.ts';
import type { PlanReason } from '../plan/plan-reasons.ts';
import { moneyText } from './money-text.ts';
import { count, duration } from './text.ts';

export function planReadingText(plan: Plan, reading: PlanReading, rehearsal: boolean): string {
  const lines = [
    ...pricesLine(plan),
    ...moneyLine(plan, reading),
    ...budgetLine(plan, reading),
    ...reasonLines(reading.reasons),
    ...(reading.forecast === undefined ? [] : [timeLine(reading.forecast, rehearsal)]),
  ];
  return printable(lines.join('\n'), true);
}

const sources: Readonly<Record<PriceSource, string>> = {
  charges: 'earlier charges of this state file',
  list: 'the published price list',
  estimate: 'estimate: in the pipeline',
};

function pricesLine({ rows, credits }: Plan): readonly string[] {
  const priced = rows.flatMap(({ step, prices = [] }) => prices.map((from) => ({ step, from })));
  if (credits === 0 || priced.length === 0) return [];
  const kinds: readonly PriceSource[] = ['list', 'charges', 'estimate'];
  const told = kinds.flatMap((kind) => {
    const steps = priced.filter(({ from }) => from === kind).map(({ step }) => step);
    return steps.length === 0 ? [] : [`${sources[kind]} (${steps.join(', ')})`];
  });
  return [`Prices: ${told.join('; ')}.`];
}

function moneyLine(
  { credits, unpriced, uncounted }: Plan,
  { creditDollars }: PlanReading,
): readonly string[] {
  if (creditDollars === undefined || credits === 0) return [];
  const bound = unpriced > 0 || uncounted > 0 ? 'at least' : 'at most';
  return [`Money: ${bound} ${moneyText(credits, creditDollars)}, at $${creditDollars} a credit.`];
}

function budgetLine({ credits, rows }: Plan, { budget }: PlanReading): readonly string[] {
  if (budget === undefined || credits === 0) return [];
  const of = `Budget: ${count(budget, 'credit')} for a run`;
  if (credits <= budget) return [`${of}: enough.`];
  const all = `To buy everything at once, raise the budget to ${grouped(credits)}.`;
  const most = `${of}, and the plan may take ${grouped(credits)}`;
  if (rows.some(({ times, uncounted }) => times?.open === true || uncounted !== undefined))
    return [`${most}: a run stops when the budget is reached. ${all}`];
  const paid = rows.reduce(
    (sum, { tasks, credits: own }) =>
      own === 0 ? sum : sum + (tasks.begin ?? 0) + (tasks.maybe ?? 0),
    0,
  );
  const bought = Math.floor((budget / credits) * paid);
  return [`${most}: a run stops after about ${bought} of ${count(paid, 'paid task')}. ${all}`];
}

/** The most reasons to show; JSON output has all. */
const mostReasons = 12;

function reasonLines(reasons: readonly PlanReason[]): readonly string[] {
  if (reasons.length === 0) return [];
  const tasks = reasons.reduce((sum, reason) => sum + reason.tasks, 0);
  if (reasons.every(({ because }) => because === 'new'))
    return [`Why: the ${tasks === 1 ? 'creation is' : `${count(tasks, 'creation')} are`} new.`];
  const shown = reasons.slice(0, mostReasons);
  const rest = reasons.length - shown.length;
  return [
    'Why they run:',
    ...shown.map(({ step, tasks, examples, ...reason }) => {
      const names = reason.because === 'new' ? '' : ` (${namesOf(examples, tasks)})`;
      return `  ${printable(step)}: ${grouped(tasks)} ${reasonText(reason)}${names}`;
    }),
    ...(rest > 0 ? [`  and ${count(rest, 'other reason')}; --json lists all`] : []),
  ];
}

function namesOf(examples: readonly string[], tasks: number): string {
  const more = tasks > examples.length ? ', …' : '';
  return `${examples.map((task) => printable(task)).join(', ')}${more}`;
}

function reasonText({ because, what = '' }: Pick<PlanReason, 'because' | 'what'>): string {
  switch (because) {
    case 'new':
      return 'new';
    case 'more':
      return 'more, not compared with the state file';
    case 'changed':
    case 'again':
      return printable(what);
  }
}

function timeLine({ ms, atOnce, limit, fromHistory }: Forecast, rehearsal: boolean): string {
  const by = limit === 'plan' ? "the limit of the account's plan" : 'limits.items of the pipeline';
  const where = rehearsal ? ' at the hosted service' : '';
  const basis = fromHistory ? 'as the last run took' : "by the tools' median times";
  return `Time: about ${roughly(ms)}${where}, with ${count(atOnce, 'project')} at once (${by}), ${basis}.`;
}

/** Nobody knows the seconds of an hour in advance. */
function roughly(ms: number): string {
  if (ms < 120_000) return duration(Math.max(1000, Math.round(ms / 1000) * 1000)).replace('.0', '');
  const minutes = Math.round(ms / 60_000);
  return minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
