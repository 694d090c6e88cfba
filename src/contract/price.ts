// The price of a creation by the published list: never less than the service's answer, or unknown.
// An unknown price is not zero; the caller must ask for an estimate. Both the plan and the local
// service use this file.

import { entryOf, fieldOf, isObject, type Json, type JsonObject } from '../base/json.ts';
import { err, ok, type Result, unreachable } from '../base/result.ts';
import { boundsOfClip, usualSeconds } from './api/clip.ts';
import type { Tier } from './api/tier.ts';
import { type ImageModel, imageModels } from './image-models.ts';
import { withPlanDefaults } from './plan-rules.ts';
import { type PriceRule, type PriceRuleOf, priceEdition, type Table } from './price-rule.ts';
import type { Tool } from './tool.ts';
import { type VideoModel, videoAliases, videoModels } from './video-models.ts';

type Price =
  | {
      readonly known: true;
      /** Whole credits, rounded up. */
      readonly credits: number;
      /** True for video: the final charge may follow the real frame rate of the output. */
      readonly estimate: boolean;
      /** Fields that decide the price and are not set: the dearest published value of each counts. */
      readonly unset?: readonly string[];
    }
  /** `why` says how to change the request so that it has a published price, if that is possible. */
  | { readonly known: false; readonly why: string };

/** A price, or the sentence that says why there is none. */
type PriceFigure = Result<number, string>;

/** facts.md, Prices: a creation's answer assumes this frame rate. */
export const assumedFps = 30;

/**
 * The price of one creation. `body` is the request as it will be sent. A missing field counts as left out, so keep a
 * field that decides the price even if its value is not known yet. `tier` is the account's plan; if it is undefined,
 * the higher of the plans' prices counts.
 *
 * If a field that decides the price is left out, the service's published default is priced. Without a published
 * default, the highest published price counts. Video by the frame is
 * counted at 30 frames a second, as in a creation's answer; an output with more frames a second costs more in the end.
 */
export function priceOf(tool: Tool, body: JsonObject, tier?: Tier): Price {
  const rule = tool.price;
  const filled = withPlanDefaults(tool, body, tier);
  const figure = figureOf(rule, filled);
  if (!figure.ok) return { known: false, why: `${tool.name}: ${figure.error}` };
  const estimate =
    rule.kind === 'frames' || rule.kind === 'seconds' || rule.kind === 'model-seconds';
  const unset = decidingFields(rule).filter((field) => isUnset(fieldOf(filled, field)));
  const credits = roundedUp(figure.value);
  return { known: true, credits, estimate, ...(unset.length === 0 ? {} : { unset }) };
}

/** The service chooses a model for the name `default`, too. */
const isUnset = (value: Json | undefined): boolean => value === undefined || value === 'default';

/** The fields with a table of prices. */
function decidingFields(rule: PriceRule): readonly string[] {
  switch (rule.kind) {
    case 'images':
    case 'model-seconds':
      return ['model', 'resolution'];
    case 'seconds':
      return [rule.table.field];
    case 'frames':
      return typeof rule.credits === 'number' ? [] : [rule.credits.field];
    default:
      return [];
  }
}

/**
 * The frame rate at which a creation is priced, if its final charge depends on the rendered frames;
 * otherwise undefined.
 */
export function countedFps({ price: rule }: Tool, body: JsonObject): number | undefined {
  if (rule.kind === 'unpublished') return assumedFps;
  if (rule.kind !== 'frames') return undefined;
  const rate = rule.fps === undefined ? ok(assumedFps) : frameRate(rule.fps, body);
  return rate.ok ? rate.value : assumedFps;
}

/** The frame rate that a body sets for its output; undefined if the body sets none. */
export function chosenFps({ price: rule }: Tool, body: JsonObject): number | undefined {
  if (rule.kind !== 'frames' || rule.fps?.effect !== 'sets') return undefined;
  const asked = fieldOf(body, rule.fps.field);
  return typeof asked === 'number' ? asked : undefined;
}

/**
 * An upper bound of the tool's published prices for a body of this size, for a creation that must
 * be charged although its own price is unknown. A tool without any published price counts one
 * credit per frame, as the service does for most of its video tools.
 */
export function dearestOf(tool: Tool, body: JsonObject): number {
  const rule = tool.price;
  const length = clipSeconds(body);
  const seconds = length.ok ? length.value : usualSeconds;
  switch (rule.kind) {
    case 'flat':
      return rule.credits;
    case 'upscale':
      return Math.max(...Object.values(rule.modes).flatMap((mode) => Object.values(mode)));
    case 'images': {
      const count = fieldOf(body, 'image_count');
      const each = Math.max(...Object.values(imageModels).map(({ credits }) => credits));
      return each * (typeof count === 'number' ? Math.max(1, Math.ceil(count)) : 1);
    }
    case 'characters':
      return roundedUp(`${fieldOf(body, rule.field) ?? ''}`.length * rule.credits);
    case 'seconds':
      return roundedUp(seconds) * Math.max(...Object.values(rule.table.credits));
    case 'model-seconds':
      return roundedUp(seconds) * Math.max(...Object.values(videoModels).map(dearestSecond));
    case 'frames': {
      const { credits } = rule;
      const each =
        typeof credits === 'number' ? credits : Math.max(...Object.values(credits.credits));
      return roundedUp(roundedUp(seconds * (countedFps(tool, body) ?? assumedFps)) * each);
    }
    case 'unpublished':
      return roundedUp(seconds * assumedFps);
    default:
      return unreachable(rule);
  }
}

const dearestSecond = ({ silent, audio }: VideoModel): number =>
  Math.max(...Object.values(silent), ...Object.values(typeof audio === 'string' ? {} : audio));

function figureOf(rule: PriceRule, body: JsonObject): PriceFigure {
  switch (rule.kind) {
    case 'flat':
      return ok(rule.credits);
    case 'upscale':
      return upscale(rule, body);
    case 'characters': {
      const text = fieldOf(body, rule.field);
      if (typeof text !== 'string' || text === '') return noFigure(rule.field, text);
      return ok(text.length * rule.credits);
    }
    case 'images':
      return images(rule, body);
    case 'frames':
      return frames(rule, body);
    case 'seconds':
      return bySecond(clipSeconds(body), chosen(rule.table, body));
    case 'model-seconds':
      return modelSeconds(rule, body);
    case 'unpublished':
      return err(rule.why);
    default:
      return unreachable(rule);
  }
}

function upscale({ modes, usualMode }: PriceRuleOf<'upscale'>, body: JsonObject): PriceFigure {
  const mode = fieldOf(body, 'style.mode') ?? usualMode;
  const factor = fieldOf(body, 'scale_factor');
  const factors = entryOf(modes, mode);
  if (factors === undefined) return noFigure('style.mode', mode);
  const credits = typeof factor === 'number' ? entryOf(factors, String(factor)) : undefined;
  return credits === undefined ? noFigure('scale_factor', factor) : ok(credits);
}

function images(rule: PriceRuleOf<'images'>, body: JsonObject): PriceFigure {
  const older = olderChoice(rule.unpriced, body);
  if (older !== undefined) return older;
  const asked = fieldOf(body, 'model');
  const count = fieldOf(body, 'image_count') ?? rule.usualCount;
  if (typeof count !== 'number' || !Number.isInteger(count) || count < 1)
    return noFigure('image_count', count);
  const resolution = fieldOf(body, 'resolution');
  if (isUnset(asked)) {
    const models = Object.values(imageModels).filter((model) => model[rule.role] !== undefined);
    if (resolution !== undefined && !models.some(({ resolutions: [low] }) => low === resolution))
      return err(`${lackOf('resolution', resolution)}; remove it, or set model:`);
    return ok(count * Math.max(...models.map(({ credits }) => credits)));
  }
  const model: ImageModel | undefined = entryOf(imageModels, asked);
  if (model?.[rule.role] === undefined) return noFigure('model', asked);
  const [lowest] = model.resolutions;
  // Without one, the only published price counts.
  if (resolution !== undefined && resolution !== lowest)
    return err(`${lackOf('resolution', resolution)}: ${asked} has a price at ${lowest} only`);
  return ok(count * model.credits);
}

function frames(rule: PriceRuleOf<'frames'>, body: JsonObject): PriceFigure {
  const seconds = clipSeconds(body);
  const fps = rule.fps === undefined ? ok(assumedFps) : frameRate(rule.fps, body);
  const each = typeof rule.credits === 'number' ? ok(rule.credits) : chosen(rule.credits, body);
  if (!seconds.ok || !fps.ok || !each.ok) return firstError(seconds, fps, each);
  return ok(roundedUp(seconds.value * fps.value) * each.value);
}

/** A creation's answer counts at least 30 frames a second, even if the body sets a lower rate. */
function frameRate(
  { field, effect }: { readonly field: string; readonly effect: 'sets' | 'caps' },
  body: JsonObject,
): PriceFigure {
  const asked = fieldOf(body, field);
  if (asked === undefined && effect === 'caps') return ok(assumedFps);
  if (typeof asked !== 'number' || !(asked > 0)) return noFigure(field, asked);
  return ok(effect === 'sets' ? Math.max(asked, assumedFps) : Math.min(asked, assumedFps));
}

function modelSeconds(rule: PriceRuleOf<'model-seconds'>, body: JsonObject): PriceFigure {
  const older = olderChoice(rule.unpriced, body);
  if (older !== undefined) return older;
  const asked = fieldOf(body, 'model');
  const alias = entryOf(videoAliases, asked);
  const model = entryOf(videoModels, alias?.model ?? asked);
  if (model === undefined) return noFigure('model', asked);
  const audio = alias?.audio ?? fieldOf(body, 'audio') ?? false;
  return bySecond(clipSeconds(body), soundRate(model, audio, body));
}

/** The public clients' documentation: without `audio`, a video is silent. */
function soundRate({ silent, audio }: VideoModel, asked: Json, body: JsonObject): PriceFigure {
  if (typeof asked !== 'boolean' || (asked && audio === 'none')) return noFigure('audio', asked);
  const credits = asked && typeof audio === 'object' ? audio : silent;
  return chosen({ field: 'resolution', credits }, body);
}

/**
 * An error if the body has an older field, whose choice has no published price; otherwise
 * undefined.
 */
function olderChoice(fields: readonly string[], body: JsonObject): PriceFigure | undefined {
  const field = fields.find((name) => fieldOf(body, name) !== undefined);
  if (field === undefined) return undefined;
  return err(`${lackOf(field, fieldOf(body, field))}; remove it, and set model: and resolution:`);
}

/** Each started second is charged in full. */
function bySecond(seconds: PriceFigure, credits: PriceFigure): PriceFigure {
  if (!seconds.ok || !credits.ok) return firstError(seconds, credits);
  return ok(roundedUp(seconds.value) * credits.value);
}

/** The price for the value of a field. If the field is missing, the highest. */
function chosen({ field, credits }: Table, body: JsonObject): PriceFigure {
  const value = fieldOf(body, field);
  if (value === undefined) return ok(Math.max(...Object.values(credits)));
  const figure = entryOf(credits, value);
  if (figure !== undefined) return ok(figure);
  return err(`${lackOf(field, value)}; set ${field}: to one of ${Object.keys(credits).join(', ')}`);
}

/** The length of the requested clip, in seconds. */
function clipSeconds(body: JsonObject): PriceFigure {
  const start = fieldOf(body, 'start_seconds') ?? 0;
  const end = fieldOf(body, 'end_seconds');
  if (typeof start !== 'number' || start < 0) return noFigure('start_seconds', start);
  if (typeof end !== 'number' || !(end > start)) return noFigure('end_seconds', end);
  return ok(end - start);
}

const noFigure = (field: string, value: Json | undefined): PriceFigure => {
  const cure = value === undefined ? `set ${field}:` : `set ${field}: to a value that has a price`;
  return err(`${lackOf(field, value)}; ${cure}`);
};

const lackOf = (field: string, value: Json | undefined): string =>
  value === undefined
    ? `the price depends on ${field}, which is not set`
    : `no price is published for ${field} ${JSON.stringify(value)}`;

function firstError(...figures: readonly PriceFigure[]): PriceFigure {
  return figures.find((figure) => !figure.ok) ?? err('the price is unknown');
}

/**
 * Rounds up to the next integer, but ignores rounding errors of binary fractions: (0.4 - 0.1) * 30
 * is 9. An amount above zero stays above zero; only the list can say 0.
 */
function roundedUp(amount: number): number {
  return amount > 0 ? Math.max(1, Math.ceil(amount - 1e-6)) : 0;
}

// The size of an order. Two orders with the same tool and settings differ only in size, so the charge for one predicts the charge
// for the other.

interface Measured {
  /**
   * The tool, the settings that may decide its price, and the edition of the list that the amount
   * is measured by.
   */
  readonly of: string;
  /** Above 0: credits by the price list where it has a price, else seconds, else 1. */
  readonly amount: number;
}

/** Fields that decide the content of the result, not its size. */
const contents: ReadonlySet<string> = new Set([
  'name',
  'assets',
  'prompt',
  'start_seconds',
  'end_seconds',
]);

/** Longer texts are content, too. */
const settingMax = 40;

export function measureOf(tool: string, body: JsonObject, listed: Price): Measured {
  const of = [tool, ...settingsOf(body, '')].join(' ');
  if (listed.known && listed.credits > 0)
    return { of: `${of} list=${priceEdition}`, amount: finite(listed.credits) };
  const clip = boundsOfClip(body);
  const seconds = clip === undefined ? 0 : clip.end - clip.start;
  return { of, amount: seconds > 0 ? finite(seconds) : 1 };
}

/** JSON has no infinity. */
const finite = (amount: number): number => Math.min(amount, Number.MAX_SAFE_INTEGER);

function settingsOf(body: JsonObject, prefix: string): readonly string[] {
  return Object.entries(body)
    .filter(([key]) => !contents.has(key))
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .flatMap(([key, value]) => settingOf(value, `${prefix}${key}`));
}

function settingOf(value: Json, key: string): readonly string[] {
  if (isObject(value)) return settingsOf(value, `${key}.`);
  if (value === null || typeof value === 'object') return [];
  const text = String(value);
  return text.length > settingMax ? [] : [`${key}=${text}`];
}
