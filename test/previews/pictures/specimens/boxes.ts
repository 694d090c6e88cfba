// Pictures in boxes, and BMP: what AVIF may look like, and the formats for which a card stands.
import { uint32 } from './png.ts';
import {
  type Expectation,
  height,
  invalid,
  isCard,
  motif,
  motifSeen,
  type Specimen,
  sharpOfRaster,
  tooLarge,
  undecided,
  width,
} from './specimen.ts';

const box = (type: string, ...data: readonly Uint8Array[]): Buffer => {
  const body = Buffer.concat(data);
  return Buffer.concat([uint32(body.length + 8), Buffer.from(type, 'latin1'), body]);
};

const brands = (major: string, ...others: readonly string[]): Buffer =>
  box('ftyp', Buffer.from(`${major}\0\0\0\0${others.join('')}`, 'latin1'));

const sizes = (across: number, down: number): Buffer =>
  box('ispe', uint32(0), uint32(across), uint32(down));

/** As much of a HEIC file as is looked at: the brands, the size of a tile and of the whole, and something coded. */
const heic = (major: string, across = 4032, down = 3024): Buffer =>
  Buffer.concat([
    brands(major, 'mif1', 'heic'),
    box('meta', uint32(0), box('iprp', box('ipco', sizes(512, 512), sizes(across, down)))),
    box('mdat', Buffer.alloc(3000, 5)),
  ]);

const jp2 = (across: number, down: number): Buffer =>
  Buffer.concat([
    Buffer.from('0000000c6a5020200d0a870a', 'hex'),
    brands('jp2 ', 'jp2 '),
    box('jp2h', box('ihdr', uint32(down), uint32(across), Buffer.from([0, 3, 7, 7, 0, 0]))),
    box('jp2c', Buffer.alloc(3000, 5)),
  ]);

const codestream = (across: number, down: number): Buffer =>
  Buffer.concat([
    Buffer.from('ff4fff51002f0000', 'hex'),
    ...[across, down, 0, 0, across, down, 0, 0].map(uint32),
    Buffer.alloc(2000, 5),
    Buffer.from('ffd9', 'hex'),
  ]);

function bmp(across: number, down: number, bytes = width * height * 3): Buffer {
  const head = Buffer.alloc(54);
  head.write('BM');
  head.writeUInt32LE(54 + bytes, 2);
  head.writeUInt32LE(54, 10);
  head.writeUInt32LE(40, 14);
  head.writeInt32LE(across, 18);
  head.writeInt32LE(down, 22);
  head.writeUInt16LE(1, 26);
  head.writeUInt16LE(24, 28);
  return Buffer.concat([head, Buffer.alloc(bytes, 99)]);
}

/** Cut off at each of some shares of the length. */
const cuts = (
  name: string,
  file: Buffer,
): Readonly<Record<string, readonly [Buffer, Expectation]>> => {
  const [what, ending] = name.split('.');
  return Object.fromEntries(
    [0.1, 0.5, 0.9].map((share) => [
      `${what}-cut-at-${share * 100}.${ending}`,
      [file.subarray(0, Math.floor(file.length * share)), invalid],
    ]),
  );
};

export async function boxed(): Promise<readonly Specimen[]> {
  const avif = await sharpOfRaster(motif()).avif({ effort: 0, quality: 80 }).toBuffer();
  const branded = (major: string): Buffer => {
    const copy = Buffer.from(avif);
    copy.write(major, 8, 'latin1');
    return copy;
  };
  /** With another size in the box that says it. */
  const said = (across: number, down: number): Buffer => {
    const copy = Buffer.from(avif);
    const at = copy.indexOf('ispe') + 8;
    copy.writeUInt32BE(across, at);
    copy.writeUInt32BE(down, at + 4);
    return copy;
  };
  const renamed = (from: string, to: string): Buffer => {
    const copy = Buffer.from(avif);
    copy.write(to, copy.indexOf(from), 'latin1');
    return copy;
  };
  const seen = motifSeen(20);
  const all: Readonly<Record<string, readonly [Uint8Array, Expectation]>> = {
    'whole.avif': [avif, seen],
    'brand-mif1.avif': [branded('mif1'), seen],
    'brand-of-a-sequence.avif': [branded('avis'), isCard],
    'brand-of-a-clip.avif': [branded('isom'), invalid],
    'brand-heic-on-avif.heic': [branded('heic'), isCard],
    'says-20000-by-20000.avif': [said(20_000, 20_000), tooLarge],
    'says-10001-by-10000.avif': [said(10_001, 10_000), tooLarge],
    'says-the-most.avif': [said(0xffffffff, 0xffffffff), undecided],
    'says-nothing.avif': [said(0, 0), invalid],
    'says-larger.avif': [said(300, 300), undecided],
    'says-smaller.avif': [said(64, 48), undecided],
    'no-item.avif': [renamed('iinf', 'free'), invalid],
    'no-place-of-the-item.avif': [renamed('iloc', 'free'), invalid],
    'no-properties.avif': [renamed('iprp', 'free'), invalid],
    'no-configuration.avif': [renamed('av1C', 'free'), undecided],
    'item-of-another-kind.avif': [renamed('av01', 'hvc1'), undecided],
    'item-of-words.avif': [renamed('av01', 'mime'), undecided],
    'only-brands.avif': [brands('avif', 'mif1'), invalid],
    'brands-of-no-length.avif': [Buffer.concat([uint32(0), avif.subarray(4)]), undecided],
    'brands-longer-than-file.avif': [
      Buffer.concat([uint32(0x7fffffff), avif.subarray(4)]),
      undecided,
    ],
    'after-the-end.avif': [Buffer.concat([avif, Buffer.alloc(900, 'x')]), undecided],
    'whole.heic': [heic('heic'), isCard],
    'whole-mif1.heic': [heic('mif1'), isCard],
    'whole-heix.heif': [heic('heix'), isCard],
    'named-jpg.jpg': [heic('heic'), isCard],
    'says-20000-by-20000.heic': [heic('heic', 20_000, 20_000), isCard],
    'only-brands.heic': [brands('heic', 'mif1'), invalid],
    ...cuts('whole.heic', heic('heic')),
    'whole.jp2': [jp2(640, 480), isCard],
    'says-20000-by-20000.jp2': [jp2(20_000, 20_000), isCard],
    ...cuts('whole.jp2', jp2(640, 480)),
    'codestream.jp2': [codestream(640, 480), isCard],
    'codestream-says-20000-by-20000.jp2': [codestream(20_000, 20_000), isCard],
    ...cuts('codestream.jp2', codestream(640, 480)),
    'whole.bmp': [bmp(width, height), isCard],
    'top-down.bmp': [bmp(width, -height), isCard],
    'says-20000-by-20000.bmp': [bmp(20_000, 20_000), invalid],
    'only-first-bytes.bmp': [Buffer.from('BM'), invalid],
    'words.bmp': [Buffer.from('BMX bikes are not bitmaps, whatever this file is called.'), invalid],
    ...cuts('whole.bmp', bmp(width, height)),
  };
  return Object.entries(all).map(([name, [bytes, expected]]) => ({
    name: `boxes-${name}`,
    bytes,
    expected,
  }));
}
