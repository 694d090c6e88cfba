// Checks the names in expressions: the step exists, has that output, and can run.
import { isObject } from '../base/json.ts';
import type { Code } from '../contract/codes.ts';
import {
  type Diagnostic,
  errorAt,
  type Finding,
  listing,
  type Span,
  suggestion,
} from '../contract/yaml/diagnostic.ts';
import type { Source } from '../contract/yaml/source.ts';
import { type Draft, type PlacedReference, plainField, targetOf } from './draft.ts';
import { gathered, type Reference } from './reference.ts';
import { resultNames } from './result-name.ts';
import { runFields } from './schedule.ts';

/** The names that the file declares. */
export interface Declared {
  readonly steps: ReadonlyMap<string, Draft>;
  readonly inputs: readonly string[];
  readonly env: readonly string[];
  /** Undefined if the pipeline has no items. */
  readonly item: DeclaredItem | undefined;
}

export interface DeclaredItem {
  /** The fields of `item`; undefined if only a table knows them. */
  readonly fields: readonly string[] | undefined;
  /** The names below `matrix`; undefined without a matrix. */
  readonly matrix: readonly string[] | undefined;
}

export function checkReferences(
  draft: Draft,
  declared: Declared,
  source: Source,
): readonly Diagnostic[] {
  const found: Diagnostic[] = [];
  const report = (finding: Finding | undefined, span: Span): void => {
    if (finding !== undefined) found.push(errorAt(source.file, span, finding));
  };
  for (const reference of draft.references)
    report(
      aboutReference(reference, declared, draft),
      source.spanInside(reference.path, reference.text, reference.start, reference.end),
    );
  const needs = draft.raw['needs'];
  for (const [index, name] of (Array.isArray(needs) ? needs : []).entries())
    if (typeof name === 'string' && !declared.steps.has(name))
      report(unknownStep(name, declared), source.spanOf(['steps', draft.name, 'needs', index]));
  report(aboutOf(draft, declared), source.spanOf(['steps', draft.name, 'with', 'of']));
  return found;
}

function aboutReference(
  reference: PlacedReference,
  declared: Declared,
  draft: Draft,
): Finding | undefined {
  if (reference.root === 'steps') return aboutStep(reference, declared);
  if (reference.root === 'result') return aboutResult(reference, draft);
  return aboutName(reference, declared);
}

/** About a name that is known before any step: the item, the matrix, an input, a variable or the run. */
export function aboutName(
  { root, key }: Pick<Reference, 'root' | 'key'>,
  declared: Declared,
): Finding | undefined {
  switch (root) {
    case 'item':
      if (declared.item === undefined)
        return {
          code: 'SL207',
          message: 'there is no item, because the pipeline has no items:',
          hint: 'add items: { glob: … } or items: { values: … }',
        };
      return key === undefined || declared.item.fields === undefined
        ? undefined
        : unknownName('SL206', 'item has no', key, declared.item.fields);
    case 'matrix':
      if (declared.item?.matrix === undefined)
        return {
          code: 'SL216',
          message: 'there is no matrix, because items: has none',
          hint: 'add one: items: { matrix: { <name>: [<values>] } }',
        };
      return key === undefined
        ? undefined
        : unknownName('SL217', 'matrix has no', key, declared.item.matrix);
    case 'inputs':
      return key === undefined
        ? undefined
        : unknownName('SL204', 'there is no input', key, declared.inputs);
    case 'env':
      return key === undefined || declared.env.includes(key)
        ? undefined
        : {
            code: 'SL205',
            message: `env.${key} is not listed under env:`,
            hint:
              declared.env.length < 20
                ? `add it: env: [${[...declared.env, key].join(', ')}]`
                : 'add it to env:',
          };
    case 'run':
      return key === undefined
        ? undefined
        : unknownName('SL208', 'run has no', key, Object.keys(runFields));
    case 'each':
    case 'steps':
    case 'result':
      return undefined;
  }
}

/** `result` exists only in a download's `to`, because only a download knows the extension of its file. */
function aboutResult({ key, path }: PlacedReference, { name, kind }: Draft): Finding | undefined {
  const isPlace = kind?.operation === 'download' && path.join('.') === `steps.${name}.with.to`;
  if (!isPlace)
    return {
      code: 'SL209',
      message: "result can only be used in a download's to:",
      hint: 'for the outputs of an earlier step, write steps.<name>.<output>',
    };
  return key === undefined
    ? { code: 'SL208', message: 'result must be followed by a field', hint: 'write result.ext' }
    : unknownName('SL208', 'result has no', key, Object.keys(resultNames));
}

const neverRuns = (step: string): Finding => ({
  code: 'SL210',
  message: `step "${step}" never runs, because its if: is always false`,
  hint: 'change its if:, or remove the reference',
});

function unknownStep(name: string, declared: Declared): Finding {
  return {
    code: 'SL201',
    message: `there is no step "${name}"`,
    hint: suggestion(name, declared.steps.keys()) ?? `steps: ${listing(declared.steps.keys())}`,
  };
}

function aboutStep(reference: PlacedReference, declared: Declared): Finding | undefined {
  const { key, field } = reference;
  if (key === undefined)
    return {
      code: 'SL203',
      message: 'steps must be followed by a name and an output: steps.<name>.<output>',
      hint: `steps: ${listing(declared.steps.keys())}`,
    };
  const step = declared.steps.get(key);
  if (step === undefined) return unknownStep(key, declared);
  if (step.never) return neverRuns(key);
  if (step.kind === undefined) return undefined;
  const outputs = Object.keys(step.kind.outputs);
  if (outputs.length === 0)
    return {
      code: 'SL202',
      message: `step "${key}" has no outputs, because ${step.kind.name} has none`,
      hint: `to wait for it, use needs: [${key}]`,
    };
  if (field === undefined)
    return {
      code: 'SL203',
      message: `steps.${key} must be followed by an output`,
      hint: `outputs: ${outputs.join(', ')}`,
    };
  if (outputs.includes(field) || field === gathered) return undefined;
  if (field === 'duration' && step.kind.tool?.record === 'audio')
    return {
      code: 'SL202',
      message: `step "${key}" (${step.kind.name}) has no output "duration", because the service does not report how long a sound is`,
      hint: hintForSound(key, declared),
    };
  return {
    code: 'SL202',
    message: `step "${key}" (${step.kind.name}) has no output "${field}"`,
    hint: suggestion(field, outputs) ?? `outputs: ${outputs.join(', ')}`,
  };
}

/** A saved sound has a length. */
function hintForSound(key: string, { steps }: Declared): string {
  const saved = downloadOf(key, steps);
  return saved === undefined
    ? `download it, and read the length of the file: add <name>: { uses: download, with: { of: ${key}, to: … } }, and write steps["<name>"].duration`
    : `read the length of the file: steps["${saved.name}"].duration`;
}

const downloadOf = (step: string, steps: Declared['steps']): Draft | undefined =>
  [...steps.values()].find(
    (one) => one.kind?.operation === 'download' && plainField(one, 'of') === step,
  );

function aboutOf(draft: Draft, declared: Declared): Finding | undefined {
  const of = targetOf(draft);
  if (of === undefined) return undefined;
  const target = declared.steps.get(of);
  if (target === undefined) return unknownStep(of, declared);
  if (target.never) return neverRuns(of);
  if (target.kind !== undefined && target.kind.operation !== 'create')
    return {
      code: 'SL211',
      message: `of: must name a tool step; "${of}" is ${target.kind.name}, which creates no project`,
      hint: 'name the tool step whose result is meant',
    };
  if (draft.kind?.operation === 'download') return undefined;
  const fields = draft.raw['with'];
  const discard = isObject(fields) && fields['discard'] === true;
  return discard || downloadOf(of, declared.steps) !== undefined
    ? undefined
    : {
        code: 'SL212',
        message: `deleting "${of}" would lose its result: no step downloads it`,
        hint: `add a download step for ${of}, or set discard: true`,
      };
}

/** `what`: the beginning of a sentence that the name ends. Undefined for a known name. */
export function unknownName(
  code: Code,
  what: string,
  key: string,
  known: readonly string[],
): Finding | undefined {
  if (known.includes(key)) return undefined;
  const hint =
    suggestion(key, known) ??
    (known.length === 0 ? `add ${key}: under inputs:` : `known: ${listing(known)}`);
  return { code, message: `${what} "${key}"`, hint };
}
