// The service's webhook events and their signature (interface.md, Events; facts.md, Events).
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { RecordKind } from './project.ts';

export type EventAction = 'started' | 'completed' | 'errored';
export type EventKind = `${RecordKind}.${EventAction}`;

const records: readonly RecordKind[] = ['video', 'image', 'audio'];

/** The nine kinds. */
export const eventKinds: readonly EventKind[] = records.flatMap((record) =>
  (['started', 'completed', 'errored'] as const).map((action): EventKind => `${record}.${action}`),
);

export function isEventKind(text: string): text is EventKind {
  return eventKinds.some((kind) => kind === text);
}

/** The kind of record that an event is about. */
export function recordOfEvent(kind: EventKind): RecordKind {
  const record = records.find((one) => kind.startsWith(`${one}.`));
  if (record === undefined) throw new Error(`bug: the event ${kind} is about no record`);
  return record;
}

/** Not part of interface.md: a receiver must be able to configure other names. */
export const signatureHeader = 'magic-hour-event-signature';
export const timestampHeader = 'magic-hour-event-timestamp';

/**
 * Lower-case hex of HMAC-SHA256 over `<timestamp>.<raw body>`; the timestamp is in Unix seconds.
 */
export function signatureOf(secret: string, timestamp: string, body: string | Uint8Array): string {
  return createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex');
}

/** Whether a signature is correct, compared in constant time. The caller checks its age. */
export function isSignatureOf(
  given: string,
  secret: string,
  timestamp: string,
  body: string | Uint8Array,
): boolean {
  const right = Buffer.from(signatureOf(secret, timestamp, body));
  const shown = Buffer.from(given);
  return right.length === shown.length && timingSafeEqual(right, shown);
}
