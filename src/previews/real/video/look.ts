// How a picture is to look, as numbers: what an art style or the words of an edit come to. Done by restyle.ts.
import type { Colour } from '../../pictures/canvas.ts';

export interface Look {
  /** How far the picture is painted over, in pixels of its half size; 0: not at all. */
  readonly smooth: number;
  /** How bright each brightness becomes: both 0 to 1. */
  readonly curve: (light: number) => number;
  /** 0: grey, 1: as it is. */
  readonly saturation: number;
  /** What red, green and blue are multiplied with. */
  readonly tint: Colour;
  /** Colours from dark to light that the picture is drawn towards, and how far (0 to 1). */
  readonly palette: readonly Colour[];
  readonly toward: number;
  /** Outlines: their colour, how strong they are (0: none), and whether they shine rather than cover. */
  readonly edge: { readonly colour: Colour; readonly strength: number; readonly shines: boolean };
  readonly texture: Texture;
  /** How much of the light the texture takes or gives, 0 to 1. */
  readonly rough: number;
  /** How dark the corners become, 0 to 1. */
  readonly vignette: number;
  /** The picture is made of squares, of which so many go on its shorter side; 0: it is not. */
  readonly squares: number;
}

export type Texture = 'none' | 'grain' | 'paper' | 'dots' | 'hatching' | 'lines';

/** The look that changes nothing. */
export const asItIs: Look = {
  smooth: 0,
  curve: (light) => light,
  saturation: 1,
  tint: [1, 1, 1],
  palette: [],
  toward: 0,
  edge: { colour: [0, 0, 0], strength: 0, shines: false },
  texture: 'none',
  rough: 0,
  vignette: 0,
  squares: 0,
};

/** More contrast around the middle: 0 is none. */
export const contrast =
  (amount: number) =>
  (light: number): number =>
    light + amount * (light - 0.5) * (1 - Math.abs(2 * light - 1)) * 2;

/** Brightness in steps, with soft borders, so that a slow gradient does not crawl with noise. */
export const steps =
  (count: number, lift = 0) =>
  (light: number): number => {
    const place = light * count;
    const step = Math.floor(place);
    const within = Math.min(1, Math.max(0, (place - step - 0.5) * 5 + 0.5));
    return lift + (1 - lift) * Math.min(1, (step + within) / count + 0.02);
  };
