// The demo: six product pictures through product-photos.yaml, against the local service, a sheet that shows each before and
// after, and a report. Run it twice.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, readdirSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { drawProducts } from '../docs/pictures/products.ts';
import { writeBeforeAfter } from './before-after.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const photos = join(root, 'media/products');
const pipeline = join(root, 'media/product-photos.yaml');
const output = join(root, 'out/product-photos');

// A second demo finds the same files untouched.
if (!existsSync(photos)) await drawProducts(photos, 6);
copyFileSync(join(root, 'pipelines/product-photos.yaml'), pipeline);

const main = join(root, 'src/cli/main.ts');
const wordsOf = (command: string): string[] => [
  ...[main, command, pipeline, '--rehearse'],
  // Unpacked from an archive there is no .git that says where the repository begins.
  ...['--allow-outside', '--output', output],
];

// In this process, so that whatever kills the demo kills the run.
process.argv.splice(1, process.argv.length, ...wordsOf('run'));
await import(pathToFileURL(main).href);

if (process.exitCode === 0) {
  const pairs = readdirSync(photos).map((file) => {
    const name = basename(file, '.jpg');
    return { name, before: join(photos, file), after: join(output, `web/${name}.png`) };
  });
  const sheet = await writeBeforeAfter(join(root, 'out/before-after'), pairs);
  process.stdout.write(`Before and after, side by side: ${relative(process.cwd(), sheet)}\n`);
  spawnSync(process.execPath, wordsOf('report'), { stdio: 'inherit' });
}
