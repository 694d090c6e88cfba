// Source → Pipeline: finds every problem that the file alone can show, with its place, before any
// credit is spent.
import { isObject } from '../base/json.ts';
import { err, ok, type Result } from '../base/result.ts';
import { type Diagnostic, errorAt } from '../contract/yaml/diagnostic.ts';
import { parseSource, type Source } from '../contract/yaml/source.ts';
import { checkBody, checkExtra } from './body.ts';
import { fanOutSteps, pipelineOf, stepOf } from './build.ts';
import { type Draft, draftStep, gatheredBy, plainField, stepsIn } from './draft.ts';
import { checkFanOuts, fanOutsOf } from './fan-out.ts';
import { edgesOf, sharedSteps, topological } from './graph.ts';
import { checkItems, draftItems } from './items-check.ts';
import { knownNames } from './known-names.ts';
import type { Pipeline } from './pipeline.ts';
import { checkReferences, type Declared } from './references.ts';
import { resolveReuse } from './reuse.ts';
import { checkScalars } from './scalars-check.ts';
import { checkSettings } from './settings-check.ts';
import { checkShape, isDocument } from './shape.ts';
import { checkStages } from './stages.ts';
import { inExpression, type TemplateError } from './template.ts';
import { checkTypes, checkWhen } from './type-check.ts';

interface ValidPipeline {
  readonly pipeline: Pipeline;
  readonly warnings: readonly Diagnostic[];
  /** The names of the profiles that the file has. */
  readonly profiles: readonly string[];
  /** The first profile with the output folder that the chosen profile sets; undefined: it sets none. */
  readonly outputProfile: string | undefined;
}

/**
 * Reads the text of a pipeline file, with one of its profiles or without. `file` is only for messages. The error has all
 * errors, in file order.
 */
export function validate(
  file: string,
  text: string,
  profile?: string,
): Result<ValidPipeline, readonly Diagnostic[]> {
  const parsed = parseSource(file, text);
  if (!parsed.ok) return parsed;
  const resolved = resolveReuse(parsed.value, profile);
  if (!resolved.ok) return err(inOrder(resolved.error));
  const { source, profiles, outputProfile } = resolved.value;
  const document = source.value;
  const problems = [...resolved.value.problems, ...checkShape(source)];
  const shaped = isDocument(document, problems);

  const root = isObject(document) ? document : {};
  const errors: TemplateError[] = [];
  const steps = isObject(root['steps']) ? root['steps'] : {};
  const drafts = new Map(
    Object.entries(steps).map(([name, raw]) => [name, draftStep(name, raw, errors)]),
  );
  const items = draftItems(root['items'], errors);
  problems.push(...errors.map((error) => inExpression(error, source)));
  const declared: Declared = {
    steps: drafts,
    inputs: isObject(root['inputs']) ? Object.keys(root['inputs']) : [],
    env: Array.isArray(root['env']) ? root['env'].map(String) : [],
    item: items.declared,
  };
  const fans = fanOutsOf(drafts);
  const knownIn = knownNames(root, drafts, fans);
  for (const draft of drafts.values())
    problems.push(
      ...checkReferences(draft, declared, source),
      ...checkTypes(draft, knownIn(draft.name), source),
    );
  problems.push(
    ...checkItems(root['items'], items, declared, source),
    ...checkWhen(items.when, knownIn(''), source),
    ...checkSettings(document, source),
  );

  const edges = edgesOf(drafts, fans);
  const order = topological(edges.after);
  const shared = sharedSteps(order.ok ? order.value : [], drafts, edges, fans);
  const hasItems = declared.item !== undefined;
  if (order.ok) problems.push(...checkFanOuts({ drafts, fans, shared, hasItems, source }));
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

  const references = [...drafts.values()].flatMap((draft) => draft.references);
  const [read, gathered] = [new Set(stepsIn(references)), new Set(gatheredBy(references))];
  const fanOuts = fanOutSteps(drafts, edges.uses);
  const built = order.value.flatMap((name) => {
    const draft = drafts.get(name);
    const written = document.steps[name];
    if (draft === undefined || written === undefined) return [];
    const [fan = ''] = fans.of(name);
    return stepOf(draft, written, edges, {
      shared: shared.has(name),
      isRead: read.has(name),
      isGathered: gathered.has(name),
      fan: fanOuts.get(fan),
    });
  });
  const deadlocks = checkStages(built, source);
  if (deadlocks.length > 0) return err(inOrder(deadlocks));
  const warnings = [
    ...bodies.filter(({ severity }) => severity === 'warning'),
    ...checkScalars(parsed.value),
  ];
  return ok({
    pipeline: pipelineOf(document, source, built, items.when),
    warnings: inOrder(warnings),
    profiles,
    outputProfile,
  });
}

function cycle(names: readonly string[], source: Source): Diagnostic {
  return errorAt(source.file, source.keySpanOf(['steps', names[0] ?? '']), {
    code: 'SL213',
    message: `these steps wait for each other: ${names.join(' → ')}`,
    hint: 'each waits for the next; a delete waits for every other use of its step',
  });
}

/** From the top of the file to the bottom. */
const inOrder = (diagnostics: readonly Diagnostic[]): readonly Diagnostic[] =>
  once(diagnostics).toSorted(
    (a, b) =>
      (a.span?.line ?? 0) - (b.span?.line ?? 0) || (a.span?.column ?? 0) - (b.span?.column ?? 0),
  );

/** A mistake in a default or an anchor is in every step that gets the value, and is one mistake. */
function once(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const seen = new Set<string>();
  return diagnostics.filter(({ span, message, hint }) => {
    if (span === undefined) return true;
    const said = message.replace(/^step "[^"]*"/, '');
    const key = JSON.stringify([span, said, hint]);
    return !seen.has(key) && seen.add(key);
  });
}

/** Warnings about tool steps whose paid result no step downloads or uses, and errors about `keep:` on other steps. */
function checkKept(drafts: ReadonlyMap<string, Draft>, source: Source): readonly Diagnostic[] {
  const used = new Set<string>();
  for (const draft of drafts.values()) {
    for (const step of stepsIn(draft.references)) used.add(step);
    const of = plainField(draft, 'of');
    if (draft.kind?.operation === 'download' && of !== undefined) used.add(of);
  }
  return [...drafts.values()].flatMap(({ name, kind, raw, never }): readonly Diagnostic[] => {
    const kept = raw['keep'] === 'remote';
    if (kind === undefined) return [];
    if (kind.operation !== 'create') {
      if (!kept) return [];
      const message = `step "${name}": keep: is for tool steps, not for ${kind.name}`;
      const span = source.keySpanOf(['steps', name, 'keep']);
      return [errorAt(source.file, span, { code: 'SL111', message, hint: 'remove keep:' })];
    }
    if (kept || never || used.has(name)) return [];
    const unused = errorAt(source.file, source.keySpanOf(['steps', name]), {
      code: 'SL601',
      message: `step "${name}": no step downloads its result; the credits are spent, and the result stays at the service`,
      hint: `add a download step: { uses: download, with: { of: ${name}, to: … } }, or set keep: remote on the step`,
    });
    return [{ ...unused, severity: 'warning' }];
  });
}
