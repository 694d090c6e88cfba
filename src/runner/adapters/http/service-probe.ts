// Who is at the base address? Asked once before a run sends anything: nobody, something else than the service, or the
// service. One free request, or three where the deployment does not tell of accounts.
import { Agent, type Dispatcher } from 'undici';
import { readAccount } from '../../../contract/api/answers.ts';
import type { ApiFailure } from '../../../contract/api/failure.ts';
import type { Account } from '../../../contract/api/project.ts';
import { routes } from '../../../contract/api/routes.ts';
import { isObject } from '../../../contract/base/json.ts';
import { Redactor } from '../../../contract/base/redactor.ts';
import { err, ok, type Result } from '../../../contract/base/result.ts';
import { systemCode } from '../../../contract/files/system-error.ts';
import { connector, connectorOptions, NeverConnected } from './connector.ts';
import { type Exchanged, exchange, GivenUp } from './exchange.ts';
import { failureOfError, failureOfStatus, isNotHttp } from './http-failure.ts';

export type ProbeResult =
  /** `account`: undefined where this deployment does not tell of it. */
  | { readonly is: 'service'; readonly account: Result<Account | undefined, ApiFailure> }
  /** No connection came to be; `why` ends a sentence about the address. */
  | { readonly is: 'unreachable'; readonly why: string }
  /** Something answered that is not the service. */
  | { readonly is: 'other-server'; readonly why: string };

export interface ProbeOptions {
  readonly base: string;
  readonly key: string;
  /** Hides secrets in what is answered. Default: it hides the key. */
  readonly redactor?: Redactor;
  /** Epoch milliseconds. */
  readonly now: number;
  /** Aborted: nothing is waited for any more. */
  readonly stop?: AbortSignal | undefined;
}

/** In milliseconds. undici rounds the first up by as much as a second. */
const connectMs = 2500;
const answerMs = 4500;
/** In bytes: what is longer is no account. */
const longest = 1 << 20;

interface Reply {
  readonly status: number;
  readonly headers: Dispatcher.ResponseData['headers'];
  readonly body: unknown;
}

/** Nobody answered, or not as HTTP does. */
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
  const bounds = { bytes: longest, totalMs: answerMs, signals: [signal] };
  const ask = async (
    method: 'GET' | 'POST',
    path: string,
    body?: string,
  ): Promise<Result<Reply, Silence>> => {
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    const headers = { authorization: `Bearer ${key}`, ...type };
    const url = `${base.replace(/\/+$/, '')}${path}`;
    const exchanged = await exchange(agent, { method, url, headers, body }, bounds);
    if (exchanged.is === 'failed') return err(exchanged);
    const { status, headers: received, text } = exchanged;
    return ok({ status, headers: received, body: redactor.value(jsonOf(text)) });
  };
  try {
    const reply = await ask('GET', routes.account().path);
    if (!reply.ok) return fromSilence(reply.error, signal);
    if (reply.value.status !== 404) return fromAnswer(reply.value, now);
    // An older deployment does not tell of accounts. Every one gives out upload addresses, at one of two paths.
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
    return otherServer('knows none of the paths of the service (404)');
  } finally {
    await agent.destroy();
  }
}

const otherServer = (why: string): ProbeResult => ({ is: 'other-server', why });

function fromAnswer({ status, headers, body }: Reply, now: number): ProbeResult {
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

function kindOf(headers: Reply['headers']): string {
  const type = headers['content-type'];
  if (typeof type !== 'string' || type === '') return 'something else';
  return (type.split(';')[0] ?? '').includes('html') ? 'a web page' : 'something else';
}

/** Where an answer is only slow or gets lost, a run has patience of its own. */
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

/** What was answered, as JSON; undefined: it is none. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // Not JSON: that says enough.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
