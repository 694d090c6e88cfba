// Opens a pipeline file: reads it, checks it, and settles what its expressions see from outside.
import { dirname, relative, resolve } from 'node:path';
import type { Json } from '../base/json.ts';
import { err, ok, type Result } from '../base/result.ts';
import { readRegularFile } from '../edge/regular-file.ts';
import { type Diagnostic, suggestion } from '../language/diagnostic.ts';
import { type Scope, toCel } from '../language/expression.ts';
import type { InputDeclaration, Pipeline } from '../language/pipeline.ts';
import { decodeText } from '../language/utf8.ts';
import { validate } from '../language/validate.ts';
import { type Problem, problem } from './problem.ts';

export interface LoadOptions {
  /** `--input name=value`; a file's path is relative to the working folder. */
  readonly inputs?: Readonly<Record<string, string | number | boolean>>;
  /** Where `env.NAME` is looked up. Default: the process's environment. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** For `run.date`. Default: now. */
  readonly now?: number;
}

/** A pipeline that is valid, where it stands, and the names that its expressions see. */
export interface LoadedPipeline {
  readonly pipeline: Pipeline;
  /** As it was named. */
  readonly file: string;
  /** Absolute; all paths in the file are relative to it. */
  readonly folder: string;
  readonly base: Pick<Scope, 'inputs' | 'env' | 'run'>;
  readonly warnings: readonly Diagnostic[];
}

/** In bytes. */
const largestPipeline = 10_000_000;

export async function loadPipeline(
  file: string,
  options: LoadOptions = {},
): Promise<Result<LoadedPipeline, Problem>> {
  if (file === '') return err(problem('the name of the pipeline file is empty'));
  const bytes = readRegularFile(file, { max: largestPipeline });
  if (!bytes.ok) return err(problem(`the pipeline file ${bytes.error}`, file));
  const decoded = decodeText(file, bytes.value);
  if (!decoded.ok) {
    const { diagnostic, ...seen } = decoded.error;
    return err({ reason: 'input', diagnostics: [diagnostic], ...seen });
  }
  const text = decoded.value;
  const validated = validate(file, text);
  if (!validated.ok) return err({ reason: 'input', diagnostics: validated.error, text });
  const { pipeline, warnings } = validated.value;
  const home = homeOutput(pipeline);
  if (home !== undefined) return err({ reason: 'input', diagnostics: [home], text });
  const folder = resolve(dirname(file));
  const inputs = settleInputs(pipeline, options.inputs ?? {}, folder, text);
  if (!inputs.ok) return inputs;
  const env = settleEnv(pipeline, options.env ?? process.env, text);
  if (!env.ok) return env;
  const date = new Date(options.now ?? Date.now()).toISOString().slice(0, 10);
  const base = { inputs: toCel(inputs.value), env: env.value, run: { date } };
  return ok({ pipeline, file, folder, base, warnings });
}

/** `~/x` or `~ann/x`. */
const ofHome = /^~([^/]*\/|$)/;

/** A folder called "~" would be made, which a careless `rm -r` takes for the home folder. */
function homeOutput({ output, source }: Pipeline): Diagnostic | undefined {
  if (!ofHome.test(output)) return undefined;
  return {
    severity: 'error',
    file: source.file,
    span: source.spanOf(['output']),
    message: `output: ${JSON.stringify(output)} begins with "~", which only a shell expands`,
    hint: 'write the whole path, or one relative to the pipeline file',
  };
}

type Settled<T> = Result<Readonly<Record<string, T>>, Problem>;

function settleInputs(
  pipeline: Pipeline,
  given: Readonly<Record<string, string | number | boolean>>,
  folder: string,
  text: string,
): Settled<Json> {
  const values: [string, Json][] = [];
  const diagnostics: Diagnostic[] = [];
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
        ? err('it has no default: set it with --input')
        : asInput(raw, declaration, own ? folder : undefined);
    if (value.ok) values.push([name, value.value]);
    else
      diagnostics.push({
        severity: 'error',
        file,
        span: pipeline.source.keySpanOf(['inputs', name]),
        message: `input "${name}": ${value.error}`,
        hint: `--input ${name}=<${declaration.type}>`,
      });
  }
  return diagnostics.length > 0
    ? err({ reason: 'input', diagnostics, text })
    : ok(Object.fromEntries(values));
}

/** `folder` is set for what the command line gave: its paths are relative to the working folder. */
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

function settleEnv(
  pipeline: Pipeline,
  env: Readonly<Record<string, string | undefined>>,
  text: string,
): Settled<string> {
  const values: [string, string][] = [];
  const diagnostics: Diagnostic[] = [];
  pipeline.env.forEach((name, index) => {
    const value = env[name];
    const span = pipeline.source.spanOf(['env', index]);
    const { file } = pipeline.source;
    if (/^SHOTLIST_API_KEY/.test(name))
      diagnostics.push({
        severity: 'error',
        file,
        span,
        message: `env: ${name} holds the API key, which no pipeline may read`,
      });
    else if (value === undefined)
      diagnostics.push({
        severity: 'error',
        file,
        span,
        message: `the environment variable ${name} is not set`,
      });
    else values.push([name, value]);
  });
  return diagnostics.length > 0
    ? err({ reason: 'input', diagnostics, text })
    : ok(Object.fromEntries(values));
}
