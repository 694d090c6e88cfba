// The 27 creation endpoints: one handler, driven by the catalogue. Errors come before any charge. After an answer with 200,
// the charge and the project are durable.
import { randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { isObject, type JsonObject } from '../../base/json.ts';
import { withDefaults, withoutIgnored } from '../../base/schema.ts';
import { extensionOf, fitsAs, libraryMediaOf } from '../../contract/api/asset.ts';
import { type Creation, projectId } from '../../contract/api/project.ts';
import { routes } from '../../contract/api/routes.ts';
import type { Tier } from '../../contract/api/tier.ts';
import { beyondPlan, withPlanDefaults } from '../../contract/plan-rules.ts';
import type { RuleBreach } from '../../contract/rules.ts';
import { breachesOf, type Tool } from '../../contract/tool.ts';
import { tools } from '../../contract/tools/all.ts';
import { chargeOf, surcharged } from '../charge.ts';
import { RequestError, validBody } from '../errors.ts';
import { firedOf } from '../faults/faults.ts';
import { type Input, inputsOf } from '../inputs.ts';
import type { StoredProject } from '../store/projects.ts';
import { callerAccount, type RouteDependencies } from './app.ts';

export function creationRoutes(server: FastifyInstance, dependencies: RouteDependencies): void {
  const { projects, accounts, clock, faults, jobs } = dependencies;
  const config = { permission: 'create' } as const;
  for (const tool of tools)
    server.post(routes.create(tool.name).path, { config }, async (request) => {
      const account = accounts.find(callerAccount(request));
      if (account === undefined) throw new Error('bug: a key belongs to no account');
      const body = requestOf(tool, request.body);
      refuseBeyondPlan(tool, body, account.tier);
      const inputs = inputsOf(tool.request, body, account.id, dependencies);
      refuseUnfit(tool, inputs);
      const at = clock.now();
      const { credits: price, estimate } = chargeOf(tool, body, account.tier, dependencies.stated);
      const more = firedOf(faults.fire('charge', tool.name), 'surcharge');
      const credits = more === undefined ? price : surcharged(price, more.rule.percent);
      const project = await projects.create({
        account: account.id,
        id: projectId(randomUUID()),
        name: nameOf(tool, body, at),
        tool,
        body,
        inputs,
        credits,
        estimate,
        at,
      });
      if (project === undefined)
        throw new RequestError(
          402,
          `Payment required: this costs ${credits} credits, the account has ${accounts.find(account.id)?.credits ?? 0}.`,
        );
      jobs.render(project);
      return creationOf(project);
    });
}

/** 403 if the plan does not include the request, 400 if the plan's default model rejects it (facts.md, Rate limits). */
function refuseBeyondPlan(tool: Tool, body: JsonObject, tier: Tier): void {
  const [beyond] = beyondPlan(tool, body, tier);
  if (beyond !== undefined) throw new RequestError(403, `${beyond.message}.`);
  refuseBreaches(breachesOf(tool, withPlanDefaults(tool, body, tier)));
}

function refuseBreaches(breaches: readonly RuleBreach[]): void {
  if (breaches.length === 0) return;
  const sentences = breaches.map(({ field, message }) => `${field}: ${message}`).join('; ');
  throw new RequestError(400, `Invalid request: ${sentences}.`);
}

/** 422 if the request is valid, but an input has the wrong kind of media (interface.md, Responses). */
function refuseUnfit({ record }: Tool, inputs: readonly Input[]): void {
  for (const { field, media, place, reference, key } of inputs) {
    const library = libraryMediaOf(reference);
    const unfit =
      library !== undefined
        ? !(library === media || (media === 'audio' && library === 'video'))
        : place === 'stored' && !fitsAs(media, extensionOf(key));
    if (!unfit) continue;
    const given = library === undefined ? `a .${extensionOf(key)} file` : mediaWords[library];
    throw new RequestError(
      422,
      `The ${record} could not be created: ${field} needs ${mediaWords[media]}, not ${given}.`,
    );
  }
}

const mediaWords = { image: 'an image', video: 'a video', audio: 'an audio file' } as const;

/** The validated body with its defaults filled in. */
function requestOf(tool: Tool, sent: unknown): JsonObject {
  const given = isObject(sent) ? withoutIgnored(tool.request, sent) : sent;
  const body = validBody(tool.request, given);
  refuseBreaches(breachesOf(tool, body));
  return withDefaults(tool.request, body);
}

/** The default is the tool's name followed by a date-time (interface.md). */
function nameOf({ name }: Tool, { name: given }: JsonObject, at: number): string {
  if (typeof given === 'string') return given;
  const words = name.split('-').map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`);
  return `${words.join(' ')} - ${new Date(at).toISOString()}`;
}

function creationOf({ id, record, credits }: StoredProject): Creation {
  const answer = { id, credits_charged: credits };
  if (record === 'video') return { ...answer, estimated_frame_cost: credits };
  if (record === 'image') return { ...answer, frame_cost: credits };
  return answer;
}
