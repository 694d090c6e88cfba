// The demo: six real photographs through face-swap-photos.yaml, against the local service, and a sheet that shows each
// before and after, and a report. Run it twice.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { writeBeforeAfter } from './before-after.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
/** Real photographs that a dev dependency brings along; they are copied to an ignored folder, never committed. */
const samples = join(root, 'node_modules/@vladmandic/face-api/demo');

/** Only what is missing, so that a second demo finds the same files untouched. */
function bring(from: string, to: string): void {
  const target = join(root, 'media', to);
  mkdirSync(dirname(target), { recursive: true });
  if (!existsSync(target)) copyFileSync(join(samples, from), target);
}

const numbers = [1, 2, 3, 4, 5, 6];
for (const number of numbers) bring(`sample${number}.jpg`, `photos/sample${number}.jpg`);

/** The actor is one of the faces: the laughing woman of the first photo, in pixels. */
const actor = join(root, 'media/actor.jpg');
if (!existsSync(actor))
  await sharp(join(samples, 'sample1.jpg'))
    .extract({ left: 1380, top: 170, width: 360, height: 480 })
    .jpeg({ quality: 95 })
    .toFile(actor);

const shotlist = (command: string): number | null =>
  spawnSync(
    process.execPath,
    [
      join(root, 'src/runner/cli/main.ts'),
      ...[command, join(root, 'pipelines/face-swap-photos.yaml')],
      // Unpacked from an archive there is no .git that says where the repository begins.
      ...['--rehearse', '--allow-outside', '--output', join(root, 'out/face-swap-photos')],
    ],
    { stdio: 'inherit' },
  ).status;

const status = shotlist('run');
if (status === 0) {
  const pairs = numbers.map((number) => ({
    name: `sample${number}`,
    before: join(root, `media/photos/sample${number}.jpg`),
    after: join(root, `out/face-swap-photos/sample${number}.png`),
  }));
  const sheet = await writeBeforeAfter(join(root, 'out/before-after'), pairs);
  process.stdout.write(`Before and after, side by side: ${relative(process.cwd(), sheet)}\n`);
  shotlist('report');
}
process.exit(status ?? 1);
