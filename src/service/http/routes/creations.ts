// The 27 creation endpoints: one handler, driven by the catalogue. Errors come before any charge. After an answer with 200,
// the charge and the project are durable.
import { randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { extensionOf, fitsAs, libraryMediaOf } from '../../../contract/api/asset.ts';
import { projectId } from '../../../contract/api/project.ts';
import { routes } from '../../../contract/api/routes.ts';
import type { Tier } from '../../../contract/api/tier.ts';
import { isObject, type JsonObject } from '../../../contract/base/json.ts';
import { ok, type Result } from '../../../contract/base/result.ts';
import { withDefaults, withoutIgnored } from '../../../contract/base/schema.ts';
import { beyondPlan, withPlanDefaults } from '../../../contract/tool/plan-rules.ts';
import type { RuleBreach } from '../../../contract/tool/rules.ts';
import { breachesOf, type Tool } from '../../../contract/tool/tool.ts';
import { tools } from '../../../contract/tools/all.ts';
import { chargeOf, surcharged } from '../../base/charge.ts';
import { badRequest, type ErrorResponse } from '../../base/error-response.ts';
import { validBody } from '../../base/request-body.ts';
import { inputsOf } from '../../endpoints/asset-references.ts';
import { creationOf } from '../../endpoints/records.ts';
import { firedOf } from '../../faults/faults.ts';
import type { Input } from '../../store/inputs.ts';
import { callerAccount, sendError } from '../app.ts';
import type { Dependencies } from '../dependencies.ts';

export function creationRoutes(server: FastifyInstance, dependencies: Dependencies): void {
  const { projects, accounts, clock, faults, render } = dependencies;
  const config = { permission: 'create' } as const;
  for (const tool of tools)
    server.post(routes.create(tool.name).path, { config }, async (request, reply) => {
      const account = accounts.find(callerAccount(request));
      if (account === undefined) throw new Error('bug: a key belongs to no account');
      const body = requestOf(tool, request.body);
      if (!body.ok) return sendError(reply, body.error);
      const plan = planError(tool, body.value, account.tier);
      if (plan !== undefined) return sendError(reply, plan);
      const inputs = inputsOf(tool.request, body.value, { ...dependencies, account: account.id });
      if (!inputs.ok) return sendError(reply, inputs.error);
      const unfit = inputError(tool, inputs.value);
      if (unfit !== undefined) return sendError(reply, unfit);
      const at = clock.now();
      const { credits: price, estimate } = chargeOf(
        tool,
        body.value,
        account.tier,
        dependencies.stated,
      );
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
        return sendError(reply, {
          status: 402,
          message: `Payment required: this costs ${credits} credits, the account has ${accounts.find(account.id)?.credits ?? 0}.`,
        });
      render(project);
      return creationOf(project);
    });
}

/** 403 if the plan does not include the request, 400 if the plan's default model rejects it (facts.md, Rate limits). */
function planError(tool: Tool, body: JsonObject, tier: Tier): ErrorResponse | undefined {
  const [beyond] = beyondPlan(tool, body, tier);
  if (beyond !== undefined) return { status: 403, message: `${beyond.message}.` };
  const breaches = breachesOf(tool, withPlanDefaults(tool, body, tier));
  return breaches.length > 0 ? { status: 400, message: invalid(breaches) } : undefined;
}

const invalid = (breaches: readonly RuleBreach[]): string =>
  `Invalid request: ${breaches.map(({ field, message }) => `${field}: ${message}`).join('; ')}.`;

/** 422 if the request is valid, but an input has the wrong kind of media (interface.md, Responses). */
function inputError({ record }: Tool, inputs: readonly Input[]): ErrorResponse | undefined {
  for (const { field, media, place, reference, key } of inputs) {
    const library = libraryMediaOf(reference);
    const unfit =
      library !== undefined
        ? !(library === media || (media === 'audio' && library === 'video'))
        : place === 'stored' && !fitsAs(media, extensionOf(key));
    if (!unfit) continue;
    const given = library === undefined ? `a .${extensionOf(key)} file` : mediaWords[library];
    const message = `The ${record} could not be created: ${field} needs ${mediaWords[media]}, not ${given}.`;
    return { status: 422, message };
  }
  return undefined;
}

const mediaWords = { image: 'an image', video: 'a video', audio: 'an audio file' } as const;

/** The validated body with its defaults filled in. */
function requestOf(tool: Tool, sent: unknown): Result<JsonObject, ErrorResponse> {
  const body = validBody(tool.request, isObject(sent) ? withoutIgnored(tool.request, sent) : sent);
  if (!body.ok) return body;
  const breaches = breachesOf(tool, body.value);
  if (breaches.length > 0) return badRequest(invalid(breaches));
  return ok(withDefaults(tool.request, body.value));
}

/** The default is the tool's name followed by a date-time (interface.md). */
function nameOf({ name }: Tool, { name: given }: JsonObject, at: number): string {
  if (typeof given === 'string') return given;
  const words = name.split('-').map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`);
  return `${words.join(' ')} - ${new Date(at).toISOString()}`;
}
