// The web server of a live page. It serves the page, its events, and thumbnails and files by their numbers; no request changes
// anything.
import { createHash, randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { ok, type Result } from '../../../contract/base/result.ts';
import { liveDocument, livePolicy, type PageParts } from '../../report/page/document.ts';
import type { PageMessage } from '../../report/page/page-message.ts';
import { limitConnections } from '../http/connection-limits.ts';
import { createServer } from '../http/create-server.ts';
import { listenOn } from '../http/listen.ts';
import { EventStream } from './event-stream.ts';
import { admissionOf } from './page-guard.ts';
import { sendFile } from './send-file.ts';

/** What the server serves. The numbers are those in the report. */
export interface LiveSource {
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
  /** Resolves when a page was opened for the first time. */
  readonly visited: Promise<void>;
  send(message: PageMessage): void;
  close(last: PageMessage): Promise<void>;
}

export interface LiveServerOptions {
  readonly port: number;
  readonly title: string;
  readonly page: PageParts;
}

/** In milliseconds. */
const senderMs = 5_000;
/** In milliseconds: when the server closes, pages load the last pictures, for at most so long. */
const lastMs = 3_000;
/** In milliseconds: a page that asks for nothing during this time has what it needs. */
const quietMs = 250;
const connectionsMost = { perPeer: 64, total: 64 };

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
  let sending = 0;
  let sent = performance.now();
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
      sending += 1;
      sendPicture(response, await source.thumbnail(Number(picture)));
      sending -= 1;
      sent = performance.now();
    } else {
      const file = number === undefined ? undefined : source.file(Number(number));
      const sent = file !== undefined && (await sendFile(request, response, file));
      if (!sent) say(response, 404, 'Nothing is here.');
    }
  };
  const server = createServer(
    { requestTimeout: senderMs, headersTimeout: senderMs, maxHeaderSize: 8_192 },
    async (request, response) => {
      const gone = new Promise<void>((resolve) => response.once('close', () => resolve()));
      await connections.busyWhile(
        request.socket,
        answer(request, response).then(() => gone),
      );
    },
  );
  /** Waits for the pictures that the pages still load. */
  const untilQuiet = async (): Promise<void> => {
    sent = performance.now();
    const end = sent + lastMs;
    const isOver = (now: number): boolean => now > end || (sending === 0 && now - sent > quietMs);
    while (events.pages > 0 && !isOver(performance.now())) await wait(quietMs / 5);
  };
  const connections = limitConnections(server, connectionsMost);
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
    visited: events.visited,
    send: (message) => events.send(message),
    async close(last) {
      await untilQuiet();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      await events.end(last);
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
