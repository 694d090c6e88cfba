// Light and colour as words ask for them: brighter, warmer, at night, blurred. Several may be asked for at once.
import sharp from 'sharp';
import { layer, type Picture, pictureOf, sharpOf } from '../../pictures/picture.ts';
import { huesIn, says } from './words.ts';

type Matrix = readonly [number, number, number];

interface Grade {
  readonly words: readonly string[];
  readonly apply: (picture: Picture) => Promise<Picture>;
}

const multiplied = (picture: Picture, by: Matrix, plus: Matrix): Promise<Picture> =>
  pictureOf(sharpOf(picture).linear([...by, 1], [...plus, 0]));

const grades: readonly Grade[] = [
  {
    words: ['night', 'midnight', 'nighttime', 'moonlight'],
    apply: async (picture) => {
      const dim = sharpOf(picture)
        .modulate({ saturation: 0.55 })
        .linear([0.34, 0.42, 0.68, 1], [0, 2, 14, 0]);
      return rimmed(await pictureOf(dim), 'black', 0.55);
    },
  },
  {
    words: ['sunset', 'golden hour', 'dusk', 'sunrise'],
    apply: async (picture) =>
      rimmed(await multiplied(picture, [1.16, 0.92, 0.66], [16, 4, 6]), '#40103a', 0.45),
  },
  {
    words: [
      'brighter',
      'brighten',
      'bright',
      'lighter',
      'lighten',
      'exposure',
      'sunny',
      'sunlight',
    ],
    apply: (picture) => pictureOf(sharpOf(picture).linear([1.18, 1.18, 1.18, 1], [18, 18, 18, 0])),
  },
  {
    words: ['darker', 'darken', 'dark', 'dim', 'moody', 'gloomy'],
    apply: (picture) => multiplied(picture, [0.66, 0.66, 0.7], [0, 0, 0]),
  },
  {
    words: ['warm', 'warmer', 'cozy', 'cosy', 'autumn', 'summer'],
    apply: (picture) => multiplied(picture, [1.1, 1.01, 0.84], [8, 2, 0]),
  },
  {
    words: ['cold', 'colder', 'cool', 'cooler', 'winter', 'icy', 'snow'],
    apply: (picture) => multiplied(picture, [0.86, 0.99, 1.12], [4, 8, 14]),
  },
  {
    words: ['contrast', 'dramatic', 'punchy', 'hdr'],
    apply: (picture) => multiplied(picture, [1.35, 1.35, 1.35], [-42, -42, -42]),
  },
  {
    words: ['vivid', 'vibrant', 'colorful', 'colourful', 'saturated', 'pop'],
    apply: (picture) => pictureOf(sharpOf(picture).modulate({ saturation: 1.6 })),
  },
  {
    words: ['muted', 'desaturated', 'faded', 'pale', 'pastel', 'fog', 'mist', 'haze'],
    apply: async (picture) =>
      multiplied(
        await pictureOf(sharpOf(picture).modulate({ saturation: 0.6 })),
        [0.78, 0.78, 0.78],
        [46, 46, 48],
      ),
  },
  {
    words: ['blur', 'blurry', 'bokeh', 'soft', 'dreamy', 'out of focus'],
    apply: (picture) =>
      pictureOf(sharpOf(picture).blur(Math.max(1, Math.max(picture.width, picture.height) / 180))),
  },
  {
    words: ['sharp', 'sharper', 'sharpen', 'crisp', 'detailed', 'enhance', 'restore', 'unblur'],
    apply: (picture) => pictureOf(sharpOf(picture).sharpen({ sigma: 1.6, m1: 1, m2: 3 })),
  },
  {
    words: ['invert', 'negative'],
    apply: (picture) => pictureOf(sharpOf(picture).negate({ alpha: false })),
  },
  {
    words: ['mirror', 'flip', 'flip horizontally'],
    apply: (picture) => pictureOf(sharpOf(picture).flop()),
  },
  {
    words: ['upside down', 'flip vertically'],
    apply: (picture) => pictureOf(sharpOf(picture).flip()),
  },
];

/** The picture graded by every word that is found; a slight grade by lot, and the colours named, when none is. */
export async function graded(
  picture: Picture,
  text: string,
  chance: () => number,
): Promise<Picture> {
  const asked = grades.filter(({ words }) => says(text, ...words));
  let result = picture;
  for (const { apply } of asked) result = await apply(result);
  const [hue] = huesIn(text);
  if (hue !== undefined) result = await tinted(result, hue);
  if (asked.length > 0 || hue !== undefined) return result;
  const warm = 0.04 * (chance() - 0.5);
  return multiplied(result, [1.05 + warm, 1.04, 1.05 - warm], [-4, -4, -4]);
}

/** A colour that is named is seen all over the picture, softly. */
function tinted(picture: Picture, hue: number): Promise<Picture> {
  return washed(
    picture,
    `<rect width="100%" height="100%" fill="hsl(${hue},75%,50%)" opacity=".3"/>`,
  );
}

function rimmed(picture: Picture, colour: string, strength: number): Promise<Picture> {
  return washed(
    picture,
    `<radialGradient id="g" r=".75"><stop offset=".45" stop-color="${colour}" stop-opacity="0"/>
      <stop offset="1" stop-color="${colour}" stop-opacity="${strength}"/></radialGradient>
    <rect width="100%" height="100%" fill="url(#g)"/>`,
  );
}

/** Lays a drawing over the picture; where the picture is clear it stays so. */
async function washed(picture: Picture, drawing: string): Promise<Picture> {
  const { width, height } = picture;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${drawing}</svg>`;
  const wash = await pictureOf(sharp(Buffer.from(svg)));
  return pictureOf(sharpOf(picture).composite([{ ...layer(wash, 0, 0), blend: 'atop' }]));
}
