// Trust: the user lets a pipeline file send the API key to the service that the file names. It holds for the content of
// the file, so a file that has changed must be trusted again.
import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { err, ok, type Result } from '../../contract/base/result.ts';
import { isSystemTrouble, systemReason } from '../../contract/files/system-error.ts';
import { type Env, userFolder } from '../../contract/files/user-folder.ts';
import {
  allConsents,
  type Consent,
  consentFor,
  dropConsent,
  keepConsent,
} from '../adapters/files/consents.ts';
import { checkAddress } from './address.ts';
import { type ParsedPipeline, parsePipeline } from './parse.ts';
import { type Problem, problem } from './problem.ts';

export type { Consent };

export interface TrustOptions {
  readonly env?: Env;
  /** Default: now. */
  readonly now?: number;
}

/** What trusting a file allows. */
export interface Trusted extends Consent {
  /** Environment variables that the pipeline reads. */
  readonly variables: readonly string[];
}

/** Remembers that the user trusts this content of a pipeline file. Nothing is sent. */
export function trust(
  file: string,
  { env = process.env, now = Date.now() }: TrustOptions = {},
): Result<Trusted, Problem> {
  const parsed = parsePipeline(file);
  if (!parsed.ok) return parsed;
  const { pipeline, digest } = parsed.value;
  if (pipeline.service === undefined)
    return err(
      problem(
        'the pipeline file names no service, so there is nothing to trust',
        file,
        'name the service yourself, with SHOTLIST_BASE_URL or --service <address>',
      ),
    );
  const address = checkAddress(pipeline.service);
  if (!address.ok) return address;
  const date = new Date(now).toISOString();
  const consent = { digest, address: address.value, file: realPathOf(file), date };
  return attempt(env, () => {
    keepConsent(consent, env);
    return { ...consent, variables: pipeline.env };
  });
}

/** Takes back what was trusted under a file's name or with its content. Answers what was taken back. */
export function distrust(
  file: string,
  { env = process.env }: TrustOptions = {},
): Result<readonly Consent[], Problem> {
  // A file that is gone or no longer valid can still be distrusted.
  const parsed = parsePipeline(file);
  const digest = parsed.ok ? parsed.value.digest : undefined;
  const path = realPathOf(file);
  return attempt(env, () => {
    const taken = allConsents(env).filter(
      (consent) => consent.digest === digest || consent.file === path,
    );
    for (const consent of taken) dropConsent(consent.digest, env);
    return taken;
  });
}

export function trustedFiles({
  env = process.env,
}: TrustOptions = {}): Result<readonly Consent[], Problem> {
  return attempt(env, () => allConsents(env));
}

/** `changed`: the user trusted this file, but with another content. */
export function trustIn(
  { digest, file }: Pick<ParsedPipeline, 'digest' | 'file'>,
  address: string,
  env: Env,
): 'trusted' | 'changed' | 'never' {
  if (consentFor(digest, env)?.address === address) return 'trusted';
  const path = realPathOf(file);
  const known = attempt(env, () => allConsents(env).some((consent) => consent.file === path));
  return known.ok && known.value ? 'changed' : 'never';
}

function realPathOf(file: string): string {
  try {
    return realpathSync(file);
  } catch (error) {
    if (isSystemTrouble(error)) return resolve(file);
    throw error;
  }
}

function attempt<T>(env: Env, work: () => T): Result<T, Problem> {
  try {
    return ok(work());
  } catch (error) {
    if (!isSystemTrouble(error)) throw error;
    const message = `the list of trusted files cannot be used: ${userFolder(env)} ${systemReason(error)}`;
    return err({ ...problem(message), reason: 'system' });
  }
}
