// The folders that are run: photos that are uploaded and swapped, and a table of prompts.
import { randomFillSync } from 'node:crypto';
import { createWriteStream, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { swapAssets } from '../test/photo-pipeline.ts';

const photoPipeline = (concurrency: number): string => `pipeline: bench
items: { glob: photos/*.jpg }
limits: { items: ${concurrency} }
output: out
steps:
  actor: { uses: upload, with: { file: actor.jpg } }
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

const newFolder = (): string => mkdtempSync(join(tmpdir(), 'shotlist-bench-'));

/** A folder with a pipeline and so many different files that pass for photos. */
export function photoFolder(items: number, bytes: number, concurrency: number): string {
  const folder = newFolder();
  mkdirSync(join(folder, 'photos'));
  writeFileSync(join(folder, 'pipeline.yaml'), photoPipeline(concurrency));
  const content = Buffer.alloc(bytes);
  writeFileSync(join(folder, 'actor.jpg'), randomFillSync(content));
  for (let index = 0; index < items; index++)
    writeFileSync(
      join(folder, 'photos', `p${String(index).padStart(6, '0')}.jpg`),
      randomFillSync(content),
    );
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
  for (const name of ['out', '.shotlist', 'bench.state.jsonl'])
    rmSync(join(folder, name), { recursive: true, force: true });
}
