// A starter: the part of a first pipeline that differs from tool to tool.
import type { MediaType } from '../../contract/api/asset.ts';

export interface Starter {
  readonly tool: string;
  /** What one item is: a file, or a text that the file lists. */
  readonly of: MediaType | 'prompt';
  /** Files that all items share, by the name of their input. */
  readonly inputs: readonly StarterInput[];
  /** Texts for `prompt`, by their keys. */
  readonly prompts: readonly (readonly [key: string, text: string])[];
  /** The `with:` of the tool's step, in YAML. Its comments say what people change first. */
  readonly body: string;
}

export interface StarterInput {
  readonly name: string;
  readonly media: MediaType;
  readonly description: string;
}

/** The upload step of an item's file. */
export const uploadStep = { image: 'photo', video: 'clip', audio: 'sound' } as const;

/** What people call the files. */
export const mediaNoun = {
  image: 'photo',
  video: 'clip',
  audio: 'sound',
  prompt: 'prompt',
} as const;
