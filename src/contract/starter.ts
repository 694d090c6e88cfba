// The starter of a tool: what the first pipeline that `init` writes says about it. The rest of the pipeline is the same for all
// tools.
import type { MediaType } from './api/asset.ts';

export interface StarterParts {
  /** What one item is: a file, or a text that the pipeline file lists. */
  readonly of: MediaType | 'prompt';
  /** Files that all items share, by the name of their input, which is also the name of their upload step. */
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

/** Applies the tool to each file. */
export const eachFile = (
  of: MediaType,
  body: string,
  ...inputs: readonly StarterInput[]
): StarterParts => ({ of, inputs, prompts: [], body });

/** Applies the tool to each text. */
export const eachPrompt = (
  body: string,
  ...prompts: readonly (readonly [key: string, text: string])[]
): StarterParts => ({ of: 'prompt', inputs: [], prompts, body });

/** The upload step of an item's file. */
export const uploadStep = { image: 'photo', video: 'clip', audio: 'sound' } as const;

// What bodies contain.

export const photoPath = '${{ steps.photo.file_path }}';
export const clipPath = '${{ steps.clip.file_path }}';
export const soundPath = '${{ steps.sound.file_path }}';
export const itemPrompt = '${{ item.prompt }}';

export const partOfClip = `start_seconds: 0 # the part of the clip; a longer part costs more
end_seconds: 2`;

// Inputs that several tools have.

export const faceInput: StarterInput = {
  name: 'face',
  media: 'image',
  description: 'The photo with the new face.',
};

export const voiceInput: StarterInput = {
  name: 'voice',
  media: 'audio',
  description: 'The speech.',
};
