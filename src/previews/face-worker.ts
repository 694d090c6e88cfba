// The thread that finds faces: a detector of @vladmandic/face-api, on the TensorFlow that the package brings along.
import { readFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';

export interface Question {
  /** Three bytes a pixel. */
  readonly pixels: Uint8Array;
  readonly width: number;
  readonly height: number;
  readonly confidence: number;
}

/** With what the package's types leave out. */
type FaceApi = typeof import('@vladmandic/face-api') & {
  readonly tf: { setBackend(name: 'cpu'): Promise<boolean> };
};

// The package's build for browsers needs no other package. It takes a thread with this name for one of a browser.
Object.assign(globalThis, { WorkerGlobalScope: Object });
const root = new URL('.', `${workerData}`);
const api: FaceApi = await import(new URL('dist/face-api.esm.js', root).href);
// Else it advises to install another package.
api.tf.ENV.set('IS_NODE', false);
await api.tf.setBackend('cpu');

const weights = new URL('model/tiny_face_detector_model', root).href;
const manifest = readFileSync(new URL(`${weights}-weights_manifest.json`), 'utf8');
const specs = JSON.parse(manifest).flatMap((part: { weights: unknown[] }) => part.weights);
const bytes = new Uint8Array(readFileSync(new URL(`${weights}.bin`)));
const detector = new api.TinyFaceDetector();
detector.loadFromWeightMap(api.tf.io.decodeWeights(bytes.buffer, specs));

parentPort?.on('message', async ({ pixels, width, height, confidence }: Question) => {
  const picture = api.tf.tensor3d(Int32Array.from(pixels), [height, width, 3], 'int32');
  // The package wants a number between the two.
  const scoreThreshold = Math.min(0.999, Math.max(0.001, confidence));
  const options = { inputSize: Math.max(width, height), scoreThreshold };
  const found = await detector.locateFaces(picture, options);
  picture.dispose();
  parentPort?.postMessage(
    found.map(({ relativeBox: { x, y, width: wide, height: high } }) => ({
      x,
      y,
      width: wide,
      height: high,
    })),
  );
});
