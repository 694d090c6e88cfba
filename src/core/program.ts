// The steps of a pipeline as the walk goes through them: once, for each item, for each element of a list, and after all items.
import { isObject } from '../base/json.ts';
import type { FanOut, Pipeline, Step } from '../language/pipeline.ts';
import type { Template } from '../language/template.ts';
import { compileName, compileNames, type Naming } from './naming.ts';

/** A step that must be over before another begins. */
export interface StepNeed {
  readonly step: string;
  /** Those of all items, or of all elements, and not only the one in the same place. */
  readonly all: boolean;
  /** False: only the order counts, and a step that was skipped does not skip its reader. */
  readonly reads: boolean;
}

export interface PlannedStep {
  readonly step: Step;
  readonly needs: readonly StepNeed[];
  /** Of a download: the place; of an upload: the file. */
  readonly path: { readonly template: Template; readonly name: Naming } | undefined;
  /** `if:`, the request, and the field of the request that says how many results it asks for. */
  readonly when: Naming | undefined;
  readonly body: Naming;
  readonly count: Naming | undefined;
  /** Of a creation and of a delete: the downloads of the project. */
  readonly downloads: readonly PlannedStep[];
  /** Of a delete: the steps that read the project. */
  readonly readers: readonly string[];
  /** A delete that runs once, of what steps of the items read. */
  readonly isOfItems: boolean;
  /** A delete in an item of what belongs to the run, or of what a step after all items needs. */
  readonly isLate: boolean;
  /** It waits for all items. */
  readonly isAfter: boolean;
}

/** The steps that run once for each element of a list, the one with the list first. */
export interface Fan {
  readonly fan: FanOut;
  readonly list: Naming;
  readonly needs: readonly StepNeed[];
  readonly steps: readonly PlannedStep[];
}

export type Part = PlannedStep | Fan;

export interface Program {
  readonly pipeline: Pipeline;
  /** Once for all items. */
  readonly before: readonly Part[];
  readonly own: readonly Part[];
  /** Once, when all items are over. */
  readonly after: readonly Part[];
  /** Steps of the items that those after them wait for. */
  readonly gathered: ReadonlySet<string>;
}

export const isFan = (part: Part): part is Fan => 'fan' in part;

export function compileProgram(pipeline: Pipeline): Program {
  const steps = new Map(pipeline.steps.map((step) => [step.name, step]));
  const gathered = new Set<string>();
  const isWithin = (inner: Step, outer: Step): boolean =>
    (!inner.shared && outer.shared) || (inner.fan !== undefined && inner.fan !== outer.fan);
  const needsOf = (reader: Step): readonly StepNeed[] =>
    // A delete is the last thing that happens in its place, whatever was before it.
    (reader.kind.operation === 'delete' ? reader.uses : reader.after).flatMap((name) => {
      const needed = steps.get(name);
      if (needed === undefined) return [];
      const all = reader.gathers.includes(name) || isWithin(needed, reader);
      return [{ step: name, all, reads: reader.uses.includes(name) }];
    });
  const late = new Set<string>();
  for (const step of pipeline.steps) {
    if (!step.shared || step.kind.operation === 'delete') continue;
    for (const { step: name, all } of needsOf(step)) {
      const isOfItems = all && steps.get(name)?.shared === false;
      if (isOfItems) gathered.add(name);
      if (isOfItems || late.has(name)) late.add(step.name);
    }
  }
  const planned = new Map<string, PlannedStep>();
  const plan = (step: Step): PlannedStep => {
    const known = planned.get(step.name);
    if (known !== undefined) return known;
    const { operation } = step.kind;
    const project =
      operation === 'create' ? step.name : operation === 'delete' ? step.of : undefined;
    const downloads = pipeline.steps.filter(
      ({ kind, of }) => kind.operation === 'download' && of !== undefined && of === project,
    );
    const readers =
      operation === 'delete'
        ? pipeline.steps.filter(({ uses }) => uses.includes(step.of ?? ''))
        : [];
    const { of = '' } = step;
    const isOfRun = !step.shared && steps.get(of)?.shared === true;
    const one: PlannedStep = {
      step,
      needs: needsOf(step),
      path: pathIn(step),
      when: step.condition && compileName(step.condition, ['steps', step.name, 'if']),
      body: compileNames(step.with),
      count: countIn(step),
      downloads: downloads.map(plan),
      readers: readers.map(({ name }) => name),
      isOfItems: step.shared && readers.some(({ shared }) => !shared),
      isLate: operation === 'delete' && (gathered.has(of) || isOfRun),
      isAfter: late.has(step.name),
    };
    planned.set(step.name, one);
    return one;
  };
  const lists = { before: [] as Part[], own: [] as Part[], after: [] as Part[] };
  const fans = new Map<FanOut, { readonly steps: PlannedStep[] }>();
  for (const step of pipeline.steps) {
    const list = step.shared ? (late.has(step.name) ? lists.after : lists.before) : lists.own;
    const { fan } = step;
    if (fan === undefined) list.push(plan(step));
    else if (fans.has(fan)) fans.get(fan)?.steps.push(plan(step));
    else {
      const needs = fan.uses.map((name) => ({
        step: name,
        all: fan.gathers.includes(name),
        reads: true,
      }));
      const part = { fan, list: compileNames(fan.list), needs, steps: [plan(step)] };
      fans.set(fan, part);
      list.push(part);
    }
  }
  return { pipeline, ...lists, gathered };
}

/** The field of a step that is a path. */
function pathIn(step: Step): PlannedStep['path'] {
  const { operation } = step.kind;
  const name = operation === 'upload' ? 'file' : operation === 'download' ? 'to' : undefined;
  const template = name === undefined ? undefined : fieldOf(step, name);
  return template && { template, name: compileNames(template) };
}

function countIn(step: Step): Naming | undefined {
  const template = isCounted(step) ? fieldOf(step, 'image_count') : undefined;
  return template && compileNames(template);
}

/** Its requests say how many results they ask for. */
const isCounted = ({ kind }: Step): boolean => {
  const { properties } = kind.with;
  return isObject(properties) && isObject(properties['image_count']);
};

const fieldOf = ({ with: fields }: Step, name: string): Template | undefined =>
  fields.kind === 'object' ? fields.fields.find(([field]) => field === name)?.[1] : undefined;
