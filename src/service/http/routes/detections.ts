// Face detection: free, with paths in two forms (facts.md, Paths that exist in two forms).
import { randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { type PathForm, pathsOf, routes } from '../../../contract/api/routes.ts';
import { notFound, orError } from '../../base/error-response.ts';
import { validBody } from '../../base/request-body.ts';
import { inputsOf } from '../../endpoints/asset-references.ts';
import { detectionRecordOf } from '../../endpoints/records.ts';
import { detectionRequest } from '../../endpoints/requests.ts';
import { callerAccount, sendError } from '../app.ts';
import type { Dependencies } from '../dependencies.ts';
import type { ById } from '../route-types.ts';

/** facts.md, Face detection. */
const usualConfidence = 0.5;

const byId = { path: '/v1/face-detection/:id', alternate: '/v1/files/:id/face-detection' };

export function detectionRoutes(
  server: FastifyInstance,
  dependencies: Dependencies,
  form: PathForm,
): void {
  const { detections, addresses, clock, search } = dependencies;

  for (const path of pathsOf(routes.detectFaces(), form))
    server.post(path, { config: { permission: 'upload' } }, async (request) => {
      const account = callerAccount(request);
      const body = orError(validBody(detectionRequest, request.body));
      const [input] = orError(inputsOf(detectionRequest, body, { ...dependencies, account }));
      if (input === undefined) throw new Error('bug: a detection has no target');
      const asked = body['confidence_score'];
      const confidence = typeof asked === 'number' ? asked : usualConfidence;
      const order = { id: randomUUID(), account, input, confidence };
      const detection = await detections.create(order, clock.now());
      search(detection);
      return { id: detection.id, credits_charged: 0 };
    });

  for (const path of pathsOf(byId, form))
    server.get<ById>(path, { config: { permission: 'read' } }, (request, reply) => {
      const detection = detections.find(request.params.id);
      if (detection?.account !== callerAccount(request)) return sendError(reply, notFound);
      const faces = detections.facesOf(detection.id);
      return reply.send(detectionRecordOf(detection, faces, addresses));
    });
}
