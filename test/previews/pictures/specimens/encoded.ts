// Specimens that are in order: every format, colour space, depth and packing that the encoders at hand can write.
import sharp, { type Sharp } from 'sharp';
import {
  type Expectation,
  height,
  motif,
  motifSeen,
  orientations,
  type Specimen,
  sharpOfRaster,
  width,
} from './specimen.ts';

/** By the ending of the name. */
const plain: Readonly<Record<string, (picture: Sharp) => Sharp>> = {
  jpg: (picture) => picture.jpeg({ quality: 92, chromaSubsampling: '4:4:4' }),
  png: (picture) => picture.png(),
  webp: (picture) => picture.webp({ quality: 92 }),
  gif: (picture) => picture.gif({ effort: 1 }),
  tiff: (picture) => picture.tiff({ compression: 'none' }),
  avif: (picture) => picture.avif({ effort: 0, quality: 80, chromaSubsampling: '4:4:4' }),
};

/** Named `<what>.<ending>`. Lossy ones and turns into other colour spaces are a little off. */
const kinds: Readonly<Record<string, (picture: Sharp) => Sharp>> = {
  ...Object.fromEntries(Object.entries(plain).map(([ending, write]) => [`plain.${ending}`, write])),
  'progressive.jpg': (picture) => picture.jpeg({ progressive: true }),
  'small-chroma.jpg': (picture) => picture.jpeg({ quality: 60, chromaSubsampling: '4:2:0' }),
  'mozjpeg.jpg': (picture) => picture.jpeg({ mozjpeg: true }),
  'cmyk.jpg': (picture) => picture.toColourspace('cmyk').jpeg({ quality: 95 }),
  'cmyk-with-profile.jpg': (picture) => picture.withIccProfile('cmyk').jpeg({ quality: 95 }),
  'display-p3.jpg': (picture) => picture.withIccProfile('p3').jpeg({ quality: 95 }),
  'display-p3.png': (picture) => picture.withIccProfile('p3').png(),
  'display-p3.webp': (picture) => picture.withIccProfile('p3').webp({ lossless: true }),
  'display-p3.tiff': (picture) => picture.withIccProfile('p3').tiff({ compression: 'deflate' }),
  'interlaced.png': (picture) => picture.png({ progressive: true }),
  'palette.png': (picture) => picture.png({ palette: true, colours: 8 }),
  'sixteen-bit.png': (picture) => picture.toColourspace('rgb16').png(),
  'sixteen-bit-interlaced.png': (picture) =>
    picture.toColourspace('rgb16').png({ progressive: true }),
  'alpha.png': (picture) => picture.ensureAlpha(1).png(),
  'sixteen-bit-alpha.png': (picture) => picture.ensureAlpha(1).toColourspace('rgb16').png(),
  'lossless.webp': (picture) => picture.webp({ lossless: true }),
  'alpha.webp': (picture) => picture.ensureAlpha(1).webp({ lossless: true }),
  'lzw.tiff': (picture) => picture.tiff({ compression: 'lzw' }),
  'deflate.tiff': (picture) => picture.tiff({ compression: 'deflate' }),
  'packbits.tiff': (picture) => picture.tiff({ compression: 'packbits' }),
  'jpeg-inside.tiff': (picture) => picture.tiff({ compression: 'jpeg', quality: 95 }),
  'webp-inside.tiff': (picture) => picture.tiff({ compression: 'webp', quality: 95 }),
  'predictor.tiff': (picture) => picture.tiff({ compression: 'lzw', predictor: 'horizontal' }),
  'tiled.tiff': (picture) => picture.tiff({ tile: true, tileWidth: 32, tileHeight: 32 }),
  'pyramid.tiff': (picture) =>
    picture.tiff({ tile: true, pyramid: true, tileWidth: 32, tileHeight: 32 }),
  'big.tiff': (picture) => picture.tiff({ bigtiff: true, compression: 'deflate' }),
  'lab.tiff': (picture) => picture.toColourspace('lab').tiff({ compression: 'deflate' }),
  'lab-sixteen-bit.tiff': (picture) =>
    picture.toColourspace('labs').tiff({ compression: 'deflate' }),
  'cmyk.tiff': (picture) => picture.toColourspace('cmyk').tiff({ compression: 'deflate' }),
  'sixteen-bit.tiff': (picture) => picture.toColourspace('rgb16').tiff({ compression: 'deflate' }),
  'float.tiff': (picture) => picture.toColourspace('scrgb').tiff({ compression: 'deflate' }),
  'half-size-chroma.avif': (picture) => picture.avif({ effort: 0, quality: 80 }),
  'ten-bit.avif': (picture) => picture.avif({ effort: 0, quality: 80, bitdepth: 10 }),
  'twelve-bit.avif': (picture) => picture.avif({ effort: 0, quality: 80, bitdepth: 12 }),
  'alpha.avif': (picture) => picture.ensureAlpha(1).avif({ effort: 0, quality: 80 }),
  'lossless.avif': (picture) => picture.avif({ effort: 0, lossless: true }),
};

/** Colours on the way through CMYK cannot all be kept. */
const toleranceOf = (name: string): number =>
  name.startsWith('cmyk')
    ? 80
    : /png|tiff|lossless|gif/.test(name) && !/inside/.test(name)
      ? 8
      : 20;

export async function encoded(): Promise<readonly Specimen[]> {
  const upright = motif();
  const written = Object.entries(kinds).map(async ([name, write]) =>
    specimen(name, write(sharpOfRaster(upright)), motifSeen(toleranceOf(name))),
  );
  return Promise.all([...written, ...turned(), ...grey(), ...moving(), ...shapes(), ...clear()]);
}

const specimen = async (
  name: string,
  picture: Sharp,
  expected: Expectation,
): Promise<Specimen> => ({
  name,
  bytes: await picture.toBuffer(),
  expected,
});

/** As cameras store them. */
function turned(): readonly Promise<Specimen>[] {
  return orientations.flatMap((orientation) =>
    (['jpg', 'png', 'webp', 'tiff', 'avif'] as const).map((ending) => {
      const name = `held-${orientation}.${ending}`;
      const stored = sharpOfRaster(motif(orientation)).withMetadata({ orientation });
      return specimen(name, plain[ending]?.(stored) ?? stored, motifSeen(toleranceOf(name)));
    }),
  );
}

/** Without colour; black and white alone. */
function grey(): readonly Promise<Specimen>[] {
  const seen: Expectation = { kind: 'ok', width, height };
  const of = (space: string): Sharp => sharpOfRaster(motif()).toColourspace(space);
  return [
    specimen('grey.jpg', of('b-w').jpeg(), seen),
    specimen('grey.png', of('b-w').png(), seen),
    specimen('grey-sixteen-bit.png', of('grey16').png(), seen),
    specimen('grey.tiff', of('b-w').tiff({ compression: 'none' }), seen),
    specimen('grey-sixteen-bit.tiff', of('grey16').tiff({ compression: 'lzw' }), seen),
    specimen('one-bit.tiff', of('b-w').tiff({ bitdepth: 1 }), seen),
    specimen('fax.tiff', of('b-w').tiff({ compression: 'ccittfax4', bitdepth: 1 }), seen),
    specimen('one-bit.png', sharpOfRaster(motif()).png({ colours: 2 }), seen),
    specimen('grey.webp', of('b-w').webp(), seen),
    specimen('grey.avif', of('b-w').avif({ effort: 0 }), seen),
  ];
}

/** The first frame is the motif, the others are black. */
function moving(): readonly Promise<Specimen>[] {
  const { pixels } = motif();
  const black = Buffer.alloc(pixels.length);
  const frames = Buffer.concat([pixels, black, black, black]);
  const film = (): Sharp =>
    sharp(frames, { raw: { width, height: height * 4, channels: 3, pageHeight: height } });
  return [
    specimen('moving.gif', film().gif({ effort: 1 }), motifSeen(20)),
    specimen('moving.webp', film().webp({ lossless: true }), motifSeen(20)),
    specimen('pages.tiff', film().tiff({ compression: 'none' }), motifSeen(8)),
    specimen('pages-deflated.tiff', film().tiff({ compression: 'deflate' }), motifSeen(8)),
  ];
}

/** Sizes at the edges of what can be; what is thin is given room, what is large is made smaller. */
const sizes: readonly (readonly [number, number, number, number])[] = [
  [1, 1, 96, 96],
  [2, 1, 96, 96],
  [1, 20_000, 96, 1600],
  [20_000, 1, 1600, 96],
  [1, 1600, 96, 1600],
  [95, 97, 96, 97],
  [3000, 40, 1600, 96],
  [1601, 1600, 1600, 1599],
];

function shapes(): readonly Promise<Specimen>[] {
  return sizes.flatMap(([across, down, seenWidth, seenHeight]) =>
    (['jpg', 'png', 'webp', 'gif', 'tiff'] as const)
      .filter((ending) => ending !== 'webp' || Math.max(across, down) < 16_384)
      .filter((ending) => ending === 'jpg' || across * down < 1_000_000)
      .map((ending) => {
        const picture = sharp({
          create: { width: across, height: down, channels: 3, background: '#cb9' },
        });
        const expected: Expectation = { kind: 'ok', width: seenWidth, height: seenHeight };
        return specimen(
          `${across}-by-${down}.${ending}`,
          plain[ending]?.(picture) ?? picture,
          expected,
        );
      }),
  );
}

/** Pictures of which nothing or half can be seen. */
function clear(): readonly Promise<Specimen>[] {
  const seen: Expectation = { kind: 'ok', width, height };
  const glass = (alpha: number): Sharp =>
    sharp({ create: { width, height, channels: 4, background: { r: 9, g: 99, b: 199, alpha } } });
  return [0, 0.5].flatMap((alpha) => [
    specimen(`clear-${alpha * 100}.png`, glass(alpha).png(), seen),
    specimen(`clear-${alpha * 100}.webp`, glass(alpha).webp(), seen),
    specimen(`clear-${alpha * 100}.gif`, glass(alpha).gif(), seen),
    specimen(`clear-${alpha * 100}.avif`, glass(alpha).avif({ effort: 0 }), seen),
    specimen(`clear-${alpha * 100}.tiff`, glass(alpha).tiff({ compression: 'lzw' }), seen),
  ]);
}
