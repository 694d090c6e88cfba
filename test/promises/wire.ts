// A relay before the local service, and one before a run that listens for events: requests and answers go through it, are noted in
// a trace, and can be held. Addresses in answers lead to it, so that transfers go through it too.
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { LocalService } from '../../src/service/start.ts';
import { listening } from '../listening.ts';

export interface Held {
  /** Resolves when the request has come. */
  readonly come: Promise<void>;
  /** Lets it pass. */
  pass(): void;
}

export interface Wire {
  /** The same service, behind the relay. */
  readonly service: LocalService;
  /** The next request that begins with these words does not reach the service before it may pass. `body`: of those with this body. */
  hold(words: string, which?: { readonly number?: number; readonly body?: Buffer }): Held;
  /** As long as a few requests take, one after the other: what somebody is about to send has come meanwhile. */
  meanwhile(): Promise<void>;
}

export interface WireTerms {
  /** Hears of each request before it reaches the service: `GET /v1/image-projects/:id`. */
  readonly onRequest?: (route: string) => void;
  /** Hears of each request without an answer. */
  readonly onCut?: (route: string) => void;
}

interface Hold {
  readonly words: string;
  readonly body: Buffer | undefined;
  /** How many requests pass before the one that is held. */
  left: number;
  readonly come: () => void;
  readonly passed: Promise<void>;
}

const nothing = (): void => undefined;
/** A path that only the relay knows. */
const aside = '/aside';

export async function wireTo(
  local: LocalService,
  { onRequest = nothing, onCut = nothing }: WireTerms = {},
): Promise<Wire> {
  const holds: Hold[] = [];
  const heldBy = async (route: string, body: Buffer): Promise<void> => {
    for (const hold of holds) {
      if (!route.startsWith(hold.words) || hold.body?.equals(body) === false) continue;
      hold.left -= 1;
      if (hold.left !== 0) continue;
      hold.come();
      await hold.passed;
    }
  };
  const server = createServer(async (incoming, outgoing) => {
    const route = routeOf(incoming);
    if (route === `GET ${aside}`) return void outgoing.end();
    const body = await bytesOf(incoming);
    await heldBy(route, body);
    onRequest(route);
    forward(local.address, { incoming, body, outgoing }, (bytes) =>
      route.startsWith('GET /downloads/')
        ? bytes
        : Buffer.from(bytes.toString('latin1').replaceAll(local.address, address), 'latin1'),
    ).catch(() => {
      onCut(route);
      outgoing.destroy();
    });
  });
  const address = await listening(server);
  return {
    service: { ...local, address },
    hold(words, { number = 1, body } = {}) {
      const [come, passed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      holds.push({ words, body, left: number, come: come.resolve, passed: passed.promise });
      return { come: come.promise, pass: passed.resolve };
    },
    async meanwhile() {
      for (let times = 0; times < 8; times++) await (await fetch(`${address}${aside}`)).text();
    },
  };
}

/**
 * Before a run that listens at `port`. Hears of its answers to events, as `image.completed 204`: what is accepted never comes again.
 * Returns the address.
 */
export async function eventsTo(
  port: number,
  onAnswer: (answer: string, isAccepted: boolean) => void,
): Promise<string> {
  const server = createServer(async (incoming, outgoing) => {
    const body = await bytesOf(incoming);
    const { type }: { type?: string } = JSON.parse(body.toString());
    forward(`http://127.0.0.1:${port}`, { incoming, body, outgoing }, (bytes, status) => {
      onAnswer(`${type} ${status}`, status < 300);
      return bytes;
    }).catch(() => outgoing.destroy());
  });
  return await listening(server);
}

interface Passing {
  readonly incoming: IncomingMessage;
  readonly body: Buffer;
  readonly outgoing: ServerResponse;
}

/** Rejects if there is no whole answer. */
async function forward(
  to: string,
  { incoming, body, outgoing }: Passing,
  change: (bytes: Buffer, status: number) => Buffer,
): Promise<void> {
  const { method = 'GET', url = '/', headers } = incoming;
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    request(`${to}${url}`, { method, headers }, resolve).on('error', reject).end(body);
  });
  const { statusCode = 500 } = answer;
  const bytes = change(await bytesOf(answer), statusCode);
  const { 'transfer-encoding': _, ...others } = answer.headers;
  outgoing.writeHead(statusCode, { ...others, 'content-length': bytes.length }).end(bytes);
}

async function bytesOf(message: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of message) parts.push(part);
  return Buffer.concat(parts);
}

/** Without what differs from run to run. */
const routeOf = ({ method = 'GET', url = '/' }: IncomingMessage): string =>
  `${method} ${url
    .replace(/\?.*/, '')
    .replace(/(?<=-projects\/|detection\/).+/, ':id')
    .replace(/(?<=^\/(up|down)loads\/).*/, '*')}`;
