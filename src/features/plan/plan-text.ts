// What a person reads below the table of a plan: prices, budget, reasons, time.

import type { Json } from '../../base/json.ts';
import { printable } from '../../base/printable.ts';
import { count, duration, grouped, table } from '../../base/text.ts';
import type { Forecast } from '../../core/forecast.ts';
import type { Plan, PlannedAction } from '../../core/plan-table.ts';
import type { PriceSource } from '../../core/price.ts';
import type { Change, Explanation, PlanReason } from '../../core/why.ts';
import { valueOfJob } from '../../model/fingerprint.ts';
import { moneyText } from '../../views/credits-text.ts';
import { paidTaskText } from '../../views/receipts-text.ts';
import type { PlanReading } from '../planning/reading.ts';

export function planReadingText(plan: Plan, reading: PlanReading, rehearsal: boolean): string {
  const lines = [
    ...pricesLine(plan),
    ...moneyLine(plan, reading),
    ...(reading.isUncapped && plan.credits > 0 && !rehearsal ? [uncapped] : []),
    ...budgetLine(plan, reading),
    ...boughtLine(reading),
    ...tooDearLine(reading),
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
  const unset = rows.flatMap(({ step, unset: fields = [] }) =>
    fields.length === 0 ? [] : [`${step}: ${fields.join(', ')}`],
  );
  const dearest = 'Fields that are not set count with their dearest published value';
  return [
    `Prices: ${told.join('; ')}.`,
    ...(unset.length === 0 ? [] : [`${dearest} (${unset.join('; ')}).`]),
  ];
}

function moneyLine(
  { credits, unpriced, uncounted }: Plan,
  { creditDollars }: PlanReading,
): readonly string[] {
  if (creditDollars === undefined || credits === 0) return [];
  const bound = unpriced > 0 || uncounted > 0 ? 'at least' : 'at most';
  return [`Money: ${bound} ${moneyText(credits, creditDollars)}, at $${creditDollars} a credit.`];
}

const uncapped = 'No budget: nothing caps this run but the account.';

function budgetLine(
  { credits, rows }: Plan,
  { budget, budgetFrom, enough }: PlanReading,
): readonly string[] {
  const isOpen = rows.some(({ times, uncounted }) => times?.open === true || uncounted);
  const items = `${isOpen ? 'at least ' : ''}${grouped(enough?.items ?? 0)} of ${count(enough?.of ?? 0, 'item')}`;
  if (budget === undefined || credits === 0)
    return enough === undefined ? [] : [`Enough for ${items} now.`];
  const of = `Budget: ${count(budget, 'credit')} for a run`;
  if (credits <= budget)
    return enough === undefined ? [`${of}: enough.`] : [`${of}. Enough for ${items} now.`];
  const where = budgetFrom === 'budget.credits' ? 'budget.credits' : '--budget';
  const all = `To buy everything at once, raise ${where} to ${grouped(credits)}.`;
  if (enough !== undefined) return [`${of}, enough for ${items}. ${all}`];
  return [`${of}, and the plan may take ${grouped(credits)}. ${all}`];
}

const maxNamed = 5;

/** The items that the caps are enough for. */
function boughtLine({ enough }: PlanReading): readonly string[] {
  if (enough === undefined || enough.items === 0) return [];
  const named = enough.bought.slice(0, maxNamed).map((item) => printable(item));
  const rest = enough.items - named.length;
  const parts = rest > 0 ? [...named, `${grouped(rest)} more`] : named;
  const last = parts.at(-1) ?? '';
  const before = parts.slice(0, -1).join(', ');
  const comma = parts.length > 2 ? ',' : '';
  return [`A run buys ${before === '' ? last : `${before}${comma} and ${last}`}.`];
}

/** Items that no run begins. */
function tooDearLine({ enough }: PlanReading): readonly string[] {
  if (enough === undefined || enough.tooDearCount === 0) return [];
  const named = enough.tooDear
    .slice(0, maxNamed)
    .map(({ item, credits }) => `${printable(item)} (${count(credits, 'credit')})`);
  const rest = enough.tooDearCount - named.length;
  const more = rest > 0 ? `, and ${grouped(rest)} more` : '';
  const alone =
    enough.tooDearCount === 1 ? 'This item alone needs' : 'Each of these items alone needs';
  const bounds = new Set(enough.tooDear.map(({ than }) => bound[than]));
  return [
    `${alone} more than ${[...bounds].join(' or ')}, so no run begins it: ${named.join(', ')}${more}.`,
  ];
}

const bound = { cap: 'a cap allows', account: 'the account has' } as const;

/** All that a person needs to know to say yes. */
export function buyQuestion(
  { credits, unpriced, uncounted }: Pick<Plan, 'credits' | 'unpriced' | 'uncounted'>,
  {
    budget,
    creditDollars,
    itemsToDo,
    enough,
  }: Pick<PlanReading, 'budget' | 'creditDollars' | 'itemsToDo' | 'enough'>,
): string {
  const isOpen = unpriced > 0 || uncounted > 0;
  const capped = budget !== undefined && (isOpen || budget < credits);
  const most = capped ? budget : credits;
  const money = creditDollars === undefined ? '' : ` (${moneyText(most, creditDollars)})`;
  const all = count(enough?.of ?? itemsToDo, 'item');
  const some = enough === undefined ? all : `${grouped(enough.items)} of ${all}`;
  const items = itemsToDo === 0 ? '' : ` for ${some}`;
  if (isOpen && !capped) {
    const rest = unpriced > 0 ? 'some prices are not known' : 'only the run knows how many';
    return `Buy ${count(credits, 'credit')}${money} or more${items}? In all, ${rest}.`;
  }
  return `Buy up to ${count(most, 'credit')}${money}${items}?`;
}

/** JSON output has all. */
const maxReasons = 12;

function reasonLines(reasons: readonly PlanReason[]): readonly string[] {
  if (reasons.length === 0) return [];
  const tasks = reasons.reduce((sum, reason) => sum + reason.tasks, 0);
  if (reasons.every(({ because }) => because === 'new'))
    return [`Why: the ${tasks === 1 ? 'creation is' : `${count(tasks, 'creation')} are`} new.`];
  const shown = reasons.slice(0, maxReasons);
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

const reasonText = ({ because, what = '' }: Pick<PlanReason, 'because' | 'what'>): string =>
  because === 'new' ? 'new' : printable(what);

function timeLine({ ms, atOnce, limit, fromHistory }: Forecast, rehearsal: boolean): string {
  const by = limit === 'plan' ? "the limit of the account's plan" : 'limits.items of the pipeline';
  const where = rehearsal ? ' at the hosted service' : '';
  const basis = fromHistory ? 'as in earlier runs' : "by the tools' median times";
  return `Time: about ${roughly(ms)}${where}, with ${count(atOnce, 'project')} at once (${by}), ${basis}.`;
}

/** Nobody knows the seconds of an hour in advance. */
function roughly(ms: number): string {
  if (ms < 120_000) return duration(Math.max(1000, Math.round(ms / 1000) * 1000)).replace('.0', '');
  const minutes = Math.round(ms / 60_000);
  return minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

// `plan --explain <task>`: why one task runs, field by field.

const verbs: Readonly<Record<PlannedAction, string>> = {
  begin: 'runs',
  maybe: 'may run',
  attach: 'only needs fetching',
  copy: 'is copied',
  store: 'goes to the store',
  reuse: 'is reused',
  skipped: 'is skipped',
  excluded: 'is excluded',
  doubt: 'is in doubt',
  lost: 'is lost',
  keep: 'is kept',
  defer: 'is left to another checkout',
  blocked: 'waits',
  problem: 'cannot run',
};

export function explanationText(explanation: Explanation): string {
  const { paid } = explanation;
  const text = plainText(explanation);
  return paid === undefined ? text : `${text}\n${shown([paidTaskText(paid)])}`;
}

const noOther = 'The state file has no project of it with other content or parameters.';

function plainText(explanation: Explanation): string {
  const { task, action, why, code, credits, earlier, changes } = explanation;
  const price =
    credits === undefined || credits === 0 ? '' : ` It costs ${count(credits, 'credit')}.`;
  const kind = code === undefined ? '' : ` (${code})`;
  const again = earlier !== undefined && runs(action) ? ' again' : '';
  const head = `${task} ${verbs[action]}${again}${kind}: ${why}.${price}`;
  if (earlier === undefined) return shown([head, ...(runs(action) ? [noOther] : [])]);
  const { project, at, credits: cost, state } = earlier;
  const name = project === undefined ? `its ${state} job` : `project ${project}`;
  const paid = cost === undefined ? '' : `, which cost ${count(cost, 'credit')}`;
  const since = `${name} of ${at.slice(0, 10)}${paid}`;
  if (changes === undefined)
    return shown([
      head,
      `It was done before: ${since}.`,
      'What has changed since is not known: the state file does not say what that was made of.',
    ]);
  if (changes.length === 0)
    return shown([head, `No file of it has changed since ${since}; a step before it decides.`]);
  return shown([
    head,
    `What has changed since ${since}:`,
    table(changes.map(changeRow)),
    action === 'maybe'
      ? 'Everything else depends on the steps before it.'
      : 'Everything else is the same.',
  ]);
}

const runs = (action: PlannedAction): boolean => action === 'begin' || action === 'maybe';

const shown = (lines: readonly string[]): string => printable(lines.join('\n'), true);

function changeRow(change: Change): readonly string[] {
  switch (change.is) {
    case 'file': {
      const { field, file, after } = change;
      return [
        field,
        file,
        `sha256 now ${after === undefined ? 'unknown' : `${after.slice(0, 8)}…`}`,
      ];
    }
    case 'result': {
      const from = change.kind === undefined ? 'another task' : `the step kind ${change.kind}`;
      return [change.field, `the result of ${from}, which is made again`, ''];
    }
    case 'value':
      return [change.field, `${valueText(change.before)} → ${valueText(change.after)}`, ''];
    case 'field':
      return [change.field, `now ${valueText(change.after)}`, ''];
  }
}

function valueText(value: Json | undefined): string {
  if (value === undefined) return 'not set';
  if (typeof value === 'string' && valueOfJob(value) !== undefined)
    return `a ${valueOfJob(value)?.output} of another task`;
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}
