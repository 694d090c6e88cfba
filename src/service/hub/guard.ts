// Who may use the hub: a person or program on this machine, and no page of another site in that person's browser.
// It has no key, so what a browser can be made to send from elsewhere is turned away (DNS rebinding, forged forms), and
// so is what a proxy on this machine passes on: the peer is the proxy then, wherever the request comes from.
import { isIPv4 } from 'node:net';
import type { FastifyRequest } from 'fastify';

/** Why a request may not come in; undefined: it may. */
export function denialOf(request: FastifyRequest): string | undefined {
  const { host, origin, 'sec-fetch-site': site } = request.headers;
  if (!isLoopback(request.socket.remoteAddress ?? ''))
    return 'The hub answers to this machine only.';
  // Node.js keeps the first of several Host headers, and a proxy may have looked at another one.
  const hosts = request.raw.headersDistinct['host'] ?? [];
  if (host === undefined || hosts.length !== 1 || !isLoopbackHost(host))
    return 'The hub answers to loopback addresses only.';
  if (Object.keys(request.headers).some((name) => proxyHeaders.test(name)))
    return 'The hub does not answer through a proxy. Open it on the machine that it runs on.';
  if (request.method === 'GET') return undefined;
  const elsewhere = site !== undefined && site !== 'same-origin' && site !== 'none';
  if (elsewhere || (origin !== undefined && origin !== `http://${host}`))
    return 'The hub takes changes from its own pages only.';
  return undefined;
}

function isLoopback(address: string): boolean {
  return address === '::1' || /^(::ffff:)?127\./.test(address);
}

/** What proxies add to what they pass on. */
const proxyHeaders = /^(?:x-forwarded-.*|forwarded|x-real-ip|via)$/;

/**
 * A Host header as browsers and programs write it for this machine: a loopback name and a port. It is not read as the
 * host of an address, since that parser also takes user information, other spellings of numbers and what follows.
 */
function isLoopbackHost(host: string): boolean {
  const [, name = '', port = '80'] = /^(\[::1\]|[a-z0-9.]+)(?::([1-9]\d{0,4}))?$/.exec(host) ?? [];
  if (Number(port) > 65_535) return false;
  return name === 'localhost' || name === '[::1]' || (isIPv4(name) && name.startsWith('127.'));
}
