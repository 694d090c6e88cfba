// /hub: the newest projects with their pictures, the credits, and the way to everything else.
import type { FastifyInstance } from 'fastify';
import type { Parts } from '../http/parts.ts';
import { localAccount } from '../store/accounts.ts';
import { show } from './form.ts';
import { overviewPage } from './pages/overview.ts';
import { projectView } from './views.ts';

export function overviewPath(hub: FastifyInstance, parts: Parts): void {
  const { accounts, projects } = parts;
  hub.get('/', (request, reply) => {
    const newest = projects.list({ limit: 24 }).map((project) => projectView(project, parts));
    const overview = { accounts: accounts.all(), projects: newest };
    return show(request, reply, overview, () =>
      overviewPage(overview, accounts.ledger(localAccount)),
    );
  });
}
