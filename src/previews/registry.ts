// Which renderer makes which tool's output, and what it needs. Each is loaded when it is first asked for, so that a thread
// which only makes QR codes never loads a face detector.
import { extensionOf, mediaTypeOf } from '../contract/api/asset.ts';
import type { FaceAnswer, FaceQuestion, FoundFace } from './base/renderer.ts';
import type { RenderOutcome, RenderRequest } from './base/request.ts';
import { lacksOf, type Need } from './libraries.ts';
import { findStandInFaces, renderStandIn } from './stand-ins/stand-in.ts';

type Render = (request: RenderRequest) => Promise<RenderOutcome>;

interface RealTool {
  readonly needs: readonly Need[];
  readonly load: () => Promise<Render>;
}

const drawn = (load: RealTool['load']): RealTool => ({ needs: [], load });
const withFaces = (load: RealTool['load']): RealTool => ({ needs: ['faces'], load });
const withClips = (load: RealTool['load']): RealTool => ({ needs: ['clips'], load });
const withBoth = (load: RealTool['load']): RealTool => ({ needs: ['faces', 'clips'], load });

const tools: Readonly<Record<string, RealTool>> = {
  'ai-clothes-changer': drawn(
    async () => (await import('./tools/ai-clothes-changer.ts')).renderClothesChanger,
  ),
  'ai-face-editor': withFaces(
    async () => (await import('./tools/ai-face-editor.ts')).renderFaceEditor,
  ),
  'ai-gif-generator': withClips(
    async () => (await import('./tools/ai-gif-generator.ts')).renderGif,
  ),
  'ai-headshot-generator': withFaces(
    async () => (await import('./tools/ai-headshot-generator.ts')).renderHeadshot,
  ),
  'ai-image-editor': drawn(
    async () => (await import('./tools/ai-image-editor.ts')).renderImageEditor,
  ),
  'ai-image-generator': drawn(
    async () => (await import('./tools/ai-image-generator.ts')).renderImageGenerator,
  ),
  'ai-image-upscaler': drawn(
    async () => (await import('./tools/ai-image-upscaler.ts')).renderUpscaler,
  ),
  'ai-meme-generator': drawn(async () => (await import('./tools/ai-meme-generator.ts')).renderMeme),
  'ai-qr-code-generator': drawn(
    async () => (await import('./tools/ai-qr-code-generator.ts')).renderQrCode,
  ),
  'ai-talking-photo': withBoth(
    async () => (await import('./tools/ai-talking-photo.ts')).renderTalkingPhoto,
  ),
  'ai-video-editor': withClips(
    async () => (await import('./tools/ai-video-editor.ts')).renderVideoEditor,
  ),
  'ai-voice-cloner': drawn(
    async () => (await import('./tools/ai-voice-cloner.ts')).renderVoiceCloner,
  ),
  'ai-voice-generator': drawn(
    async () => (await import('./tools/ai-voice-generator.ts')).renderVoiceGenerator,
  ),
  animation: withClips(async () => (await import('./tools/animation.ts')).renderAnimation),
  'audio-to-video': withClips(
    async () => (await import('./tools/audio-to-video.ts')).renderAudioToVideo,
  ),
  'auto-subtitle-generator': withClips(
    async () => (await import('./tools/auto-subtitle-generator.ts')).renderAutoSubtitles,
  ),
  'body-swap': drawn(async () =>
    knowingFaces((await import('./tools/body-swap.ts')).renderBodySwap),
  ),
  'character-replace': withClips(async () =>
    knowingFaces((await import('./tools/character-replace.ts')).renderCharacterReplace),
  ),
  'face-swap': withBoth(async () => (await import('./tools/face-swap.ts')).renderFaceSwapClip),
  'face-swap-photo': withFaces(
    async () => (await import('./tools/face-swap-photo.ts')).renderFaceSwapPhoto,
  ),
  'head-swap': withFaces(async () => (await import('./tools/head-swap.ts')).renderHeadSwap),
  'image-background-remover': drawn(async () =>
    knowingFaces((await import('./tools/image-background-remover.ts')).renderBackgroundRemover),
  ),
  'image-to-video': withClips(
    async () => (await import('./tools/image-to-video.ts')).renderImageToVideo,
  ),
  'lip-sync': withBoth(async () => (await import('./tools/lip-sync.ts')).renderLipSync),
  'photo-colorizer': drawn(
    async () => (await import('./tools/photo-colorizer.ts')).renderColorizer,
  ),
  'text-to-video': withClips(
    async () => (await import('./tools/text-to-video.ts')).renderTextToVideo,
  ),
  'video-to-video': withClips(
    async () => (await import('./tools/video-to-video.ts')).renderVideoToVideo,
  ),
};

/** A tool that works without faces, and better when it is told where they are. */
function knowingFaces(render: Render): Render {
  if (isLacking(['faces'])) return render;
  return async (request) => {
    const { withKnownFaces } = await import('./faces/known-faces.ts');
    return render(await withKnownFaces(request));
  };
}

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
  const tool = tools[request.tool.name];
  if (tool === undefined || isLacking(tool.needs)) return renderStandIn(request);
  const render = await tool.load();
  return render(request);
}

export async function searchFaces(
  question: FaceQuestion,
  report: (face: FoundFace) => Promise<void>,
): Promise<FaceAnswer> {
  if (isLacking(['faces'])) return findStandInFaces(question, report);
  const { file } = question.input;
  if (file === undefined || mediaTypeOf(extensionOf(file)) !== 'video') {
    const { findFacesInPicture } = await import('./faces/search-picture.ts');
    return findFacesInPicture(question, report);
  }
  if (isLacking(['clips'])) return findStandInFaces(question, report);
  const { findFacesInClip } = await import('./faces/search-clip.ts');
  return findFacesInClip(question, report);
}
