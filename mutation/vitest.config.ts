// The tests that mutants meet: the unit tests of the runner. Whole commands are too slow to run thousands of times.
import { defineConfig } from 'vitest/config';
import usual from '../vitest.config.ts';

const { env, setupFiles, globalSetup } = usual.test ?? {};

export default defineConfig({
  test: {
    include: [
      'test/{model,plan,run,views,files,service-api,state,stores,distributed,report}/**/*.test.ts',
    ],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    env,
    setupFiles,
    globalSetup,
  },
});
