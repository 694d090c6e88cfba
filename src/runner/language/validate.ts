// Source → Pipeline: finds every problem that the file alone can show, with its place, before any
// credit is spent.
import { milliseconds } from '../../contract/base/duration.ts';
import { isObject, type Json } from '../../contract/base/json.ts';
import { err, ok, type Result } from '../../contract/base/result.ts';
import { kindNamed, kinds } from '../../contract/kinds/all.ts';
import { type Diagnostic, suggestion } from '../../contract/yaml/diagnostic.ts';
import { parseSource, type Source } from '../../contract/yaml/source.ts';
import { checkBody } from './body.ts';
import { pipelineOf } from './build.ts';
import { type Draft, draftStep, plainField } from './draft.ts';
import { expressionRemedy } from './expression-remedy.ts';
import { checkExtra, extraPaths } from './extra.ts';
import { checkFailureLimits } from './failure-limits.ts';
import { type Edges, topological } from './graph.ts';
import { checkHooks } from './hooks.ts';
import type { Pipeline, Step } from './pipeline.ts';
import { checkReferences, type Declared, globItemFields } from './references.ts';
import { checkSchedule } from './schedule.ts';
import { checkShape, isDocument } from './shape.ts';
import { checkStages } from './stages.ts';
import type { StepDocument } from './step-schema.ts';
import { checkStore } from './store.ts';
import type { TemplateError } from './template.ts';
import { checkKept } from './unsaved.ts';

export interface ValidPipeline {
  readonly pipeline: Pipeline;
  readonly warnings: readonly Diagnostic[];
}

/**
 * Reads the text of a pipeline file. `file` is only for messages. The error has all errors, in file
 * order.
 */
export function validate(file: string, text: string): Result<ValidPipeline, readonly Diagnostic[]> {
  const parsed = parseSource(file, text);
  if (!parsed.ok) return parsed;
  const source = parsed.value;
  const document = source.value;
  const problems = [...checkShape(source)];
  const shaped = isDocument(document, problems);

  const rawSteps = isObject(document) && isObject(document['steps']) ? document['steps'] : {};
  const errors: TemplateError[] = [];
  const drafts = new Map(
    Object.entries(rawSteps).map(([name, raw]) => [name, draftStep(name, raw, errors)]),
  );
  problems.push(...errors.map((error) => atExpression(error, source)));
  const declared = declaredBy(document, drafts);
  for (const draft of drafts.values()) problems.push(...checkReferences(draft, declared, source));

  problems.push(
    ...checkLimits(document, source),
    ...checkFailureLimits(document, source),
    ...checkSchedule(document, source),
    ...checkHooks(document, source),
    ...checkStore(document, source),
  );

  const edges = edgesOf(drafts);
  const order = topological(edges.after);
  if (!order.ok) problems.push(cycle(order.error, source));
  const bodies = [
    ...[...drafts.values()].flatMap((draft) => [
      ...checkBody(draft, source),
      ...checkExtra(draft, source),
    ]),
    ...checkKept(drafts, source),
  ];
  problems.push(...bodies.filter(({ severity }) => severity === 'error'));
  if (!shaped || !order.ok || problems.length > 0) return err(inOrder(problems));

  const read = new Set(
    [...drafts.values()].flatMap(({ references }) =>
      references.flatMap(({ root, key }) => (root === 'steps' && key !== undefined ? [key] : [])),
    ),
  );
  const shared = sharedSteps(order.value, drafts, edges.after);
  const steps = order.value.flatMap((name) => {
    const draft = drafts.get(name);
    const written = document.steps[name];
    if (draft === undefined || written === undefined) return [];
    return [stepOf(draft, written, edges, { shared: shared.has(name), isRead: read.has(name) })];
  });
  const deadlocks = checkStages(steps, source);
  if (deadlocks.length > 0) return err(inOrder(deadlocks));
  return ok({
    pipeline: pipelineOf(document, source, steps),
    warnings: inOrder(bodies.filter(({ severity }) => severity === 'warning')),
  });
}

/** `limits.steps` names step kinds, not steps. A wrong name would silently limit nothing. */
function checkLimits(document: Json, source: Source): readonly Diagnostic[] {
  const limits =
    isObject(document) && isObject(document['limits']) ? document['limits']['steps'] : undefined;
  const names = isObject(limits) ? Object.keys(limits) : [];
  return names
    .filter((name) => kindNamed(name) === undefined)
    .map((name): Diagnostic => {
      const hint =
        suggestion(
          name,
          kinds.map((kind) => kind.name),
        ) ?? 'shotlist tools lists the step kinds';
      const span = source.keySpanOf(['limits', 'steps', name]);
      const message = `limits.steps: ${JSON.stringify(name)} is not a step kind`;
      return { severity: 'error', code: 'SL110', file: source.file, span, message, hint };
    });
}

function atExpression(error: TemplateError, source: Source): Diagnostic {
  return {
    severity: 'error',
    code: error.code,
    file: source.file,
    span: source.spanInside(error.path, error.text, error.start, error.end),
    message: `in the expression: ${error.message}`,
    hint: expressionRemedy(error),
  };
}

function declaredBy(document: Json, steps: ReadonlyMap<string, Draft>): Declared {
  const root = isObject(document) ? document : {};
  const items = isObject(root['items']) ? root['items'] : undefined;
  const values = items?.['values'];
  const fields = Array.isArray(values)
    ? [
        'key',
        'index',
        ...new Set(
          values.flatMap((value: Json) => (isObject(value) ? Object.keys(value) : ['value'])),
        ),
      ]
    : globItemFields;
  const env = root['env'];
  return {
    steps,
    inputs: isObject(root['inputs']) ? Object.keys(root['inputs']) : [],
    env: Array.isArray(env) ? env.map(String) : [],
    item: items === undefined ? undefined : { fields },
  };
}

interface StepEdges {
  /** Data edges: steps whose outputs are read, including `of`. */
  readonly uses: Edges;
  /** All edges. */
  readonly after: Edges;
}

function edgesOf(drafts: ReadonlyMap<string, Draft>): StepEdges {
  const uses = new Map<string, readonly string[]>();
  for (const [name, draft] of drafts) {
    const read = draft.references.flatMap(({ root, key }) =>
      root === 'steps' && key !== undefined ? [key] : [],
    );
    const of = plainField(draft, 'of');
    const all = of !== undefined && isAbout(draft) ? [...read, of] : read;
    uses.set(
      name,
      [...new Set(all)].filter((used) => drafts.has(used)),
    );
  }
  const users = usersOf(drafts, uses);
  const after = new Map<string, readonly string[]>();
  for (const [name, draft] of drafts) {
    const needs = draft.raw['needs'];
    const explicit = Array.isArray(needs)
      ? needs.map(String).filter((need) => drafts.has(need))
      : [];
    const of = draft.kind?.operation === 'delete' ? plainField(draft, 'of') : undefined;
    const others = of === undefined ? [] : (users.get(of) ?? []);
    after.set(name, [...new Set([...(uses.get(name) ?? []), ...explicit, ...others])]);
  }
  return { uses, after };
}

const isAbout = (draft: Draft): boolean =>
  draft.kind?.operation === 'download' || draft.kind?.operation === 'delete';

/** For each step, the steps that read its outputs, except deletes, which wait for all of these. */
function usersOf(drafts: ReadonlyMap<string, Draft>, uses: Edges): Edges {
  const users = new Map<string, string[]>();
  for (const { name, kind } of drafts.values())
    if (kind?.operation !== 'delete')
      for (const of of uses.get(name) ?? []) {
        const known = users.get(of);
        if (known === undefined) users.set(of, [name]);
        else known.push(name);
      }
  return users;
}

function cycle(names: readonly string[], source: Source): Diagnostic {
  return {
    ...{ severity: 'error', code: 'SL213', file: source.file },
    span: source.keySpanOf(['steps', names[0] ?? '']),
    message: `these steps wait for each other: ${names.join(' → ')}`,
    hint: 'each waits for the next; a delete waits for every other use of its step',
  };
}

/**
 * A step is shared if neither the step nor anything that it reads or waits for refers to an item.
 */
function sharedSteps(
  order: readonly string[],
  drafts: ReadonlyMap<string, Draft>,
  after: Edges,
): ReadonlySet<string> {
  const shared = new Set<string>();
  for (const name of order) {
    const draft = drafts.get(name);
    const own = draft?.references.some(({ root }) => root === 'item') ?? false;
    const waits =
      draft?.kind?.operation === 'delete'
        ? [plainField(draft, 'of') ?? '']
        : (after.get(name) ?? []);
    if (!own && waits.every((before) => shared.has(before))) shared.add(name);
  }
  return shared;
}

function stepOf(
  draft: Draft,
  written: StepDocument,
  edges: StepEdges,
  role: Pick<Step, 'shared' | 'isRead'>,
): Step {
  if (draft.kind === undefined) throw new Error(`bug: step ${draft.name} is valid but has no kind`);
  const of = isAbout(draft) ? plainField(draft, 'of') : undefined;
  const fields = draft.raw['with'];
  return {
    name: draft.name,
    kind: draft.kind,
    with: draft.with,
    extra: extraPaths(draft),
    ...(draft.condition === undefined ? {} : { condition: draft.condition }),
    uses: edges.uses.get(draft.name) ?? [],
    after: edges.after.get(draft.name) ?? [],
    ...(of === undefined ? {} : { of }),
    discard: isObject(fields) && fields['discard'] === true,
    keepRemote: written.keep === 'remote',
    ...role,
    ...(written.estimate === undefined ? {} : { estimate: written.estimate }),
    attempts: written.retry?.attempts ?? 3,
    ...(written.timeout === undefined ? {} : { timeoutMs: milliseconds(written.timeout) }),
  };
}

function inOrder(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  return diagnostics.toSorted(
    (a, b) =>
      (a.span?.line ?? 0) - (b.span?.line ?? 0) || (a.span?.column ?? 0) - (b.span?.column ?? 0),
  );
}
