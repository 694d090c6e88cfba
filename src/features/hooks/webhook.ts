// Sends the summary to the webhook of a hook.
import pRetry from 'p-retry';
import { Agent } from 'undici';
import type { Clock } from '../../core/ports.ts';
import { connector, connectorOptions } from '../../service-api/connector.ts';
import { exchange, placeOf } from '../../service-api/exchange.ts';
import { failureOfExchange } from '../../service-api/http-failure.ts';
import { OpenRequests } from '../../service-api/open-requests.ts';

export interface WebhookOptions {
  readonly address: string;
  readonly body: string;
  readonly clock: Clock;
  /** For one attempt. */
  readonly timeoutMs: number;
  /** The pause before the second attempt, in milliseconds; doubles. */
  readonly backoffMs: number;
  /** If it is aborted, no attempt begins, and the current one is given up. */
  readonly signal: AbortSignal;
}

const attempts = 3;
/** The answer is not used, only its status. */
const maxAnswerBytes = 1 << 16;

/** Why it could not be delivered, as the end of a sentence about the webhook; undefined if it was. */
export async function postWebhook(options: WebhookOptions): Promise<string | undefined> {
  const { clock, timeoutMs, backoffMs, signal } = options;
  const agent = new Agent({
    connections: 1,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    connect: connector(timeoutMs),
    ...connectorOptions,
  });
  try {
    await pRetry(async () => await post(agent, options), {
      retries: attempts - 1,
      minTimeout: 0,
      async onFailedAttempt({ attemptNumber, retriesLeft, error }) {
        if (error instanceof Undelivered && retriesLeft > 0)
          await clock.sleep(backoffMs * 2 ** (attemptNumber - 1), signal);
      },
      shouldRetry: ({ error }) => error instanceof Undelivered && !signal.aborted,
    });
    return undefined;
  } catch (error) {
    if (error instanceof Undelivered || error instanceof Refused) return error.message;
    throw error;
  } finally {
    await agent.destroy();
  }
}

/** Another attempt may succeed. */
class Undelivered extends Error {
  readonly code = 'UNDELIVERED';
}

/** Another attempt would get the same answer. */
class Refused extends Error {
  readonly code = 'REFUSED';
}

async function post(
  agent: Agent,
  { address, body, timeoutMs, signal }: WebhookOptions,
): Promise<void> {
  const headers = { 'content-type': 'application/json', 'user-agent': 'shotlist' };
  const exchanged = await exchange(
    agent,
    { method: 'POST', ...placeOf(address), headers, body },
    { bytes: maxAnswerBytes, totalMs: timeoutMs, open: new OpenRequests(signal, timeoutMs) },
  );
  if (exchanged.is === 'failed') throw new Undelivered(failureOfExchange(exchanged).message);
  const { status } = exchanged;
  if (status >= 200 && status < 300) return;
  if (status === 429 || status >= 500) throw new Undelivered(`answered with status ${status}`);
  throw new Refused(
    status < 400
      ? `answered with a redirect (${status}), which is not followed`
      : `answered with status ${status}`,
  );
}
