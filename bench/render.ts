// How long the real renderers take, on one thread. First each sample photo, its faces found
// and swapped; then every tool once, with a sample photo, a clip of two seconds at 854 × 480 and a voice.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import type { JsonObject } from '../src/base/json.ts';
import { clipOf } from '../src/contract/api/clip.ts';
import type { Tool } from '../src/contract/tool.ts';
import { toolNamed, tools } from '../src/contract/tools/all.ts';
import type { RenderInput } from '../src/previews/base/request.ts';
import { writeClip } from '../src/previews/clips/write.ts';
import { pictureOf } from '../src/previews/pictures/picture.ts';
import { renderTool, searchFaces } from '../src/previews/registry.ts';
import { namedIn } from '../src/service/inputs.ts';
import { voiceSample } from '../test/previews/media.ts';
import { sample } from '../test/service/client.ts';
import { filledInObject } from '../test/service/examples.ts';
import { defineBench, type Row } from './frame/bench.ts';

const megapixels = 2;
const clip = { width: 854, height: 480, fps: 24, seconds: 2 };

export const render = defineBench({
  name: 'render',
  description: 'Milliseconds for each sample photo and for each tool, on one thread.',
  full: { photos: 6, tools: '' },
  tiny: { photos: 0, tools: 'photo-colorizer' },
  goals: [],
  run: ({ photos, tools: only }) => measureRenderers(photos, only),
});

/** All tools, or one. */
async function* measureRenderers(count: number, only: string): AsyncGenerator<Row> {
  const folder = mkdtempSync(join(tmpdir(), 'shotlist-bench-'));
  try {
    const photos = [1, 2, 3, 4, 5, 6].map((number) =>
      keep(folder, `${number}.jpg`, sample(number)),
    );
    const video = await filmOf(join(folder, 'clip.mp4'));
    const audio = keep(folder, 'voice.wav', voiceSample());
    const [actor = ''] = photos;
    // The libraries are loaded once in the life of a thread.
    if (count > 0) yield await timed('first face search, nets loaded with it', () => search(actor));
    for (const photo of photos.slice(0, count)) {
      const number = photos.indexOf(photo) + 1;
      let faces = 0;
      const found = await timed('', async () => {
        faces = await search(photo);
      });
      yield {
        ...found,
        what: `sample ${number}: ${faces} faces found (${megapixels}+ megapixels)`,
      };
      yield await timed(`sample ${number}: ${faces} faces swapped`, () =>
        make(folder, 'face-swap-photo', {
          assets: { target_file_path: photo, source_file_path: actor, face_swap_mode: 'all-faces' },
        }),
      );
    }
    const files = new Map([
      ['asset:image', photos[5] ?? ''],
      ['asset:video', video],
      ['asset:audio', audio],
    ]);
    for (const tool of tools) {
      const body = filledInObject(tool.examples[0] ?? {}, files);
      if (only !== '' && only !== tool.name) continue;
      const row = await timed(tool.name, () => make(folder, tool.name, body));
      if (tool.record !== 'video') yield row;
      else yield { ...row, 'ms a second of clip': row.ms / clipOf(body).seconds };
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function timed(
  what: string,
  operation: () => Promise<unknown>,
): Promise<{ readonly what: string; readonly ms: number }> {
  const began = performance.now();
  await operation();
  return { what, ms: performance.now() - began };
}

function keep(folder: string, name: string, content: Buffer): string {
  const file = join(folder, name);
  writeFileSync(file, content);
  return file;
}

async function filmOf(file: string): Promise<string> {
  const { width, height, fps, seconds } = clip;
  const wide = await sharp(sample(6)).resize({ width: 1100 }).png().toBuffer();
  async function* frames() {
    for (let index = 0; index < fps * seconds; index++)
      yield await pictureOf(sharp(wide).extract({ left: index * 4, top: 60, width, height }));
  }
  const sound = { seconds, pitch: 424 };
  await writeClip({ file, width, height, fps, frames: frames(), sound });
  return file;
}

const inputOf = (field: string, media: RenderInput['media'], file: string): RenderInput => ({
  ...{ field, media, file, reference: file, face: undefined, faces: [] },
});

async function search(file: string): Promise<number> {
  let faces = 0;
  const question = { input: inputOf('assets.target_file_path', 'image', file), confidence: 0.5 };
  const answer = await searchFaces(question, async () => {
    faces += 1;
  });
  if (!answer.ok) throw new Error(answer.error.message);
  return faces;
}

async function make(folder: string, name: string, body: JsonObject): Promise<void> {
  const tool = toolNamed(name);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  const out = join(folder, 'out');
  mkdirSync(out);
  const inputs = inputsIn(tool, body);
  const made = await renderTool({ tool, body, inputs, folder: out, seed: 1, most: 1080 });
  if (!made.ok) throw new Error(`${name}: ${made.error.message}`);
  rmSync(out, { recursive: true });
}

const inputsIn = (tool: Tool, body: JsonObject): readonly RenderInput[] =>
  [...namedIn(tool.request, body, '')].map(({ field, media, reference }) =>
    inputOf(field, media, reference),
  );
