// `plan`: what a run would do and cost. Sends at most one request, which reads the account's balance.

import { basename, resolve as resolvePath } from 'node:path';
import { printable } from '../../base/printable.ts';
import { Redactor } from '../../base/redactor.ts';
import { yamlText } from '../../contract/yaml/yaml-text.ts';
import { CalendarBudget, type CalendarLimit, calendarCaps } from '../../core/calendar-budget.ts';
import { realClock } from '../../core/clock.ts';
import { type EnvUse, envUses } from '../../core/env-uses.ts';
import { planWordText } from '../../core/plan-digest.ts';
import type { Plan } from '../../core/plan-table.ts';
import type { Clock } from '../../core/ports.ts';
import { Reasons } from '../../core/why.ts';
import { listItems } from '../../files/items.ts';
import { boundPipeline } from '../../language/load/bound-pipeline.ts';
import type { LoadedPipeline } from '../../language/load/loaded-pipeline.ts';
import { parsePipeline } from '../../language/load/parse.ts';
import { type Problem, Refusal, refusedKey, resultOf } from '../../language/load/refusal.ts';
import { Ledger } from '../../model/record/ledger.ts';
import { type Balance, balanceOf, checkService } from '../../service-api/check-service.ts';
import { rehearsalTier } from '../../service-api/connect-service.ts';
import { secretsIn } from '../../service-api/secrets.ts';
import { findTarget, type TargetOptions } from '../../service-api/target.ts';
import { chooseStore } from '../../stores/open-store.ts';
import { graphText } from '../../views/graph-text.ts';
import { internalsOf } from '../internals.ts';
import type { PrepareOptions } from '../planning/options.ts';
import { paidTask } from '../planning/paid-already.ts';
import { openPlanning } from '../planning/planning.ts';
import { type PlanReading, readPlan } from '../planning/reading.ts';
import { noticesOf, refusalsOf } from '../planning/refusals.ts';
import type { OrphanCounts } from '../prune/orphan.ts';
import { countOrphans } from '../prune/orphans.ts';
import { type PlanReferences, referencesTo } from '../prune/references.ts';
import { refuse } from '../refuse.ts';

export interface PlanOptions extends TargetOptions, PrepareOptions {
  /** Default: the process's environment. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Default: the system's clock. */
  readonly clock?: Clock;
  /** Called with the address of the hosted service before anything is sent there. */
  readonly onConnect?: (address: string) => void;
  /** `--explain`: says why this task runs, or does not. */
  readonly explain?: string | undefined;
}

export interface Planned extends PlanReading {
  readonly plan: Plan;
  /** For the option `plan` of `run`, which then buys what this plan says or nothing. */
  readonly digest: string;
  /** What budget.per_day and budget.per_month leave; empty without them. */
  readonly calendar: readonly CalendarLimit[];
  readonly warnings: readonly string[];
  /** The account's balance by the service; read only if the plan costs something there. */
  readonly balance?: Balance;
  /** The address of the hosted service; absent in a rehearsal. */
  readonly service?: string;
  readonly rehearsal: boolean;
  /** The environment variables that the pipeline uses, and which steps send them. */
  readonly env: readonly EnvUse[];
  /** The files that were read outside the repository because `allowOutside` is set: at most a thousand real paths. */
  readonly outside: readonly string[];
  readonly state: string;
  /** What `prune` would remove; absent if the plan covers only some items or steps. */
  readonly orphans?: OrphanCounts;
}

/** A run would refuse to begin, and this is what it would do if it did not. */
export class UnrunnablePlan extends Refusal {
  readonly planned: Planned;

  constructor(problem: Problem, planned: Planned) {
    super(problem);
    this.planned = planned;
  }
}

/**
 * Says what a run would do and cost. Where a run would refuse to begin, `plan` throws the same refusal: an
 * `UnrunnablePlan`, if planning got as far as that.
 *
 * @example
 * ```ts
 * import { loadPipeline, plan } from 'shotlist';
 *
 * const pipeline = await loadPipeline('pipeline.yaml');
 * const planned = await plan(pipeline, { rehearse: true });
 * console.log('at most', planned.plan.credits, 'credits');
 * ```
 */
export async function plan(loaded: LoadedPipeline, options: PlanOptions = {}): Promise<Planned> {
  const bound = boundPipeline(loaded);
  const { clock = realClock, env = process.env } = options;
  const internals = internalsOf(options);
  const target = findTarget(options, bound, env);
  if (target.kind !== 'rehearsal') options.onConnect?.(target.address);
  const redactor = new Redactor(secretsIn(env));
  const warnings: string[] = [];
  const since = new Date(clock.now()).toISOString();
  let references: PlanReferences | undefined;
  let reasons = new Reasons(new Ledger());
  await using planning = await openPlanning(bound, target, options, {
    access: 'plan',
    env,
    clock,
    internals,
    redactor,
    onWarning: (message) => void warnings.push(message),
    see: async ({ ledger, opened, disk }) => {
      const jobs = opened.state.ledger;
      const anew = await referencesTo(jobs, bound, disk);
      return () => {
        const refers = anew();
        references = refers;
        reasons = new Reasons(ledger, options.explain);
        return (task, end) => {
          reasons.see(task, end);
          refers.see(task, end);
        };
      };
    },
  });
  const { planned, ledger, boundary, paths, receipts, setting } = planning;
  const { plan } = planned;
  const rehearsal = target.kind === 'rehearsal';
  const asked = { redactor, clock, signal: undefined, asleep: false, api: internals.api };
  const chosen = resultOf(() => chooseStore(bound, { target, env, paths, ...options }));
  if (chosen.ok && chosen.value?.kind === 'folder' && chosen.value.note !== undefined)
    warnings.push(chosen.value.note);
  const checked = await resultOf(async () =>
    target.kind === 'hosted' ? await checkService(target, plan, asked) : {},
  );
  const { account = undefined } = checked.ok ? checked.value : {};
  const isRefused = account?.ok === false && account.error.reason === 'unauthorized';
  const balance = account === undefined || isRefused ? undefined : balanceOf(plan, account);
  const tier = rehearsal ? rehearsalTier : balance?.tier;
  const diagnostics = [
    ...(target.kind === 'unasked' ? target.why.diagnostics : []),
    ...(chosen.ok ? [] : chosen.error.diagnostics),
    ...refusalsOf(planning, tier, rehearsal),
  ];
  const calendar = new CalendarBudget(calendarCaps(bound.pipeline)).at(clock.now(), ledger);
  warnings.push(...noticesOf(planning, options.budget, calendar));
  const reading = await readPlan(planning, reasons, {
    tier,
    balance: balance?.credits,
    rehearsal,
    now: clock.now(),
  });
  const { explain } = options;
  const { explanation, explainedJob: job } = reasons;
  const paid = job === undefined ? undefined : paidTask(job, receipts, ledger, setting.facts);
  if (explain !== undefined && explanation === undefined)
    refuse(
      `--explain ${explain}: the plan has no such task`,
      'write the name of a step, or step:item, such as swap:IMG_0412.jpg',
    );
  const { opened, items, disk, excluded } = planning;
  const orphans =
    references === undefined || options.reroll !== undefined
      ? undefined
      : await countOrphans(
          { bound, paths, items, disk, excluded, references, ledger: opened.state.ledger },
          rehearsal,
        );
  const result: Planned = {
    plan,
    digest: planWordText(planning.digest.word(plan, ledger, paths.serviceName, since)),
    ...reading,
    explanation: explanation && { ...explanation, paid },
    orphans,
    calendar,
    service: rehearsal ? undefined : target.address,
    balance,
    warnings,
    rehearsal,
    env: envUses(bound.pipeline),
    outside: boundary.outside,
    state: paths.state,
  };
  if (diagnostics.length > 0)
    throw new UnrunnablePlan({ reason: 'input', diagnostics, text: bound.text }, result);
  if (!checked.ok) throw new UnrunnablePlan(checked.error, result);
  if (isRefused) throw new UnrunnablePlan(refusedKey('plan'), result);
  return result;
}

// `plan --resolved`: the pipeline file as it is run: with its defaults and profile, and without what holds them.

export interface ResolvedPipeline {
  readonly file: string;
  /** A pipeline file that has the same plan, if it is beside the original. */
  readonly yaml: string;
}

/**
 * Says what a pipeline file means after its defaults and its profile are applied. Reads only the file; values of `--input`
 * and of the environment are not in the text.
 *
 * @example
 * ```ts
 * import { resolvedPipeline } from 'shotlist';
 *
 * const resolved = resolvedPipeline('pipeline.yaml');
 * console.log(resolved.yaml);
 * ```
 */
export function resolvedPipeline(
  file: string,
  { profile }: { readonly profile?: string | undefined } = {},
): ResolvedPipeline {
  const parsed = parsePipeline(file, profile);
  const chosen = profile === undefined ? '' : ` with --profile ${profile}`;
  const title = `# ${printable(basename(file))} as it is run${chosen}\n`;
  return { file, yaml: `${title}${yamlText(parsed.pipeline.source.value)}` };
}

// `plan --graph`: the steps, and what each waits for.

/**
 * Draws a pipeline in the language of Mermaid, which GitHub and GitLab draw in Markdown: its items, its steps, and what each step
 * waits for. Lists the items, and sends nothing.
 *
 * @example
 * ```ts
 * import { graph, loadPipeline } from 'shotlist';
 *
 * const pipeline = await loadPipeline('pipeline.yaml');
 * console.log(await graph(pipeline));
 * ```
 */
export async function graph(loaded: LoadedPipeline): Promise<string> {
  const { pipeline, folder } = boundPipeline(loaded);
  const items = await listItems(pipeline.items, folder, resolvePath(folder, pipeline.output), {});
  // A graph needs no media.
  return graphText(pipeline, items.ok ? items.value.count : undefined);
}
