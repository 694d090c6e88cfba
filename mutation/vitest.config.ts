// The tests that mutants meet: the unit tests of the runner. Whole commands are too slow to run thousands of times.
import { defineConfig } from 'vitest/config';
import usual from '../vitest.config.ts';

const { env, setupFiles, globalSetup } = usual.test ?? {};

export default defineConfig({
  test: {
    include: ['test/runner/**/*.test.ts'],
    exclude: ['test/runner/{operations,cli,language}/**'],
    testTimeout: 60_000,
    env,
    setupFiles,
    globalSetup,
  },
});
