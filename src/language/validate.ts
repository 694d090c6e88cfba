// Source → Pipeline: finds every problem that the file alone can show, with its place, before any
// credit is spent.
import { isObject, type Json } from '../base/json.ts';
import { err, ok, type Result } from '../base/result.ts';
import type { Code } from '../contract/codes/all.ts';
import { kindNamed, kinds } from '../contract/kinds/all.ts';
import { type Diagnostic, located, suggestion } from '../contract/yaml/diagnostic.ts';
import type { Path } from '../contract/yaml/place.ts';
import { parseSource, type Source } from '../contract/yaml/source.ts';
import { checkBody } from './body.ts';
import { pipelineOf } from './build.ts';
import { type Draft, draftStep, plainField } from './draft.ts';
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

// Checks `limits:` beyond its shape.

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

// The order in which the problems of a pipeline are shown: the pipeline file first, then what it
// includes, from top to bottom.

/** With the file that each problem is in. `file`: the pipeline file. */
function inOrder(diagnostics: readonly Diagnostic[], file: string): readonly Diagnostic[] {
  return once(diagnostics.map(located)).toSorted(
    (a, b) =>
      Number(a.file !== file) - Number(b.file !== file) ||
      (a.file === b.file ? 0 : a.file < b.file ? -1 : 1) ||
      (a.span?.line ?? 0) - (b.span?.line ?? 0) ||
      (a.span?.column ?? 0) - (b.span?.column ?? 0),
  );
}

/** A mistake in a default or an anchor is in every step that gets the value, and is one mistake. */
function once(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const seen = new Set<string>();
  return diagnostics.filter(({ file, span, message, hint }) => {
    if (span === undefined) return true;
    const said = message.replace(/^step "[^"]*"/, '');
    const key = JSON.stringify([file, span, said, hint]);
    return !seen.has(key) && seen.add(key);
  });
}

// Checks what no path can have, in the paths that a pipeline file names itself.

function checkPaths(document: Json, source: Source): readonly Diagnostic[] {
  if (!isObject(document)) return [];
  const { items, outputs, output } = document;
  const { csv, jsonl, glob } = isObject(items) ? items : {};
  const named: readonly (readonly [Path, Json | undefined])[] = [
    [['output'], output],
    [['outputs', 'store'], isObject(outputs) ? outputs['store'] : undefined],
    [['items', 'csv'], csv],
    [['items', 'jsonl'], jsonl],
    ...(Array.isArray(glob)
      ? glob.map((pattern, index): [Path, Json] => [['items', 'glob', index], pattern])
      : [[['items', 'glob'], glob] as const]),
  ];
  return named.flatMap(([path, value]): Diagnostic[] =>
    typeof value === 'string' && value.includes('\0')
      ? [
          {
            ...{ severity: 'error', code: 'SL118', file: source.file, span: source.spanOf(path) },
            message: `${path.join('.')} contains a null character`,
            hint: 'remove the character: no path can have it',
          },
        ]
      : [],
  );
}

// Warns about tool steps whose paid result no step downloads or uses, which is probably a mistake.

/** Warnings about tool steps without a use, and errors about `keep:` on other steps. */
function checkKept(drafts: ReadonlyMap<string, Draft>, source: Source): readonly Diagnostic[] {
  const read = new Set<string>();
  const saved = new Set<string>();
  for (const draft of drafts.values()) {
    for (const { root, key } of draft.references)
      if (root === 'steps' && key !== undefined) read.add(key);
    const of = plainField(draft, 'of');
    if (draft.kind?.operation === 'download' && of !== undefined) saved.add(of);
  }
  return [...drafts.values()].flatMap((draft): readonly Diagnostic[] => {
    const { name, kind, raw } = draft;
    const about = (
      severity: Diagnostic['severity'],
      code: Code,
      key: readonly string[],
      message: string,
      hint: string,
    ): readonly Diagnostic[] => [
      {
        severity,
        code,
        file: source.file,
        span: source.keySpanOf(['steps', name, ...key]),
        message: `step "${name}": ${message}`,
        hint,
      },
    ];
    const kept = isObject(raw) && raw['keep'] === 'remote';
    if (kind === undefined) return [];
    if (kind.operation !== 'create')
      return kept
        ? about(
            'error',
            'SL111',
            ['keep'],
            `keep: is for tool steps, not for ${kind.name}`,
            'remove keep:',
          )
        : [];
    if (kept || draft.never || read.has(name) || saved.has(name)) return [];
    return about(
      'warning',
      'SL601',
      [],
      'no step downloads its result; the credits are spent, and the result stays at the service',
      `add a download step: { uses: download, with: { of: ${name}, to: … } }, or set keep: remote on the step`,
    );
  });
}
