// Who can use the hub: people and programs on this machine, and no page of another site in a person's browser. The hub needs
// no key, so the guard rejects DNS rebinding and forged forms, and also requests through a proxy on this machine: their
// origin is unknown.
import { isIPv4 } from 'node:net';
import type { FastifyRequest } from 'fastify';

/** Why a request is denied; undefined: the request is allowed. */
export function denialOf(request: FastifyRequest): string | undefined {
  const { host, origin, 'sec-fetch-site': site } = request.headers;
  if (!isLoopback(request.socket.remoteAddress ?? ''))
    return 'The hub is available only on the machine that it runs on.';
  // Node.js keeps the first of several Host headers, and a proxy may use another one.
  const hosts = request.raw.headersDistinct['host'] ?? [];
  if (host === undefined || hosts.length !== 1 || !isLoopbackHost(host))
    return 'The hub is available only at loopback addresses, such as localhost.';
  if (Object.keys(request.headers).some((name) => proxyHeaders.test(name)))
    return 'The hub is not available through a proxy. Open it on the machine that it runs on.';
  if (request.method === 'GET') return undefined;
  const elsewhere = site !== undefined && site !== 'same-origin' && site !== 'none';
  if (elsewhere || (origin !== undefined && origin !== `http://${host}`))
    return 'The hub accepts changes only from its own pages.';
  return undefined;
}

function isLoopback(address: string): boolean {
  return address === '::1' || /^(::ffff:)?127\./.test(address);
}

/** The headers that proxies add. */
const proxyHeaders = /^(?:x-forwarded-.*|forwarded|x-real-ip|via)$/;

/**
 * A Host header as browsers and programs write it for this machine: a loopback name and a port. A URL parser would also
 * accept user information, other spellings of numbers, and a path.
 */
function isLoopbackHost(host: string): boolean {
  const [, name = '', port = '80'] = /^(\[::1\]|[a-z0-9.]+)(?::([1-9]\d{0,4}))?$/.exec(host) ?? [];
  if (Number(port) > 65_535) return false;
  return name === 'localhost' || name === '[::1]' || (isIPv4(name) && name.startsWith('127.'));
}
