// The 27 creation endpoints: one handler, driven by the catalogue. What is refused is refused before anything
// is charged; what is answered with 200 is charged, and durable.
import { randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { extensionOf, fitsAs } from '../../api/asset.ts';
import { projectId } from '../../api/project.ts';
import { routes } from '../../api/routes.ts';
import { allowances, pixelsAskedFor, type Tier } from '../../api/tier.ts';
import { isObject, type JsonObject } from '../../base/json.ts';
import { ok, type Result } from '../../base/result.ts';
import { withDefaults, withoutIgnored } from '../../base/schema.ts';
import type { Tool } from '../../kinds/kind.ts';
import { tools } from '../../kinds/tools.ts';
import { accountOf, answer } from '../app.ts';
import { chargeOf, surcharged } from '../charge.ts';
import { firedOf } from '../faults/faults.ts';
import { type Input, inputsOf } from '../inputs.ts';
import type { Parts } from '../parts.ts';
import { creationOf } from '../records.ts';
import { bodyOf, type Refusal, refuse } from '../refusal.ts';

export function creationRoutes(server: FastifyInstance, parts: Parts): void {
  const { projects, accounts, clock, faults, render } = parts;
  const config = { permission: 'create' } as const;
  for (const tool of tools)
    server.post(routes.create(tool.name).path, { config }, async (request, reply) => {
      const account = accounts.find(accountOf(request));
      if (account === undefined) throw new Error('bug: a key belongs to an account');
      const body = requestOf(tool, request.body);
      if (!body.ok) return answer(reply, body.error);
      const plan = beyondPlan(account.tier, body.value);
      if (plan !== undefined) return answer(reply, plan);
      const inputs = inputsOf(tool.request, body.value, { ...parts, account: account.id });
      if (!inputs.ok) return answer(reply, inputs.error);
      const unfit = unfitInput(tool, inputs.value);
      if (unfit !== undefined) return answer(reply, unfit);
      const at = clock.now();
      const { credits: price, estimate } = chargeOf(tool, body.value, account.tier);
      const more = firedOf(faults.fire('charge', tool.name), 'surcharge');
      const credits = more === undefined ? price : surcharged(price, more.rule.percent);
      const project = await projects.create({
        account: account.id,
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
          message: `Payment required: this costs ${credits} credits, the account has ${accounts.find(account.id)?.credits ?? 0}.`,
        });
      render(project);
      return creationOf(project);
    });
}

/** facts.md, Rate limits: 403 where the plan does not have a resolution. */
function beyondPlan(tier: Tier, body: JsonObject): Refusal | undefined {
  const { resolution } = body;
  if (typeof resolution !== 'string') return undefined;
  const most = allowances[tier].outputPixels;
  const wanted = pixelsAskedFor(resolution);
  if (wanted === undefined || wanted <= most) return undefined;
  const message = `resolution ${resolution} is not available on the ${tier} plan, which has at most ${most} px.`;
  return { status: 403, message };
}

/** interface.md, Responses: 422 where the request is right and yet nothing can be made of it. */
function unfitInput({ record }: Tool, inputs: readonly Input[]): Refusal | undefined {
  for (const { field, media, place, key } of inputs) {
    if (place !== 'stored' || fitsAs(media, extensionOf(key))) continue;
    const message = `The ${record} could not be created: ${field} needs ${mediaWords[media]}, not a .${extensionOf(key)} file.`;
    return { status: 422, message };
  }
  return undefined;
}

const mediaWords = { image: 'an image', video: 'a video', audio: 'an audio file' } as const;

/** A valid body with its defaults filled in. */
function requestOf(tool: Tool, sent: unknown): Result<JsonObject, Refusal> {
  const body = bodyOf(tool.request, isObject(sent) ? withoutIgnored(tool.request, sent) : sent);
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
