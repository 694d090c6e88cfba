// Consent: whether the user lets a pipeline file send the API key to the service that the file names. Consent covers
// the content of the file, so a changed file needs a new consent.
import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { err, ok, type Result } from '../../../contract/base/result.ts';
import { isSystemProblem, systemReason } from '../../../contract/files/system-error.ts';
import { type Env, userFolder } from '../../../contract/files/user-folder.ts';
import { allConsents, consentFor } from '../../adapters/files/consents.ts';
import type { ParsedPipeline } from '../pipeline/parse.ts';
import { type Problem, problem } from '../pipeline/problem.ts';

/** `changed`: the user trusted this file, but with other content. */
export function consentTo(
  { digest, file }: Pick<ParsedPipeline, 'digest' | 'file'>,
  address: string,
  env: Env,
): 'trusted' | 'changed' | 'never' {
  if (consentFor(digest, env)?.address === address) return 'trusted';
  const path = realPathOf(file);
  const known = withConsents(env, () => allConsents(env).some((consent) => consent.file === path));
  return known.ok && known.value ? 'changed' : 'never';
}

/** Whether the user trusts this content of a pipeline file, whatever it names. */
export function isTrusted({ digest }: Pick<ParsedPipeline, 'digest'>, env: Env): boolean {
  return consentFor(digest, env) !== undefined;
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
export function withConsents<T>(env: Env, work: () => T): Result<T, Problem> {
  try {
    return ok(work());
  } catch (error) {
    if (!isSystemProblem(error)) throw error;
    const message = `the list of trusted files cannot be used: ${userFolder(env)} ${systemReason(error)}`;
    return err({ ...problem(message), reason: 'system' });
  }
}
