// The demo: six real portraits through face-swap-photos.yaml, against the local service, and a sheet that shows each
// before and after, and a report. Run it twice.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import sharp from 'sharp';
import { writeBeforeAfter } from './before-after.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
/** Real photographs that a dev dependency brings along: the faces are copied to an ignored folder, never committed. */
const samples = join(root, 'node_modules/@vladmandic/face-api/demo');

/** A face on one of the photographs: the corner of a portrait around it, in pixels. */
interface Face {
  readonly sample: number;
  readonly left: number;
  readonly top: number;
}
const portrait = { width: 400, height: 430 } as const;

const faces: readonly Face[] = [
  { sample: 3, left: 953, top: 149 },
  { sample: 3, left: 1360, top: 235 },
  { sample: 6, left: 136, top: 430 },
  { sample: 6, left: 545, top: 297 },
  { sample: 6, left: 1450, top: 230 },
  { sample: 4, left: 895, top: 125 },
];
const actor: Face = { sample: 1, left: 1370, top: 100 };

/** Only what is missing, so that a second demo finds the same files untouched. */
async function bring({ sample, left, top }: Face, to: string): Promise<string> {
  const target = join(root, 'media', to);
  mkdirSync(dirname(target), { recursive: true });
  if (!existsSync(target))
    await sharp(join(samples, `sample${sample}.jpg`))
      .extract({ left, top, ...portrait })
      .jpeg({ quality: 95 })
      .toFile(target);
  return target;
}

await bring(actor, 'actor.jpg');
const photos: string[] = [];
for (const [index, face] of faces.entries())
  photos.push(await bring(face, `photos/portrait-${index + 1}.jpg`));

const main = join(root, 'src/cli/main.ts');
const wordsOf = (command: string): string[] => [
  ...[main, command, join(root, 'pipelines/face-swap-photos.yaml')],
  // Unpacked from an archive there is no .git that says where the repository begins.
  ...['--rehearse', '--allow-outside', '--output', join(root, 'out/face-swap-photos')],
];

// In this process, so that whatever kills the demo kills the run.
process.argv.splice(1, process.argv.length, ...wordsOf('run'));
await import(pathToFileURL(main).href);

if (process.exitCode === 0) {
  const pairs = photos.map((before) => {
    const name = basename(before, '.jpg');
    return { name, before, after: join(root, `out/face-swap-photos/${name}.png`) };
  });
  const sheet = await writeBeforeAfter(join(root, 'out/before-after'), pairs);
  process.stdout.write(`Before and after, side by side: ${relative(process.cwd(), sheet)}\n`);
  spawnSync(process.execPath, wordsOf('report'), { stdio: 'inherit' });
}
