// How the hub answers: pages for people, JSON for programs.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isForm } from './form.ts';

/** Sends facts as a page to a browser, and as JSON to a program. */
export function sendFacts(
  request: FastifyRequest,
  reply: FastifyReply,
  facts: unknown,
  page: () => string,
): FastifyReply {
  return wantsPage(request)
    ? reply.type('text/html; charset=utf-8').send(page())
    : reply.send(facts);
}

/** Answers a change: a form is redirected to a page, a program gets the facts. */
export function sendChanged(
  request: FastifyRequest,
  reply: FastifyReply,
  facts: unknown,
  { status = 200, back }: { readonly status?: number; readonly back: string },
): FastifyReply {
  if (isForm(request)) return reply.redirect(back, 303);
  return reply.code(status).send(facts);
}

export function wantsPage(request: FastifyRequest): boolean {
  return isForm(request) || asksForPage(request);
}

export function asksForPage({ headers }: FastifyRequest): boolean {
  return (headers.accept ?? '').includes('text/html');
}
