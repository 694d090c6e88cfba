// `trust`: the user lets a pipeline file do what it asks for: send the API key to the service that it names, call its
// hooks, use its bucket. Consent covers the content of the file, so a changed file must be trusted again.
import type { Env } from '../../base/user-folder.ts';
import { realClock } from '../../core/clock.ts';
import type { Clock } from '../../core/ports.ts';
import { parsePipeline } from '../../language/load/parse.ts';
import { resultOf } from '../../language/load/refusal.ts';
import type { Hook, Pipeline } from '../../language/pipeline.ts';
import { isBucket } from '../../language/store.ts';
import { checkAddress } from '../../service-api/address.ts';
import {
  allConsents,
  type Consent,
  consentFor,
  dropConsent,
  type Grant,
  keepConsent,
  programsOf,
  realPathOf,
  withConsents,
} from '../../service-api/consent.ts';
import { refuse } from '../refuse.ts';

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
  readonly onFinish?: Hook;
  readonly onDoubt?: Hook;
  /** The bucket of `outputs:`, `s3://bucket/prefix`. */
  readonly store?: string;
}

/**
 * Lets a pipeline file send the API key to the service that it names, call its hooks and use its bucket, until the file
 * changes. Sends nothing. `distrust` takes the consent back, and `trustedFiles` lists all consents.
 *
 * @example
 * ```ts
 * import { distrust, trust, trustedFiles } from 'shotlist';
 *
 * const trusted = trust('pipeline.yaml');
 * console.log('the key may now be sent to', trusted.address);
 * distrust('pipeline.yaml');
 * const known = trustedFiles();
 * console.log(known.map(({ file }) => file));
 * ```
 */
export function trust(
  file: string,
  { env = process.env, clock = realClock }: TrustOptions = {},
): Trusted {
  const { pipeline, digest } = parsePipeline(file);
  const wanted = grantsOf(pipeline);
  if (wanted.length === 0)
    refuse(
      'the pipeline file names no service, no hook and no bucket, so there is nothing to trust',
      'name the service yourself, with SHOTLIST_BASE_URL or --service <address>',
      file,
    );
  const address = pipeline.service === undefined ? undefined : checkAddress(pipeline.service);
  const path = realPathOf(file);
  const date = new Date(clock.now()).toISOString();
  return withConsents(env, () => {
    const earlier = consentFor(digest, env)?.places ?? {};
    const places = wanted.includes('hooks')
      ? { ...earlier, [path]: programsOf(pipeline, file) }
      : earlier;
    const consent: Consent = {
      digest,
      grants: wanted,
      places,
      file: path,
      date,
      address,
    };
    keepConsent(consent, env);
    const { onFinish, onDoubt, store, env: variables } = pipeline;
    return {
      ...consent,
      variables,
      onFinish,
      onDoubt,
      ...(store === undefined || !isBucket(store) ? {} : { store }),
    };
  });
}

/** What a pipeline file asks for. */
function grantsOf({ service, onFinish, onDoubt, store }: Pipeline): readonly Grant[] {
  return [
    ...(service === undefined ? [] : (['service'] as const)),
    ...(onFinish === undefined && onDoubt === undefined ? [] : (['hooks'] as const)),
    // A folder needs no consent here: `--allow-outside` decides about folders outside the repository.
    ...(store === undefined || !isBucket(store) ? [] : (['store'] as const)),
  ];
}

/** Removes consents by a file's name or by its content. Returns the removed consents. */
export function distrust(
  file: string,
  { env = process.env }: TrustOptions = {},
): readonly Consent[] {
  // A file that is missing or no longer valid can still be distrusted.
  const parsed = resultOf(() => parsePipeline(file));
  const digest = parsed.ok ? parsed.value.digest : undefined;
  const path = realPathOf(file);
  return withConsents(env, () => {
    const taken = allConsents(env).filter(
      ({ digest: content, file, places }) =>
        content === digest || file === path || Object.hasOwn(places, path),
    );
    for (const consent of taken) dropConsent(consent.digest, env);
    return taken;
  });
}

export function trustedFiles({ env = process.env }: TrustOptions = {}): readonly Consent[] {
  return withConsents(env, () => allConsents(env));
}
