// Who may use the hub: a person or program on this machine, and no page of another site in that person's browser.
// It has no key, so what a browser can be made to send from elsewhere is turned away (DNS rebinding, forged forms).
import type { FastifyRequest } from 'fastify';

/** Why a request may not come in; undefined: it may. */
export function refusalOf(request: FastifyRequest): string | undefined {
  const { host, origin, 'sec-fetch-site': site } = request.headers;
  if (!isLoopback(request.socket.remoteAddress ?? ''))
    return 'The hub answers to this machine only.';
  if (!isLoopbackName(host)) return 'The hub answers to loopback addresses only.';
  if (request.method === 'GET') return undefined;
  const elsewhere = site !== undefined && site !== 'same-origin' && site !== 'none';
  if (elsewhere || (origin !== undefined && origin !== `http://${host}`))
    return 'The hub takes changes from its own pages only.';
  return undefined;
}

function isLoopback(address: string): boolean {
  return address === '::1' || /^(::ffff:)?127\./.test(address);
}

function isLoopbackName(host: string | undefined): boolean {
  if (host === undefined || !URL.canParse(`http://${host}`)) return false;
  const { hostname } = new URL(`http://${host}`);
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);
}
