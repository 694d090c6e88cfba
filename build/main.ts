// Bundles src/ into dist/, with the page of reports, after the compiler wrote the types: a module with one script, one style, and the
// licenses of the packages in them, which licenses.txt gets as well.
import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import { build } from 'rolldown';
import config from '../rolldown.config.ts';
import { bundlePage } from '../src/report/bundle.ts';
import { pageFile, pageModule } from './page-module.ts';

const dist = new URL('../dist/', import.meta.url);
const report = new URL('report/', dist);
// The command line of rolldown prints the size of each of 200 files.
await build({ ...config, logLevel: 'warn' });
const page = await bundlePage();
writeFileSync(pageFile(dist), pageModule(page));
appendFileSync(new URL('licenses.txt', dist), `\n\n${page.notices}`);
// Only the bundle runs in a browser, and only a checkout can make it.
rmSync(new URL('browser/', report), { recursive: true, force: true });
for (const name of ['bundle.js', 'bundle.d.ts']) rmSync(new URL(name, report), { force: true });
