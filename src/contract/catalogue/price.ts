// How the price of a tool is computed, in words, from the rules that compute it.

import { unreachable } from '../../base/result.ts';
import type { StepKind } from '../kinds.ts';
import type { ModelChoice } from '../models.ts';
import { assumedFps, countedFps, priceOf } from '../price.ts';
import type { PriceRule, PriceRuleOf, Table } from '../price-rule.ts';
import type { Tool } from '../tool.ts';

export interface PriceFacts {
  /** A few characters for a list: `10`, `24–576/second`, `free`, `not published`. */
  readonly short: string;
  /** How the price is computed. */
  readonly rule: string;
  readonly examples: readonly PricedExample[];
}

export interface PricedExample {
  /** What the price is for: `5 s of kling-3.0 at 720p`. */
  readonly of: string;
  /** Undefined if no price is published. */
  readonly credits?: number;
  /** False for video, whose final charge may follow the real frame rate. */
  readonly exact: boolean;
}

export function priceFactsOf({ tool }: StepKind): PriceFacts {
  if (tool === undefined)
    return { short: 'free', rule: 'This step costs no credits.', examples: [] };
  const rule = tool.price;
  return {
    short: shortOf(tool),
    rule: sentencesOf(rule, tool),
    examples: tool.priceExamples.map(({ of, body }) => {
      const price = priceOf(tool, body);
      const exact = countedFps(tool, body) === undefined;
      return { of, credits: price.known ? price.credits : undefined, exact };
    }),
  };
}

function shortOf({ price: rule, models }: Tool): string {
  switch (rule.kind) {
    case 'flat':
      return `${rule.credits}`;
    case 'upscale':
      return spanOf(Object.values(rule.modes).flatMap((mode) => Object.values(mode)));
    case 'characters':
      return `${rule.credits}/character`;
    case 'images':
      return `${spanOf(modelCredits(models))}/image`;
    case 'frames':
      return `${spanOf(typeof rule.credits === 'number' ? [rule.credits] : Object.values(rule.credits.credits))}/frame`;
    case 'seconds':
      return `${spanOf(Object.values(rule.table.credits))}/second`;
    case 'model-seconds':
      return `${spanOf(modelCredits(models))}/second`;
    case 'unpublished':
      return 'not published';
    default:
      return unreachable(rule);
  }
}

const modelCredits = (models: ModelChoice | undefined): readonly number[] =>
  (models?.offered ?? []).flatMap(({ credits }) => Object.values(credits));

function spanOf(amounts: readonly number[]): string {
  const [least, most] = [Math.min(...amounts), Math.max(...amounts)];
  return least === most ? shown(least) : `${shown(least)}–${shown(most)}`;
}

/** 4.8 / 24 is 0.19999999999999998 in binary. */
const shown = (amount: number): string => `${Math.round(amount * 1000) / 1000}`;

const finalFps =
  'The final charge follows the real frame rate of the output, so it may differ from the plan.';

function sentencesOf(rule: PriceRule, tool: Tool): string {
  switch (rule.kind) {
    case 'flat':
      return rule.credits === 0
        ? 'A request costs no credits.'
        : `${credits(rule.credits)} per request.`;
    case 'upscale': {
      const modes = Object.entries(rule.modes).map(
        ([mode, factors]) =>
          `${mode} ${Object.entries(factors)
            .map(([factor, each]) => `${each} at ${factor}×`)
            .join(', ')}`,
      );
      return `Credits by style.mode and scale_factor: ${modes.join('; ')}. Without a mode: ${rule.usualMode}.`;
    }
    case 'characters':
      return `${credits(rule.credits)} for each character of ${rule.field}, rounded up.`;
    case 'images':
      return `The credits of the model, times image_count. ${
        rule.usualCount === undefined ? '' : `Without image_count: ${rule.usualCount}. `
      }Only the lowest resolution of each model has a published price; for any other, set estimate:.`;
    case 'frames':
      return `${
        typeof rule.credits === 'number'
          ? `${credits(rule.credits)} for each frame.`
          : `Credits for each frame, by ${byField(rule.credits)}.`
      } ${frameRateOf(rule)} ${finalFps}`;
    case 'seconds':
      return `Credits for each started second, by ${byField(rule.table)}.`;
    case 'model-seconds':
      return `The credits of the model at the resolution, for each started second of end_seconds. ${finalFps}`;
    case 'unpublished':
      return `No price is published: ${rule.why.replace(/^it is/, `${tool.name} is`)}. A budget and a rehearsal need an estimate: on the step.`;
    default:
      return unreachable(rule);
  }
}

const credits = (amount: number): string =>
  `${shown(amount)} ${amount === 1 ? 'credit' : 'credits'}`;

function byField({ field, credits: figures }: Table): string {
  const list = Object.entries(figures).map(([value, each]) => `${value} ${each}`);
  return `${field}: ${list.join(', ')}. Without ${field}, the plan counts the highest`;
}

function frameRateOf({ fps }: PriceRuleOf<'frames'>): string {
  const usual = `The plan counts ${assumedFps} frames for each second`;
  if (fps === undefined) return `${usual}.`;
  return fps.effect === 'sets'
    ? `${usual}, or ${fps.field} if that is more.`
    : `${usual}, or ${fps.field} if that is less.`;
}
