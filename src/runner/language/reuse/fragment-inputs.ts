// The inputs of a fragment: the values under `with:` of the include, else the defaults.
import type { Json } from '../../../contract/base/json.ts';
import { err, ok, type Result } from '../../../contract/base/result.ts';
import type { Code } from '../../../contract/codes/all.ts';
import {
  type Diagnostic,
  listing,
  nearest,
  suggestion,
} from '../../../contract/yaml/diagnostic.ts';
import { describeValue } from '../../../contract/yaml/shape.ts';
import { isTemplated } from '../template.ts';
import { pathFrom } from './fragment-files.ts';
import { jsonOf, memberOf, membersOf, type Placed, spanOf, textOf, valueAt } from './placed.ts';

/** The folders of the including file and of the fragment, relative to the pipeline file's folder. */
interface Folders {
  readonly outer: string;
  readonly inner: string;
}

export function settleInputs(
  entry: Placed,
  fragment: Placed,
  folders: Folders,
): Result<ReadonlyMap<string, Placed>, readonly Diagnostic[]> {
  const problems: Diagnostic[] = [];
  const report = (
    code: Code,
    at: Placed,
    what: 'value' | 'key',
    message: string,
    hint: string,
  ): void => {
    const { file } = at.source;
    const span = spanOf(at, what, at.source);
    problems.push({ severity: 'error', code, file, span, message, hint });
  };
  const prefix = textOf(memberOf(entry, 'as')) ?? '';
  const declared = membersOf(memberOf(fragment, 'inputs')) ?? new Map<string, Placed>();
  const given = membersOf(memberOf(entry, 'with')) ?? new Map<string, Placed>();
  for (const [name, value] of given)
    if (!declared.has(name))
      report(
        'SL906',
        value,
        'key',
        `include "${prefix}": the fragment has no input "${name}"`,
        suggestion(name, declared.keys()) ??
          (declared.size === 0
            ? 'the fragment declares no inputs: remove it'
            : `inputs: ${listing(declared.keys())}`),
      );
  // A misspelled name is one mistake.
  const meant = new Set(
    [...given.keys()].flatMap((name) =>
      declared.has(name) ? [] : (nearest(name, declared.keys()) ?? []),
    ),
  );
  const values = new Map<string, Placed>();
  for (const [name, declaration] of declared) {
    const type = textOf(memberOf(declaration, 'type')) ?? '';
    const own = given.get(name);
    const raw = own ?? memberOf(declaration, 'default');
    if (raw === undefined && meant.has(name)) continue;
    if (raw === undefined) {
      report(
        'SL907',
        entry,
        'value',
        `include "${prefix}": the input "${name}" has no value`,
        hintFor(name, declaration),
      );
      continue;
    }
    const value = jsonOf(raw);
    const wrong =
      own === undefined && typeof value === 'string' && isTemplated(value)
        ? 'a plain value: a default cannot be an expression'
        : mismatch(value, type);
    if (wrong !== undefined) {
      const hint =
        type === 'string' && typeof value !== 'string'
          ? 'put it in quotation marks'
          : hintFor(name, declaration);
      report('SL908', raw, 'value', `include "${prefix}": ${name} must be ${wrong}`, hint);
    }
    const folder = own === undefined ? folders.inner : folders.outer;
    const isPath = type === 'file' && typeof value === 'string';
    values.set(name, isPath ? valueAt(raw, pathFrom(folder, value)) : raw);
  }
  return problems.length > 0 ? err(problems) : ok(values);
}

function hintFor(name: string, declaration: Placed): string {
  const about = textOf(memberOf(declaration, 'description'));
  return `set it: with: { ${name}: … }${about === undefined ? '' : ` (${about})`}`;
}

/** What the value must be; undefined if it is that, or an expression. */
function mismatch(value: Json, type: string): string | undefined {
  if (typeof value === 'string' && isTemplated(value)) return undefined;
  const not = `, not ${describeValue(value)}`;
  if (type === 'file')
    return typeof value === 'string' && value !== '' ? undefined : `a path${not}`;
  return typeof value === type ? undefined : `a ${type}${not}`;
}
