// The 27 tools, sorted by name, for the runner, the schemas and the local service.
import type { RecordKind } from '../api/project.ts';
import { audioTools } from './audio-tools.ts';
import { characterReplace } from './character-replace.ts';
import { faceSwapPhoto } from './face-swap-photo.ts';
import { imageEditTools } from './image-edit-tools.ts';
import { imagePromptTools } from './image-prompt-tools.ts';
import type { Tool } from './kind.ts';
import { videoClipTools } from './video-clip-tools.ts';
import { videoPromptTools } from './video-prompt-tools.ts';

export const tools: readonly Tool[] = [
  characterReplace,
  faceSwapPhoto,
  ...videoClipTools,
  ...videoPromptTools,
  ...imageEditTools,
  ...imagePromptTools,
  ...audioTools,
].sort((one, other) => (one.name < other.name ? -1 : 1));

const byName = new Map(tools.map((tool) => [tool.name, tool]));

export function toolNamed(name: string): Tool | undefined {
  return byName.get(name);
}

/**
 * Which details endpoint knows the projects of a tool. Throws for a name that no tool has: that is
 * a bug.
 */
export function recordOf(tool: string): RecordKind {
  const record = toolNamed(tool)?.record;
  if (record === undefined) throw new Error(`bug: ${JSON.stringify(tool)} is not a tool`);
  return record;
}
