// `trust`: the user lets a pipeline file send the API key to the service that the file names. Consent covers the
// content of the file, so a changed file must be trusted again.
import { err, ok, type Result } from '../../contract/base/result.ts';
import type { Env } from '../../contract/files/user-folder.ts';
import { realClock } from '../adapters/clock.ts';
import { allConsents, type Consent, dropConsent, keepConsent } from '../adapters/files/consents.ts';
import { isBucket } from '../language/store.ts';
import type { Clock } from '../run/jobs/ports.ts';
import { parsePipeline } from './pipeline/parse.ts';
import { type Problem, problem } from './pipeline/problem.ts';
import { checkAddress } from './service/address.ts';
import { realPathOf, withConsents } from './service/consent.ts';

export type { Consent };

export interface TrustOptions {
  /** Default: the process's environment. */
  readonly env?: Env;
  /** The time of the consent; default: the system's clock. */
  readonly clock?: Pick<Clock, 'now'>;
}

/** What trusting a file allows. */
export interface Trusted extends Consent {
  /** Environment variables that the pipeline reads. */
  readonly variables: readonly string[];
  /** The bucket in which results may be kept, with the AWS credentials of the environment. */
  readonly store?: string;
}

/** Remembers that the user trusts this content of a pipeline file. Sends nothing. */
export function trust(
  file: string,
  { env = process.env, clock = realClock }: TrustOptions = {},
): Result<Trusted, Problem> {
  const parsed = parsePipeline(file);
  if (!parsed.ok) return parsed;
  const { pipeline, digest } = parsed.value;
  const store =
    pipeline.store !== undefined && isBucket(pipeline.store) ? pipeline.store : undefined;
  if (pipeline.service === undefined && store === undefined)
    return err(
      problem(
        'the pipeline file names no service and no bucket, so there is nothing to trust',
        file,
        'name the service yourself, with SHOTLIST_BASE_URL or --service <address>',
      ),
    );
  const address = pipeline.service === undefined ? ok(store ?? '') : checkAddress(pipeline.service);
  if (!address.ok) return address;
  const date = new Date(clock.now()).toISOString();
  const consent = { digest, address: address.value, file: realPathOf(file), date };
  return withConsents(env, () => {
    keepConsent(consent, env);
    return { ...consent, variables: pipeline.env, ...(store === undefined ? {} : { store }) };
  });
}

/** Removes consents by a file's name or by its content. Returns the removed consents. */
export function distrust(
  file: string,
  { env = process.env }: TrustOptions = {},
): Result<readonly Consent[], Problem> {
  // A file that is missing or no longer valid can still be distrusted.
  const parsed = parsePipeline(file);
  const digest = parsed.ok ? parsed.value.digest : undefined;
  const path = realPathOf(file);
  return withConsents(env, () => {
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
  return withConsents(env, () => allConsents(env));
}
