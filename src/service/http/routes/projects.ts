// Reads and deletes projects. Each kind of record has a path of its own, with its own projects only.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { notFound, orNotFound } from '../../base/error-response.ts';
import { recordOf } from '../../endpoints/records.ts';
import { isLive, type StoredProject } from '../../store/project-row.ts';
import { callerAccount, sendError } from '../app.ts';
import type { Dependencies } from '../dependencies.ts';
import type { ById } from '../route-types.ts';

export function projectRoutes(server: FastifyInstance, dependencies: Dependencies): void {
  const { projects, addresses, fileStore, release } = dependencies;
  for (const record of ['video', 'image', 'audio'] as const) {
    const path = `/v1/${record}-projects/:id`;
    const foundBy = (request: FastifyRequest<ById>): StoredProject => {
      const project = projects.find(request.params.id);
      const own = project?.account === callerAccount(request) && project.record === record;
      return orNotFound(own && project.enabled ? project : undefined);
    };
    server.get<ById>(path, { config: { permission: 'read' } }, (request, reply) =>
      reply.send(recordOf(foundBy(request), addresses)),
    );
    // A project that is deleted before its end is not rendered, and stays charged. The hosted service publishes nothing
    // about this.
    server.delete<ById>(path, { config: { permission: 'delete' } }, async (request, reply) => {
      const project = foundBy(request);
      if (!(await projects.disable(project.id))) return sendError(reply, notFound);
      release(project.id);
      await fileStore.removeOutputs(project.id);
      if (!isLive(project)) await projects.swept(project.id);
      return reply.code(204).send();
    });
  }
}
