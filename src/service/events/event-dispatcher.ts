// Sends events to their webhooks: at least once, with exponential backoff, and in order for each project. Every attempt has
// a signature of its own (interface.md, Events; facts.md, Events).
import { randomBytes } from 'node:crypto';
import { Agent } from 'undici';
import { systemCode } from '../../base/system-error.ts';
import { signatureHeader, signatureOf, timestampHeader } from '../../contract/api/event.ts';
import type { Dependencies } from '../dependencies.ts';
import { reportInternalError } from '../errors.ts';
import type { PresignedAddresses } from '../store/presigned-addresses.ts';
import { recordOf } from '../store/projects.ts';
import type { DeliveryAttempt, Outgoing } from './deliveries.ts';
import type { ActiveWebhook } from './webhooks.ts';

/** facts.md: the receiver should answer within 10 s. */
const answerMs = 10_000;
/** How many events are sent to one webhook at a time. */
const atOnce = 8;

export interface EventDispatcher {
  /** Sends the deliveries that are due. */
  wake(): void;
  /** Stops sending. The next start of the service sends unanswered events again. */
  close(): Promise<void>;
}

/** For a service that sends no events. */
export const noEventDispatcher: EventDispatcher = {
  wake: () => undefined,
  close: async () => undefined,
};

type Parts = Pick<
  Dependencies,
  'database' | 'webhooks' | 'deliveries' | 'addresses' | 'faults' | 'clock'
>;

export function openEventDispatcher(parts: Parts): EventDispatcher {
  const { webhooks, deliveries, addresses, faults, clock, database } = parts;
  const agent = new Agent({ connections: atOnce, connectTimeout: answerMs });
  /** By delivery: its webhook, and the request. */
  const inFlight = new Map<string, { readonly to: string; readonly sending: Promise<void> }>();
  const closing = new AbortController();
  let forgetTimer = (): void => {};

  function wake(): void {
    if (closing.signal.aborted) return;
    const now = clock.now();
    for (const receiver of webhooks.active()) {
      let free = atOnce - [...inFlight.values()].filter(({ to }) => to === receiver.id).length;
      if (free <= 0) continue;
      // The deliveries in flight are still due, so the query asks for as many more.
      for (const outgoing of deliveries.due(receiver.id, now, atOnce * 2)) {
        if (free <= 0) break;
        if (inFlight.has(outgoing.id)) continue;
        free -= 1;
        inFlight.set(outgoing.id, { to: receiver.id, sending: run(receiver, outgoing) });
      }
    }
    forgetTimer();
    const next = deliveries.nextDue(now);
    if (next !== undefined) forgetTimer = clock.after(next - now, wake);
  }

  async function run(receiver: ActiveWebhook, outgoing: Outgoing): Promise<void> {
    try {
      await database.durable();
      const attempt = await send(receiver, outgoing);
      // An attempt that ended because the service closes says nothing about the receiver.
      if (!closing.signal.aborted || attempt.status !== undefined)
        await deliveries.settle(outgoing.id, attempt, clock.now());
    } catch (reason) {
      // Sending the event again now would fail to be recorded again.
      return reportInternalError(`event ${outgoing.id}`, reason);
    } finally {
      inFlight.delete(outgoing.id);
    }
    wake();
  }

  async function send(
    { url, secret }: ActiveWebhook,
    outgoing: Outgoing,
  ): Promise<DeliveryAttempt> {
    const body = eventBodyOf(outgoing, addresses);
    const at = clock.now();
    const timestamp = String(Math.floor(at / 1000));
    const forged = faults.fire('attempt', outgoing.kind).length > 0;
    const signed = forged ? randomBytes(24).toString('base64url') : secret;
    const waiting = new AbortController();
    const forget = clock.after(answerMs, () => waiting.abort());
    const { origin, pathname, search } = new URL(url);
    try {
      const answer = await agent.request({
        origin,
        path: `${pathname}${search}`,
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          [timestampHeader]: timestamp,
          [signatureHeader]: signatureOf(signed, timestamp, body),
        },
        body,
        signal: AbortSignal.any([waiting.signal, closing.signal]),
      });
      await answer.body.dump();
      return { at, status: answer.statusCode, error: undefined };
    } catch (reason) {
      const error = waiting.signal.aborted ? 'no answer within 10 seconds' : reasonOf(reason);
      return { at, status: undefined, error };
    } finally {
      forget();
    }
  }

  return {
    wake,
    close: async () => {
      closing.abort();
      forgetTimer();
      await Promise.all([...inFlight.values()].map(({ sending }) => sending));
      await agent.destroy();
    },
  };
}

/** interface.md, Events: `{type, payload}`, with download addresses issued now. */
function eventBodyOf({ kind, project, at }: Outgoing, addresses: PresignedAddresses): string {
  const ended = new Date(at).toISOString();
  const times =
    project.status === 'complete'
      ? { completed_at: ended }
      : project.status === 'error'
        ? { failed_at: ended }
        : {};
  return JSON.stringify({ type: kind, payload: { ...recordOf(project, addresses), ...times } });
}

function reasonOf(reason: unknown): string {
  if (!(reason instanceof Error)) return String(reason);
  return systemCode(reason) ?? systemCode(reason.cause) ?? reason.message;
}
