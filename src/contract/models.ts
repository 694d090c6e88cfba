// The choice of models that a tool offers (models.md): what each supports and costs, and what a request gets that names none.
import type { RuleBreach } from './rules.ts';

/** One value, or all values from the first to the last. */
export type Range = number | readonly [first: number, last: number];

/** Credits by resolution. */
export type Credits = Readonly<Record<string, number>>;

/** The plans that offer something. */
export type Plans = 'all' | 'paid';

/** The lowest resolutions that tools have: the only ones of a free plan. */
export const lowestResolution = { video: '480p', image: '640px' } as const;

export interface Model {
  readonly name: string;
  readonly resolutions: readonly string[];
  /**
   * Credits by resolution: per second of video, or per image. Resolutions without a published price
   * are missing.
   */
  readonly credits: Credits;
  /** Credits per second with `audio: true`. `included`: the same price. `none`: no audio. */
  readonly audio?: Credits | 'included' | 'none';
  /** The lengths of a video, in seconds. */
  readonly seconds?: readonly Range[];
  /** How many images one request may make. */
  readonly images?: readonly Range[];
  /** The most images that one request edits together. */
  readonly inputs?: number;
  readonly plans: Plans;
}

export interface ModelChoice {
  /** The models that the tool offers, with what is published about each. */
  readonly offered: readonly Model[];
  /** By every name with published facts: of the offered models, their other names, and models that the tool's rules refuse. */
  readonly plans: Readonly<Record<string, Plans>>;
  /** Names that the service accepts, without published prices and limits. */
  readonly unpublished: readonly string[];
  readonly defaults: PlanDefaults;
  /** Sentences for people about other names of models, and about the default. */
  readonly notes: readonly string[];
}

/** What a request gets that leaves out its model or its resolution. Undefined: not published. */
export interface PlanDefaults {
  readonly free: { readonly model?: string; readonly resolution?: string };
  readonly paid: { readonly model?: string; readonly resolution?: string };
}

export function defaultsNote({ free, paid }: PlanDefaults): string {
  const shown = ({ model, resolution }: PlanDefaults['free']): string =>
    resolution === undefined ? `${model}` : `${model} at ${resolution}`;
  return `The default is ${shown(paid)} on paid plans, and ${shown(free)} on the free plan.`;
}

export function includes(spans: readonly Range[], value: number): boolean {
  return spans.some((span) =>
    typeof span === 'number' ? span === value : value >= span[0] && value <= span[1],
  );
}

/** `3–10, 15`. */
export const spansText = (spans: readonly Range[]): string =>
  spans.map((span) => (typeof span === 'number' ? `${span}` : `${span[0]}–${span[1]}`)).join(', ');

/** A breach if the model `name` does not support the resolution that a request asks for. */
export function resolutionBreaches(
  name: string,
  asked: unknown,
  resolutions: readonly string[],
): readonly RuleBreach[] {
  if (typeof asked !== 'string' || resolutions.includes(asked)) return [];
  return [
    { field: 'resolution', message: `${name} supports ${resolutions.join(', ')}, not ${asked}` },
  ];
}
