// Which renderer makes which tool's output, and what it needs. A tool without a renderer of its own gets the default of what
// it makes. Each is loaded when it is first asked for, so that a thread which only makes QR codes never loads a face
// detector.

import { entryOf } from '../base/json.ts';
import { extensionOf, mediaTypeOf } from '../contract/api/asset.ts';
import type { RecordKind } from '../contract/api/project.ts';
import type { Tool } from '../contract/tool/tool.ts';
import { toolNamed } from '../contract/tools/all.ts';
import type { FaceAnswer, FaceQuestion, FoundFace } from './base/renderer.ts';
import type { RenderOutcome, RenderRequest } from './base/request.ts';
import { lacksOf, type Need } from './libraries.ts';
import { findStandInFaces, renderStandIn } from './stand-ins/stand-in.ts';

type Render = (request: RenderRequest) => Promise<RenderOutcome>;

interface Renderer {
  readonly needs: readonly Need[];
  readonly load: () => Promise<{ readonly render: Render }>;
}

const renderer = (needs: readonly Need[], load: Renderer['load']): Renderer => ({ needs, load });
const [none, faces, clips, both] = [[], ['faces'], ['clips'], ['faces', 'clips']] as const;

/** The tools that have a renderer of their own. */
const renderers: Readonly<Record<string, Renderer>> = {
  'ai-face-editor': renderer(faces, () => import('./tools/ai-face-editor.ts')),
  'ai-gif-generator': renderer(clips, () => import('./tools/ai-gif-generator.ts')),
  'ai-headshot-generator': renderer(faces, () => import('./tools/ai-headshot-generator.ts')),
  'ai-image-upscaler': renderer(none, () => import('./tools/ai-image-upscaler.ts')),
  'ai-meme-generator': renderer(none, () => import('./tools/ai-meme-generator.ts')),
  'ai-qr-code-generator': renderer(none, () => import('./tools/ai-qr-code-generator.ts')),
  'ai-talking-photo': renderer(both, () => import('./tools/ai-talking-photo.ts')),
  'ai-voice-cloner': renderer(none, () => import('./tools/ai-voice-cloner.ts')),
  animation: renderer(clips, () => import('./tools/animation.ts')),
  'auto-subtitle-generator': renderer(clips, () => import('./tools/auto-subtitle-generator.ts')),
  'body-swap': renderer(none, () => import('./tools/body-swap.ts')),
  'character-replace': renderer(clips, () => import('./tools/character-replace.ts')),
  'face-swap': renderer(both, () => import('./tools/face-swap.ts')),
  'face-swap-photo': renderer(faces, () => import('./tools/face-swap-photo.ts')),
  'head-swap': renderer(faces, () => import('./tools/head-swap.ts')),
  'image-background-remover': renderer(none, () => import('./tools/image-background-remover.ts')),
  'lip-sync': renderer(both, () => import('./tools/lip-sync.ts')),
  'photo-colorizer': renderer(none, () => import('./tools/photo-colorizer.ts')),
  'video-to-video': renderer(clips, () => import('./tools/video-to-video.ts')),
};

/** For the other tools, by what they make. */
const defaults: Readonly<Record<RecordKind, Renderer>> = {
  image: renderer(none, () => import('./defaults/image.ts')),
  video: renderer(clips, () => import('./defaults/video.ts')),
  audio: renderer(none, () => import('./defaults/audio.ts')),
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
  const { needs, load } = rendererOf(request.tool);
  if (isLacking(needs)) return renderStandIn(request);
  const { render } = await load();
  return render(request);
}

export async function searchFaces(
  question: FaceQuestion,
  report: (face: FoundFace) => Promise<void>,
): Promise<FaceAnswer> {
  if (isLacking(faces)) return findStandInFaces(question, report);
  const { file } = question.input;
  if (file === undefined || mediaTypeOf(extensionOf(file)) !== 'video') {
    const { findFacesInPicture } = await import('./faces/search-picture.ts');
    return findFacesInPicture(question, report);
  }
  if (isLacking(clips)) return findStandInFaces(question, report);
  const { findFacesInClip } = await import('./faces/search-clip.ts');
  return findFacesInClip(question, report);
}
