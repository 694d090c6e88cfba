// The routes below /v1 that read and delete projects, find faces and show the account; and the OpenAPI document.
import { randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { FaceDetection } from '../../contract/api/project.ts';
import { type PathForm, pathsOf, routes } from '../../contract/api/routes.ts';
import { detectionRequest, faceDetectionPaths } from '../endpoints.ts';
import { orNotFound, RequestError, validBody } from '../errors.ts';
import { inputsOf } from '../inputs.ts';
import { openApiOf } from '../openapi.ts';
import { isLive, recordOf, type StoredProject } from '../store/projects.ts';
import { type ById, callerAccount, type RouteDependencies } from './app.ts';

/** Each kind of record has a path of its own, with its own projects only. */
export function projectRoutes(server: FastifyInstance, dependencies: RouteDependencies): void {
  const { projects, addresses, fileStore, jobs } = dependencies;
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
      const { id } = project;
      if (!(await projects.disable(id))) throw new RequestError(404, 'Not Found');
      jobs.release(id);
      await fileStore.removeOutputs(id);
      if (!isLive(project)) await projects.swept(id);
      return reply.code(204).send();
    });
  }
}

/** facts.md, Face detection. */
const usualConfidence = 0.5;

/** Free, with paths in two forms (facts.md, Paths that exist in two forms). */
export function detectionRoutes(
  server: FastifyInstance,
  dependencies: RouteDependencies,
  form: PathForm,
): void {
  const { detections, addresses, clock, jobs } = dependencies;

  for (const path of pathsOf(routes.detectFaces(), form))
    server.post(path, { config: { permission: 'upload' } }, async (request) => {
      const account = callerAccount(request);
      const body = validBody(detectionRequest, request.body);
      const [input] = inputsOf(detectionRequest, body, account, dependencies);
      if (input === undefined) throw new Error('bug: a detection has no target');
      const asked = body['confidence_score'];
      const confidence = typeof asked === 'number' ? asked : usualConfidence;
      const order = { id: randomUUID(), account, input, confidence };
      const detection = await detections.create(order, clock.now());
      jobs.search(detection);
      return { id: detection.id, credits_charged: 0 };
    });

  for (const path of pathsOf(faceDetectionPaths, form))
    server.get<ById>(path, { config: { permission: 'read' } }, (request, reply) => {
      const detection = detections.find(request.params.id);
      const own = detection?.account === callerAccount(request);
      const { id, status } = orNotFound(own ? detection : undefined);
      const faces = detections
        .facesOf(id)
        .map(({ path: file }) => ({ path: file, url: addresses.issue('downloads', file).url }));
      return reply.send({ id, status, credits_charged: 0, faces } satisfies FaceDetection);
    });
}

/** facts.md, Account. */
export function accountRoute(server: FastifyInstance, { accounts }: RouteDependencies): void {
  server.get('/v1/account', { config: { permission: 'read' } }, (request, reply) => {
    const account = accounts.find(callerAccount(request));
    if (account === undefined) throw new Error('bug: a key belongs to no account');
    const { publicId, ...facts } = account;
    return reply.send({ ...facts, id: publicId, subscription: null });
  });
}

/** The OpenAPI document of a service, whose address is known once it listens. */
export function openApiRoute(server: FastifyInstance, address: () => string, form: PathForm): void {
  server.get('/openapi.json', (_request, reply) => reply.send(openApiOf(address(), form)));
}
