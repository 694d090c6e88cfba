// The catalogue: everything that people and programs can know about a step kind before they use it. The command `tools`,
// the pages in docs/tools and the library show the same entries.

import { isObject } from '../../base/json.ts';
import type { RecordKind } from '../api/project.ts';
import { allowances, tiers } from '../api/tier.ts';
import { kinds } from '../kinds/all.ts';
import type { StepKind } from '../kinds/kind.ts';
import type { Model } from '../tool/models.ts';
import { freePlanOf } from '../tool/plan-rules.ts';
import type { Tool } from '../tool/tool.ts';
import { type Example, exampleOf } from './example.ts';
import { type Field, fieldsOf } from './field.ts';
import { type Group, groupOf, groups } from './group.ts';
import { type PriceFacts, priceFactsOf } from './price.ts';

export interface Entry {
  readonly name: string;
  /** What the kind does, in a few words. */
  readonly title: string;
  /** The same in one or two sentences. */
  readonly description: string;
  readonly group: Group;
  /** True for the tools, each of which has a price. */
  readonly paid: boolean;
  /** What the tool makes, if the kind is a tool. */
  readonly record?: RecordKind;
  /** Observed end-to-end median, in seconds. */
  readonly medianSeconds?: number;
  readonly price: PriceFacts;
  /** The fields under `with:`. */
  readonly fields: readonly Field[];
  /** Rules between fields, one sentence each. */
  readonly rules: readonly string[];
  readonly models: readonly Model[];
  readonly modelNotes: readonly string[];
  /** What depends on the account's plan, one sentence each. */
  readonly plans: readonly string[];
  /** The outputs that later steps may use, by name. */
  readonly outputs: Readonly<Record<string, string>>;
  readonly example: Example;
}

export function entryOf(kind: StepKind): Entry {
  const { tool } = kind;
  const { description = `${kind.title}.` } = kind.with;
  return {
    name: kind.name,
    title: kind.title,
    description: String(description),
    group: groupOf(kind),
    paid: tool !== undefined,
    ...(tool === undefined ? {} : { record: tool.record, medianSeconds: tool.medianSeconds }),
    price: priceFactsOf(kind),
    fields: fieldsOf(kind.with),
    rules: (tool?.rules ?? []).map(({ says }) => says),
    models: tool === undefined ? [] : (tool.models?.offered ?? []),
    modelNotes: tool === undefined ? [] : (tool.models?.notes ?? []),
    plans: tool === undefined ? [] : plansOf(tool),
    outputs: kind.outputs,
    example: exampleOf(kind),
  };
}

/** All entries, in groups. */
export function catalogue(): ReadonlyMap<Group, readonly Entry[]> {
  const entries = kinds.map(entryOf);
  return new Map(groups.map((group) => [group, entries.filter((entry) => entry.group === group)]));
}

// What the subscription plans allow of a tool.

/** Sentences about what depends on the plan; empty if nothing does. */
function plansOf(tool: Tool): readonly string[] {
  return [...freePlanOf(tool).map((limit) => `On the free plan, ${limit}.`), ...sizeOf(tool)];
}

/** Tools without named resolutions limit the longer side of the output by plan (models.md, Plans). */
function sizeOf({ record, request, sizeLimit = {} }: Tool): readonly string[] {
  const { properties } = request;
  const isNamed = isObject(properties) && properties['resolution'] !== undefined;
  if (isNamed || record === 'audio' || sizeLimit === 'none') return [];
  const { most, longest = Number.POSITIVE_INFINITY } = sizeLimit;
  const sizes = tiers.map((tier) => `${Math.min(longest, allowances[tier].longestEdge)} (${tier})`);
  return [
    `The longer side of the output has at most this many pixels, by plan: ${sizes.join(', ')}.`,
    ...(most === undefined ? [] : [`The shorter side has at most ${most} pixels on every plan.`]),
  ];
}
