// /hub: the newest projects with their pictures, and the credits.
import type { FastifyInstance } from 'fastify';
import type { Dependencies } from '../../http/dependencies.ts';
import { localAccount } from '../../store/accounts.ts';
import { overviewPage } from '../pages/overview.ts';
import { sendFacts } from '../respond.ts';
import { projectView } from '../views.ts';

export function overviewRoute(hub: FastifyInstance, dependencies: Dependencies): void {
  const { accounts, projects } = dependencies;
  hub.get('/', (request, reply) => {
    const newest = projects
      .list({ limit: 24 })
      .map((project) => projectView(project, dependencies));
    const overview = { accounts: accounts.all(), projects: newest };
    return sendFacts(request, reply, overview, () =>
      overviewPage(overview, accounts.ledger(localAccount)),
    );
  });
}
