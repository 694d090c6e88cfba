// Selects the service of a run: a hosted service, with an address and a key, or a rehearsal. Never a mixture.

import { readSecretFile } from '../base/regular-file.ts';
import { shotlistLine } from '../base/shell.ts';
import type { Env } from '../base/user-folder.ts';
import type { ParsedPipeline } from '../language/load/parse.ts';
import { type Problem, problem, Refusal } from '../language/load/refusal.ts';
import { checkAddress } from './address.ts';
import { consentTo } from './consent.ts';

export type Target =
  | { readonly kind: 'rehearsal' }
  /** `key` is never printed, logged, written or put into an address. */
  | { readonly kind: 'hosted'; readonly address: string; readonly key: string };

export interface TargetOptions {
  /** `--service`. */
  readonly service?: string | undefined;
  /** `--rehearse`: a rehearsal, whatever is set. */
  readonly rehearse?: boolean | undefined;
  /** `--hosted`: never a rehearsal (for CI). */
  readonly hosted?: boolean | undefined;
}

/** A hosted service that the pipeline file names without the user's consent: nothing may be sent there. */
export interface Unasked {
  readonly kind: 'unasked';
  readonly address: string;
  /** What the user must do first. */
  readonly why: Problem;
}

/**
 * The target of every command that sends something. A service that only the pipeline file names needs the user's
 * consent.
 */
export function chooseTarget(options: TargetOptions, parsed: ParsedPipeline, env: Env): Target {
  const found = findTarget(options, parsed, env);
  if (found.kind === 'unasked') throw new Refusal(found.why);
  return found;
}

/** For a plan, which can say a lot without sending anything. */
export function findTarget(
  options: TargetOptions,
  parsed: ParsedPipeline,
  env: Env,
): Target | Unasked {
  if (options.rehearse === true && options.hosted === true)
    throw new Refusal(problem('--rehearse and --hosted exclude each other'));
  if (options.rehearse === true && options.service !== undefined)
    throw new Refusal(
      problem(
        `--rehearse and --service ${options.service} exclude each other`,
        'shotlist',
        'a rehearsal has its own local service: remove one of the two',
      ),
    );
  if (options.rehearse === true) return { kind: 'rehearsal' };
  if (!namesService(options, parsed, env)) {
    if (options.hosted === true)
      throw new Refusal(
        problem('--hosted: there is no service to run against', 'shotlist', serviceHint),
      );
    return { kind: 'rehearsal' };
  }
  const own = options.service ?? (env['SHOTLIST_BASE_URL'] || undefined);
  const address = own ?? parsed.pipeline.service;
  const key = readKey(env);
  const checked = address === undefined ? undefined : checkAddress(address);
  if (key === undefined)
    throw new Refusal(
      problem(
        `the service is ${checked}, but there is no API key`,
        'shotlist',
        'set SHOTLIST_API_KEY (or SHOTLIST_API_KEY_FILE), or use --rehearse',
      ),
    );
  if (checked === undefined)
    throw new Refusal(
      problem(
        'there is an API key, but no service address',
        'shotlist',
        'set SHOTLIST_BASE_URL, use --service <address>, or use --rehearse',
      ),
    );
  if (own === undefined) {
    const trust = consentTo(parsed, checked, env);
    if (trust !== 'trusted')
      return {
        kind: 'unasked',
        address: checked,
        why: noConsent(parsed, checked, trust === 'changed'),
      };
  }
  return { kind: 'hosted', address: checked, key };
}

/** Whether anything names a hosted service: an address, or a key. Without both, a run is a rehearsal. */
export const namesService = (
  { service }: Pick<TargetOptions, 'service'>,
  { pipeline }: ParsedPipeline,
  env: Env,
): boolean =>
  service !== undefined ||
  pipeline.service !== undefined ||
  ['SHOTLIST_BASE_URL', 'SHOTLIST_API_KEY', 'SHOTLIST_API_KEY_FILE'].some(
    (name) => (env[name] ?? '') !== '',
  );

/** The message does not repeat the address in a command to copy: it may contain text that a shell would run. */
function noConsent({ file, pipeline }: ParsedPipeline, address: string, changed: boolean): Problem {
  const { source } = pipeline;
  const why = changed
    ? 'the file has changed since you trusted it'
    : 'you have not agreed to send your API key there';
  return {
    reason: 'input',
    text: source.text,
    diagnostics: [
      {
        severity: 'error',
        code: 'SL704',
        file,
        span: source.spanOf(['service']),
        message: `the pipeline file names the service ${address}, and ${why}`,
        hint:
          `nothing was sent. If you trust this service, run ${shotlistLine('trust', [file])}, or give its address yourself ` +
          'with --service or SHOTLIST_BASE_URL. To run without it, use --rehearse',
      },
    ],
  };
}

const serviceHint = 'set SHOTLIST_BASE_URL (or --service) and SHOTLIST_API_KEY';

function readKey(env: Env): string | undefined {
  const given = env['SHOTLIST_API_KEY'];
  if (given !== undefined && given !== '') return checkKey(given, 'SHOTLIST_API_KEY');
  const file = env['SHOTLIST_API_KEY_FILE'];
  if (file === undefined || file === '') return;
  const read = readSecretFile(file);
  if (read.ok) return checkKey(read.value, `the file ${file}`);
  throw new Refusal(problem(`the key file ${file} (SHOTLIST_API_KEY_FILE) ${read.error}`));
}

/** A key goes into a header: a key with other characters is refused without being shown. */
function checkKey(key: string, from: string): string {
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw new Refusal(
    problem(
      `${from} holds no valid API key: it is empty, or has a character that no key has, such as a space`,
      'shotlist',
      'copy the key again, alone and on one line',
    ),
  );
}
