// Builds the Pipeline from a valid document and its steps from their drafts: fills in defaults and converts names.
import { milliseconds } from '../base/duration.ts';
import { asJson, isObject } from '../base/json.ts';
import type { Source } from '../contract/yaml/source.ts';
import { extraPaths } from './body.ts';
import { type Draft, gatheredBy, isInList, readsEach, stepsIn, targetOf } from './draft.ts';
import type { Expression } from './expression.ts';
import { failureLimitsOf } from './failure-limits.ts';
import type { Edges, StepEdges } from './graph.ts';
import { itemsOf } from './items.ts';
import type { FanOut, Hook, Pipeline, Schedule, Step } from './pipeline.ts';
import type { PipelineDocument } from './schema.ts';
import type { StepDocument } from './step-schema.ts';

export function pipelineOf(
  document: PipelineDocument,
  source: Source,
  steps: readonly Step[],
  when?: Expression,
): Pipeline {
  const { budget = {}, limits = {}, schedule } = document;
  return {
    name: document.pipeline,
    description: document.description,
    inputs: Object.fromEntries(
      Object.entries(document.inputs ?? {}).map(([name, input]) => [
        name,
        { type: input.type, default: input.default },
      ]),
    ),
    env: document.env ?? [],
    items: itemsOf(document.items === undefined ? undefined : asJson(document.items), when),
    budget: {
      credits: budget.credits,
      perItem: budget.per_item,
      perDay: budget.per_day,
      perMonth: budget.per_month,
    },
    confirmAbove: document.confirm_above ?? 100,
    schedule: schedule === undefined ? undefined : scheduleOf(schedule),
    onFinish: hookOf(document.on_finish),
    onDoubt: hookOf(document.on_doubt),
    store: document.outputs?.store,
    failureLimits: failureLimitsOf(document),
    limits: {
      items: limits.items ?? 16,
      steps: numbersOf(limits.steps),
      requestsPerMinute: limits.requests_per_minute,
      outageMs: milliseconds(limits.outage ?? '15m'),
    },
    output: document.output ?? `out/${document.pipeline}`,
    provenance: document.provenance ?? false,
    reusesOwnOnly: document.reuse === 'own',
    service: document.service,
    steps,
    source,
    document,
  };
}

function scheduleOf(written: NonNullable<PipelineDocument['schedule']>): Schedule {
  const { cron, time_zone: timeZone = 'UTC' } = written;
  return {
    cron: typeof cron === 'string' ? [cron] : cron.map(String),
    timeZone,
  };
}

function hookOf(written: PipelineDocument['on_finish']): Hook | undefined {
  if (written === undefined) return undefined;
  const { command, webhook = '' } = written;
  return command === undefined
    ? { kind: 'webhook', address: webhook }
    : { kind: 'command', command };
}

function numbersOf(
  steps: { readonly [kind: string]: unknown } | undefined,
): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(steps ?? {}).flatMap(([kind, n]): [string, number][] =>
      typeof n === 'number' ? [[kind, n]] : [],
    ),
  );
}

/** `role`: what the other steps make of this one. */
export function stepOf(
  draft: Draft,
  written: StepDocument,
  { uses, after }: StepEdges,
  role: Pick<Step, 'fan' | 'shared' | 'isRead' | 'isGathered'>,
): Step {
  const { name, kind } = draft;
  if (kind === undefined) throw new Error(`bug: step ${name} is valid but has no kind`);
  const fields = draft.raw['with'];
  // A request that reads `each` needs what its list is made of.
  const listed = readsEach(draft) ? role.fan : undefined;
  return {
    name,
    kind,
    with: draft.with,
    extra: extraPaths(draft),
    condition: draft.condition,
    uses: uses.get(name) ?? [],
    after: after.get(name) ?? [],
    gathers: [...new Set([...gatheredBy(draft.references), ...(listed?.gathers ?? [])])],
    onMissing: written.on_missing ?? role.fan?.onMissing ?? 'fail',
    of: targetOf(draft),
    discard: isObject(fields) && fields['discard'] === true,
    keepRemote: written.keep === 'remote',
    ...role,
    estimate: written.estimate,
    attempts: written.retry?.attempts ?? 3,
    timeoutMs: written.timeout === undefined ? undefined : milliseconds(written.timeout),
  };
}

/** The fan-outs, by the names of their steps with `for_each`. */
export function fanOutSteps(
  drafts: ReadonlyMap<string, Draft>,
  uses: Edges,
): ReadonlyMap<string, FanOut> {
  const fanOuts = new Map<string, FanOut>();
  for (const { name, list, references, raw } of drafts.values()) {
    if (list === undefined) continue;
    const ofList = references.filter(isInList);
    const read = stepsIn(ofList);
    fanOuts.set(name, {
      step: name,
      list,
      uses: (uses.get(name) ?? []).filter((used) => read.includes(used)),
      gathers: gatheredBy(ofList),
      onMissing: raw['on_missing'] === 'skip' ? 'skip' : 'fail',
    });
  }
  return fanOuts;
}
