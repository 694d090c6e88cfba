// A starter for each tool.
import { clipStarters, soundStarters } from './clip-starters.ts';
import { photoStarters } from './photo-starters.ts';
import { promptStarters } from './prompt-starters.ts';
import type { Starter } from './starter.ts';

export const starters: readonly Starter[] = [
  ...photoStarters,
  ...clipStarters,
  ...soundStarters,
  ...promptStarters,
];
