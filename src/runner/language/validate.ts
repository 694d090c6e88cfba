// Source → Pipeline: finds every problem that the file alone can show, with its place, before any
// credit is spent.
import { isObject, type Json } from '../../contract/base/json.ts';
import { err, ok, type Result } from '../../contract/base/result.ts';
import { kindNamed, kinds } from '../../contract/kinds/all.ts';
import { type Diagnostic, suggestion } from '../../contract/yaml/diagnostic.ts';
import { parseSource, type Source } from '../../contract/yaml/source.ts';
import { checkBody } from './body.ts';
import { pipelineOf } from './build.ts';
import { type Draft, draftStep } from './draft.ts';
import { edgesOf, sharedSteps } from './edges.ts';
import { checkExtra } from './extra.ts';
import { checkFailureLimits } from './failure-limits.ts';
import { fanOutsOf, gatheredBy } from './fan-out.ts';
import { checkFanOuts } from './fan-out-checks.ts';
import { topological } from './graph.ts';
import { checkHooks } from './hooks.ts';
import type { Pipeline } from './pipeline.ts';
import { checkReferences, type Declared, globItemFields } from './references.ts';
import { checkSchedule } from './schedule.ts';
import { checkShape, isDocument } from './shape.ts';
import { checkStages } from './stages.ts';
import { fanOutSteps, stepOf } from './step.ts';
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

  const fans = fanOutsOf(drafts);
  const edges = edgesOf(drafts, fans);
  const order = topological(edges.after);
  const shared = sharedSteps(order.ok ? order.value : [], { drafts, after: edges.after, fans });
  const { item } = declared;
  if (order.ok)
    problems.push(...checkFanOuts({ drafts, fans, shared, hasItems: item !== undefined, source }));
  else problems.push(cycle(order.error, source));
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
  const listed = new Set([...drafts.values()].flatMap(({ references }) => gatheredBy(references)));
  const fanOuts = fanOutSteps(drafts, edges.uses);
  const steps = order.value.flatMap((name) => {
    const draft = drafts.get(name);
    const written = document.steps[name];
    if (draft === undefined || written === undefined) return [];
    const [fan] = fans.of.get(name) ?? [];
    const role = {
      ...{ shared: shared.has(name), isRead: read.has(name), isGathered: listed.has(name) },
      fan: fanOuts.get(fan ?? ''),
    };
    return [stepOf(draft, written, edges, role)];
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
      return { severity: 'error', file: source.file, span, message, hint };
    });
}

function atExpression(error: TemplateError, source: Source): Diagnostic {
  const dashed = /^there is no "/.test(error.message) && /steps\.[A-Za-z0-9_]+-/.test(error.text);
  return {
    severity: 'error',
    file: source.file,
    span: source.spanInside(error.path, error.text, error.start, error.end),
    message: `in the expression: ${error.message}`,
    ...(dashed ? { hint: 'a step name with "-" needs brackets: steps["photo-file"].path' } : {}),
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

function cycle(names: readonly string[], source: Source): Diagnostic {
  return {
    severity: 'error',
    file: source.file,
    span: source.keySpanOf(['steps', names[0] ?? '']),
    message: `these steps wait for each other: ${names.join(' → ')}`,
    hint: 'each waits for the next; a delete waits for every other use of its step',
  };
}

function inOrder(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  return diagnostics.toSorted(
    (a, b) =>
      (a.span?.line ?? 0) - (b.span?.line ?? 0) || (a.span?.column ?? 0) - (b.span?.column ?? 0),
  );
}
