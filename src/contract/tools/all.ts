// The list of the tools. To add a tool, add its file and a line here.
import type { RecordKind } from '../api/project.ts';
import type { Tool } from '../tool.ts';
import { aiClothesChanger } from './ai-clothes-changer.ts';
import { aiFaceEditor } from './ai-face-editor.ts';
import { aiGifGenerator } from './ai-gif-generator.ts';
import { aiHeadshotGenerator } from './ai-headshot-generator.ts';
import { aiImageEditor } from './ai-image-editor.ts';
import { aiImageGenerator } from './ai-image-generator.ts';
import { aiImageUpscaler } from './ai-image-upscaler.ts';
import { aiMemeGenerator } from './ai-meme-generator.ts';
import { aiQrCodeGenerator } from './ai-qr-code-generator.ts';
import { aiTalkingPhoto } from './ai-talking-photo.ts';
import { aiVideoEditor } from './ai-video-editor.ts';
import { aiVoiceCloner } from './ai-voice-cloner.ts';
import { aiVoiceGenerator } from './ai-voice-generator.ts';
import { animation } from './animation.ts';
import { audioToVideo } from './audio-to-video.ts';
import { autoSubtitleGenerator } from './auto-subtitle-generator.ts';
import { bodySwap } from './body-swap.ts';
import { characterReplace } from './character-replace.ts';
import { faceSwap } from './face-swap.ts';
import { faceSwapPhoto } from './face-swap-photo.ts';
import { headSwap } from './head-swap.ts';
import { imageBackgroundRemover } from './image-background-remover.ts';
import { imageToVideo } from './image-to-video.ts';
import { lipSync } from './lip-sync.ts';
import { photoColorizer } from './photo-colorizer.ts';
import { textToVideo } from './text-to-video.ts';
import { videoToVideo } from './video-to-video.ts';

/** In the order in which `init` proposes them for files of one medium, or for none. */
export const proposedTools: readonly Tool[] = [
  imageBackgroundRemover,
  aiImageUpscaler,
  photoColorizer,
  aiHeadshotGenerator,
  faceSwapPhoto,
  aiImageEditor,
  imageToVideo,
  aiFaceEditor,
  aiClothesChanger,
  bodySwap,
  headSwap,
  aiTalkingPhoto,
  autoSubtitleGenerator,
  aiVideoEditor,
  faceSwap,
  characterReplace,
  lipSync,
  videoToVideo,
  audioToVideo,
  aiVoiceCloner,
  aiImageGenerator,
  textToVideo,
  aiGifGenerator,
  aiMemeGenerator,
  aiQrCodeGenerator,
  aiVoiceGenerator,
  animation,
];

/** Sorted by name, for the runner, the schemas and the local service. */
export const tools: readonly Tool[] = proposedTools.toSorted((one, other) =>
  one.name < other.name ? -1 : 1,
);

const byName = new Map(tools.map((tool) => [tool.name, tool]));

export function toolNamed(name: string): Tool | undefined {
  return byName.get(name);
}

/** Throws for a name that no tool has: that is a bug. */
export function existingTool(name: string): Tool {
  const tool = toolNamed(name);
  if (tool === undefined) throw new Error(`bug: ${JSON.stringify(name)} is not a tool`);
  return tool;
}

/** Which details endpoint knows the projects of a tool. Throws for a name that no tool has. */
export const recordOf = (tool: string): RecordKind => existingTool(tool).record;
