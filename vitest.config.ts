import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Only to end what hangs: a shared machine may be three times slower than a quiet one.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // By default a core is left idle: on two cores that is half the machine.
    maxWorkers: '100%',
    // No test changes what others share: modules, compiled schemas and the processes of commands serve many files.
    isolate: false,
    // Hundreds of commands are started as child processes: compiled once, each starts in half the time.
    env: {
      NODE_COMPILE_CACHE: fileURLToPath(new URL('node_modules/.cache/compile', import.meta.url)),
      // Not the developer's own: what tests make and trust is remembered here.
      XDG_STATE_HOME: fileURLToPath(new URL('node_modules/.cache/state', import.meta.url)),
    },
  },
});
