// A starter for each tool: the part of a first pipeline that differs from tool to tool.

import type { StarterParts } from '../../contract/tool/starter.ts';
import { proposedTools } from '../../contract/tools/all.ts';

export interface Starter extends StarterParts {
  readonly tool: string;
}

/** In the order in which `init` proposes them. */
export const starters: readonly Starter[] = proposedTools.map(({ name, starter }) => ({
  tool: name,
  ...starter,
}));

/** What people call the items. */
export const mediaNoun = {
  image: 'photo',
  video: 'clip',
  audio: 'sound',
  prompt: 'prompt',
} as const;
