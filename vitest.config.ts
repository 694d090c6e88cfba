import { statfsSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { Cost } from './test/cost.ts';
import { LeanFirst } from './test/lean-first.ts';
import { isMissing, MissingPrograms, programTags, tagDescription } from './test/programs.ts';

const memoryFolder = '/dev/shm';
const neededBytes = 2 ** 31;

/**
 * Where the temporary folders of tests are: in memory where the system has such a folder. Most of the time that a test
 * waits, it waits for the disk to sync. `TMPDIR=/tmp npm test` uses the disk.
 */
function temporaryFolder(): string {
  if (process.env['TMPDIR'] !== undefined || process.platform !== 'linux') return tmpdir();
  try {
    const { bavail, bsize } = statfsSync(memoryFolder);
    return bavail * bsize >= neededBytes ? memoryFolder : tmpdir();
  } catch (error) {
    // Some containers do not have the folder.
    if (error instanceof Error && 'code' in error) return tmpdir();
    throw error;
  }
}

const missing = programTags.filter(isMissing);
const temporary = temporaryFolder();

// Starting a process copies the page tables of the worker that starts it. Large pages make them small: where many
// processes are started, that takes a fifth off the processor time. Only glibc reads it.
process.env['GLIBC_TUNABLES'] ??= 'glibc.malloc.hugetlb=1';

export default defineConfig({
  test: {
    // Only to end what hangs: a shared machine may be three times slower than a quiet one.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 180_000 } },
    // Tests also wait for processes, services and the disk, and meanwhile another worker uses the core.
    maxWorkers: availableParallelism() + 2,
    reporters: ['default', new Cost(), new MissingPrograms(missing)],
    sequence: { sequencer: LeanFirst },
    include: ['test/**/*.test.ts'],
    tags: [
      {
        name: 'long',
        description:
          'Takes long, and what it shows is also shown by a shorter test, with less of it: only EVERY=1 tries it.',
      },
      ...programTags.map((tag) => ({ name: tag, description: tagDescription(tag) })),
    ],
    tagsFilter: [
      ...(process.env['EVERY'] === '1' ? [] : ['!long']),
      ...missing.map((tag) => `!${tag}`),
    ],
    globalSetup: ['test/build.ts'],
    setupFiles: ['test/measured.ts', 'test/own-receipts.ts'],
    // Loading the modules and compiling the schemas takes longer than many files of tests: workers keep both.
    isolate: false,
    // Node.js loads the sources itself, as in a checkout. That takes up to a sixth less processor time than the modules of
    // Vite, and a test may still not replace a module.
    experimental: { viteModuleRunner: false },
    // What a test replaced and forgot to restore does not reach the next file.
    restoreMocks: true,
    unstubEnvs: true,
    // The commands that tests start as processes are compiled once, so each starts in half the time.
    env: {
      TMPDIR: temporary,
      NODE_COMPILE_CACHE: fileURLToPath(new URL('node_modules/.cache/compile', import.meta.url)),
      // Not the developer's own: what tests trust and remember. It is removed when they are over (test/build.ts).
      XDG_STATE_HOME: join(temporary, `shotlist-state-${process.pid}`),
    },
  },
});
