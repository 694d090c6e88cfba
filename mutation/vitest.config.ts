// The tests that mutants meet: the unit tests of the runner. Whole commands are too slow to run thousands of times.
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/runner/**/*.test.ts'],
    exclude: ['test/runner/{operations,cli,language}/**'],
    // Some start a command of its own.
    globalSetup: ['test/build.ts'],
    testTimeout: 60_000,
    env: {
      XDG_STATE_HOME: fileURLToPath(new URL('../node_modules/.cache/state', import.meta.url)),
    },
  },
});
