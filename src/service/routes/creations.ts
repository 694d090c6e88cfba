// The 27 creation endpoints: one handler, driven by the catalogue. What is refused is refused before anything
// is charged; what is answered with 200 is charged, and durable.
import { randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { projectId } from '../../api/project.ts';
import { routes } from '../../api/routes.ts';
import type { JsonObject } from '../../base/json.ts';
import { ok, type Result } from '../../base/result.ts';
import { withDefaults } from '../../base/schema.ts';
import type { Tool } from '../../kinds/kind.ts';
import { tools } from '../../kinds/tools.ts';
import { answer } from '../app.ts';
import { chargeOf } from '../charge.ts';
import { inputsOf } from '../inputs.ts';
import type { Parts } from '../parts.ts';
import { creationOf } from '../records.ts';
import { bodyOf, type Refusal, refuse } from '../refusal.ts';

export function creationRoutes(server: FastifyInstance, parts: Parts): void {
  const { projects, account, clock, render } = parts;
  for (const tool of tools)
    server.post(routes.create(tool.name).path, async (request, reply) => {
      const body = requestOf(tool, request.body);
      if (!body.ok) return answer(reply, body.error);
      const inputs = inputsOf(tool.request, body.value, parts);
      if (!inputs.ok) return answer(reply, inputs.error);
      const at = clock.now();
      const { credits, estimate } = chargeOf(tool, body.value);
      const project = await projects.create({
        id: projectId(randomUUID()),
        name: nameOf(tool, body.value, at),
        tool,
        body: body.value,
        inputs: inputs.value,
        credits,
        estimate,
        at,
      });
      if (project === undefined)
        return answer(reply, {
          status: 402,
          message: `Payment required: this costs ${credits} credits, the account has ${account.balance()}.`,
        });
      render(project);
      return creationOf(project);
    });
}

/** A valid body with its defaults filled in. */
function requestOf(tool: Tool, sent: unknown): Result<JsonObject, Refusal> {
  const body = bodyOf(tool.request, sent);
  if (!body.ok) return body;
  const breaches = tool.rules?.(body.value) ?? [];
  if (breaches.length > 0)
    return refuse(
      `Invalid request: ${breaches.map(({ field, message }) => `${field}: ${message}`).join('; ')}.`,
    );
  return ok(withDefaults(tool.request, body.value));
}

/** interface.md: the default is the tool's name followed by a date-time. */
function nameOf({ name }: Tool, { name: given }: JsonObject, at: number): string {
  if (typeof given === 'string') return given;
  const words = name.split('-').map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`);
  return `${words.join(' ')} - ${new Date(at).toISOString()}`;
}
