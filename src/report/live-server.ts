// The web server of a live page. It serves the page, its events, and thumbnails and files by their numbers; no request changes
// anything.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { type FileVersion, rangeOf, versionOf } from '../base/byte-range.ts';
import { ok, type Result } from '../base/result.ts';
import { isSystemProblem } from '../base/system-error.ts';
import { contentTypeOf, extensionOf, unknownType } from '../contract/api/asset.ts';
import { isLoopback } from '../service-api/address.ts';
import {
  createServer,
  isLoopbackHost,
  limitConnections,
  listenOn,
} from '../service-api/web-server.ts';
import { liveDocument, livePolicy, type PageParts } from './page/document.ts';
import type { PageMessage } from './page/page-message.ts';

/** What the server serves. The numbers are those in the report. */
interface LiveSource {
  /** What a page that has just connected must know. */
  readonly greeting: () => readonly PageMessage[];
  /** WebP; undefined if there is no picture of this number. */
  readonly thumbnail: (number: number) => Promise<Buffer | undefined>;
  /** The path of a file now; undefined if it must not be read. */
  readonly file: (number: number) => string | undefined;
}

export interface LiveServer {
  /** The whole address with its token, `http://127.0.0.1:4000/…/`. */
  readonly address: string;
  /**
   * A new address that leads to the page once. It is for the program that opens a browser: others on this machine can read
   * the arguments of programs.
   */
  addressForOnce(): string;
  /** The number of pages that are open. */
  readonly pages: () => number;
  send(message: PageMessage): void;
  /** Tells the pages that nothing follows. */
  close(): Promise<void>;
}

interface LiveServerOptions {
  readonly port: number;
  readonly title: string;
  readonly page: PageParts;
}

const requestTimeoutMs = 5_000;
const maxConnections = { perPeer: 64, total: 64 };

/** The error says why the server cannot listen there. */
export async function openLiveServer(
  { port, title, page }: LiveServerOptions,
  source: LiveSource,
): Promise<Result<LiveServer, string>> {
  const token = newToken();
  const tickets = new Set<string>();
  const scriptHash = createHash('sha256').update(page.script).digest('base64');
  const html = [...liveDocument(title, page)].join('');
  const events = new EventStream();
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    for (const [name, value] of headers) response.setHeader(name, value);
    const admission = admissionOf(request, [token, ...tickets]);
    if (!admission.admitted) return say(response, admission.status, admission.why);
    const { path } = admission;
    if (tickets.delete(admission.token))
      return void response.writeHead(303, { location: `/${token}/` }).end();
    const picture = /^pictures\/(\d{1,9})$/.exec(path)?.[1];
    // The name is for the person who saves the file: only the number says which file it is.
    const number = /^files\/(\d{1,9})\/[^/]*$/.exec(path)?.[1];
    if (path === '') {
      response.setHeader('content-security-policy', livePolicy(scriptHash));
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(html);
    } else if (path === 'events' && request.method === 'GET') {
      response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
      events.add(response, source.greeting());
    } else if (picture !== undefined) {
      sendPicture(response, await source.thumbnail(Number(picture)));
    } else {
      const file = number === undefined ? undefined : source.file(Number(number));
      const sent = file !== undefined && (await sendFile(request, response, file));
      if (!sent) say(response, 404, 'Nothing is here.');
    }
  };
  const server = createServer(
    { requestTimeout: requestTimeoutMs, headersTimeout: requestTimeoutMs, maxHeaderSize: 8_192 },
    async (request, response) => {
      const gone = new Promise<void>((resolve) => response.once('close', () => resolve()));
      await connections.busyWhile(
        request.socket,
        answer(request, response).then(() => gone),
      );
    },
  );
  const connections = limitConnections(server, maxConnections);
  const listening = await listenOn(server, { host: '127.0.0.1', port });
  if (!listening.ok) return listening;
  return ok({
    address: `${listening.value}/${token}/`,
    addressForOnce() {
      const ticket = newToken();
      tickets.add(ticket);
      return `${listening.value}/${ticket}/`;
    },
    pages: () => events.pages,
    send: (message) => events.send(message),
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      await events.end({ type: 'ended', data: 'null' });
      server.closeAllConnections();
      await closed;
    },
  });
}

const newToken = (): string => randomBytes(32).toString('base64url');

/** For every answer; the page itself replaces the policy. */
const headers: readonly (readonly [string, string])[] = [
  ['content-security-policy', "default-src 'none'; frame-ancestors 'none'; sandbox"],
  ['cache-control', 'no-store'],
  ['cross-origin-opener-policy', 'same-origin'],
  ['cross-origin-resource-policy', 'same-origin'],
  ['referrer-policy', 'no-referrer'],
  ['x-content-type-options', 'nosniff'],
  ['x-frame-options', 'DENY'],
];

/** The pictures stay in the browser after the server has ended. No content is no error to a browser: it shows a sign. */
function sendPicture(response: ServerResponse, bytes: Buffer | undefined): void {
  if (bytes === undefined) response.writeHead(204).end();
  else
    response
      .writeHead(200, { 'content-type': 'image/webp', 'cache-control': 'private, max-age=3600' })
      .end(bytes);
}

function say(response: ServerResponse, status: number, why: string): void {
  if (status === 405) response.setHeader('allow', 'GET, HEAD');
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(`${why}\n`);
}

// Server-sent events to every page that is open: https://html.spec.whatwg.org/multipage/server-sent-events.html

/** How often a page is sent something, so that one that is gone is noticed. */
const aliveMs = 20_000;
/** A page that reads so slowly is disconnected; it connects again and gets everything. */
const maxUnreadBytes = 1 << 27;

class EventStream {
  readonly #pages = new Set<ServerResponse>();
  readonly #alive = setInterval(() => this.#write(': here\n\n'), aliveMs).unref();

  get pages(): number {
    return this.#pages.size;
  }

  /** Adds a page, whose answer has its headers. */
  add(page: ServerResponse, first: readonly PageMessage[]): void {
    this.#pages.add(page);
    page.once('close', () => this.#pages.delete(page));
    page.write(`retry: 1000\n\n${first.map(frame).join('')}`);
  }

  send(message: PageMessage): void {
    this.#write(frame(message));
  }

  /** Resolves when the pages have the last message, or are gone. */
  async end(last: PageMessage): Promise<void> {
    clearInterval(this.#alive);
    await Promise.all(
      [...this.#pages].map((page) => {
        const { promise, resolve } = Promise.withResolvers<void>();
        page.once('close', () => resolve()).end(frame(last), () => resolve());
        return promise;
      }),
    );
  }

  #write(text: string): void {
    for (const page of this.#pages) {
      page.write(text);
      if (page.writableLength > maxUnreadBytes) page.destroy();
    }
  }
}

/** The data is JSON, which has no line feed. */
const frame = ({ type, data }: PageMessage): string => `event: ${type}\ndata: ${data}\n\n`;

// Who may see a live page: the person who has its whole address, on this machine. The token in the address keeps out other
// programs and users, the rest keeps out pages of other sites in the same browser.

/** What a request asks for below the token, `pictures/3`; or why it gets nothing. */
type Admission =
  | { readonly admitted: true; readonly token: string; readonly path: string }
  | { readonly admitted: false; readonly status: number; readonly why: string };

const refused = (status: number, why: string): Admission => ({ admitted: false, status, why });

/** `tokens`: each of them admits. */
function admissionOf(request: IncomingMessage, tokens: readonly string[]): Admission {
  const { origin, 'sec-fetch-site': site } = request.headers;
  if (!isLocalPeer(request.socket.remoteAddress ?? ''))
    return refused(403, 'The page is available only on the machine that it is on.');
  const hosts = request.headersDistinct['host'] ?? [];
  if (!isLoopbackHost(hosts)) return refused(403, 'The page does not answer to this name.');
  if (Object.keys(request.headers).some((name) => proxyHeaders.test(name)))
    return refused(403, 'The page is not available through a proxy.');
  const elsewhere = site !== undefined && site !== 'same-origin' && site !== 'none';
  if (elsewhere || (origin !== undefined && origin !== `http://${hosts[0]}`))
    return refused(403, 'The page answers to no other page. Type its address into a new tab.');
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return refused(405, 'The page is read with GET.');
  const [, given = '', path] = /^\/([^/?]*)\/([^?]*)$/.exec(request.url ?? '') ?? [];
  const token = tokens.find((one) => isSame(given, one));
  if (path === undefined || token === undefined)
    return refused(404, 'Nothing is here. Use the whole address that the command printed.');
  return { admitted: true, token, path };
}

const isLocalPeer = (address: string): boolean => isLoopback(address.replace(/^::ffff:/, ''));

/** The headers that proxies add. */
const proxyHeaders = /^(?:x-forwarded-.*|forwarded|x-real-ip|via)$/;

/** Takes the same time for every wrong token. */
function isSame(given: string, token: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(token));
}

// Sends a file of a live page, whole or a range of it, as a video player asks for it.

/** False if there is no such file; then nothing was sent. */
async function sendFile(
  request: IncomingMessage,
  response: ServerResponse,
  file: string,
): Promise<boolean> {
  const version = await versionNow(file);
  if (version === undefined) return false;
  const { size, etag } = version;
  const { range, 'if-range': ifRange } = request.headers;
  const part = request.method === 'GET' ? rangeOf(range, ifRange, version) : undefined;
  response.setHeader('accept-ranges', 'bytes').setHeader('etag', etag);
  if (part === 'unsatisfiable') {
    response.writeHead(416, { 'content-range': `bytes */${size}` }).end();
    return true;
  }
  const type = contentTypeOf(extensionOf(file));
  const { start, end } = part ?? { start: 0, end: size - 1 };
  response.writeHead(part === undefined ? 200 : 206, {
    'content-type': type,
    'content-length': end - start + 1,
    'cache-control': 'private, no-cache',
    ...(part === undefined ? {} : { 'content-range': `bytes ${start}-${end}/${size}` }),
    ...(type === unknownType ? { 'content-disposition': 'attachment' } : {}),
  });
  // An empty file has no bytes to stream.
  if (request.method === 'HEAD' || size === 0) response.end();
  else await pipeline(createReadStream(file, { start, end }), response).catch(noteNothing);
  return true;
}

async function versionNow(file: string): Promise<FileVersion | undefined> {
  try {
    return await versionOf(file);
  } catch (error) {
    if (isSystemProblem(error)) return undefined;
    throw error;
  }
}

/** A player that has seen enough disconnects; a file that becomes shorter ends the answer early, which the page notices. */
const noteNothing = (): void => undefined;
