// What a person writes with the vendor's published client: so many photos at a time, and a skip for what is on disk.
// `node bench/vendor-script.ts FOLDER ADDRESS AT-ONCE` reads FOLDER/photos and writes FOLDER/out.
import { existsSync, mkdirSync, readdirSync, renameSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, parse } from 'node:path';
import type vendor from 'magic-hour';

// A CommonJS module with a default export, as its types see it.
const { default: Client }: { readonly default: typeof vendor.default } = createRequire(
  import.meta.url,
)('magic-hour');

const [folder = '', baseUrl = '', atOnce = '8'] = process.argv.slice(2);
const client = new Client({ baseUrl, token: process.env['SHOTLIST_API_KEY'] ?? 'bench' });
const out = join(folder, 'out');
mkdirSync(out, { recursive: true });
const photos = readdirSync(join(folder, 'photos')).sort();

async function work(): Promise<void> {
  for (let name = photos.shift(); name !== undefined; name = photos.shift()) {
    const target = join(out, `${parse(name).name}.png`);
    if (existsSync(target)) continue;
    const { downloadedPaths } = await client.v1.imageBackgroundRemover.generate(
      { name, assets: { imageFilePath: join(folder, 'photos', name) } },
      { downloadDirectory: out },
    );
    const [path] = downloadedPaths ?? [];
    if (path === undefined) throw new Error(`nothing was downloaded for ${name}`);
    renameSync(path, target);
  }
}

await Promise.all(Array.from({ length: Number(atOnce) }, work));
