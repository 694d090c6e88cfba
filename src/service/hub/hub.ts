// The hub: the local counterpart of the hosted service's developer hub. Every path answers with a page for people or JSON
// for programs; changes are POSTs of a form or of JSON.

import { isIPv4 } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { asJson, isObject } from '../../contract/base/json.ts';
import { notFound } from '../base/error-response.ts';
import { sendError } from '../http/app.ts';
import type { Dependencies } from '../http/dependencies.ts';
import { readForms } from './form.ts';
import { html, page } from './pages/layout.ts';
import { icon, styleSheet } from './pages/style.ts';
import { asksForPage } from './respond.ts';
import { hubAccountRoutes } from './routes/accounts.ts';
import { hubFaultRoutes } from './routes/faults.ts';
import { hubKeyRoutes } from './routes/keys.ts';
import { overviewRoute } from './routes/overview.ts';
import { hubProjectRoutes } from './routes/projects.ts';
import { hubWebhookRoutes } from './routes/webhooks.ts';

export function openHub(server: FastifyInstance, dependencies: Dependencies): void {
  server.register(
    async (hub) => {
      readForms(hub);
      hub.addHook('onRequest', (request, reply, done) => {
        const why = denialOf(request);
        if (why === undefined) done();
        else sendError(reply, { status: 403, message: why });
      });
      hub.addHook('onSend', (request, reply, payload, done) => {
        // Pages load nothing from other sites, run no script, and can't be framed.
        reply.header(
          'content-security-policy',
          "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'self'; form-action 'self'; frame-ancestors 'none'",
        );
        reply.header('cache-control', 'no-store');
        // With `no-referrer`, a browser would send no origin with the hub's own forms.
        reply.header('referrer-policy', 'same-origin');
        reply.header('x-content-type-options', 'nosniff');
        // People get errors as a page, programs as JSON.
        if (reply.statusCode < 400 || !asksForPage(request) || typeof payload !== 'string')
          return done(null, payload);
        reply.type('text/html; charset=utf-8').removeHeader('content-length');
        return done(null, errorPage(reply.statusCode, payload));
      });
      hub.setNotFoundHandler((_request, reply) => sendError(reply, notFound));
      hub.get('/style.css', (_request, reply) => reply.type('text/css').send(styleSheet));
      hub.get('/icon.svg', (_request, reply) => reply.type('image/svg+xml').send(icon));
      overviewRoute(hub, dependencies);
      hubProjectRoutes(hub, dependencies);
      hubAccountRoutes(hub, dependencies);
      hubKeyRoutes(hub, dependencies);
      hubWebhookRoutes(hub, dependencies);
      hubFaultRoutes(hub, dependencies);
    },
    { prefix: '/hub' },
  );
}

// Who can use the hub: people and programs on this machine, and no page of another site in a person's browser. The hub needs
// no key, so the guard rejects DNS rebinding and forged forms, and also requests through a proxy on this machine: their
// origin is unknown.

/** Why a request is denied; undefined: the request is allowed. */
function denialOf(request: FastifyRequest): string | undefined {
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

// The page of an error.

/** `answer`: the JSON that a program gets, `{"message": …}`. */
function errorPage(status: number, answer: string): string {
  const said = asJson(JSON.parse(answer));
  const message = isObject(said) ? said['message'] : undefined;
  const title = status === 404 ? 'Not Found' : 'Something went wrong';
  return page(title, '', [
    html`<p>${typeof message === 'string' ? message : ''}</p>
      <p class="dim">Status ${status}. Nothing was changed. Go back to correct the request.</p>`,
  ]);
}
