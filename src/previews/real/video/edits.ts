// What the words of an edit do to a clip's light and colours. Several may speak, and each adds its part; words that
// say nothing of light give a tint of their own, so that every prompt is seen to have been heard.
import { hueOf } from '../../pictures/card.ts';
import { artStyleOf, fromHue } from './art-styles.ts';
import type { Colour } from '../../pictures/canvas.ts';
import { asItIs, contrast, type Look } from './look.ts';

interface Edit {
  readonly curve?: (light: number) => number;
  readonly saturation?: number;
  readonly tint?: Colour;
  readonly vignette?: number;
  readonly texture?: Look['texture'];
  readonly rough?: number;
}

const edits: readonly (readonly [RegExp, Edit])[] = [
  [
    /black (?:and|&) white|monochrom|greyscale|grayscale|noir/,
    { saturation: 0, curve: contrast(0.6) },
  ],
  [
    /night|midnight|moonl/,
    {
      curve: (light) => light ** 1.5 * 0.62,
      saturation: 0.6,
      tint: [0.72, 0.86, 1.3],
      vignette: 0.5,
    },
  ],
  [
    /sunset|sunrise|golden|dusk|dawn|autumn/,
    { tint: [1.2, 0.98, 0.72], saturation: 1.2, vignette: 0.25 },
  ],
  [/warm|summer|sunny|desert|cozy|cosy/, { tint: [1.12, 1.01, 0.86], saturation: 1.1 }],
  [
    /snow|winter|cold|\bice|icy|frozen|frost/,
    { curve: (light) => 0.07 + light * 0.95, saturation: 0.6, tint: [0.92, 1, 1.12] },
  ],
  [
    /\brain|storm|cloudy|overcast|gloom/,
    { curve: (light) => light * 0.8, saturation: 0.55, tint: [0.92, 0.98, 1.06] },
  ],
  [/fog|mist|haze|smoke/, { curve: (light) => 0.34 + light * 0.58, saturation: 0.5 }],
  [/bright|daylight|\bday\b|lighter|expos/, { curve: (light) => light ** 0.72 }],
  [
    /dark|shadow|horror|scary|spooky/,
    { curve: (light) => light ** 1.35 * 0.78, vignette: 0.6, saturation: 0.75 },
  ],
  [
    /vintage|\bold\b|retro|sepia|film|nostalg|19\d0s/,
    { saturation: 0.35, tint: [1.1, 0.99, 0.8], texture: 'grain', rough: 0.06, vignette: 0.5 },
  ],
  [/vivid|colou?rful|vibrant|saturat|\bpop\b|rainbow/, { saturation: 1.7, curve: contrast(0.3) }],
  [/pale|muted|faded|pastel|soft/, { saturation: 0.6, curve: (light) => 0.14 + light * 0.82 }],
  [
    /cinematic|dramatic|moody|contrast|epic|movie/,
    { curve: contrast(0.6), tint: [1.06, 0.99, 0.95], saturation: 0.95, vignette: 0.5 },
  ],
  [/green|forest|jungle|nature|grass/, { tint: [0.94, 1.12, 0.88], saturation: 1.15 }],
  [/blue|ocean|\bsea\b|water/, { tint: [0.86, 0.99, 1.2] }],
  [/pink|purple|romantic|violet|love/, { tint: [1.12, 0.9, 1.1] }],
  [/\bred\b|\bfire|flame|lava|\bmars\b|blood/, { tint: [1.24, 0.92, 0.8], saturation: 1.2 }],
];

/** Names a way of drawing rather than a light. */
const drawn =
  /anime|cartoon|comic|sketch|pencil|water ?colou?r|painting|oil paint|pixel|neon|cyberpunk|\bin the style\b|\bstyle of\b/;

/** The look that a prompt asks for. */
export function editOf(words: string, key: string): Look {
  const text = words.toLowerCase();
  if (drawn.test(text)) return artStyleOf(text);
  const said = edits.filter(([pattern]) => pattern.test(text)).map(([, edit]) => edit);
  if (said.length === 0) return ownTint(key);
  return said.reduce<Look>((look, edit) => added(look, edit), asItIs);
}

function added(look: Look, edit: Edit): Look {
  const { curve, saturation = 1, tint = [1, 1, 1], vignette = 0, texture, rough } = edit;
  return {
    ...look,
    curve: curve === undefined ? look.curve : (light) => curve(look.curve(light)),
    saturation: look.saturation * saturation,
    tint: [look.tint[0] * tint[0], look.tint[1] * tint[1], look.tint[2] * tint[2]],
    vignette: Math.max(look.vignette, vignette),
    texture: texture ?? look.texture,
    rough: rough ?? look.rough,
  };
}

function ownTint(key: string): Look {
  const hue = hueOf(key);
  const palette = [
    fromHue(hue, 0.5, 0.1),
    fromHue(hue + 40, 0.45, 0.5),
    fromHue(hue + 70, 0.4, 0.95),
  ];
  return { ...asItIs, curve: contrast(0.3), palette, toward: 0.32, vignette: 0.3 };
}
