// `plan`: what a run would do and cost. Sends at most one request, which reads the account's balance.

import { basename, resolve as resolvePath } from 'node:path';
import { printable } from '../../base/printable.ts';
import { Redactor } from '../../base/redactor.ts';
import { creditDollarsOn } from '../../contract/api/tier.ts';
import { yamlText } from '../../contract/yaml/yaml-text.ts';
import { CalendarBudget, calendarCaps } from '../../core/calendar-budget.ts';
import { realClock } from '../../core/clock.ts';
import { envUses } from '../../core/env-uses.ts';
import { PlanRecord } from '../../core/plan-record.ts';
import type { Plan } from '../../core/plan-table.ts';
import { listItems } from '../../files/items.ts';
import { boundPipeline } from '../../language/load/bound-pipeline.ts';
import type { LoadedPipeline } from '../../language/load/loaded-pipeline.ts';
import { parsePipeline } from '../../language/load/parse.ts';
import { Refusal, refusedKey, resultOf } from '../../language/load/refusal.ts';
import { balanceOf, checkService, type ServiceCheck } from '../../service-api/check-service.ts';
import { rehearsalTier } from '../../service-api/connect-service.ts';
import { secretsIn } from '../../service-api/secrets.ts';
import { findTarget, type Target, type Unasked } from '../../service-api/target.ts';
import { chooseStore } from '../../stores/open-store.ts';
import { behindText } from '../../views/calendar-text.ts';
import { graphText } from '../../views/graph-text.ts';
import { planWithCore } from '../core/plan.ts';
import { internalsOf, type RunInternals } from '../internals.ts';
import { awayProblem } from '../open-state.ts';
import { earlierWarnings } from '../planning/earlier-runs.ts';
import { prepare } from '../planning/prepare.ts';
import { readPlan } from '../planning/read-plan.ts';
import {
  foreignWarning,
  generationsOn,
  overruledText,
  refusals,
  smaller,
} from '../planning/refusals.ts';
import { writeSavedPlan } from '../planning/saved-plan.ts';
import { countOrphans } from '../prune/orphans.ts';
import { refuse } from '../refuse.ts';
import { type Planned, type PlanOptions, UnrunnablePlan } from './planned.ts';

export { type Planned, type PlanOptions, UnrunnablePlan };

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
  if (process.env['SHOTLIST_CORE'] === 'new')
    return await planWithCore(bound, target, options, { env, clock, internals });
  const warnings: string[] = [];
  const onWarning = (message: string): void => void warnings.push(message);
  const record = options.out === undefined ? undefined : new PlanRecord();
  await using prepared = await prepare(bound, target, options, {
    env,
    redactor: new Redactor(secretsIn(env)),
    access: 'plan',
    clock,
    onWarning,
    explain: options.explain,
    record,
    internals,
  });
  const { away } = prepared.state;
  // What the file lacks would be planned, and paid, again.
  if (away !== undefined) throw new Refusal(awayProblem(prepared.paths.state, away));
  const { boundary, paths } = prepared;
  const chosen = resultOf(() => chooseStore(bound, { target, env, paths, ...options }));
  if (chosen.ok && chosen.value?.kind === 'folder' && chosen.value.note !== undefined)
    warnings.push(chosen.value.note);
  const { plan } = prepared.planned;
  const rehearsal = target.kind === 'rehearsal';
  const checked = await resultOf(() => serviceFor(target, plan, { clock, env }, internals));
  const { account } = checked.ok ? checked.value : {};
  const isRefused = account?.ok === false && account.error.reason === 'unauthorized';
  const balance = account === undefined || isRefused ? undefined : balanceOf(plan, account);
  const tier = rehearsal ? rehearsalTier : balance?.tier;
  const budget = smaller(options.budget, bound.pipeline.budget.credits);
  const diagnostics = [
    ...(target.kind === 'unasked' ? target.why.diagnostics : []),
    ...(chosen.ok ? [] : chosen.error.diagnostics),
    ...refusals(prepared, { budget, rehearsal, tier }),
  ];
  const generations = generationsOn(tier);
  const creditDollars = creditDollarsOn(tier);
  const reading = await readPlan(prepared, {
    generations,
    creditDollars,
    budget,
    rehearsal,
    balance: balance?.credits,
    now: clock.now(),
  });
  const overruled = overruledText(options.budget, bound);
  if (overruled !== undefined) warnings.push(overruled);
  if (options.explain !== undefined && reading.explanation === undefined)
    refuse(
      `--explain ${options.explain}: the plan has no such task`,
      'write the name of a step, or step:item, such as swap:IMG_0412.jpg',
    );
  const orphans =
    options.reroll === undefined
      ? await countOrphans(
          {
            ...prepared,
            ledger: prepared.state.ledger,
            references: prepared.planned.references,
          },
          rehearsal,
        )
      : undefined;
  const calendar = new CalendarBudget(calendarCaps(bound.pipeline)).at(
    clock.now(),
    prepared.state.ledger,
  );
  const behind = behindText(calendar);
  if (behind !== undefined) warnings.push(behind);
  const planned: Planned = {
    plan,
    ...reading,
    orphans,
    calendar,
    ...(rehearsal ? {} : { service: target.address }),
    balance,
    warnings: [
      ...warnings,
      ...earlierWarnings(prepared.earlier),
      ...foreignWarning(prepared.planned),
    ],
    rehearsal,
    env: envUses(bound.pipeline),
    outside: boundary.outside,
    state: paths.state,
  };
  if (diagnostics.length > 0)
    throw new UnrunnablePlan({ reason: 'input', diagnostics, text: bound.text }, planned);
  if (!checked.ok) throw new UnrunnablePlan(checked.error, planned);
  if (isRefused) throw new UnrunnablePlan(refusedKey('plan'), planned);
  if (options.out === undefined || record === undefined) return planned;
  const { file, choices } = options.out;
  await writeSavedPlan(file, prepared, choices, record, clock.now());
  return planned;
}

/** The same question that a run asks first. */
async function serviceFor(
  target: Target | Unasked,
  plan: Plan,
  { clock, env }: Required<Pick<PlanOptions, 'clock' | 'env'>>,
  { api }: RunInternals,
): Promise<ServiceCheck> {
  if (target.kind !== 'hosted') return {};
  const redactor = new Redactor(secretsIn(env));
  const asked = { redactor, clock, signal: undefined, asleep: false, api };
  return await checkService(target, plan, asked);
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
