import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // By default a core is left idle: on two cores that is half the machine.
    maxWorkers: '100%',
    // Hundreds of commands are started as child processes: compiled once, each starts in half the time.
    env: {
      NODE_COMPILE_CACHE: fileURLToPath(new URL('node_modules/.cache/compile', import.meta.url)),
    },
  },
});
