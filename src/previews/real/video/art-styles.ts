// What the names of art styles look like here. The lists are open and long (facts.md: 75 of video-to-video, 47 of
// animation), so words are looked for in them; a style that says nothing known gets colours of its own.
import { hueOf } from '../../pictures/card.ts';
import type { Colour } from '../../pictures/canvas.ts';
import { asItIs, contrast, type Look, steps } from './look.ts';

const ink = (strength: number, colour: Colour = [18, 14, 24]): Look['edge'] => ({
  colour,
  strength,
  shines: false,
});
const glow = (strength: number, colour: Colour): Look['edge'] => ({
  colour,
  strength,
  shines: true,
});

const drawn: Partial<Look> = {
  smooth: 3,
  curve: (light) => steps(5, 0.06)(light ** 0.75),
  saturation: 1.5,
  edge: ink(1.5),
};

/** The first whose words are in the style decides. */
const styles: readonly (readonly [RegExp, Partial<Look>])[] = [
  [
    /noir|black (?:and|&) white|monochrom|silent/,
    {
      curve: (light) => contrast(0.9)(light ** 0.8),
      saturation: 0,
      texture: 'grain',
      rough: 0.09,
      vignette: 0.7,
    },
  ],
  [
    /sketch|pencil|charcoal|line ?art|drawing|graphite|\bink\b|manga/,
    {
      smooth: 1,
      curve: (light) => 0.62 + 0.38 * steps(3)(light ** 0.8),
      saturation: 0,
      tint: [1.02, 1, 0.96],
      edge: ink(3, [40, 38, 44]),
      texture: 'hatching',
      rough: 0.16,
    },
  ],
  [
    /pixel|8.?bit|16.?bit|minecraft|lego|voxel|retro game|arcade/,
    { squares: 72, curve: steps(6, 0.04), saturation: 1.5 },
  ],
  [
    /neon|cyber|synth|tron|vapor|hacker|laser|disco|rave/,
    {
      curve: (light) => 0.05 + light ** 1.6 * 0.75,
      palette: [
        [12, 4, 40],
        [90, 10, 130],
        [255, 40, 160],
        [80, 240, 255],
      ],
      toward: 0.72,
      edge: glow(1.3, [60, 210, 255]),
      vignette: 0.35,
    },
  ],
  [
    /pop art|comic|graphic novel|warhol|marvel|spider/,
    { ...drawn, curve: steps(4, 0.05), saturation: 1.9, edge: ink(2), texture: 'dots', rough: 0.2 },
  ],
  [
    /anime|ghibli|cartoon|toon|pixar|disney|animat|cel|kawaii|chibi|studio|3d|clay|illustration/,
    drawn,
  ],
  [
    /water ?colou?r|gouache|pastel|aquarelle|wash/,
    {
      smooth: 4,
      curve: (light) => 0.24 + 0.76 * light ** 0.8,
      saturation: 1.15,
      edge: ink(0.5, [90, 80, 110]),
      texture: 'paper',
      rough: 0.13,
    },
  ],
  [
    /paint|oil|impression|van gogh|monet|canvas|acrylic|renaissance|baroque|fresco|mural|ukiyo/,
    {
      smooth: 4,
      curve: contrast(0.4),
      saturation: 1.45,
      tint: [1.04, 1, 0.92],
      texture: 'paper',
      rough: 0.07,
    },
  ],
  [
    /sepia|vintage|antique|western|steampunk|victorian|old (?:film|photo)|retro|nostalg|1920|daguerr/,
    {
      curve: (light) => 0.08 + 0.84 * light,
      saturation: 0.1,
      tint: [1.12, 0.97, 0.74],
      texture: 'grain',
      rough: 0.07,
      vignette: 0.6,
    },
  ],
  [
    /matrix|zombie|toxic|alien|radioactive|night vision/,
    {
      curve: contrast(0.6),
      palette: [
        [2, 10, 4],
        [8, 80, 30],
        [60, 190, 80],
        [215, 255, 200],
      ],
      toward: 0.75,
      texture: 'lines',
      rough: 0.06,
      vignette: 0.4,
    },
  ],
  [
    /fire|lava|hell|inferno|demon|devil|volcan|mars|flame/,
    {
      smooth: 2,
      palette: [
        [16, 2, 4],
        [130, 16, 4],
        [240, 110, 10],
        [255, 236, 150],
      ],
      toward: 0.75,
      vignette: 0.4,
    },
  ],
  [
    /underwater|ocean|aqua|mermaid|atlantis|\bsea\b/,
    {
      smooth: 2,
      palette: [
        [0, 16, 40],
        [0, 80, 120],
        [40, 180, 190],
        [220, 255, 245],
      ],
      toward: 0.6,
      vignette: 0.4,
    },
  ],
  [
    /ice|frost|frozen|snow|winter|arctic/,
    {
      smooth: 2,
      palette: [
        [16, 30, 60],
        [90, 140, 190],
        [190, 222, 240],
        [255, 255, 255],
      ],
      toward: 0.6,
    },
  ],
  [
    /gold|statue|bronze|treasure|egypt/,
    {
      smooth: 2,
      curve: (light) => contrast(0.6)(light ** 0.75),
      palette: [
        [24, 12, 0],
        [120, 76, 10],
        [222, 170, 50],
        [255, 246, 200],
      ],
      toward: 0.85,
    },
  ],
  [
    /stone|marble|sculpt|steel|robot|chrome|silver|android|terminator/,
    {
      smooth: 2,
      curve: (light) => contrast(0.6)(light ** 0.75),
      palette: [
        [14, 16, 20],
        [84, 92, 104],
        [176, 184, 194],
        [250, 252, 255],
      ],
      toward: 0.85,
    },
  ],
  [
    /fantasy|fairy|dream|magic|mystic|wonder|cosmic|galaxy|space|psychedel|holograph/,
    {
      smooth: 3,
      palette: [
        [28, 6, 70],
        [150, 30, 150],
        [255, 130, 150],
        [255, 240, 190],
      ],
      toward: 0.5,
      saturation: 1.4,
      edge: glow(0.5, [255, 220, 255]),
    },
  ],
  [
    /gothic|dark|horror|vampire|nightmare|grim|souls|apocalyp|wasteland|gritty|post.?nuclear/,
    {
      smooth: 2,
      curve: (light) => light ** 1.5 * 0.85,
      saturation: 0.4,
      tint: [1.06, 0.97, 0.98],
      edge: ink(0.9),
      vignette: 0.7,
    },
  ],
];

/** The look of an art style. */
export function artStyleOf(words: string): Look {
  const text = words.toLowerCase();
  const known = styles.find(([pattern]) => pattern.test(text))?.[1];
  return { ...asItIs, ...(known ?? ownStyleOf(text)) };
}

/** Colours and strength of its own for a style that nobody here knows; the same for the same name. */
function ownStyleOf(text: string): Partial<Look> {
  const hue = hueOf(text);
  const turn = 90 + (hueOf(`${text} turn`) % 120);
  return {
    smooth: 2 + (hue % 3),
    curve: steps(4 + (hue % 3), 0.05),
    palette: [
      fromHue(hue, 0.6, 0.12),
      fromHue(hue + turn / 3, 0.55, 0.4),
      fromHue(hue + turn, 0.6, 0.62),
      fromHue(hue + turn, 0.5, 0.9),
    ],
    toward: 0.65,
    edge: ink(1),
  };
}

/** A colour of hue in degrees, saturation and lightness of 0 to 1. */
export function fromHue(hue: number, saturation: number, lightness: number): Colour {
  const reach = saturation * Math.min(lightness, 1 - lightness);
  const channel = (offset: number): number => {
    const place = (offset + hue / 30) % 12;
    return Math.round(255 * (lightness - reach * Math.max(-1, Math.min(place - 3, 9 - place, 1))));
  };
  return [channel(0), channel(8), channel(4)];
}
