// Consent: whether the user lets a pipeline file send the API key to the service that the file names, call its hooks, and
// use its bucket. Consent covers the content of the file, so a changed file needs a new consent.
import { realpathSync } from 'node:fs';
import { dirname, isAbsolute, resolve } from 'node:path';
import { digestOfBytes } from '../base/digest.ts';
import { readRegularFile } from '../base/regular-file.ts';
import { isSystemProblem, systemReason } from '../base/system-error.ts';
import { type Env, userFolder } from '../base/user-folder.ts';
import type { ParsedPipeline } from '../language/load/parse.ts';
import { problem, Refusal, resultOf } from '../language/load/refusal.ts';
import type { Pipeline } from '../language/pipeline.ts';
import { allConsents, consentFor, type Programs } from './consents.ts';

/** `changed`: the user trusted this file, but with other content. */
export type Trust = 'trusted' | 'changed' | 'never';

type Asking = Pick<ParsedPipeline, 'digest' | 'file'>;

export function consentTo({ digest, file }: Asking, address: string, env: Env): Trust {
  const consent = consentFor(digest, env);
  if (consent?.grants.includes('service') && consent.address === address) return 'trusted';
  return withoutConsent(file, env);
}

/** Whether the bucket that the file names in `outputs:` may be used. */
export function consentToStore({ digest, file }: Asking, env: Env): Trust {
  if (consentFor(digest, env)?.grants.includes('store')) return 'trusted';
  return withoutConsent(file, env);
}

/**
 * Whether the hooks of the file may act. A copy of the file elsewhere needs a consent of its own, because its hooks
 * would run other programs, and so does a file whose programs changed.
 */
export function consentToHooks(
  { digest, file, pipeline }: Asking & Pick<ParsedPipeline, 'pipeline'>,
  env: Env,
): Trust {
  const consent = consentFor(digest, env);
  const path = realPathOf(file);
  const known = consent?.grants.includes('hooks') ? consent.places : {};
  const agreed = Object.hasOwn(known, path) ? known[path] : undefined;
  if (agreed === undefined) return withoutConsent(file, env);
  const now = Object.entries(programsOf(pipeline, file));
  return now.every(([name, content]) => agreed[name] === content) ? 'trusted' : 'changed';
}

function withoutConsent(file: string, env: Env): Trust {
  const path = realPathOf(file);
  const known = resultOf(() =>
    withConsents(env, () => allConsents(env).some((consent) => consent.file === path)),
  );
  return known.ok && known.value ? 'changed' : 'never';
}

/** In bytes. A larger program counts as missing, and its consent does not notice changes. */
const largestProgram = 50_000_000;

/**
 * The files that the commands of a pipeline's hooks name: the program, if it is named by a path relative to the pipeline's
 * folder, because any other program belongs to this machine, and every argument that names a file. Which of them is a script,
 * and which one the script reads, only the program knows.
 */
export function programsOf({ onFinish, onDoubt }: Pipeline, file: string): Programs {
  const folder = dirname(resolve(file));
  return Object.fromEntries(
    [onFinish, onDoubt].flatMap((hook): readonly (readonly [string, string])[] => {
      if (hook?.kind !== 'command') return [];
      const [program = '', ...others] = hook.command;
      const isPath = /[/\\]/.test(program) && !isAbsolute(program);
      const known = others.flatMap(filesIn).flatMap((name): [string, string][] => {
        const content = contentOf(folder, name);
        return content === undefined ? [] : [[name, content]];
      });
      return isPath ? [[program, contentOf(folder, program) ?? ''], ...known] : known;
    }),
  );
}

/** The names of files that an argument may hold: `a.sh`, `--rcfile=a.sh`, `@a.json`. */
const filesIn = (argument: string): readonly string[] => [
  argument,
  ...(/^-[^=]*=(.+)$/s.exec(argument)?.slice(1) ?? []),
  ...(/^@(.+)$/s.exec(argument)?.slice(1) ?? []),
];

function contentOf(folder: string, name: string): string | undefined {
  const read = readRegularFile(resolve(folder, name), { max: largestProgram });
  return read.ok ? digestOfBytes(read.value) : undefined;
}

/** The path under which a consent is recorded. */
export function realPathOf(file: string): string {
  try {
    return realpathSync(file);
  } catch (error) {
    if (isSystemProblem(error)) return resolve(file);
    throw error;
  }
}

/** Reads or writes the user's list of consents. */
export function withConsents<T>(env: Env, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!isSystemProblem(error)) throw error;
    const message = `the list of trusted files cannot be used: ${userFolder(env)} ${systemReason(error)}`;
    throw new Refusal({ ...problem(message), reason: 'system' });
  }
}
