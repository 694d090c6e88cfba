// Who may see a live page: the person who has its whole address, on this machine. The token in the address keeps out other
// programs and users, the rest keeps out pages of other sites in the same browser.
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isLoopback } from '../http/loopback.ts';
import { isOwnHost } from '../monitor/host-header.ts';

/** What a request asks for below the token, `pictures/3`; or why it gets nothing. */
export type Admission =
  | { readonly admitted: true; readonly token: string; readonly path: string }
  | { readonly admitted: false; readonly status: number; readonly why: string };

const refused = (status: number, why: string): Admission => ({ admitted: false, status, why });

/** `tokens`: each of them admits. */
export function admissionOf(request: IncomingMessage, tokens: readonly string[]): Admission {
  const { origin, 'sec-fetch-site': site } = request.headers;
  if (!isLocalPeer(request.socket.remoteAddress ?? ''))
    return refused(403, 'The page is available only on the machine that it is on.');
  const hosts = request.headersDistinct['host'] ?? [];
  if (!isOwnHost(hosts, '127.0.0.1')) return refused(403, 'The page does not answer to this name.');
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
