// Which renderer makes which tool's output, and what it needs. A tool without a renderer of its own gets the default of what
// it makes. The heavy libraries behind some tools are optional, since whoever only uses the hosted service needs none of
// them; they are loaded when a renderer first uses them.
import { createRequire } from 'node:module';
import { entryOf } from '../base/json.ts';
import { extensionOf, mediaTypeOf } from '../contract/api/asset.ts';
import type { RecordKind } from '../contract/api/project.ts';
import type { Tool } from '../contract/tool.ts';
import { toolNamed } from '../contract/tools/all.ts';
import type {
  FaceAnswer,
  FaceQuestion,
  FoundFace,
  RenderOutcome,
  RenderRequest,
} from './base/request.ts';
import { findFacesInClip, findFacesInPicture } from './faces/search.ts';
import { findStandInFaces, renderStandIn } from './stand-in.ts';
import { renderQrCode } from './tools/ai-qr-code-generator.ts';
import { renderFaceEditor, renderImage, renderMeme } from './tools/cards.ts';
import { renderCharacterReplace } from './tools/character-replace.ts';
import {
  renderAnimation,
  renderAutoSubtitles,
  renderGif,
  renderVideo,
  renderVideoToVideo,
} from './tools/clips.ts';
import { renderFaceSwap } from './tools/face-swap.ts';
import { renderFaceSwapPhoto } from './tools/face-swap-photo.ts';
import { renderBodySwap, renderHeadSwap, renderHeadshot } from './tools/people.ts';
import { renderBackgroundRemover, renderColorizer, renderUpscaler } from './tools/pictures.ts';
import { renderAudio, renderVoiceCloner } from './tools/sounds.ts';
import { renderLipSync, renderTalkingPhoto } from './tools/speaking.ts';

/** What a renderer may need: looking for faces, and decoding and encoding clips. */
type Need = 'faces' | 'clips';

const packages: Readonly<Record<Need, readonly string[]>> = {
  faces: ['@vladmandic/face-api', '@tensorflow/tfjs', '@tensorflow/tfjs-backend-wasm'],
  clips: ['node-av'],
};

/** What a rehearsal is like without them. */
const consequences: Readonly<Record<Need, string>> = {
  faces: 'Faces are not looked for, and stand-ins replace what needs them',
  clips: 'Clips are neither decoded nor rendered, and stand-ins replace them',
};

const list = new Intl.ListFormat('en');

const { resolve } = createRequire(import.meta.url);

/** Whether a package can be loaded from here. */
export const isInstalled = (name: string): boolean => {
  try {
    resolve(`${name}/package.json`);
    return true;
  } catch (error) {
    // It is there, and only does not show its package.json to others.
    return (
      error instanceof Error && 'code' in error && error.code === 'ERR_PACKAGE_PATH_NOT_EXPORTED'
    );
  }
};

interface Lack {
  readonly need: Need;
  /** What is missing, what it means, and the line that installs it. */
  readonly sentence: string;
}

export function lacksOf(isThere: (name: string) => boolean = isInstalled): readonly Lack[] {
  return (['faces', 'clips'] as const).flatMap((need) => {
    const missing = packages[need].filter((name) => !isThere(name));
    if (missing.length === 0) return [];
    const verb = missing.length === 1 ? 'is' : 'are';
    return [
      {
        need,
        sentence: `${consequences[need]}: ${list.format(missing)} ${verb} not installed (npm install ${missing.join(' ')})`,
      },
    ];
  });
}

interface Renderer {
  readonly needs: readonly Need[];
  readonly render: (request: RenderRequest) => Promise<RenderOutcome>;
}

/** The tools that have a renderer of their own. */
const renderers: Readonly<Record<string, Renderer>> = {
  'ai-face-editor': { needs: ['faces'], render: renderFaceEditor },
  'ai-gif-generator': { needs: ['clips'], render: renderGif },
  'ai-headshot-generator': { needs: ['faces'], render: renderHeadshot },
  'ai-image-upscaler': { needs: [], render: renderUpscaler },
  'ai-meme-generator': { needs: [], render: renderMeme },
  'ai-qr-code-generator': { needs: [], render: renderQrCode },
  'ai-talking-photo': { needs: ['faces', 'clips'], render: renderTalkingPhoto },
  'ai-voice-cloner': { needs: [], render: renderVoiceCloner },
  animation: { needs: ['clips'], render: renderAnimation },
  'auto-subtitle-generator': { needs: ['clips'], render: renderAutoSubtitles },
  'body-swap': { needs: [], render: renderBodySwap },
  'character-replace': { needs: ['clips'], render: renderCharacterReplace },
  'face-swap': { needs: ['faces', 'clips'], render: renderFaceSwap },
  'face-swap-photo': { needs: ['faces'], render: renderFaceSwapPhoto },
  'head-swap': { needs: ['faces'], render: renderHeadSwap },
  'image-background-remover': { needs: [], render: renderBackgroundRemover },
  'lip-sync': { needs: ['faces', 'clips'], render: renderLipSync },
  'photo-colorizer': { needs: [], render: renderColorizer },
  'video-to-video': { needs: ['clips'], render: renderVideoToVideo },
};

/** For the other tools, by what they make. */
const defaults: Readonly<Record<RecordKind, Renderer>> = {
  image: { needs: [], render: renderImage },
  video: { needs: ['clips'], render: renderVideo },
  audio: { needs: [], render: renderAudio },
};

const rendererOf = ({ name, record }: Pick<Tool, 'name' | 'record'>): Renderer =>
  entryOf(renderers, name) ?? defaults[record];

/** What is missing for some step kinds, or for all: a sentence each. */
export function lacksFor(kinds?: ReadonlySet<string>): readonly string[] {
  const needs = new Set([...(kinds ?? [])].flatMap(needsOf));
  return lacksOf()
    .filter(({ need }) => kinds === undefined || needs.has(need))
    .map(({ sentence }) => sentence);
}

/** Face detection looks into clips too, but most requests do without. */
function needsOf(kind: string): readonly Need[] {
  if (kind === 'face-detect') return ['faces'];
  const tool = toolNamed(kind);
  return tool === undefined ? [] : rendererOf(tool).needs;
}

const lacking = new Set(lacksOf().map(({ need }) => need));
const isLacking = (needs: readonly Need[]): boolean => needs.some((need) => lacking.has(need));

/** A tool whose libraries are missing is rendered as a stand-in. */
export async function renderTool(request: RenderRequest): Promise<RenderOutcome> {
  const { needs, render } = rendererOf(request.tool);
  return isLacking(needs) ? renderStandIn(request) : render(request);
}

export async function searchFaces(
  question: FaceQuestion,
  report: (face: FoundFace) => Promise<void>,
): Promise<FaceAnswer> {
  const { file } = question.input;
  const isClip = file !== undefined && mediaTypeOf(extensionOf(file)) === 'video';
  if (isLacking(isClip ? ['faces', 'clips'] : ['faces'])) return findStandInFaces(question, report);
  return isClip ? findFacesInClip(question, report) : findFacesInPicture(question, report);
}
