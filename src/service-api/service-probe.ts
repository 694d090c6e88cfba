// Checks the base address once before a run sends anything: the service, something else, or nothing. Sends one free
// request, or three if the deployment has no account endpoint.
import { Agent, type Dispatcher } from 'undici';
import { isObject, valueIn } from '../base/json.ts';
import { Redactor } from '../base/redactor.ts';
import { err, ok, type Result } from '../base/result.ts';
import { systemCode } from '../base/system-error.ts';
import { readAccount } from '../contract/api/answers.ts';
import type { ApiFailure } from '../contract/api/failure.ts';
import type { Account } from '../contract/api/project.ts';
import { routes } from '../contract/api/routes.ts';
import { connector, connectorOptions, NeverConnected } from './connector.ts';
import { type Exchanged, exchange, placeOf } from './exchange.ts';
import { GivenUp } from './given-up.ts';
import { failureOfError, failureOfStatus, isNotHttp } from './http-failure.ts';
import { OpenRequests } from './open-requests.ts';

export type ProbeResult =
  /** `account`: undefined if this deployment has no account endpoint. */
  | { readonly is: 'service'; readonly account: Result<Account | undefined, ApiFailure> }
  /** The connection was never made; `why` is the end of a sentence about the address. */
  | { readonly is: 'unreachable'; readonly why: string }
  /** The answer did not come from the service. */
  | { readonly is: 'other-server'; readonly why: string };

export interface ProbeOptions {
  readonly base: string;
  readonly key: string;
  /** Hides secrets in answers. Default: a redactor for the key. */
  readonly redactor?: Redactor;
  /** Epoch milliseconds. */
  readonly now: number;
  /** If it is aborted, all waits end. */
  readonly stop?: AbortSignal | undefined;
}

/** In milliseconds. undici rounds the first up by as much as a second. */
const connectMs = 2500;
const answerMs = 4500;
/** A longer answer is not an account. */
const maxAnswerBytes = 1 << 20;

interface ParsedReply {
  readonly status: number;
  readonly headers: Dispatcher.ResponseData['headers'];
  readonly body: unknown;
}

/** No answer, or an answer that is not HTTP. */
type Silence = Extract<Exchanged, { readonly is: 'failed' }>;

export async function probeService(options: ProbeOptions): Promise<ProbeResult> {
  const redactor = options.redactor ?? new Redactor([options.key]);
  return redactor.value(await probed(options, redactor));
}

async function probed(
  { base, key, now, stop }: ProbeOptions,
  redactor: Redactor,
): Promise<ProbeResult> {
  const agent = new Agent({ connect: connector(connectMs), ...connectorOptions });
  const late = AbortSignal.timeout(answerMs);
  const signal = stop === undefined ? late : AbortSignal.any([late, stop]);
  const bounds = {
    bytes: maxAnswerBytes,
    totalMs: answerMs,
    open: new OpenRequests(signal, answerMs),
  };
  const ask = async (
    method: 'GET' | 'POST',
    path: string,
    body: string | null = null,
  ): Promise<Result<ParsedReply, Silence>> => {
    const type: Readonly<Record<string, string>> =
      body === null ? {} : { 'content-type': 'application/json' };
    const headers = { authorization: `Bearer ${key}`, ...type };
    const place = placeOf(`${base.replace(/\/+$/, '')}${path}`);
    const exchanged = await exchange(agent, { method, ...place, headers, body }, bounds);
    if (exchanged.is === 'failed') return err(exchanged);
    const { status, headers: received, text } = exchanged;
    return ok({ status, headers: received, body: redactor.value(valueIn(text)) });
  };
  try {
    const reply = await ask('GET', routes.account().path);
    if (!reply.ok) return fromSilence(reply.error, signal);
    if (reply.value.status !== 404) return fromAnswer(reply.value, now);
    // An older deployment has no account endpoint. Every deployment issues upload addresses, at one of two paths.
    const { path, alternate } = routes.uploadAddresses();
    const items = JSON.stringify({ items: [{ type: 'image', extension: 'png' }] });
    for (const known of [path, alternate]) {
      const tried = await ask('POST', known, items);
      if (!tried.ok) return fromSilence(tried.error, signal);
      const { status, body } = tried.value;
      const speaks = isObject(body) || status === 401 || status === 403 || status === 429;
      if (status !== 404 && status !== 405 && (speaks || status >= 500))
        return { is: 'service', account: ok(undefined) };
    }
    return otherServer('answers 404 to every path of the service');
  } finally {
    await agent.destroy();
  }
}

const otherServer = (why: string): ProbeResult => ({ is: 'other-server', why });

function fromAnswer({ status, headers, body }: ParsedReply, now: number): ProbeResult {
  if (status >= 200 && status < 300) {
    const account = readAccount(body);
    if (account.ok) return { is: 'service', account };
    return otherServer(`answers with ${kindOf(headers)} where the service tells of the account`);
  }
  if (status >= 300 && status < 400) {
    const to = headers['location'];
    const where = typeof to === 'string' && URL.canParse(to) ? ` to ${new URL(to).origin}` : '';
    return otherServer(`sends requests elsewhere${where} (${status})`);
  }
  const telling = isObject(body) && typeof body['message'] === 'string';
  const plain = [401, 402, 403, 408, 429].includes(status) || status >= 500;
  if (!plain && !telling) return otherServer(`answers with ${kindOf(headers)} (${status})`);
  return { is: 'service', account: err(failureOfStatus(status, body, headers, now)) };
}

function kindOf(headers: ParsedReply['headers']): string {
  const type = headers['content-type'];
  if (typeof type !== 'string' || type === '') return 'something else';
  return (type.split(';')[0] ?? '').includes('html') ? 'a web page' : 'something else';
}

/** If answers are only slow or get lost, the run has its own patience. */
function fromSilence({ error }: Silence, signal: AbortSignal): ProbeResult {
  const late: ApiFailure = { reason: 'unanswered', message: 'no answer came in time' };
  if (signal.aborted) return { is: 'service', account: err(late) };
  if (error instanceof NeverConnected) {
    const code = systemCode(error.cause) ?? error.message;
    return { is: 'unreachable', why: `cannot be reached (${code})` };
  }
  if (isNotHttp(error)) return otherServer('does not speak HTTP');
  if (error instanceof GivenUp && error.because === 'long')
    return otherServer('answers with more than an account is');
  return { is: 'service', account: err(failureOfError(error)) };
}
