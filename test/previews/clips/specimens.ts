// Files that are no clips, or hardly: made from three small clips by cutting, flipping and lying, always the same ones.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { placeholder } from '../../../src/previews/pictures/card.ts';
import { sharpOf } from '../../../src/previews/pictures/picture.ts';
import { shortWalk, tone, walkClip } from './samples.ts';

export interface Specimen {
  /** Also its file's name. */
  readonly name: string;
  readonly bytes: Buffer;
  /** What opening it has to come to; undefined where several outcomes are right. */
  readonly outcome?: 'ok' | 'invalid_video_file' | 'file_too_large';
}

export interface Bases {
  readonly mp4: Buffer;
  readonly webm: Buffer;
  readonly gif: Buffer;
}

export async function basesIn(folder: string): Promise<Bases> {
  const read = async (ending: string): Promise<Buffer> => {
    const walk = { ...shortWalk, width: 48, height: 32, count: 6, sound: tone(0.6) };
    return readFile(await walkClip(join(folder, `base.${ending}`), walk));
  };
  return { mp4: await read('mp4'), webm: await read('webm'), gif: await read('gif') };
}

export async function specimensOf(bases: Bases, folder: string): Promise<readonly Specimen[]> {
  return [
    ...Object.entries(bases).flatMap(([kind, base]) => [
      ...cuts(kind, base),
      ...flips(kind, base),
      ...holes(kind, base),
    ]),
    ...lyingMp4s(bases.mp4),
    ...lyingGifs(bases.gif),
    ...lyingWebms(bases.webm),
    ...(await oddClips(folder)),
    ...(await foreigners(bases, folder)),
  ];
}

function cuts(kind: string, base: Buffer): readonly Specimen[] {
  const sizes = [0, 1, 4, 8, 12, 16, 32, 48, 64, 128, 256, 512, 1024];
  const parts = [0.1, 0.25, 0.4, 0.5, 0.6, 0.75, 0.9, 0.99].map((part) =>
    Math.floor(base.length * part),
  );
  return [...sizes.filter((size) => size < base.length), ...parts, base.length - 1].map(
    (size, i): Specimen => ({
      name: `cut-${i}-at-${size}.${kind}`,
      bytes: base.subarray(0, size),
      ...(size <= 16 ? { outcome: 'invalid_video_file' } : {}),
    }),
  );
}

/** A few bytes changed, in the first part of a file as often as anywhere. */
function flips(kind: string, base: Buffer): readonly Specimen[] {
  let state = base.length;
  const chance = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  return Array.from({ length: 36 }, (_, i) => {
    const bytes = Buffer.from(base);
    for (let flip = 0; flip < 1 + i * 2; flip++) {
      const within = i % 2 === 0 ? Math.min(1500, bytes.length) : bytes.length;
      bytes[Math.floor(chance() * within)] = chance() < 0.4 ? 255 : Math.floor(chance() * 256);
    }
    return { name: `flipped-${i}.${kind}`, bytes };
  });
}

function holes(kind: string, base: Buffer): readonly Specimen[] {
  return [0, 0.05, 0.3, 0.6, 0.9].map((part, i) => {
    const bytes = Buffer.from(base);
    const from = Math.floor(base.length * part);
    return {
      name: `hole-${i}.${kind}`,
      bytes: bytes.fill(0, from, from + Math.ceil(base.length / 12)),
    };
  });
}

/** The place of an atom's content in an MP4. */
const within = (bytes: Buffer, atom: string): number => placeOf(bytes, atom) + 4;
/** Atoms may be named in the list of brands before they come. */
const placeOf = (bytes: Buffer, atom: string): number => bytes.indexOf(atom, bytes.indexOf('moov'));

function lyingMp4s(base: Buffer): readonly Specimen[] {
  const edited = (
    name: string,
    edit: (bytes: Buffer) => void,
    outcome?: Specimen['outcome'],
  ): Specimen => {
    const bytes = Buffer.from(base);
    edit(bytes);
    return { name: `${name}.mp4`, bytes, ...(outcome === undefined ? {} : { outcome }) };
  };
  const large = 'file_too_large';
  const u32 = (atom: string, at: number, value: number) => (bytes: Buffer) => {
    bytes.writeUInt32BE(value, within(bytes, atom) + at);
  };
  const hour = 3600 * 1000;
  return [
    edited('huge-picture', u32('avc1', 24, 0xffff_ffff), large),
    edited('no-picture-size', u32('avc1', 24, 0)),
    edited('no-length', (bytes) => {
      u32('mvhd', 16, 0)(bytes);
      u32('mdhd', 16, 0)(bytes);
    }),
    edited('days-long', u32('mdhd', 16, 0x7fff_ffff)),
    edited('no-clock', u32('mdhd', 12, 0)),
    edited('absurdly-fast', u32('mdhd', 12, 0x7fff_ffff)),
    edited('absurdly-slow', u32('mdhd', 12, 1)),
    edited('long-frames', u32('stts', 12, 0x7fff_ffff)),
    edited('frames-of-no-length', u32('stts', 12, 0)),
    edited('more-frames-than-bytes', u32('stts', 8, 0x7fff_ffff)),
    edited('more-runs-than-bytes', u32('stts', 4, 0xffff_ffff)),
    edited('more-sizes-than-bytes', u32('stsz', 8, 0xffff_fff0)),
    edited('one-large-size', u32('stsz', 4, 0x7fff_ffff)),
    edited('frames-beyond-the-end', u32('stco', 8, 0x7fff_fff0)),
    edited('frames-in-the-header', u32('stco', 8, 0)),
    edited('no-chunks', u32('stco', 4, 0)),
    edited('chunk-runs', u32('stsc', 8, 0xffff_ffff)),
    edited('unknown-codec', (bytes) => bytes.write('zzzz', placeOf(bytes, 'avc1'))),
    edited('another-codec', (bytes) => bytes.write('hvc1', placeOf(bytes, 'avc1'))),
    edited('pictures-said-to-be-sound', (bytes) => bytes.write('soun', bytes.indexOf('vide'))),
    edited('no-codec-header', (bytes) => bytes.write('free', bytes.indexOf('avcC'))),
    edited(
      'sound-only',
      (bytes) => bytes.write('free', bytes.indexOf('trak')),
      'invalid_video_file',
    ),
    edited(
      'no-tracks',
      (bytes) => {
        for (let at = bytes.indexOf('trak'); at >= 0; at = bytes.indexOf('trak'))
          bytes.write('free', at);
      },
      'invalid_video_file',
    ),
    edited('odd-matrix', (bytes) =>
      bytes.fill(0xa5, within(bytes, 'tkhd') + 40, within(bytes, 'tkhd') + 76),
    ),
    edited('atom-of-no-size', (bytes) => bytes.writeUInt32BE(0, bytes.indexOf('mdia') - 4)),
    edited('atom-of-size-one', (bytes) => bytes.writeUInt32BE(1, bytes.indexOf('mdia') - 4)),
    edited('endless-atom', (bytes) => bytes.writeUInt32BE(0xffff_fff0, bytes.indexOf('moov') - 4)),
    edited('long-edit', u32('elst', 8, hour * 1000)),
    edited('late-edit', u32('elst', 12, 0x7fff_ffff)),
    { name: 'many-streams.mp4', bytes: manyStreams(base, 100) },
    { name: 'twelve-streams.mp4', bytes: manyStreams(base, 12), outcome: 'ok' },
  ];
}

/** The last track, again and again. */
function manyStreams(base: Buffer, count: number): Buffer {
  const start = base.lastIndexOf('trak') - 4;
  const end = start + base.readUInt32BE(start);
  const copies = Array<Buffer>(count).fill(base.subarray(start, end));
  const bytes = Buffer.concat([base.subarray(0, end), ...copies, base.subarray(end)]);
  const grown = (end - start) * count;
  const moov = bytes.indexOf('moov') - 4;
  bytes.writeUInt32BE(bytes.readUInt32BE(moov) + grown, moov);
  for (let at = bytes.indexOf('stco'); at >= 0; at = bytes.indexOf('stco', at + 4))
    for (let i = 0; i < bytes.readUInt32BE(at + 8); i++)
      bytes.writeUInt32BE(bytes.readUInt32BE(at + 12 + i * 4) + grown, at + 12 + i * 4);
  return bytes;
}

function lyingGifs(base: Buffer): readonly Specimen[] {
  const edited = (name: string, at: number, values: readonly number[]): Specimen => {
    const bytes = Buffer.from(base);
    bytes.set(values, at);
    return { name: `${name}.gif`, bytes };
  };
  const delay = base.indexOf(Buffer.from([0x21, 0xf9, 0x04])) + 4;
  return [
    { ...edited('huge', 6, [255, 255, 255, 255]), outcome: 'file_too_large' },
    edited('of-no-size', 6, [0, 0, 0, 0]),
    edited('of-one-pixel', 6, [1, 0, 1, 0]),
    edited('squeezed', 12, [1]),
    { ...edited('unhurried', delay, [255, 255]), outcome: 'ok' },
    { ...edited('without-delay', delay, [0, 0]), outcome: 'ok' },
    {
      name: 'of-1987.gif',
      bytes: Buffer.concat([Buffer.from('GIF87a'), base.subarray(6)]),
      outcome: 'ok',
    },
  ];
}

function lyingWebms(base: Buffer): readonly Specimen[] {
  const edited = (name: string, id: readonly number[], values: readonly number[]): Specimen => {
    const bytes = Buffer.from(base);
    const at = bytes.indexOf(Buffer.from(id));
    if (at < 0) throw new Error(`bug: no ${name} in the specimen`);
    bytes.set(values, at + id.length);
    return { name: `${name}.webm`, bytes };
  };
  return [
    edited('no-width', [0xb0, 0x81], [0]),
    edited('track-of-no-number', [0xd7, 0x81], [0]),
    edited('length-not-a-number', [0x44, 0x89, 0x88], [0x7f, 0xf8, 0, 0, 0, 0, 0, 0]),
    {
      ...edited('length-of-years', [0x44, 0x89, 0x88], [0x42, 0x70, 0, 0, 0, 0, 0, 0]),
      outcome: 'file_too_large',
    },
    edited('clock-of-nothing', [0x2a, 0xd7, 0xb1, 0x83], [0, 0, 0]),
    edited('segment-of-any-size', [0x18, 0x53, 0x80, 0x67], [1, 255, 255, 255, 255, 255, 255, 255]),
  ];
}

/** Clips that are fine, although few people have such. */
async function oddClips(folder: string): Promise<readonly Specimen[]> {
  const sizes = [
    ['one-pixel.gif', 1, 1],
    ['three-by-five.gif', 3, 5],
    ['three-by-five.webm', 3, 5],
    ['two-pixels.mp4', 2, 2],
    ['a-line.gif', 400, 1],
  ] as const;
  const made = sizes.map(async ([name, width, height]): Promise<Specimen> => {
    const file = join(folder, `odd-${name}`);
    await walkClip(file, { ...shortWalk, width, height, count: 3 });
    return { name, bytes: await readFile(file), outcome: 'ok' };
  });
  return Promise.all(made);
}

/** Files of other kinds under the name of a clip, and those that would have another file opened. */
async function foreigners(bases: Bases, folder: string): Promise<readonly Specimen[]> {
  const clip = join(folder, 'neighbour.mp4');
  await writeFile(clip, bases.mp4);
  const png = await sharpOf(await placeholder('no clip', 'key', { width: 64, height: 64 }))
    .png()
    .toBuffer();
  const texts: Readonly<Record<string, string>> = {
    'text.mp4': 'This is not a clip.\n'.repeat(40),
    'page.webm': '<!doctype html><title>Not found</title>',
    'drawing.mp4': `<svg xmlns="http://www.w3.org/2000/svg"><image href="${clip}"/></svg>`,
    'concat.mp4': `ffconcat version 1.0\nfile '${clip}'\n`,
    'concat-next-door.gif': "ffconcat version 1.0\nfile 'neighbour.mp4'\n",
    'playlist.mp4': `#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n${clip}\n#EXT-X-ENDLIST\n`,
    'playlist.webm':
      '#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nneighbour.mp4\n#EXT-X-ENDLIST\n',
    'playlist-of-addresses.mp4': '#EXTM3U\n#EXTINF:1,\nhttp://127.0.0.1:9/a.mp4\n#EXT-X-ENDLIST\n',
    'session.mp4':
      'v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=video 9 RTP/AVP 96\n',
    'manifest.mp4': `<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011"><Period><BaseURL>${clip}</BaseURL></Period></MPD>`,
    'redirect.mp4': 'RTSPtext http://127.0.0.1:9/a.mp4',
    'subtitles.webm': '1\n00:00:00,000 --> 00:00:01,000\nHello\n',
    'frames.mp4': `YUV4MPEG2 W16 H16 F25:1 Ip A1:1 C420\nFRAME\n${'a'.repeat(384)}`,
  };
  const bytes: Readonly<Record<string, Buffer>> = {
    'picture.mp4': png,
    'picture.gif': png,
    'archive.mp4': Buffer.from('504b0304140000000800', 'hex'),
    'voice.webm': Buffer.concat([
      Buffer.from('RIFF\x24\x08\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0', 'latin1'),
      Buffer.alloc(2080),
    ]),
    'transport-stream.mp4': Buffer.concat(
      Array<Buffer>(20).fill(
        Buffer.concat([Buffer.from([0x47, 0x40, 0, 0x10]), Buffer.alloc(184)]),
      ),
    ),
    'zeros.mp4': Buffer.alloc(4096),
  };
  const outcome = 'invalid_video_file';
  return [
    ...Object.entries(texts).map(
      ([name, text]) => ({ name, bytes: Buffer.from(text), outcome }) as const,
    ),
    ...Object.entries(bytes).map(([name, content]) => ({ name, bytes: content, outcome }) as const),
    { name: 'mp4-under-another-name.gif', bytes: bases.mp4, outcome: 'ok' },
    { name: 'gif-under-another-name.mp4', bytes: bases.gif, outcome: 'ok' },
  ];
}
