// Notes what a test file executes in its worker.
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeEach, expect } from 'vitest';
import { note } from './reach.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

beforeEach(({ task }) => {
  // Commands that the test types note what they execute under this name (reach-host.ts).
  process.env['REACH_TEST'] = task.name;
});

afterAll(() => note(relative(root, expect.getState().testPath ?? '')));
