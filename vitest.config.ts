import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // By default a core is left idle: on two cores that is half the machine.
    maxWorkers: '100%',
  },
});
