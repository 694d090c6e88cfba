// Builds the Pipeline from a valid document: fills in defaults and converts names.
import { milliseconds } from '../../contract/base/duration.ts';
import type { Json } from '../../contract/base/json.ts';
import type { Source } from '../../contract/yaml/source.ts';
import { failureLimitsOf } from './failure-limits.ts';
import type { InputDeclaration, Items, Pipeline, Step } from './pipeline.ts';
import type { PipelineDocument } from './schema.ts';

export function pipelineOf(
  document: PipelineDocument,
  source: Source,
  steps: readonly Step[],
): Pipeline {
  return {
    name: document.pipeline,
    ...(document.description === undefined ? {} : { description: document.description }),
    inputs: inputsOf(document),
    env: document.env ?? [],
    items: itemsOf(document),
    budget: {
      ...(document.budget?.credits === undefined ? {} : { credits: document.budget.credits }),
      ...(document.budget?.per_item === undefined ? {} : { perItem: document.budget.per_item }),
    },
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
    ...(document.service === undefined ? {} : { service: document.service }),
    steps,
    source,
    document,
  };
}

function inputsOf(document: PipelineDocument): Pipeline['inputs'] {
  return Object.fromEntries(
    Object.entries(document.inputs ?? {}).map(([name, input]): [string, InputDeclaration] => [
      name,
      { type: input.type, ...(input.default === undefined ? {} : { default: input.default }) },
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

function itemsOf(document: PipelineDocument): Items {
  const { items } = document;
  if (items === undefined) return { kind: 'one' };
  if (items.glob !== undefined) return { kind: 'glob', pattern: items.glob };
  return { kind: 'values', values: (items.values ?? []).map((value): Json => value as Json) };
}
