// Short ways to write a starter down.
import type { MediaType } from '../../contract/api/asset.ts';
import type { Starter, StarterInput } from './starter.ts';

export const input = (name: string, media: MediaType, description: string): StarterInput => ({
  ...{ name, media, description },
});

/** Applies a tool to each file. */
export const files = (
  of: MediaType,
  tool: string,
  body: string,
  ...inputs: readonly StarterInput[]
): Starter => ({ tool, of, inputs, prompts: [], body });

/** Applies a tool to each text. */
export const texts = (
  tool: string,
  body: string,
  ...prompts: readonly (readonly [string, string])[]
): Starter => ({ tool, of: 'prompt', inputs: [], prompts, body });

export const photo = '${{ steps.photo.file_path }}';
export const clip = '${{ steps.clip.file_path }}';
export const sound = '${{ steps.sound.file_path }}';
export const prompt = '${{ item.prompt }}';
export const face = input('face', 'image', 'The photo with the new face.');
export const voice = input('voice', 'audio', 'The speech.');
