// Whatever a client asks for in Range and If-Range, a download gives all of the file, the right part of it, or says
// that there is no such part.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Answer, addressIn, download, pathOf, send } from '../client.ts';
import { besiege, expectAlive, expectDecent, tries } from './siege.ts';

const siege = await besiege();
const { client } = siege;

interface Stored {
  readonly url: string;
  readonly content: Buffer;
}

/** A download of exactly these bytes: subtitles for a clip are the clip. */
async function stored(content: Buffer): Promise<Stored> {
  const clip = await client.upload(content, 'mp4', 'video');
  const assets = { video_file_path: clip };
  const style = { template: 'karaoke' };
  const body = { start_seconds: 0, end_seconds: 1, assets, style };
  const { id } = await client.create('auto-subtitle-generator', body);
  return { url: addressIn(await client.settled('video', id)), content };
}

const size = 1000;
/** Every slice is another one; none begins with a brace, which a client would take for JSON. */
const content = Buffer.from(Array.from({ length: size }, (_, at) => (at * at * 31 + at * 7) % 121));
const files = { usual: await stored(content), empty: await stored(Buffer.alloc(0)) };
/** By name, so that a counterexample can be read. */
const file = fc.constantFrom('usual', 'usual', 'usual', 'empty');

/** What holds of every answer: all of the file, a part of it that is what it says, or none. */
function expectRight(answer: Answer, { content }: Stored, about: string): void {
  expectDecent(answer, about);
  const { status, headers, bytes } = answer;
  const range = headers['content-range'];
  expect([200, 206, 416], about).toContain(status);
  expect(headers['content-length'], about).toBe(`${bytes.length}`);
  if (status === 200) {
    expect(bytes.equals(content), about).toBe(true);
    expect(range, about).toBeUndefined();
  } else if (status === 416) expect(range, about).toBe(`bytes */${content.length}`);
  else {
    const [, from, to, whole] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(String(range)) ?? [];
    const [start, end] = [Number(from), Number(to)];
    expect(Number(whole), about).toBe(content.length);
    expect(start <= end && end < content.length, `${about}: ${range}`).toBe(true);
    expect(bytes.equals(content.subarray(start, end + 1)), `${about}: ${range}`).toBe(true);
  }
}

/** What one plain range comes to (RFC 9110, 14.1.2): a slice, none, or all of the file when it is no range. */
function meant(from: number | undefined, to: number | undefined, length: number): string {
  if (from === undefined) {
    const last = Math.min(to ?? 0, length);
    return last === 0 ? '416' : `206 bytes ${length - last}-${length - 1}/${length}`;
  }
  if (to !== undefined && to < from) return '200';
  if (from >= length) return '416';
  return `206 bytes ${from}-${Math.min(to ?? length - 1, length - 1)}/${length}`;
}

const position = fc.oneof(
  fc.nat(size + 2),
  fc.constantFrom(0, 1, size - 1, size, size + 1, 2 ** 31, 2 ** 32, 2 ** 53, 1e20),
);
/** In decimal digits also where JavaScript would write an exponent. */
const digits = (number: number | undefined): string =>
  number === undefined ? '' : BigInt(number).toString();

test('one range is answered with exactly its bytes', async () => {
  const property = fc.asyncProperty(
    file,
    fc.option(position, { nil: undefined }),
    fc.option(position, { nil: undefined }),
    async (name, from, to) => {
      const of = files[name];
      fc.pre(from !== undefined || to !== undefined);
      const range = `bytes=${digits(from)}-${digits(to)}`;
      const answer = await download(of.url, { range });
      expectRight(answer, of, range);
      const { status, headers } = answer;
      const told = status === 206 ? `206 ${headers['content-range']}` : `${status}`;
      expect([range, told]).toEqual([range, meant(from, to, of.content.length)]);
    },
  );
  await fc.assert(property, { seed: 1, numRuns: tries(350) });
  await expectAlive(siege);
});

/** What a header may hold: no control characters. */
const headerText = fc.stringMatching(/^[\t\x20-\x7e\x80-\xff]*$/);
const piece = fc.oneof(
  fc.constantFrom(
    'bytes',
    'Bytes',
    'items',
    'none',
    '=',
    '-',
    '--',
    ',',
    ', ',
    ' ',
    '\t',
    '*',
    '/',
  ),
  fc.constantFrom(
    '0',
    '1',
    '-1',
    '999',
    '1000',
    '00',
    '1e2',
    '0x1',
    '1.5',
    'NaN',
    '\u00b2',
    '\u00bd',
  ),
  fc.constantFrom('9'.repeat(400), 'bytes=0-0', 'bytes=-1', 'bytes=0-,'.repeat(50)),
  fc.nat(size).map(String),
);
const wildRange = fc.oneof(
  fc.array(piece, { maxLength: 8 }).map((pieces) => `bytes=${pieces.join('')}`),
  fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join('')),
  headerText,
  headerText.map((text) => `bytes=${text}`),
  fc.integer({ min: 100, max: 3000 }).map((count) => `bytes=${'0-1,'.repeat(count)}`),
);

test('what is nearly a range is all of the file, a true part of it, or no part', async () => {
  const property = fc.asyncProperty(file, wildRange, async (name, range) => {
    const of = files[name];
    expectRight(await download(of.url, { range }), of, range.slice(0, 200));
  });
  await fc.assert(property, { seed: 2, numRuns: tries(450) });
  await expectAlive(siege);
});

test('If-Range gives a part only when it names this very content', async () => {
  const { headers: known } = await download(files.usual.url);
  const marks = [known['etag'], known['last-modified']].map((mark) => `${mark ?? 'none'}`);
  const ifRange = fc.oneof(
    fc.constantFrom(...marks, '"x"', 'W/"x"', '', '*', '"', 'Thu, 01 Jan 1970 00:00:00 GMT'),
    fc.constantFrom('Fri, 31 Dec 9999 23:59:59 GMT', 'not a date', '0', '"\u00e9"'),
    headerText,
  );
  const property = fc.asyncProperty(file, ifRange, fc.nat(size), async (name, mark, start) => {
    const of = files[name];
    const answer = await download(of.url, { range: `bytes=${start}-`, 'if-range': mark });
    expectRight(answer, of, `If-Range: ${mark}`);
    if (!marks.includes(mark.trim())) expect([mark, answer.status]).toEqual([mark, 200]);
  });
  await fc.assert(property, { seed: 3, numRuns: tries(150) });
});

test('HEAD answers as GET would, without the bytes', async () => {
  const property = fc.asyncProperty(file, wildRange, async (name, range) => {
    const { url, content: whole } = files[name];
    const request = { method: 'HEAD', path: pathOf(url), headers: { range } } as const;
    const { status, headers, bytes } = await send(new URL(url).origin, request);
    expect([200, 206, 416], range.slice(0, 200)).toContain(status);
    expect(bytes).toHaveLength(0);
    if (status === 200) expect(headers['content-length']).toBe(`${whole.length}`);
  });
  await fc.assert(property, { seed: 4, numRuns: tries(100) });
  await expectAlive(siege);
});
