// The inputs of a pipeline: the user's values from `--input`, else the defaults in the file.
import { relative, resolve } from 'node:path';
import type { Json } from '../../base/json.ts';
import { err, ok, type Result } from '../../base/result.ts';
import { type Complaint, suggestion } from '../../contract/yaml/diagnostic.ts';
import type { InputDeclaration, Pipeline } from '../pipeline.ts';

export type GivenInputs = Readonly<Record<string, string | number | boolean>>;

/** `~/x` or `~ann/x`. */
export const ofHome = /^~([^/]*\/|$)/;

/** `folder` is the pipeline's own folder. */
export function settleInputs(
  pipeline: Pipeline,
  given: GivenInputs,
  folder: string,
): Result<Readonly<Record<string, Json>>, readonly Complaint[]> {
  const values: [string, Json][] = [];
  const diagnostics: Complaint[] = [];
  const { file } = pipeline.source;
  for (const name of Object.keys(given))
    if (!Object.hasOwn(pipeline.inputs, name)) {
      const known = Object.keys(pipeline.inputs);
      const hint =
        suggestion(name, known) ??
        (known.length > 0 ? `inputs: ${known.join(', ')}` : 'the pipeline declares no inputs');
      diagnostics.push({
        severity: 'error',
        file,
        message: `--input ${name}: the pipeline has no such input`,
        hint,
      });
    }
  for (const [name, declaration] of Object.entries(pipeline.inputs)) {
    const own = Object.hasOwn(given, name);
    const raw = own ? given[name] : declaration.default;
    const value =
      raw === undefined
        ? err('it has no value and no default')
        : asInput(raw, declaration, own ? folder : undefined);
    if (value.ok) values.push([name, value.value]);
    else
      diagnostics.push({
        severity: 'error',
        code: raw === undefined ? 'SL512' : 'SL513',
        file,
        span: pipeline.source.keySpanOf(['inputs', name]),
        message: `input "${name}": ${value.error}`,
        hint: `set it with --input ${name}=<${declaration.type}>`,
      });
  }
  return diagnostics.length > 0 ? err(diagnostics) : ok(Object.fromEntries(values));
}

/** `folder` is set for values from the command line, whose paths are relative to the working folder. */
function asInput(
  raw: string | number | boolean,
  { type }: InputDeclaration,
  folder: string | undefined,
): Result<Json, string> {
  const said = JSON.stringify(raw);
  switch (type) {
    case 'file':
      if (typeof raw !== 'string' || raw === '') return err(`${said} is not a path`);
      if (ofHome.test(raw))
        return err(`${said} begins with "~", which the shell did not expand: write the whole path`);
      return ok(folder === undefined ? raw : relative(folder, resolve(raw)));
    case 'string':
      return ok(String(raw));
    case 'number': {
      const number = typeof raw === 'string' && raw.trim() !== '' ? Number(raw) : raw;
      return typeof number === 'number' && Number.isFinite(number)
        ? ok(number)
        : err(`${said} is not a number`);
    }
    case 'boolean':
      if (raw === true || raw === 'true') return ok(true);
      return raw === false || raw === 'false'
        ? ok(false)
        : err(`${said} is neither true nor false`);
  }
}

/** Absolute: the paths that the user wrote as values of inputs. */
export function pathsNamed(
  { inputs }: Pipeline,
  given: GivenInputs,
  folder: string,
): readonly string[] {
  return Object.entries(given).flatMap(([name, value]) => {
    const type = Object.hasOwn(inputs, name) ? inputs[name]?.type : undefined;
    if (typeof value !== 'string' || value === '') return [];
    if (type === 'file') return [resolve(value)];
    return type === 'string' ? [resolve(folder, value)] : [];
  });
}
