// The account for clients, and its ledger for people and tests. The ledger is outside /v1 and needs no key:
// it is not part of the hosted interface.
import type { FastifyInstance } from 'fastify';
import type { Parts } from '../parts.ts';

export function accountRoutes(server: FastifyInstance, { account }: Parts): void {
  server.get('/v1/account', (_request, reply) =>
    reply.send({ ...account.details(), subscription: null }),
  );
  server.get('/hub/ledger', (_request, reply) =>
    reply.send({ balance: account.balance(), entries: account.ledger() }),
  );
}
