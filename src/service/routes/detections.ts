// Face detection: free, and under two paths each (facts.md, Paths that exist in two forms).
import { randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { routes } from '../../api/routes.ts';
import { accountOf, answer } from '../app.ts';
import { inputsOf } from '../inputs.ts';
import type { Parts } from '../parts.ts';
import { detectionRecordOf } from '../records.ts';
import { bodyOf, notFound } from '../refusal.ts';
import { detectionRequest } from '../requests.ts';

/** facts.md, Face detection. */
const usualConfidence = 0.5;

type ById = { Params: { id: string } };

export function detectionRoutes(server: FastifyInstance, parts: Parts): void {
  const { detections, addresses, clock, search } = parts;
  const create = routes.detectFaces();

  for (const path of [create.path, create.alternate ?? create.path])
    server.post(path, { config: { permission: 'upload' } }, async (request, reply) => {
      const account = accountOf(request);
      const body = bodyOf(detectionRequest, request.body);
      if (!body.ok) return answer(reply, body.error);
      const inputs = inputsOf(detectionRequest, body.value, { ...parts, account });
      if (!inputs.ok) return answer(reply, inputs.error);
      const [input] = inputs.value;
      if (input === undefined) throw new Error('bug: a detection names its target');
      const asked = body.value['confidence_score'];
      const confidence = typeof asked === 'number' ? asked : usualConfidence;
      const order = { id: randomUUID(), account, input, confidence };
      const detection = await detections.create(order, clock.now());
      search(detection);
      return { id: detection.id, credits_charged: 0 };
    });

  for (const path of ['/v1/files/:id/face-detection', '/v1/face-detection/:id'])
    server.get<ById>(path, { config: { permission: 'read' } }, (request, reply) => {
      const detection = detections.find(request.params.id);
      if (detection?.account !== accountOf(request)) return answer(reply, notFound);
      const faces = detections.facesOf(detection.id);
      return reply.send(detectionRecordOf(detection, faces, addresses));
    });
}
