// The neural nets for faces: face-api's, from its package, on tfjs's WebAssembly backend with one thread, so that the
// same pixels always gives the same numbers. Only this file uses the library; no tensor leaves it.

import { hash } from 'node:crypto';
import { createRequire } from 'node:module';
import { dirname, join, sep } from 'node:path';
import type { Rectangle } from '../pictures/canvas.ts';
import { type Picture, sharpOf } from '../pictures/picture.ts';

/** A face as the detector reports it, in pixels of what it was shown. */
interface Detection extends Rectangle {
  /** The detector's confidence: 0 to 1. */
  readonly score: number;
}

type Locate = (pixels: Uint8Array, confidence: number) => Promise<readonly Detection[]>;

/** The sides of the nets' inputs, in pixels: a square of this side is not scaled again. */
export const finderSide = 512;
export const landmarkSide = 112;
export const descriptorSide = 150;

/** A part of a picture as a square: the input of the nets. */
interface Patch {
  /** RGB, a byte each. */
  readonly pixels: Uint8Array;
  /** How many pixels of the picture one pixel of the patch is wide. */
  readonly scale: number;
}

/** The part, which is inside the picture, lies in the upper left; the rest of the square and transparent pixels are black. */
export async function patchOf(picture: Picture, part: Rectangle, side: number): Promise<Patch> {
  const pixels = await sharpOf(picture)
    .extract(part)
    .flatten()
    .resize(side, side, { fit: 'contain', position: 'left top' })
    .raw()
    .toBuffer();
  return { pixels, scale: Math.max(part.width, part.height) / side };
}

/** Faces that are found in one square at most. */
const maxFaces = 100;

let nets: ReturnType<typeof load> | undefined;

/** The nets of this thread, loaded when they are first asked for: 0.4 s here. */
export function faceNets(): ReturnType<typeof load> {
  nets ??= load();
  return nets;
}

/** The backend adds listeners that rethrow errors of the whole process: they are removed. */
async function withoutErrorListeners(start: () => Promise<void>): Promise<void> {
  const exceptions = process.listeners('uncaughtException');
  const rejections = process.listeners('unhandledRejection');
  await start();
  for (const listener of process.listeners('uncaughtException'))
    if (!exceptions.includes(listener)) process.off('uncaughtException', listener);
  for (const listener of process.listeners('unhandledRejection'))
    if (!rejections.includes(listener)) process.off('unhandledRejection', listener);
}

async function load() {
  // The packages are optional, and this build of face-api loads its tfjs with require.
  const require = createRequire(import.meta.url);
  const api: typeof import('@vladmandic/face-api') = require('@vladmandic/face-api/dist/face-api.node-wasm.js');
  const tf: typeof import('@tensorflow/tfjs') = require('@tensorflow/tfjs');
  const wasm: typeof import('@tensorflow/tfjs-backend-wasm') = require('@tensorflow/tfjs-backend-wasm');
  wasm.setWasmPaths(
    dirname(require.resolve('@tensorflow/tfjs-backend-wasm/dist/tfjs-backend-wasm.wasm')) + sep,
  );
  wasm.setThreadsCount(1);
  await withoutErrorListeners(async () => {
    await tf.setBackend('wasm');
    await tf.ready();
  });
  const models = join(dirname(require.resolve('@vladmandic/face-api/package.json')), 'model');
  const { ssdMobilenetv1, faceLandmark68Net, faceRecognitionNet } = api.nets;
  await Promise.all(
    [ssdMobilenetv1, faceLandmark68Net, faceRecognitionNet].map((net) => net.loadFromDisk(models)),
  );

  /** Runs a net on a square as a tensor, and disposes of the tensor. */
  async function shown<T>(
    pixels: Uint8Array,
    side: number,
    ask: (tensor: ReturnType<typeof api.tf.tensor3d>) => Promise<T>,
  ): Promise<T> {
    const tensor = api.tf.tensor3d(pixels, [side, side, 3], 'int32');
    try {
      return await ask(tensor);
    } finally {
      tensor.dispose();
    }
  }

  // Each is shown a square of its own side: RGB, a byte each.
  return {
    /** The faces with at least this confidence: 0 to 1. */
    locate: withCache((pixels, confidence) =>
      shown(pixels, finderSide, async (tensor) => {
        const options = new api.SsdMobilenetv1Options({
          minConfidence: confidence,
          maxResults: maxFaces,
        });
        const found = await ssdMobilenetv1.locateFaces(tensor, options);
        return found.map(({ box, score }): Detection => {
          const { left, top, width, height } = box;
          return { left, top, width, height, score };
        });
      }),
    ),
    /** 68 points of the face that fills the square, in its pixels: jaw, brows, nose, eyes and lips. */
    landmarks: (pixels: Uint8Array) =>
      shown(pixels, landmarkSide, async (tensor) => {
        const found = await faceLandmark68Net.detectLandmarks(tensor);
        const [first] = Array.isArray(found) ? found : [found];
        return (first?.positions ?? []).map(({ x, y }) => ({ x, y }));
      }),
    /** The descriptor of a face: 128 numbers, similar for the same person. */
    describe: (pixels: Uint8Array) =>
      shown(pixels, descriptorSide, async (tensor) => {
        const found = await faceRecognitionNet.computeFaceDescriptor(tensor);
        const [first] = Array.isArray(found) ? found : [found];
        return first ?? new Float32Array();
      }),
    /** How many tensors are alive: the same before and after each call. */
    tensors: () => tf.memory().numTensors,
  };
}

// The latest detections: a batch lays one face over many photos, and a photo that was searched for faces has them swapped
// next. Detection is by far the slowest step, so each thread keeps its latest results.

/** Each is a digest and a few detections. */
const maxCached = 256;
/** Detections with at least this confidence are kept; a search with less is never cached. */
const minCachedScore = 0.1;

/** Gives the same answers as `locate`. */
function withCache(locate: Locate): Locate {
  const looks = new Map<string, readonly Detection[]>();
  return async (pixels, confidence) => {
    if (confidence < minCachedScore) return locate(pixels, confidence);
    const key = hash('sha256', pixels, 'base64');
    const seen = looks.get(key) ?? (await locate(pixels, minCachedScore));
    // The most recently used entry is the last one, so the first one is dropped.
    looks.delete(key);
    looks.set(key, seen);
    const [oldest] = looks.keys();
    if (looks.size > maxCached && oldest !== undefined) looks.delete(oldest);
    return seen.filter(({ score }) => score >= confidence);
  };
}
