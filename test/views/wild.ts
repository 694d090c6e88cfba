// Names as an enemy of the terminal would choose them.
import type { Plan } from '../../src/core/plan-table.ts';

/** Clears the screen, in both spellings of "escape", rings, goes back and deletes. */
export const wild = 'ro\u001b[2Jse\u009b31m\u0007\r\b\u007f\u0000\n.png';

/** Control characters, the line feeds between our own lines aside. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
export const control = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/;

export const emptyPlan: Plan = {
  items: 1,
  rows: [{ step: 'swap', kind: 'face-swap-photo', tasks: { reuse: 1 }, credits: 0, unpriced: 0 }],
  credits: 0,
  uncounted: 0,
  unpriced: 0,
  unpricedWhy: [],
  files: { changed: 0, elsewhere: 0, stored: 0 },
  badItems: 0,
  notes: [],
  noted: 0,
};
