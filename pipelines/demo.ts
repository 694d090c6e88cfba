// The demo: six real photographs through face-swap-photos.yaml, against the local service. Run it twice.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
/** Real photographs that a dev dependency brings along; they are copied to an ignored folder, never committed. */
const samples = join(root, 'node_modules/@vladmandic/face-api/demo');

/** Only what is missing, so that a second demo finds the same files untouched. */
function bring(from: string, to: string): void {
  const target = join(root, 'media', to);
  mkdirSync(dirname(target), { recursive: true });
  if (!existsSync(target)) copyFileSync(join(samples, from), target);
}

for (const number of [1, 2, 3, 4, 5, 6]) bring(`sample${number}.jpg`, `photos/sample${number}.jpg`);
bring('sample1.jpg', 'actor.jpg');

const { status } = spawnSync(
  process.execPath,
  [
    join(root, 'src/cli/main.ts'),
    ...['run', join(root, 'pipelines/face-swap-photos.yaml')],
    ...['--rehearse', '--output', join(root, 'out/face-swap-photos')],
  ],
  { stdio: 'inherit' },
);
process.exit(status ?? 1);
