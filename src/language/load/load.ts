// Loads a pipeline file: reads it, checks it, and looks up the inputs and variables that its expressions use.
import { dirname, resolve } from 'node:path';
import { err, ok, type Result } from '../../base/result.ts';
import {
  type Complaint,
  type Diagnostic,
  errorAt,
  type Finding,
} from '../../contract/yaml/diagnostic.ts';
import { toCel } from '../expression.ts';
import type { Pipeline } from '../pipeline.ts';
import { BoundPipeline } from './bound-pipeline.ts';
import { type GivenInputs, ofHome, pathsNamed, settleInputs } from './inputs.ts';
import type { LoadedPipeline } from './loaded-pipeline.ts';
import { type ParsedPipeline, parsePipeline } from './parse.ts';
import { Refusal } from './refusal.ts';

export interface LoadOptions {
  /** `--input name=value`; a file's path is relative to the working folder. */
  readonly inputs?: GivenInputs;
  /** Where `env.NAME` is looked up. Default: the process's environment. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** `--profile`: one of the pipeline's `profiles:`. */
  readonly profile?: string | undefined;
}

/**
 * Reads and checks a pipeline file, and binds it to its inputs and environment. Sends nothing and writes nothing.
 *
 * @example
 * ```ts
 * import { loadPipeline, Refusal } from 'shotlist';
 *
 * try {
 *   const pipeline = await loadPipeline('pipeline.yaml', { inputs: { text: 'hello' } });
 *   console.log(pipeline.name);
 * } catch (error) {
 *   if (!(error instanceof Refusal)) throw error;
 *   console.error(error.message); // with line, column and a code frame
 * }
 * ```
 */
export async function loadPipeline(
  file: string,
  options: LoadOptions = {},
): Promise<LoadedPipeline> {
  return bind(file, options);
}

function bind(file: string, options: LoadOptions): BoundPipeline {
  const parsed = parsePipeline(file, options.profile);
  const { pipeline } = parsed;
  const { text } = pipeline.source;
  const folder = resolve(dirname(file));
  const given = options.inputs ?? {};
  const inputs = settleInputs(pipeline, given, folder);
  const env = settleEnv(pipeline, options.env ?? process.env);
  const diagnostics: Complaint[] = [...homeOutput(pipeline)];
  if (!inputs.ok) diagnostics.push(...inputs.error);
  if (!env.ok) diagnostics.push(...env.error);
  if (!inputs.ok || !env.ok || diagnostics.length > 0)
    throw new Refusal({ reason: 'input', diagnostics, text });
  const base = { inputs: toCel(inputs.value), env: env.value };
  const named = pathsNamed(pipeline, given, folder);
  const otherProfiles = async () => boundToOthers(parsed, options);
  const again = () => bind(file, options);
  return new BoundPipeline(parsed, { folder, named, base, otherProfiles, again });
}

function boundToOthers(
  { file, profiles }: ParsedPipeline,
  { inputs, env, profile: own }: LoadOptions,
): readonly BoundPipeline[] {
  const names = profiles.length === 0 ? [] : [undefined, ...profiles];
  return names
    .filter((name) => name !== own)
    .map((profile) => bind(file, { inputs, env, profile }));
}

/** A folder named "~" is dangerous: a careless `rm -r` would remove the home folder. */
function homeOutput({ output, source }: Pipeline): readonly Diagnostic[] {
  if (!ofHome.test(output)) return [];
  return [
    errorAt(source.file, source.spanOf(['output']), {
      code: 'SL121',
      message: `output: ${JSON.stringify(output)} begins with "~", which only a shell expands`,
      hint: 'write the whole path, or one relative to the pipeline file',
    }),
  ];
}

/**
 * Windows ignores the case of such names. On other systems, a variable that differs in case does not deserve an
 * exception.
 */
const ofOurs = /^shotlist_/i;

function settleEnv(
  pipeline: Pipeline,
  env: Readonly<Record<string, string | undefined>>,
): Result<Readonly<Record<string, string>>, readonly Diagnostic[]> {
  const values: [string, string][] = [];
  const diagnostics: Diagnostic[] = [];
  pipeline.env.forEach((name, index) => {
    const value = env[name];
    const report = (finding: Finding): void => {
      const { file } = pipeline.source;
      diagnostics.push(errorAt(file, pipeline.source.spanOf(['env', index]), finding));
    };
    if (ofOurs.test(name))
      report({
        code: 'SL707',
        message: `env: no pipeline may read ${name}: the variables SHOTLIST_* hold the API key and other settings of yours`,
        hint: 'give the value another name, for example CAMPAIGN',
      });
    else if (value === undefined)
      report({
        code: 'SL514',
        message: `the environment variable ${name} is not set`,
        hint: 'set it before you call shotlist, or remove it from env:',
      });
    else values.push([name, value]);
  });
  return diagnostics.length > 0 ? err(diagnostics) : ok(Object.fromEntries(values));
}
