// Makes the pictures of the README from real runs of the real command: `npm run pictures` (Linux, with util-linux and Chromium).
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { animatedSvg } from './animated-svg.ts';
import { drawProducts } from './products.ts';
import { type Recording, record, type Scene } from './recording.ts';
import { photographReport } from './screenshot.ts';

const here = fileURLToPath(new URL('.', import.meta.url));
const main = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));

const pipeline = `pipeline: products
description: Cut out the products of the autumn catalogue
items: { glob: "photos/*.jpg" }
budget: { credits: 200 }
steps:
  photo: { uses: upload, with: { file: "\${{ item.path }}" } }
  cut:
    uses: image-background-remover
    with: { assets: { image_file_path: "\${{ steps.photo.file_path }}" } }
  save: { uses: download, with: { of: cut, to: "\${{ item.stem }}.png" } }
  tidy: { uses: delete, with: { of: cut } }
`;

const scene = (args: readonly string[], rest: number): Scene => ({
  typed: `npx shotlist ${args.join(' ')}`,
  command: [process.execPath, main, ...args],
  rest,
});

/** Twice as fast as the hosted service, and without rendering, so that the recording is short. */
const quickly = ['--speed', '2', '--pictures', 'plain'] as const;

const recording: Recording = {
  opening: [scene(['validate', 'products.yaml'], 1000), scene(['plan', 'products.yaml'], 6000)],
  scenes: [scene(['run', 'products.yaml', ...quickly], 7000)],
};

const root = mkdtempSync(join(tmpdir(), 'shotlist-pictures-'));
const env = { ...process.env, XDG_STATE_HOME: join(root, 'state') };

/** A folder with the pipeline and so many photos. */
async function studio(name: string, photos: number): Promise<string> {
  const folder = join(root, name);
  mkdirSync(join(folder, '.git'), { recursive: true });
  writeFileSync(join(folder, 'products.yaml'), pipeline);
  await drawProducts(join(folder, 'photos'), photos);
  return folder;
}

try {
  const frames = await record(recording, await studio('recording', 24), env);
  const title = 'shotlist validates, plans and runs a pipeline in a terminal';
  writeFileSync(join(here, 'run.svg'), animatedSvg(frames, title));
  const file = join(await studio('report', 8), 'products.yaml');
  await photographReport(file, join(here, 'report.webp'), { main, env });
} finally {
  rmSync(root, { recursive: true, force: true });
}
