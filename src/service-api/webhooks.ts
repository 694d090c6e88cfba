// The webhook settings of a run: whether it receives the service's events, at which address, and with which secret.
// Opens and closes the receiver.

import type { Redactor } from '../base/redactor.ts';
import { readSecretFile } from '../base/regular-file.ts';
import type { Env } from '../base/user-folder.ts';
import type { Clock } from '../core/ports.ts';
import type { RunEvent } from '../core/run-event.ts';
import { problem, Refusal } from '../language/load/refusal.ts';
import { isLoopback } from './address.ts';
import {
  type EventHeaders,
  eventHeaders,
  type ListenAddress,
  openReceiver,
} from './event-receiver.ts';
import type { Target } from './target.ts';

export interface WebhookOptions {
  /** `--listen`: the address that receives the service's events. */
  readonly listen?: ListenAddress | undefined;
  /**
   * The secret of the webhook. Default: SHOTLIST_WEBHOOK_SECRET, or the file that SHOTLIST_WEBHOOK_SECRET_FILE names.
   */
  readonly webhookSecret?: string | undefined;
  /** How long a creation without an answer waits for an event that names it, in milliseconds. Default 60 s. */
  readonly doubtTimeoutMs?: number | undefined;
}

/** `secret` is never printed, logged or written. */
export interface WebhookConfig {
  readonly address: ListenAddress;
  readonly secret: string;
  readonly headers: EventHeaders;
  readonly patienceMs: number;
}

const secretHint = 'set SHOTLIST_WEBHOOK_SECRET (or SHOTLIST_WEBHOOK_SECRET_FILE): docs/events.md';

/** Undefined if the run does not receive events. */
export function webhookConfigOf(
  { listen, webhookSecret, doubtTimeoutMs = 60_000 }: WebhookOptions,
  target: Target,
  env: Env,
): WebhookConfig | undefined {
  if (listen === undefined) return;
  if (target.kind === 'rehearsal')
    throw new Refusal(
      problem('--listen: a rehearsal needs no events, because it polls the local service'),
    );
  const secret =
    webhookSecret === undefined ? readSecret(env) : checkSecret(webhookSecret, 'webhookSecret');
  const signature = headerOf(env, 'SHOTLIST_WEBHOOK_SIGNATURE_HEADER', eventHeaders.signature);
  const timestamp = headerOf(env, 'SHOTLIST_WEBHOOK_TIMESTAMP_HEADER', eventHeaders.timestamp);
  const headers = { signature, timestamp };
  return { address: listen, secret, headers, patienceMs: doubtTimeoutMs };
}

function readSecret(env: Env): string {
  const given = env['SHOTLIST_WEBHOOK_SECRET'];
  if (given !== undefined && given !== '') return checkSecret(given, 'SHOTLIST_WEBHOOK_SECRET');
  const file = env['SHOTLIST_WEBHOOK_SECRET_FILE'];
  if (file === undefined || file === '')
    throw new Refusal(
      problem('--listen: there is no webhook secret to verify events with', 'shotlist', secretHint),
    );
  const read = readSecretFile(file);
  if (read.ok) return checkSecret(read.value, `the file ${file}`);
  throw new Refusal(
    problem(`the secret file ${file} (SHOTLIST_WEBHOOK_SECRET_FILE) ${read.error}`),
  );
}

/** With an empty secret, anybody could sign. */
function checkSecret(secret: string, from: string): string {
  if (/^[\x21-\x7e]+$/.test(secret)) return secret;
  const what = 'holds no webhook secret: it is empty or has spaces or other characters in it';
  throw new Refusal(problem(`${from} ${what}`));
}

/** The names of the headers depend on the deployment (facts.md, Events). */
function headerOf(env: Env, name: string, usual: string): string {
  const given = env[name];
  if (given === undefined || given === '') return usual;
  if (/^[\w!#$%&'*+.^`|~-]+$/.test(given)) return given.toLowerCase();
  throw new Refusal(problem(`${name} holds ${JSON.stringify(given)}, which is not a header name`));
}

interface InboxContext {
  readonly redactor: Redactor;
  readonly clock: Clock;
  readonly onEvent: (event: RunEvent) => void;
}

type Tell = Parameters<typeof openReceiver>[0]['tell'];

/** Listens from now on. `doubts`: creations of earlier runs that events may settle. */
export async function receiveEvents(
  { address: listen, secret, headers }: WebhookConfig,
  { redactor, clock, onEvent, doubts, tell }: InboxContext & { doubts: number; tell: Tell },
): Promise<{ close(): Promise<void> }> {
  const receiver = await openReceiver({ listen, secret, redactor, headers, clock, tell });
  if (!receiver.ok) {
    const hint = 'choose another port, or 0 for one that is free';
    throw new Refusal(problem(`--listen: ${receiver.error}`, 'shotlist', hint));
  }
  const { address, close } = receiver.value;
  if (!isLoopback(listen.host))
    onEvent({
      type: 'warning',
      message: `other machines may reach ${listen.host}; events are verified, but nothing is encrypted`,
    });
  onEvent({ type: 'listening', address, doubts });
  return { close };
}
