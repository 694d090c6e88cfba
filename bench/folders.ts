// The folders that are run: photos that are uploaded and swapped, and a table of prompts.
import { createCipheriv, createHash } from 'node:crypto';
import {
  createWriteStream,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { pictureWith } from '../test/photo.ts';
import { swapAssets } from '../test/photo-pipeline.ts';

const photoPipeline = (concurrency: number): string => `pipeline: bench
items: { glob: photos/*.png }
limits: { items: ${concurrency} }
output: out
steps:
  actor: { uses: upload, with: { file: actor.png } }
  photo: { uses: upload, with: { file: "\${{ item.path }}" } }
  faces: { uses: face-detect, with: { target_file_path: "\${{ steps.photo.file_path }}" } }
  swap:
    uses: face-swap-photo
    with:
${swapAssets}\
  save: { uses: download, with: { of: swap, to: "\${{ item.stem }}.png" } }
  tidy: { uses: delete, with: { of: swap } }
`;

const promptPipeline = (concurrency: number): string => `pipeline: bench
items: { csv: prompts.csv }
limits: { items: ${concurrency} }
steps:
  picture:
    uses: ai-image-generator
    with: { image_count: 1, model: flux-schnell, resolution: 640px, style: { prompt: "\${{ item.prompt }}" } }
`;

/** With receipts and a memory of its own: what another bench paid for is not reused. Every process that is started from here hears of it. */
function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'shotlist-bench-'));
  process.env['SHOTLIST_RECEIPTS'] = join(folder, receipts);
  process.env['XDG_STATE_HOME'] = join(folder, '.state');
  return folder;
}

const receipts = 'receipts';

/** Bytes that look random, the same for a seed and a name. */
export function noise(seed: number, name: string, bytes: number): Buffer {
  const key = createHash('sha256').update(`${seed} ${name}`).digest();
  return createCipheriv('aes-256-ctr', key, Buffer.alloc(16)).update(Buffer.alloc(bytes));
}

/** A folder with a pipeline and so many different pictures of one pixel, each with as many bytes of noise. */
export function photoFolder(
  items: number,
  bytes: number,
  concurrency: number,
  seed: number,
): string {
  const folder = newFolder();
  mkdirSync(join(folder, 'photos'));
  writeFileSync(join(folder, 'pipeline.yaml'), photoPipeline(concurrency));
  writeFileSync(join(folder, 'actor.png'), pictureWith(noise(seed, 'actor', bytes)));
  for (let index = 0; index < items; index++) {
    const name = `p${String(index).padStart(6, '0')}.png`;
    writeFileSync(join(folder, 'photos', name), pictureWith(noise(seed, name, bytes)));
  }
  return folder;
}

/** A folder with the files of a photo folder, and receipts of its own: nobody has run it. */
export function freshFolder(template: string): string {
  const folder = newFolder();
  mkdirSync(join(folder, 'photos'));
  const photos = readdirSync(join(template, 'photos')).map((name) => join('photos', name));
  for (const name of ['pipeline.yaml', 'actor.png', ...photos])
    linkSync(join(template, name), join(folder, name));
  return folder;
}

/** A folder with a pipeline and a table of so many prompts: one creation an item, without files. */
export async function promptFolder(items: number, concurrency: number): Promise<string> {
  const folder = newFolder();
  writeFileSync(join(folder, 'pipeline.yaml'), promptPipeline(concurrency));
  await pipeline(Readable.from(rows(items)), createWriteStream(join(folder, 'prompts.csv')));
  return folder;
}

function* rows(items: number): Iterable<string> {
  yield 'prompt\n';
  for (let index = 1; index <= items; index++) yield `a lighthouse in storm ${index}\n`;
}

/** Removes what a run leaves, so that the next one does everything again. */
export function forget(folder: string): void {
  for (const name of ['out', '.shotlist', 'bench.state.jsonl', receipts])
    rmSync(join(folder, name), { recursive: true, force: true });
}
