// Which renderer makes which tool's output, and what it needs. Each is loaded when it is first asked for, so that a thread
// which only makes QR codes never loads a face detector.
import { extensionOf, mediaTypeOf } from '../contract/api/asset.ts';
import type { FaceAnswer, FaceQuestion, FoundFace } from './base/renderer.ts';
import type { RenderOutcome, RenderRequest } from './base/request.ts';
import { lacksOf, type Need } from './libraries.ts';
import { findStandInFaces, renderStandIn } from './stand-ins/stand-in.ts';

type Render = (request: RenderRequest) => Promise<RenderOutcome>;

interface ToolRenderer {
  readonly needs: readonly Need[];
  readonly load: () => Promise<{ readonly render: Render }>;
}

const tool = (needs: readonly Need[], load: ToolRenderer['load']): ToolRenderer => ({
  needs,
  load,
});
const [none, faces, clips, both] = [[], ['faces'], ['clips'], ['faces', 'clips']] as const;

const tools: Readonly<Record<string, ToolRenderer>> = {
  'ai-clothes-changer': tool(none, () => import('./tools/ai-clothes-changer.ts')),
  'ai-face-editor': tool(faces, () => import('./tools/ai-face-editor.ts')),
  'ai-gif-generator': tool(clips, () => import('./tools/ai-gif-generator.ts')),
  'ai-headshot-generator': tool(faces, () => import('./tools/ai-headshot-generator.ts')),
  'ai-image-editor': tool(none, () => import('./tools/ai-image-editor.ts')),
  'ai-image-generator': tool(none, () => import('./tools/ai-image-generator.ts')),
  'ai-image-upscaler': tool(none, () => import('./tools/ai-image-upscaler.ts')),
  'ai-meme-generator': tool(none, () => import('./tools/ai-meme-generator.ts')),
  'ai-qr-code-generator': tool(none, () => import('./tools/ai-qr-code-generator.ts')),
  'ai-talking-photo': tool(both, () => import('./tools/ai-talking-photo.ts')),
  'ai-video-editor': tool(clips, () => import('./tools/ai-video-editor.ts')),
  'ai-voice-cloner': tool(none, () => import('./tools/ai-voice-cloner.ts')),
  'ai-voice-generator': tool(none, () => import('./tools/ai-voice-generator.ts')),
  animation: tool(clips, () => import('./tools/animation.ts')),
  'audio-to-video': tool(clips, () => import('./tools/audio-to-video.ts')),
  'auto-subtitle-generator': tool(clips, () => import('./tools/auto-subtitle-generator.ts')),
  'body-swap': tool(none, () => import('./tools/body-swap.ts')),
  'character-replace': tool(clips, () => import('./tools/character-replace.ts')),
  'face-swap': tool(both, () => import('./tools/face-swap.ts')),
  'face-swap-photo': tool(faces, () => import('./tools/face-swap-photo.ts')),
  'head-swap': tool(faces, () => import('./tools/head-swap.ts')),
  'image-background-remover': tool(none, () => import('./tools/image-background-remover.ts')),
  'image-to-video': tool(clips, () => import('./tools/image-to-video.ts')),
  'lip-sync': tool(both, () => import('./tools/lip-sync.ts')),
  'photo-colorizer': tool(none, () => import('./tools/photo-colorizer.ts')),
  'text-to-video': tool(clips, () => import('./tools/text-to-video.ts')),
  'video-to-video': tool(clips, () => import('./tools/video-to-video.ts')),
};

/** What is missing for some step kinds, or for all: a sentence each. */
export function lacksFor(kinds?: ReadonlySet<string>): readonly string[] {
  const needs = new Set([...(kinds ?? [])].flatMap(needsOf));
  return lacksOf()
    .filter(({ need }) => kinds === undefined || needs.has(need))
    .map(({ sentence }) => sentence);
}

/** Face detection looks into clips too, but most requests do without. */
const needsOf = (kind: string): readonly Need[] =>
  kind === 'face-detect' ? ['faces'] : (tools[kind]?.needs ?? []);

const lacking = new Set(lacksOf().map(({ need }) => need));
const isLacking = (needs: readonly Need[]): boolean => needs.some((need) => lacking.has(need));

/** A tool whose libraries are missing is rendered as a stand-in. */
export async function renderTool(request: RenderRequest): Promise<RenderOutcome> {
  const { name } = request.tool;
  const renderer = tools[name];
  if (renderer === undefined || isLacking(renderer.needs)) return renderStandIn(request);
  const { render } = await renderer.load();
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
