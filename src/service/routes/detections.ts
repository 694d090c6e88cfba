// Face detection: free, and under two paths each (facts.md, Paths that exist in two forms).
import { randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { routes } from '../../api/routes.ts';
import { imageAsset } from '../../kinds/fields.ts';
import { answer } from '../app.ts';
import { inputsOf } from '../inputs.ts';
import type { Parts } from '../parts.ts';
import { detectionRecordOf } from '../records.ts';
import { bodyOf, notFound } from '../refusal.ts';

const detectionRequest = {
  type: 'object',
  required: ['assets'],
  properties: {
    assets: {
      type: 'object',
      required: ['target_file_path'],
      properties: { target_file_path: imageAsset },
    },
    confidence_score: { type: 'number', minimum: 0, maximum: 1, multipleOf: 0.05 },
  },
} as const;

type ById = { Params: { id: string } };

export function detectionRoutes(server: FastifyInstance, parts: Parts): void {
  const { detections, addresses, clock, search } = parts;
  const create = routes.detectFaces();

  for (const path of [create.path, create.alternate ?? create.path])
    server.post(path, async (request, reply) => {
      const body = bodyOf(detectionRequest, request.body);
      if (!body.ok) return answer(reply, body.error);
      const inputs = inputsOf(detectionRequest, body.value, parts);
      if (!inputs.ok) return answer(reply, inputs.error);
      const [input] = inputs.value;
      if (input === undefined) throw new Error('bug: a detection names its target');
      const detection = await detections.create(randomUUID(), input, clock.now());
      search(detection);
      return { id: detection.id, credits_charged: 0 };
    });

  for (const path of ['/v1/files/:id/face-detection', '/v1/face-detection/:id'])
    server.get<ById>(path, (request, reply) => {
      const detection = detections.find(request.params.id);
      if (detection === undefined) return answer(reply, notFound);
      const faces = detections.facesOf(detection.id);
      return reply.send(detectionRecordOf(detection, faces, addresses));
    });
}
