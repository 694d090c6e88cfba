// How subtitles look: a template's settings, and those of the request that go over them (facts.md, Body fields).
import { fieldOf, type Json, type JsonObject } from '../../../contract/base/json.ts';
import type { Colour, FrameSize } from '../../pictures/canvas.ts';
import { colourOf } from './colours.ts';

export interface SubtitleLook {
  /** The side of a letter's dot in pixels. */
  readonly dot: number;
  readonly text: Colour;
  /** The colour of the word that is being said. */
  readonly said: Colour;
  /** Whether words that were said keep that colour. */
  readonly stays: boolean;
  /** Whether the word that is being said stands on a field of its colour. */
  readonly boxed: boolean;
  readonly stroke: Colour;
  /** In pixels; 0: no outline. */
  readonly strokeWidth: number;
  readonly slanted: boolean;
  readonly lowerCase: boolean;
  /** Where the block of text stands in the room that there is: 0 left or top, 1 right or bottom. */
  readonly across: number;
  readonly down: number;
  /** How high the black bars above and below are, in heights of the picture. */
  readonly letterbox: number;
}

type Template = Omit<SubtitleLook, 'dot' | 'strokeWidth' | 'slanted' | 'across'> & {
  /** Letter height and outline, in shares of the shorter side. */
  readonly size: number;
  readonly outline: number;
};

const white: Colour = [255, 255, 255];
const black: Colour = [0, 0, 0];

const karaoke: Template = {
  size: 0.06,
  text: white,
  said: [255, 222, 40],
  stays: true,
  boxed: false,
  stroke: black,
  outline: 0.014,
  lowerCase: false,
  down: 0.9,
  letterbox: 0,
};
const templates: Readonly<Record<string, Template>> = {
  karaoke,
  highlight: { ...karaoke, said: [124, 58, 237], stays: false, boxed: true, outline: 0.009 },
  cinematic: {
    ...karaoke,
    size: 0.048,
    text: [240, 236, 222],
    said: [240, 236, 222],
    outline: 0.006,
    down: 0.97,
    letterbox: 0.11,
  },
  minimalist: { ...karaoke, size: 0.044, said: white, outline: 0, lowerCase: true, down: 0.94 },
};

export function subtitleLookOf(body: JsonObject, { width, height }: FrameSize): SubtitleLook {
  const template = templates[wordOf(fieldOf(body, 'style.template'))] ?? karaoke;
  const own = (name: string): Json | undefined => fieldOf(body, `style.custom_config.${name}`);
  const colour = (name: string, usual: Colour): Colour => colourOf(wordOf(own(name))) ?? usual;
  const small = Math.min(width, height);
  const size = own('font_size');
  const letter =
    typeof size === 'number' ? within(size, small * 0.035, small * 0.2) : template.size * small;
  const stroke = own('stroke_width');
  const style = wordOf(own('font_style'));
  const outline =
    typeof stroke === 'number' ? within(stroke, 0, letter / 2) : template.outline * small;
  return {
    // Seven dots are a capital letter's height.
    dot: Math.max(1, Math.round(letter / 7)),
    text: colour('text_color', template.text),
    said: colour('highlighted_text_color', template.said),
    stays: template.stays,
    boxed: template.boxed,
    stroke: colour('stroke_color', template.stroke),
    strokeWidth: /bold|heavy|black/.test(style) ? outline * 1.8 : outline,
    slanted: /italic|oblique/.test(style),
    lowerCase: template.lowerCase,
    across: placeOf(own('horizontal_position'), 0.5),
    down: placeOf(own('vertical_position'), template.down),
    letterbox: template.letterbox,
  };
}

const within = (value: number, least: number, most: number): number =>
  Math.min(most, Math.max(least, value));

const wordOf = (value: Json | undefined): string =>
  typeof value === 'string' ? value.toLowerCase() : '';

/** A word or a percentage as a place between 0 and 1. */
function placeOf(value: Json | undefined, usual: number): number {
  const word = wordOf(value);
  const percent = /^(\d+(?:\.\d+)?)\s*%?$/.exec(word)?.[1];
  if (percent !== undefined) return within(Number(percent) / 100, 0, 1);
  if (/left|top|upper/.test(word)) return 0.04;
  if (/right/.test(word)) return 0.96;
  if (/bottom|lower/.test(word)) return 0.92;
  return /cent|middle/.test(word) ? 0.5 : usual;
}
