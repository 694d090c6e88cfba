// Builds the Pipeline from a valid document: fills in defaults and converts names.
import { milliseconds } from '../base/duration.ts';
import { asJson } from '../base/json.ts';
import type { Source } from '../contract/yaml/source.ts';
import type { Expression } from './expression.ts';
import { failureLimitsOf } from './failure-limits.ts';
import { itemsOf } from './items.ts';
import type { Hook, InputDeclaration, Pipeline, Schedule, Step } from './pipeline.ts';
import type { PipelineDocument } from './schema.ts';

export function pipelineOf(
  document: PipelineDocument,
  source: Source,
  steps: readonly Step[],
  when?: Expression,
): Pipeline {
  return {
    name: document.pipeline,
    description: document.description,
    inputs: inputsOf(document),
    env: document.env ?? [],
    items: itemsOf(document.items === undefined ? undefined : asJson(document.items), when),
    budget: {
      ...(document.budget?.credits === undefined ? {} : { credits: document.budget.credits }),
      ...(document.budget?.per_item === undefined ? {} : { perItem: document.budget.per_item }),
      ...(document.budget?.per_day === undefined ? {} : { perDay: document.budget.per_day }),
      ...(document.budget?.per_month === undefined ? {} : { perMonth: document.budget.per_month }),
    },
    confirmAbove: document.confirm_above ?? 100,
    ...unattendedOf(document),
    failureLimits: failureLimitsOf(document),
    limits: {
      items: document.limits?.items ?? 16,
      steps: numbersOf(document.limits?.steps),
      ...(document.limits?.requests_per_minute === undefined
        ? {}
        : { requestsPerMinute: document.limits.requests_per_minute }),
      outageMs: milliseconds(document.limits?.outage ?? '15m'),
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

/** What a pipeline says about runs that nobody watches. */
function unattendedOf({
  schedule,
  on_finish: onFinish,
  on_doubt: onDoubt,
  outputs,
}: PipelineDocument): Pick<Pipeline, 'schedule' | 'onFinish' | 'onDoubt' | 'store'> {
  return {
    ...(schedule === undefined ? {} : { schedule: scheduleOf(schedule) }),
    ...(onFinish === undefined ? {} : { onFinish: hookOf(onFinish) }),
    ...(onDoubt === undefined ? {} : { onDoubt: hookOf(onDoubt) }),
    store: outputs?.store,
  };
}

function scheduleOf(written: NonNullable<PipelineDocument['schedule']>): Schedule {
  const { cron, time_zone: timeZone = 'UTC', jitter = '0s' } = written;
  return {
    cron: typeof cron === 'string' ? [cron] : cron.map(String),
    timeZone,
    jitterMs: milliseconds(jitter),
    catchUp: written.catch_up ?? 'last',
    overlap: written.overlap ?? 'skip',
  };
}

function hookOf({ command, webhook }: NonNullable<PipelineDocument['on_finish']>): Hook {
  return command === undefined
    ? { kind: 'webhook', address: webhook ?? '' }
    : { kind: 'command', command };
}

function inputsOf(document: PipelineDocument): Pipeline['inputs'] {
  return Object.fromEntries(
    Object.entries(document.inputs ?? {}).map(([name, input]): [string, InputDeclaration] => [
      name,
      { type: input.type, default: input.default },
    ]),
  );
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
