// /hub/projects: lists projects, shows one with its request and its outputs, and cancels projects (facts.md, Project
// records: `canceled`).
import type { FastifyInstance } from 'fastify';
import { badRequest, notFound } from '../../base/error-response.ts';
import { cancellation } from '../../endpoints/hub-requests.ts';
import { sendError } from '../../http/app.ts';
import type { Dependencies } from '../../http/dependencies.ts';
import type { ById } from '../../http/route-types.ts';
import { sendFile } from '../../http/send-file.ts';
import { isStatus } from '../../store/project-row.ts';
import { fieldsOf } from '../form.ts';
import { projectPage, projectsPage } from '../pages/projects.ts';
import { beforeOf, limitOf } from '../paging.ts';
import { sendChanged, sendFacts } from '../respond.ts';
import { projectDetails, projectView } from '../views.ts';

type Output = { Params: { id: string; index: string } };
interface ProjectsQuery {
  readonly account?: string;
  readonly status?: string;
  readonly limit?: string;
  readonly before?: string;
}

export function hubProjectRoutes(hub: FastifyInstance, dependencies: Dependencies): void {
  const { projects, fileStore, release, clock } = dependencies;
  hub.get<{ Querystring: ProjectsQuery }>('/projects', (request, reply) => {
    const { account, status } = request.query;
    const limit = limitOf(request.query.limit);
    const before = beforeOf(request.query.before);
    if (!limit.ok) return sendError(reply, limit.error);
    if (!before.ok) return sendError(reply, before.error);
    if (status !== undefined && !isStatus(status))
      return sendError(
        reply,
        badRequest(`${JSON.stringify(status)} is not a status of a project.`).error,
      );
    const chosen = { account, status, limit: limit.value, before: before.value };
    const list = projects.list(chosen).map((project) => projectView(project, dependencies));
    return sendFacts(request, reply, { projects: list }, () => projectsPage(list, limit.value));
  });
  hub.get<ById>('/projects/:id', (request, reply) => {
    const project = projects.find(request.params.id);
    if (project === undefined) return sendError(reply, notFound);
    const details = projectDetails(project, dependencies);
    return sendFacts(request, reply, details, () => projectPage(details));
  });
  // Not by a presigned address, so that a look at the hub triggers no fault.
  hub.get<Output>('/projects/:id/outputs/:index', (request, reply) => {
    const { id, index } = request.params;
    const project = projects.find(id);
    const key = /^\d{1,6}$/.test(index) ? project?.files[Number(index)] : undefined;
    if (key === undefined) return sendError(reply, notFound);
    return sendFile(request, reply, key, fileStore);
  });
  hub.post<ById>('/projects/:id/cancel', async (request, reply) => {
    const fields = fieldsOf(cancellation, request);
    if (!fields.ok) return sendError(reply, fields.error);
    const { id } = request.params;
    const project = projects.find(id);
    if (project === undefined) return sendError(reply, notFound);
    if (!(await projects.cancel(id, fields.value['refund'] !== false, clock.now())))
      return sendError(reply, {
        status: 409,
        message: `The project has already ended: ${project.status}.`,
      });
    release(id);
    await fileStore.removeOutputs(id);
    const stopped = projects.find(id);
    if (stopped === undefined) throw new Error('bug: a project disappeared');
    return sendChanged(request, reply, projectView(stopped, dependencies), {
      back: `/hub/projects/${id}`,
    });
  });
}
