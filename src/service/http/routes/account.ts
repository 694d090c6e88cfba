// GET /v1/account (facts.md, Account).
import type { FastifyInstance } from 'fastify';
import { callerAccount } from '../app.ts';
import type { Dependencies } from '../dependencies.ts';

export function accountRoutes(server: FastifyInstance, { accounts }: Dependencies): void {
  server.get('/v1/account', { config: { permission: 'read' } }, (request, reply) => {
    const account = accounts.find(callerAccount(request));
    if (account === undefined) throw new Error('bug: a key belongs to no account');
    const { publicId, ...facts } = account;
    return reply.send({ ...facts, id: publicId, subscription: null });
  });
}
