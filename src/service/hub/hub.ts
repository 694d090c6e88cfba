// The hub: the local counterpart of the hosted service's developer hub. Every path answers with a page for people or JSON
// for programs; changes are POSTs of a form or of JSON.
import type { FastifyInstance } from 'fastify';
import { notFound } from '../base/error-response.ts';
import { sendError } from '../http/app.ts';
import type { Dependencies } from '../http/dependencies.ts';
import { readForms } from './form.ts';
import { denialOf } from './guard.ts';
import { errorPage } from './pages/error.ts';
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
