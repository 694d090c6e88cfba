// Where the faces of a picture are: found by a net, if its package is installed, else at fixed places.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { extname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { OverlayOptions } from 'sharp';
import { extensionOf, mediaTypeOf, type Region } from '../contract/api/asset.ts';
import { drawCard, drawing } from './card.ts';
import type { Question } from './face-worker.ts';
import { type Layer, layerOf, overlayOf, readClip, readPicture, sharpOf } from './input.ts';
import type { FoundFace, RenderInput } from './renderer.ts';
import type { Size } from './size.ts';

export interface FaceFinder {
  /** Whether faces are looked for. */
  readonly isReal: boolean;
  /** Says so, in a sentence. */
  readonly note: string;
  /** From left to right. `confidence`: the least one, 0 to 1. */
  find(picture: Layer, confidence: number): Promise<readonly Region[]>;
  close(): Promise<void>;
}

/** Nothing here looks into a clip: it has the faces of a card. */
export async function findFaces(
  finder: FaceFinder,
  input: RenderInput,
  confidence: number,
): Promise<readonly FoundFace[]> {
  const extension = extensionOf(input.reference);
  const isClip = mediaTypeOf(extension) === 'video' && extension !== 'gif';
  const clip = isClip ? await readClip({ ...input, media: 'video' }) : undefined;
  const picture = isClip ? undefined : await readPicture(input);
  const size = { width: 640, height: 480, ...clip };
  const empty = { base: undefined, badges: [], facts: '', label: 'face-detect', hue: 200 };
  const shown = picture ?? (await drawCard({ ...size, ...empty, words: 'a face of a clip' }));
  const places = picture === undefined ? fixedFaces(shown) : await finder.find(picture, confidence);
  return await Promise.all(
    places.map(async (region) => {
      const crop = sharpOf(await headOf(shown, region)).png({ compressionLevel: 2 });
      return { region, crop: await crop.toBuffer() };
    }),
  );
}

const facePackage = '@vladmandic/face-api';

/** The address of the package's description; undefined if it is not installed. */
function findPackage(): string | undefined {
  try {
    const { resolve } = createRequire(import.meta.url);
    return pathToFileURL(resolve(`${facePackage}/package.json`)).href;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND') return;
    throw error;
  }
}

/** `count`: so many faces in every picture, at fixed places. */
export function openFaceFinder(count: number | undefined): FaceFinder {
  const found = count === undefined ? findPackage() : undefined;
  if (found !== undefined) return openNet(found);
  const why =
    count === undefined
      ? `, because ${facePackage} is not installed (npm install ${facePackage})`
      : '';
  return {
    isReal: false,
    note: `Faces are at fixed places${why}.`,
    find: async (picture) => fixedFaces(picture, count),
    close: async () => {},
  };
}

/** One face; two where a picture is half as wide again as high, three where it is twice as wide. */
export function fixedFaces({ width, height }: Size, count?: number): readonly Region[] {
  const number = count ?? (width >= height * 2 ? 3 : width >= height * 1.5 ? 2 : 1);
  const wide = Math.min(0.3, 0.6 / number);
  return Array.from({ length: number }, (_, index) => {
    const middle = (index + 0.5) / number;
    return { x: middle - wide / 2, y: 0.15, width: wide, height: 0.4 };
  });
}

/** Of the square in which the net looks, in pixels. */
const netSide = 512;
const maxRemembered = 1000;

/** The net computes for seconds on each picture: it has a thread of its own, and looks at each picture once. */
function openNet(description: string): FaceFinder {
  const found = new Map<string, Promise<readonly Region[]>>();
  const closed = new AbortController();
  let worker: Worker | undefined;
  let last: Promise<unknown> = Promise.resolve();

  const ask = async (question: Question): Promise<readonly Region[]> => {
    const script = new URL(`./face-worker${extname(import.meta.url)}`, import.meta.url);
    worker ??= new Worker(script, { workerData: description }).once('exit', () => {
      worker = undefined;
    });
    worker.unref();
    worker.postMessage(question);
    const { signal } = closed;
    const [regions]: readonly Region[][] = await once(worker, 'message', { signal });
    return (regions ?? []).toSorted((one, other) => one.x - other.x);
  };

  const find = async (picture: Layer, confidence: number): Promise<readonly Region[]> => {
    const side = { width: netSide, height: netSide, fit: 'inside' } as const;
    const image = sharpOf(picture).resize(side).flatten().raw();
    const { data: pixels, info } = await image.toBuffer({ resolveWithObject: true });
    const question = { pixels, width: info.width, height: info.height, confidence };
    const hash = createHash('sha256').update(`${info.width} ${confidence} `).update(pixels);
    const key = hash.digest('hex');
    const known = found.get(key);
    if (known !== undefined) return await known;
    const answer = last.then(() => ask(question));
    last = answer.catch(() => found.delete(key));
    if (found.size >= maxRemembered) found.clear();
    found.set(key, answer);
    return await answer;
  };

  return {
    isReal: true,
    note: `Faces are found by ${facePackage}; in clips, they are at fixed places.`,
    find,
    close: async () => {
      closed.abort();
      await worker?.terminate();
    },
  };
}

/** A face with its hair and chin, in pixels of a picture. */
function headAt({ x, y, width, height }: Region, size: Size) {
  const left = Math.max(0, Math.floor((x - width * 0.1) * size.width));
  const top = Math.max(0, Math.floor((y - height * 0.3) * size.height));
  const right = Math.min(size.width, Math.ceil((x + width * 1.1) * size.width));
  const bottom = Math.min(size.height, Math.ceil((y + height * 1.1) * size.height));
  return { left, top, width: Math.max(1, right - left), height: Math.max(1, bottom - top) };
}

/** The head at a region, as a picture of its own. */
export const headOf = async (picture: Layer, region: Region): Promise<Layer> =>
  await layerOf(sharpOf(picture).extract(headAt(region, picture)));

/** A head, over another one in a picture of this size. */
export async function headOver(head: Layer, region: Region, size: Size): Promise<OverlayOptions> {
  const { left, top, ...place } = headAt(region, size);
  return { ...overlayOf(await ovalOf(head, place)), left, top };
}

/** What is in a soft oval of a picture. */
export async function ovalOf(picture: Layer, size: Size): Promise<Layer> {
  const { width, height } = size;
  const soft =
    '<radialGradient id="f"><stop offset=".9"/><stop offset="1" stop-opacity="0"/></radialGradient>';
  const oval = `${soft}<ellipse cx="50%" cy="50%" rx="46%" ry="48%" fill="url(#f)"/>`;
  const mask = { input: drawing(size, oval), blend: 'dest-in' } as const;
  const image = sharpOf(picture).resize({ width, height, fit: 'cover' });
  return await layerOf(image.composite([mask]));
}
