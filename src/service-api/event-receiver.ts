// Receives the service's events: a small web server that authenticates them by their signature (interface.md, Events).
// The service never resends an event that was answered with 2xx, so only an event that the run has recorded gets that
// answer.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isObject, valueIn } from '../base/json.ts';
import { Redactor } from '../base/redactor.ts';
import { err, ok, type Result } from '../base/result.ts';
import { readProject } from '../contract/api/answers.ts';
import {
  isEventKind,
  isSignatureOf,
  recordOfEvent,
  signatureHeader,
  timestampHeader,
} from '../contract/api/event.ts';
import type { Project, RecordKind } from '../contract/api/project.ts';
import type { Clock } from '../core/ports.ts';
import type { ListenAddress } from './address.ts';
import { createServer, limitConnections, listenOn } from './web-server.ts';

export type { ListenAddress };

/** The names of the headers, in lower case. They depend on the deployment (facts.md, Events). */
export interface EventHeaders {
  readonly signature: string;
  readonly timestamp: string;
}

export const eventHeaders: EventHeaders = {
  signature: signatureHeader,
  timestamp: timestampHeader,
};

export interface ReceiverOptions {
  readonly listen: ListenAddress;
  /** Never printed, logged or written. */
  readonly secret: string;
  /** Hides secrets in events. Default: a redactor for the webhook secret. */
  readonly redactor?: Redactor;
  readonly headers?: EventHeaders;
  readonly clock: Clock;
  /**
   * True: the event is handled for good. False: the service must send it again. May take until the signal is aborted.
   */
  readonly tell: (record: RecordKind, project: Project, enough: AbortSignal) => Promise<boolean>;
  /** Milliseconds within which a whole request must arrive. Default 10 s. */
  readonly senderMs?: number;
}

export interface EventReceiver {
  /** `http://127.0.0.1:4000` */
  readonly address: string;
  /** Answers the requests that are in flight, and accepts no new ones. */
  close(): Promise<void>;
}

const maxBodyBytes = 1 << 20;
/** facts.md: a timestamp is accepted within five minutes, either side. */
const maxAgeSeconds = 5 * 60;
/** facts.md: the service waits 10 s for an answer. */
const answerMs = 8_000;
/** Each connection may hold a body, so the total limits the memory. Behind a proxy, all senders are one peer. */
const maxConnections = { perPeer: 64, total: 128 };
/** Far more events than arrive in the ten minutes in which a timestamp is accepted; about 100 bytes each. */
const maxReplays = 20_000;

interface EventReply {
  readonly status: number;
  readonly message?: string;
}

export async function openReceiver(
  options: ReceiverOptions,
): Promise<Result<EventReceiver, string>> {
  const { listen, senderMs = 10_000 } = options;
  const closing = new AbortController();
  const inProgress = new Set<Promise<void>>();
  const replays = new EventReplays(maxReplays);
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method !== 'POST')
      return reply(response, { status: 405, message: 'Events come by POST.' });
    const body = await bodyOf(request);
    if (body === 'gone') return;
    if (body === 'large')
      return reply(response, { status: 413, message: 'An event has at most 1 MiB.' });
    const answering = judge({ ...options, replays }, request, body, closing.signal).then((answer) =>
      reply(response, answer),
    );
    inProgress.add(answering);
    await connections.busyWhile(request.socket, answering);
    inProgress.delete(answering);
  };
  const server = createServer(
    {
      requestTimeout: senderMs,
      headersTimeout: senderMs,
      connectionsCheckingInterval: Math.min(1000, senderMs),
    },
    receive,
  );
  const connections = limitConnections(server, maxConnections);
  const address = await listenOn(server, listen);
  if (!address.ok) return address;
  return ok({
    address: address.value,
    async close() {
      closing.abort();
      server.close();
      await Promise.all(inProgress);
      server.closeAllConnections();
    },
  });
}

/** The whole body as received. `gone`: the sender disconnected, or was too slow. */
async function bodyOf(request: IncomingMessage): Promise<Buffer | 'large' | 'gone'> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const piece of request) {
      bytes += piece.length;
      if (bytes > maxBodyBytes) return 'large';
      pieces.push(piece);
    }
  } catch {
    // The connection broke, so no answer is possible. The service sends the event again.
    return 'gone';
  }
  return Buffer.concat(pieces);
}

async function judge(
  options: ReceiverOptions & { readonly replays: EventReplays },
  request: IncomingMessage,
  body: Buffer,
  closing: AbortSignal,
): Promise<EventReply> {
  const signed = signatureIn(options, request, body);
  if (signed === undefined)
    return { status: 401, message: 'The signature is not that of this body, or too old.' };
  const event = eventIn(body, options.redactor ?? new Redactor([options.secret]));
  if (!event.ok) return { status: 400, message: event.error };
  if (event.value === undefined) return { status: 204 };
  const { record, project } = event.value;
  const taken = await options.replays.once(signed.signature, signed, async () => {
    const over = new AbortController();
    const enough = AbortSignal.any([closing, over.signal]);
    const patience = options.clock.sleep(answerMs, enough).then(() => over.abort());
    const told = await options.tell(record, project, enough);
    over.abort();
    await patience;
    return told;
  });
  return taken
    ? { status: 204 }
    : { status: 503, message: 'What it says is not on disk yet: send it again.' };
}

interface Signed {
  readonly signature: string;
  /** Until when the timestamp is accepted, and the current time; in epoch seconds. */
  readonly until: number;
  readonly now: number;
}

/** The signature of an authentic request; undefined if it is wrong or too old. */
function signatureIn(
  { secret, headers = eventHeaders, clock }: ReceiverOptions,
  request: IncomingMessage,
  body: Buffer,
): Signed | undefined {
  const signature = request.headers[headers.signature];
  const timestamp = request.headers[headers.timestamp];
  if (typeof signature !== 'string' || typeof timestamp !== 'string') return undefined;
  if (!/^\d{1,12}$/.test(timestamp)) return undefined;
  const now = clock.now() / 1000;
  if (Math.abs(now - Number(timestamp)) > maxAgeSeconds) return undefined;
  if (!isSignatureOf(signature, secret, timestamp, body)) return undefined;
  return { signature, until: Number(timestamp) + maxAgeSeconds, now };
}

interface Heard {
  readonly record: RecordKind;
  readonly project: Project;
}

/** Undefined: an unknown kind, which receivers must tolerate (interface.md, Events). */
function eventIn(body: Buffer, redactor: Redactor): Result<Heard | undefined, string> {
  const value = redactor.value(valueIn(body.toString()));
  if (!isObject(value) || typeof value['type'] !== 'string')
    return err('The body is not JSON of the form {type, payload}.');
  const { type, payload } = value;
  if (!isEventKind(type)) return ok(undefined);
  const project = readProject(payload);
  if (project.ok) return ok({ record: recordOfEvent(type), project: project.value });
  return err(`The payload is not a project record: ${project.error}.`);
}

/** Resolves when the answer is sent, or the client has disconnected. */
function reply(response: ServerResponse, { status, message }: EventReply): Promise<void> {
  const gone = new Promise<void>((resolve) => {
    if (response.destroyed) resolve();
    else response.once('close', resolve);
  });
  // A request that was not read, or that the service did not send, does not deserve an open connection.
  if (status >= 400 && status < 500) response.setHeader('connection', 'close');
  if (status === 405) response.setHeader('allow', 'POST');
  response.statusCode = status;
  if (message === undefined) response.end();
  else response.setHeader('content-type', 'application/json').end(JSON.stringify({ message }));
  return gone;
}

// Remembers the signatures of accepted events. A request that is sent again while its timestamp is valid gets the same
// answer as before, and its event is not handled twice.

export class EventReplays {
  readonly #most: number;
  /** Until when each signature is accepted, in epoch seconds; in the order of acceptance. */
  readonly #taken = new Map<string, number>();
  readonly #inProgress = new Map<string, Promise<boolean>>();

  /** @param most how many signatures to remember; beyond that, the oldest is forgotten */
  constructor(most: number) {
    this.#most = most;
  }

  /** Whether the event is accepted. Calls `take` unless the event was accepted before, or is being handled. */
  async once(
    signature: string,
    { until, now }: { readonly until: number; readonly now: number },
    take: () => Promise<boolean>,
  ): Promise<boolean> {
    if (this.#taken.has(signature)) return true;
    const inProgress = this.#inProgress.get(signature);
    if (inProgress !== undefined) return inProgress;
    const taking = take();
    this.#inProgress.set(signature, taking);
    try {
      const taken = await taking;
      // An event that was not accepted must be sent again, and is handled then.
      if (taken) this.#remember(signature, until, now);
      return taken;
    } finally {
      this.#inProgress.delete(signature);
    }
  }

  #remember(signature: string, until: number, now: number): void {
    this.#taken.set(signature, until);
    for (const [oldest, end] of this.#taken) {
      if (end >= now && this.#taken.size <= this.#most) return;
      this.#taken.delete(oldest);
    }
  }
}
