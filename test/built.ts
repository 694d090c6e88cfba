// The command that tests start as a process of its own: bundled from the sources (see build.ts), it starts in half the time
// that they take.
import { fileURLToPath } from 'node:url';

/** Stands for the root of the checkout, with `dist/` as `npm run build` makes it. */
export const builtRoot = new URL('../node_modules/.cache/built/', import.meta.url);

export const main = fileURLToPath(new URL('dist/cli/main.js', builtRoot));
