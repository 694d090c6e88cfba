// Files that are no pictures but are called so, pictures that are called otherwise, and files that are two things.
import { gzipSync } from 'node:zlib';
import {
  drawing,
  type Expectation,
  invalid,
  motif,
  motifSeen,
  type Specimen,
  sharpOfRaster,
  undecided,
} from './specimen.ts';

const drawn =
  '<svg xmlns="http://www.w3.org/2000/svg" width="200" height="200"><rect width="9" height="9"/></svg>';

const latin = (text: string): Buffer => Buffer.from(text, 'latin1');
const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');
const filled = (head: Buffer, length = 600): Buffer =>
  Buffer.concat([head, Buffer.alloc(length, 0x21)]);

const others: Readonly<Record<string, Buffer>> = {
  nothing: Buffer.alloc(0),
  'one-byte': Buffer.from([0xff]),
  zeros: Buffer.alloc(4096),
  spaces: Buffer.alloc(4096, ' '),
  words: latin('This is not a picture, although it is called one.\n'.repeat(20)),
  json: latin('{"error": "not found"}'),
  page: latin('<!DOCTYPE html><html><head><title>404</title></head><body>Not here</body></html>'),
  'page-with-drawing': latin(`<!DOCTYPE html><html><body>${drawn}</body></html>`),
  drawing: latin(drawn),
  'drawing-with-declaration': latin(
    `<?xml version="1.0" encoding="UTF-8"?>\n<!-- hello -->\n${drawn}`,
  ),
  'drawing-with-mark': Buffer.concat([hex('efbbbf'), latin(drawn)]),
  'drawing-behind-spaces': latin(`\n\n   ${drawn}`),
  'drawing-in-two-bytes': Buffer.concat([hex('fffe'), Buffer.from(drawn, 'utf16le')]),
  'drawing-packed': gzipSync(drawn),
  'drawing-that-reads-files': latin(
    `<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/hostname">]><svg xmlns="http://www.w3.org/2000/svg"><text>&x;</text><image href="file:///etc/hostname"/></svg>`,
  ),
  'drawing-that-never-ends': latin(
    `<!DOCTYPE svg [<!ENTITY a "ha"><!ENTITY b "${'&a;'.repeat(99)}"><!ENTITY c "${'&b;'.repeat(99)}">]>${drawn.replace('<rect', '<text>&c;</text><rect')}`,
  ),
  document: filled(latin('%PDF-1.7\n1 0 obj\n')),
  postscript: filled(latin('%!PS-Adobe-3.0 EPSF-3.0\n')),
  archive: filled(hex('504b0304 1400 0000 0800')),
  'empty-archive': Buffer.concat([hex('504b0506'), Buffer.alloc(18)]),
  gzip: gzipSync('hello'),
  tar: filled(Buffer.concat([latin('photo.jpg'), Buffer.alloc(248), latin('ustar')])),
  'seven-zip': filled(hex('377abcaf271c')),
  rar: filled(hex('526172211a0700')),
  'program-of-windows': filled(Buffer.concat([hex('4d5a9000'), Buffer.alloc(60), latin('PE\0\0')])),
  'program-of-linux': filled(hex('7f454c4602010100')),
  'program-of-mac': filled(hex('cffaedfe07000001')),
  script: latin('#!/bin/sh\nrm -rf ~\n'),
  clip: filled(Buffer.concat([hex('00000020'), latin('ftypisom\0\0\x02\0isomiso2avc1mp41')])),
  'clip-of-apple': filled(Buffer.concat([hex('00000014'), latin('ftypqt  \0\0\0\0qt  ')])),
  'clip-of-matroska': filled(hex('1a45dfa3')),
  'clip-of-windows': filled(latin('RIFF\x99\x99\0\0AVI LIST')),
  sound: filled(latin('RIFF\x99\x99\0\0WAVEfmt ')),
  'sound-mp3': filled(latin('ID3\x04\0\0')),
  'sound-mp3-without-tags': filled(hex('fffb9064')),
  'sound-ogg': filled(latin('OggS\0')),
  'sound-flac': filled(latin('fLaC\0')),
  'sound-apple': filled(Buffer.concat([hex('0000001c'), latin('ftypM4A \0\0\0\0M4A mp42')])),
  icon: filled(hex('00000100 0100 1010 0000')),
  photoshop: filled(latin('8BPS\0\x01')),
  'jpeg-xl': filled(hex('ff0a')),
  'jpeg-xl-in-boxes': filled(hex('0000000c4a584c20 0d0a870a')),
  'portable-map': Buffer.concat([latin('P6 8 8 255\n'), Buffer.alloc(192)]),
  'portable-grey-map': Buffer.concat([latin('P5 8 8 255\n'), Buffer.alloc(64)]),
  radiance: filled(latin('#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 8 +X 8\n')),
  'of-the-library-itself': filled(hex('08f2a6b6')),
  stars: filled(latin('SIMPLE  =                    T')),
  exr: filled(hex('762f3101')),
  table: latin('SQLite format 3\0'.padEnd(600)),
  font: filled(hex('0001000000')),
  'first-bytes-of-png': latin('\x89PNG'),
  'png-with-unix-lines': filled(latin('\x89PNG\n\x1a\n')),
  'first-bytes-of-webp': latin('RIFF\0\0\0\0WEB'),
};

const endings = ['png', 'jpg', 'webp'] as const;

export async function foreign(): Promise<readonly Specimen[]> {
  const draw = drawing(404);
  const noise = Array.from({ length: 20 }, (_, index): readonly [string, Buffer] => [
    `noise-${index}`,
    Buffer.from(Array.from({ length: 64 << (index % 6) }, () => draw(256))),
  ]);
  const called = [...Object.entries(others), ...noise].flatMap(([name, bytes], index) =>
    // Each under two endings: the name decides nothing.
    [endings[index % 3], endings[(index + 1) % 3]].map(
      (ending): Specimen => ({ name: `foreign-${name}.${ending}`, bytes, expected: invalid }),
    ),
  );
  return [...called, ...(await misnamed())];
}

async function misnamed(): Promise<readonly Specimen[]> {
  const picture = sharpOfRaster(motif());
  const [jpeg, png, webp, gif, tiff] = await Promise.all([
    picture.clone().jpeg({ quality: 95 }).toBuffer(),
    picture.clone().png().toBuffer(),
    picture.clone().webp({ lossless: true }).toBuffer(),
    picture.clone().gif().toBuffer(),
    picture.clone().tiff({ compression: 'none' }).toBuffer(),
  ]);
  const seen = motifSeen(20);
  const all: Readonly<Record<string, readonly [Uint8Array, Expectation]>> = {
    'jpeg.png': [jpeg, seen],
    'jpeg.heic': [jpeg, seen],
    'jpeg.bmp': [jpeg, seen],
    'png.jpg': [png, seen],
    'png.avif': [png, seen],
    'webp.jpg': [webp, seen],
    'gif.png': [gif, seen],
    'tiff.jp2': [tiff, seen],
    'png-and-archive.png': [Buffer.concat([png, others['archive'] ?? png]), seen],
    'gif-and-script.gif': [Buffer.concat([gif, latin('*/=1;alert(1)')]), seen],
    'gif-that-is-a-script.gif': [latin('GIF89a/*xxxxxxxxxx*/=1;alert(1)'), undecided],
    'jpeg-behind-a-byte.jpg': [Buffer.concat([Buffer.from([0]), jpeg]), invalid],
    'jpeg-behind-an-archive.jpg': [Buffer.concat([others['archive'] ?? jpeg, jpeg]), invalid],
    'png-behind-lines.png': [Buffer.concat([latin('\r\n\r\n'), png]), invalid],
    'png-as-words.png': [latin(png.toString('base64')), invalid],
    'png-as-a-form.png': [
      Buffer.concat([latin('--x\r\nContent-Type: image/png\r\n\r\n'), png, latin('\r\n--x--')]),
      invalid,
    ],
    'png-with-converted-lines.png': [
      latin(png.toString('latin1').replaceAll('\r\n', '\n')),
      invalid,
    ],
    'jpeg-read-as-utf-8.jpg': [Buffer.from(jpeg.toString('utf8')), invalid],
    'drawing-with-png-inside.svg': [
      latin(
        drawn.replace(
          '<rect',
          `<image href="data:image/png;base64,${png.toString('base64')}"/><rect`,
        ),
      ),
      invalid,
    ],
  };
  return Object.entries(all).map(([name, [bytes, expected]]) => ({
    name: `misnamed-${name}`,
    bytes,
    expected,
  }));
}
