// What a creation will cost by the published list: never less than the creation answers, or not
// known. A price that is not known is not a price of zero: with a budget, the caller must ask for
// one.
import { fieldOf, type Json, type JsonObject } from '../base/json.ts';
import { err, ok, type Result, unreachable } from '../base/result.ts';
import { type ModelRate, type PriceRule, priceList, type Table } from './price-list.ts';

export type Price =
  | {
      readonly known: true;
      /** Whole credits, rounded up. */
      readonly credits: number;
      /** True for video: the final charge follows the real frame rate of the output. */
      readonly estimate: boolean;
    }
  | { readonly known: false; readonly why: string };

/** A price, or the sentence that says why there is none. */
type Figure = Result<number, string>;

/** facts.md, Prices: a creation answers as if the output had so many frames a second. */
const assumedFps = 30;
/** A published second of video is one of so many frames. */
const publishedFps = 24;

/**
 * A figure by the second, as the creation will answer it. The list does not say for every tool at which frame
 * rate its second is counted; the dearer reading is taken, so that a plan is never below the bill.
 */
const bySecond = (seconds: number, credits: number): Figure =>
  ok((roundedUp(seconds) * credits * assumedFps) / publishedFps);

/**
 * The price of one creation. `body` is the request as it will be sent: a field that is missing is
 * taken as left out, so a field whose value is not known yet must not be dropped where it decides
 * the price.
 *
 * Where a field that decides is left out, the dearest value stands in for it, if every value has a
 * published figure; otherwise the price is not known. Video is counted at 30 frames a second, as
 * the creation does; an output of more frames a second ends dearer.
 */
export function priceOf(tool: string, body: JsonObject): Price {
  const rule = own(priceList.tools, tool);
  if (rule === undefined) return { known: false, why: `no price is published for ${tool}` };
  const figure = figureOf(rule, body);
  if (!figure.ok) return { known: false, why: `${tool}: ${figure.error}` };
  const estimate =
    rule.kind === 'frames' || rule.kind === 'seconds' || rule.kind === 'model-seconds';
  return { known: true, credits: roundedUp(figure.value), estimate };
}

function figureOf(rule: PriceRule, body: JsonObject): Figure {
  switch (rule.kind) {
    case 'flat':
      return ok(rule.credits);
    case 'choice':
      return chosen(rule.table, body);
    case 'upscale':
      return upscale(rule.modes, body);
    case 'characters': {
      const text = fieldOf(body, rule.field);
      if (typeof text !== 'string' || text === '') return noFigure(rule.field, text);
      return ok(text.length * rule.credits);
    }
    case 'images':
      return images(rule, body);
    case 'frames':
      return frames(rule, body);
    case 'seconds': {
      const seconds = clipSeconds(body);
      const rate = chosen(rule.table, body);
      return seconds.ok && rate.ok
        ? bySecond(seconds.value, rate.value)
        : firstError(seconds, rate);
    }
    case 'model-seconds':
      return modelSeconds(rule, body);
    case 'unpublished':
      return err(rule.why);
    default:
      return unreachable(rule);
  }
}

function upscale(
  modes: Readonly<Record<string, Readonly<Record<string, number>>>>,
  body: JsonObject,
): Figure {
  const mode = fieldOf(body, 'style.mode');
  const factor = fieldOf(body, 'scale_factor');
  const factors = typeof mode === 'string' ? own(modes, mode) : undefined;
  if (factors === undefined) return noFigure('style.mode', mode);
  const credits = typeof factor === 'number' ? own(factors, String(factor)) : undefined;
  return credits === undefined ? noFigure('scale_factor', factor) : ok(credits);
}

function images(rule: Extract<PriceRule, { kind: 'images' }>, body: JsonObject): Figure {
  const unpriced = rule.unpriced.find((field) => fieldOf(body, field) !== undefined);
  if (unpriced !== undefined) return noFigure(unpriced, fieldOf(body, unpriced));
  const model = fieldOf(body, 'model');
  const each = typeof model === 'string' ? own(rule.models, model) : undefined;
  if (each === undefined) return noFigure('model', model);
  // Left out, the resolution may follow the plan: then nothing published bounds it.
  const resolution = fieldOf(body, 'resolution');
  if (resolution !== rule.lowest) return noFigure('resolution', resolution);
  const count = fieldOf(body, 'image_count') ?? rule.usualCount;
  if (typeof count !== 'number' || !Number.isInteger(count) || count < 1)
    return noFigure('image_count', count);
  return ok(count * each);
}

function frames(rule: Extract<PriceRule, { kind: 'frames' }>, body: JsonObject): Figure {
  const seconds = clipSeconds(body);
  const fps = rule.fps === undefined ? ok(assumedFps) : frameRate(rule.fps, body);
  const each = typeof rule.credits === 'number' ? ok(rule.credits) : chosen(rule.credits, body);
  if (!seconds.ok || !fps.ok || !each.ok) return firstError(seconds, fps, each);
  return ok(roundedUp(seconds.value * fps.value) * each.value);
}

/** A rate that the body sets is never counted below 30: that is what the creation answers at. */
function frameRate(
  { field, effect }: { readonly field: string; readonly effect: 'sets' | 'caps' },
  body: JsonObject,
): Figure {
  const asked = fieldOf(body, field);
  if (asked === undefined && effect === 'caps') return ok(assumedFps);
  if (typeof asked !== 'number' || !(asked > 0)) return noFigure(field, asked);
  return ok(effect === 'sets' ? Math.max(asked, assumedFps) : Math.min(asked, assumedFps));
}

function modelSeconds(
  rule: Extract<PriceRule, { kind: 'model-seconds' }>,
  body: JsonObject,
): Figure {
  const unpriced = rule.unpriced.find((field) => fieldOf(body, field) !== undefined);
  if (unpriced !== undefined) return noFigure(unpriced, fieldOf(body, unpriced));
  const asked = fieldOf(body, 'model') ?? 'default';
  const model = asked === 'default' ? rule.dearestDefault : asked;
  const rate = typeof model === 'string' ? own(rule.models, model) : undefined;
  if (rate === undefined) return noFigure('model', asked);
  const each = soundRate(rate, body);
  const seconds = clipSeconds(body);
  return seconds.ok && each.ok ? bySecond(seconds.value, each.value) : firstError(seconds, each);
}

/** The public clients' documentation: without `audio`, a video is silent. */
function soundRate(rate: ModelRate, body: JsonObject): Figure {
  const audio = fieldOf(body, 'audio') ?? false;
  if (typeof audio !== 'boolean') return noFigure('audio', audio);
  const credits = audio ? (rate.sounding ?? rate.silent) : rate.silent;
  return chosen({ field: 'resolution', credits, complete: true }, body);
}

/**
 * The figure for the value of a field; the dearest, where it is left out and every value has one.
 */
function chosen({ field, credits, complete }: Table, body: JsonObject): Figure {
  const value = fieldOf(body, field);
  if (value === undefined && complete) return ok(Math.max(...Object.values(credits)));
  const figure = typeof value === 'string' ? own(credits, value) : undefined;
  return figure === undefined ? noFigure(field, value) : ok(figure);
}

/** How long the clip is that the body asks for, in seconds. */
function clipSeconds(body: JsonObject): Figure {
  const start = fieldOf(body, 'start_seconds') ?? 0;
  const end = fieldOf(body, 'end_seconds');
  if (typeof start !== 'number' || start < 0) return noFigure('start_seconds', start);
  if (typeof end !== 'number' || !(end > start)) return noFigure('end_seconds', end);
  return ok(end - start);
}

function noFigure(field: string, value: Json | undefined): Figure {
  return err(
    value === undefined
      ? `its price depends on ${field}, which is not given`
      : `no price is published for ${field} ${JSON.stringify(value)}`,
  );
}

function firstError(...figures: readonly Figure[]): Figure {
  return figures.find((figure) => !figure.ok) ?? err('its price is not known');
}

/**
 * Up to the next whole number, but not for the last digit of a binary fraction: (0.4 - 0.1) * 30
 * is 9. What is more than nothing stays so: only the list may say 0.
 */
function roundedUp(amount: number): number {
  return amount > 0 ? Math.max(1, Math.ceil(amount - 1e-6)) : 0;
}

function own<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
