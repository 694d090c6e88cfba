// Writes the page of reports into dist/, after the compiler: one script and one style, without imports.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { assetNames } from '../src/runner/adapters/page/assets.ts';
import { bundlePage } from '../src/runner/adapters/page/bundle.ts';

const page = new URL('../dist/runner/report/page/', import.meta.url);
const { script, style } = await bundlePage();
mkdirSync(new URL('bundle/', page), { recursive: true });
writeFileSync(new URL(`bundle/${assetNames.script}`, page), script);
writeFileSync(new URL(`bundle/${assetNames.style}`, page), style);
// Only the bundle runs in a browser.
rmSync(fileURLToPath(new URL('browser/', page)), { recursive: true, force: true });
