// The hub: the local counterpart of the hosted service's developer hub. Every path answers with a page for people or JSON
// for programs; changes are POSTs of a form or of JSON.
import { isIPv4 } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { asJson, isObject } from '../../base/json.ts';
import { type RouteDependencies, sendError } from '../http/app.ts';
import { hubAccountRoutes } from './accounts.ts';
import { asksForPage, readForms } from './exchange.ts';
import { hubFaultRoutes } from './faults.ts';
import { hubKeyRoutes } from './keys.ts';
import { html, page } from './layout.ts';
import { hubProjectRoutes } from './projects.ts';
import { hubWebhookRoutes } from './webhooks.ts';

export function openHub(server: FastifyInstance, dependencies: RouteDependencies): void {
  server.register(
    async (hub) => {
      readForms(hub);
      hub.addHook('onRequest', (request, reply, done) => {
        const why = denialOf(request);
        if (why === undefined) done();
        else sendError(reply, 403, why);
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
      hub.setNotFoundHandler((_request, reply) => sendError(reply, 404, 'Not Found'));
      hub.get('/style.css', (_request, reply) => reply.type('text/css').send(styleSheet));
      hub.get('/icon.svg', (_request, reply) => reply.type('image/svg+xml').send(icon));
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

// The hub's style sheet and icon. Colours follow the system's light or dark setting.

/** A clapperboard. */
const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect x="3" y="12" width="26" height="16" rx="2" fill="#3a4bd8"/>
<path d="M3 10 27 4l1 4-24 6z" fill="#1b1d22"/><path d="m9 8.5 3 3.6M16 6.700l3 3.6M23 5l3 3.6" stroke="#fff" stroke-width="2"/>
</svg>`;

const styleSheet = `
:root {
  color-scheme: light dark;
  --ink: light-dark(#1b1d22, #e8e9ee); --dim: light-dark(#5c6270, #a3a9b8);
  --paper: light-dark(#fbfbfc, #15171c); --card: light-dark(#fff, #1e2128);
  --line: light-dark(#dfe2e8, #333843); --accent: light-dark(#3a4bd8, #9aa7ff);
  --good: light-dark(#14713d, #6fd79b); --bad: light-dark(#b3261e, #ff9a92); --busy: light-dark(#8a5a00, #f0c060);
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
header, main, footer { max-width: 72rem; margin: 0 auto; padding: 0 1.25rem; }
header { display: flex; flex-wrap: wrap; gap: .25rem 2rem; align-items: baseline; padding-top: 1.25rem; }
.mark { margin: 0; font-weight: 700; } .mark span { font-weight: 400; color: var(--dim); }
nav { display: flex; flex-wrap: wrap; gap: .25rem 1rem; }
a { color: var(--accent); text-decoration-thickness: .06em; text-underline-offset: .15em; }
nav a { text-decoration: none; padding: .25rem 0; border-bottom: 2px solid transparent; }
nav a[aria-current] { border-color: currentColor; font-weight: 600; }
a:focus-visible, button:focus-visible, input:focus-visible, select:focus-visible, textarea:focus-visible
  { outline: 2px solid var(--accent); outline-offset: 2px; }
h1 { font-size: 1.6rem; margin: 1.5rem 0 1rem; overflow-wrap: anywhere; } h2 { font-size: 1.15rem; margin: 2rem 0 .75rem; }
footer { color: var(--dim); font-size: .85rem; padding: 2.5rem 1.25rem; }
.empty, .dim { color: var(--dim); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; background: var(--card); border: 1px solid var(--line); }
th, td { text-align: left; padding: .4rem .7rem; border-bottom: 1px solid var(--line); vertical-align: top; }
th { font-size: .8rem; color: var(--dim); font-weight: 600; white-space: nowrap; }
td.number, td:has(> .number) { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
time, code, .number { font-variant-numeric: tabular-nums; } time { white-space: nowrap; }
code { font: .88em ui-monospace, monospace; overflow-wrap: anywhere; }
pre { background: var(--card); border: 1px solid var(--line); padding: .75rem; overflow-x: auto; }
.badge { font-size: .85rem; font-weight: 600; white-space: nowrap; }
.complete, .delivered { color: var(--good); } .error, .given_up, .lost, .canceled { color: var(--bad); }
.queued, .rendering, .waiting { color: var(--busy); }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(13rem, 1fr)); gap: 1rem; padding: 0; list-style: none; }
.cards li { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; overflow: hidden; }
.cards .picture { position: relative; display: grid; place-items: center; aspect-ratio: 4 / 3; background: light-dark(#eef0f4, #262a33); color: var(--dim); }
.cards img, .cards video { position: absolute; inset: 0; width: 100%; height: 100%; object-fit: cover; }
.cards .why { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 7; overflow: hidden; padding: 0 .75rem; overflow-wrap: anywhere; font-size: .8rem; color: var(--bad); }
.cards a:has(.why) { text-decoration: none; }
.cards video[controls] { object-fit: contain; } .cards audio { display: block; width: 100%; }
.cards .words { padding: .6rem .75rem; overflow-wrap: anywhere; } .cards strong { display: block; }
.cards .dim { font-size: .85rem; } .cards time, .cards .badge { display: inline-block; white-space: normal; }
.figures { display: flex; flex-wrap: wrap; gap: 1rem; margin: 0; padding: 0; }
.figures div { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: .6rem 1rem; }
.figures dt { color: var(--dim); font-size: .85rem; } .figures dd { margin: 0; font-size: 1.35rem; font-weight: 600; overflow-wrap: anywhere; }
form.panel { display: grid; gap: .75rem; max-width: 34rem; background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: 1rem; }
form.inline { display: inline-flex; gap: .35rem; margin: 0 .75rem 0 0; }
label { display: grid; gap: .2rem; font-size: .85rem; color: var(--dim); } label.tick { display: inline-flex; gap: .4rem; margin-right: 1rem; }
fieldset { border: 1px solid var(--line); border-radius: .35rem; } legend { font-size: .85rem; color: var(--dim); }
input, select, textarea, button { font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--line); border-radius: .35rem; padding: .35rem .6rem; }
button { cursor: pointer; background: var(--card); } form.panel button { justify-self: start; border-color: var(--accent); color: var(--accent); font-weight: 600; }
.secret { font-size: 1.1rem; padding: .75rem; border: 2px solid var(--accent); border-radius: .35rem; display: block; user-select: all; }
@media print { nav, form, footer { display: none; } }
`;
