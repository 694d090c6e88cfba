// Bundles shotlist before the first test, and before each round of `vitest --watch`: the command that tests start is never
// older than its sources.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'rolldown';
import type { TestProject } from 'vitest/node';
import { pageFile, pageModule } from '../build/page-module.ts';
import config from '../rolldown.config.ts';
import { bundlePage } from '../src/report/bundle.ts';
import { builtRoot } from './built.ts';

/** Returns what is to be done when all tests are over. */
export async function setup(project: TestProject): Promise<() => void> {
  await bundle();
  project.onTestsRerun(bundle);
  const { XDG_STATE_HOME: state = '' } = project.config.env;
  return () => rmSync(state, { recursive: true, force: true });
}

async function bundle(): Promise<void> {
  const { output } = await build({ ...config, write: false, logLevel: 'warn' });
  const dist = new URL('dist/', builtRoot);
  const page = pageFile(dist);
  for (const part of output)
    replace(new URL(part.fileName, dist), part.type === 'chunk' ? part.code : part.source);
  replace(page, pageModule(await bundlePage()));
  // What an earlier bundle had and this one has not.
  const written = new Set([
    page.href,
    ...output.map(({ fileName }) => new URL(fileName, dist).href),
  ]);
  for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
    const file = pathToFileURL(join(entry.parentPath, entry.name));
    if (entry.isFile() && !written.has(file.href)) rmSync(file);
  }
  // Where the command finds its version.
  replace('package.json', readFileSync(new URL('../package.json', import.meta.url)));
}

/** As a whole, and only if it differs: another run of the tests may read the file. */
function replace(path: string | URL, content: string | Uint8Array): void {
  const file = new URL(path, builtRoot);
  if (existsSync(file) && readFileSync(file).equals(Buffer.from(content))) return;
  const next = new URL(`${file.href}.${process.pid}`);
  mkdirSync(new URL('.', file), { recursive: true });
  writeFileSync(next, content);
  renameSync(next, file);
}
