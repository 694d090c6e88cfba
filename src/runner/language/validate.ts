// Source → Pipeline: finds every problem that the file alone can show, with its place, before any
// credit is spent.
import { isObject, type Json } from '../../contract/base/json.ts';
import { err, ok, type Result } from '../../contract/base/result.ts';
import type { Diagnostic } from '../../contract/yaml/diagnostic.ts';
import { parseSource, type Source } from '../../contract/yaml/source.ts';
import { checkBody } from './body.ts';
import { pipelineOf } from './build.ts';
import { type Draft, draftStep } from './draft.ts';
import { edgesOf, sharedSteps } from './edges.ts';
import { inExpression } from './expression-diagnostic.ts';
import { checkExtra } from './extra.ts';
import { checkFailureLimits } from './failure-limits.ts';
import { fanOutsOf, gatheredBy } from './fan-out.ts';
import { checkFanOuts } from './fan-out-checks.ts';
import { topological } from './graph.ts';
import { checkHooks } from './hooks.ts';
import { checkItems, draftItems } from './items-check.ts';
import { knownNames } from './known-names.ts';
import { checkLimits } from './limits.ts';
import { inOrder } from './order.ts';
import { checkPaths } from './path-checks.ts';
import type { Pipeline } from './pipeline.ts';
import { checkReferences, type Declared, type DeclaredItem } from './references.ts';
import { type ReuseOptions, resolveReuse } from './reuse/resolve.ts';
import { checkSchedule } from './schedule.ts';
import { checkShape, isDocument } from './shape.ts';
import { checkStages } from './stages.ts';
import { fanOutSteps, stepOf } from './step.ts';
import { checkStore } from './store.ts';
import type { TemplateError } from './template.ts';
import { checkTypes, checkWhen } from './type-check.ts';
import { checkKept } from './unsaved.ts';

export interface ValidPipeline {
  readonly pipeline: Pipeline;
  readonly warnings: readonly Diagnostic[];
  /** The names of the profiles that the file has. */
  readonly profiles: readonly string[];
  /** The first profile with the output folder that the chosen profile sets; undefined: it sets none. */
  readonly outputProfile: string | undefined;
}

/**
 * Reads the text of a pipeline file. `file` is only for messages. The error has all errors, in file
 * order.
 */
export function validate(
  file: string,
  text: string,
  reuse: ReuseOptions = {},
): Result<ValidPipeline, readonly Diagnostic[]> {
  const parsed = parseSource(file, text);
  if (!parsed.ok) return parsed;
  const { source, complete, profiles, outputProfile, ...resolved } = resolveReuse(
    parsed.value,
    reuse,
  );
  if (!complete) return err(inOrder(resolved.problems, file));
  const document = source.value;
  const problems = [...resolved.problems, ...checkShape(source)];
  const shaped = isDocument(document, problems);

  const rawSteps = isObject(document) && isObject(document['steps']) ? document['steps'] : {};
  const errors: TemplateError[] = [];
  const drafts = new Map(
    Object.entries(rawSteps).map(([name, raw]) => [name, draftStep(name, raw, errors)]),
  );
  const rawItems = isObject(document) ? document['items'] : undefined;
  const items = draftItems(rawItems, errors);
  problems.push(...errors.map((error) => inExpression(error, source)));
  const declared = declaredBy(document, drafts, items.declared);
  const fans = fanOutsOf(drafts);
  const knownIn = knownNames(document, drafts, fans);
  for (const draft of drafts.values())
    problems.push(
      ...checkReferences(draft, declared, source),
      ...checkTypes(draft, knownIn(draft), source),
    );

  problems.push(
    ...checkItems(rawItems, items, declared, source),
    ...checkWhen(items.when, knownIn(draftStep('', {}, [])), source),
    ...checkLimits(document, source),
    ...checkFailureLimits(document, source),
    ...checkSchedule(document, source),
    ...checkHooks(document, source),
    ...checkPaths(document, source),
    ...checkStore(document, source),
  );

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
  if (!shaped || !order.ok || problems.length > 0) return err(inOrder(problems, file));

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
  if (deadlocks.length > 0) return err(inOrder(deadlocks, file));
  return ok({
    pipeline: pipelineOf(document, source, steps, items.when),
    warnings: inOrder(
      bodies.filter(({ severity }) => severity === 'warning'),
      file,
    ),
    ...{ profiles, outputProfile },
  });
}

function declaredBy(
  document: Json,
  steps: ReadonlyMap<string, Draft>,
  item: DeclaredItem | undefined,
): Declared {
  const root = isObject(document) ? document : {};
  const env = root['env'];
  return {
    steps,
    inputs: isObject(root['inputs']) ? Object.keys(root['inputs']) : [],
    env: Array.isArray(env) ? env.map(String) : [],
    item,
  };
}

function cycle(names: readonly string[], source: Source): Diagnostic {
  return {
    ...{ severity: 'error', code: 'SL213', file: source.file },
    span: source.keySpanOf(['steps', names[0] ?? '']),
    message: `these steps wait for each other: ${names.join(' → ')}`,
    hint: 'each waits for the next; a delete waits for every other use of its step',
  };
}
