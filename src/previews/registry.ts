// The door to the real renderers: which tool is rendered where, and what it needs for that. Each room is loaded when
// it is first asked for, so that a thread which only makes QR codes never loads a face detector.
import { extensionOf, mediaTypeOf } from '../contract/api/asset.ts';
import { guessFaces } from './stand-ins/renderer.ts';
import { renderPlainly } from './stand-ins/stand-in.ts';
import type { FaceAnswer, FaceQuestion, FoundFace } from './base/renderer.ts';
import type { RenderOutcome, RenderRequest } from './base/request.ts';
import { lacksOf, type Need } from './libraries.ts';

type Render = (request: RenderRequest) => Promise<RenderOutcome>;

/** What it needs, and how it is loaded. */
type RealTool = readonly [readonly Need[], () => Promise<Render>];

const none: readonly Need[] = [];
const faces: readonly Need[] = ['faces'];
const clips: readonly Need[] = ['clips'];
const both: readonly Need[] = ['faces', 'clips'];

const tools: Readonly<Record<string, RealTool>> = {
  'ai-clothes-changer': [
    none,
    async () => seeing((await import('./tools/ai-clothes-changer.ts')).renderClothes),
  ],
  'ai-face-editor': [faces, async () => (await import('./tools/ai-face-editor.ts')).renderFaceEditor],
  'ai-gif-generator': [clips, async () => (await import('./tools/ai-gif-generator.ts')).renderGif],
  'ai-headshot-generator': [
    faces,
    async () => (await import('./tools/ai-headshot-generator.ts')).renderHeadshotOfFace,
  ],
  'ai-image-editor': [
    none,
    async () => (await import('./tools/ai-image-editor.ts')).renderImageEditor,
  ],
  'ai-image-generator': [
    none,
    async () => (await import('./tools/ai-image-generator.ts')).renderImageGenerator,
  ],
  'ai-image-upscaler': [none, async () => (await import('./tools/ai-image-upscaler.ts')).renderUpscaler],
  'ai-meme-generator': [none, async () => (await import('./tools/ai-meme-generator.ts')).renderMeme],
  'ai-qr-code-generator': [none, async () => (await import('./tools/ai-qr-code-generator.ts')).renderQrCode],
  'ai-talking-photo': [
    both,
    async () => (await import('./tools/ai-talking-photo.ts')).renderTalkingPhoto,
  ],
  'ai-video-editor': [
    clips,
    async () => (await import('./tools/ai-video-editor.ts')).renderVideoEditor,
  ],
  'ai-voice-cloner': [none, async () => (await import('./sound/speech.ts')).renderVoiceCloner],
  'ai-voice-generator': [
    none,
    async () => (await import('./sound/speech.ts')).renderVoiceGenerator,
  ],
  animation: [clips, async () => (await import('./tools/animation.ts')).renderAnimation],
  'audio-to-video': [
    clips,
    async () => (await import('./tools/audio-to-video.ts')).renderAudioToVideo,
  ],
  'auto-subtitle-generator': [
    clips,
    async () => (await import('./tools/auto-subtitle-generator.ts')).renderAutoSubtitles,
  ],
  'body-swap': [none, async () => seeing((await import('./tools/body-swap.ts')).renderBodySwap)],
  'character-replace': [
    clips,
    async () => seeing((await import('./tools/character-replace.ts')).renderCharacterReplace),
  ],
  'face-swap': [both, async () => (await import('./tools/face-swap.ts')).renderFaceSwapClip],
  'face-swap-photo': [
    faces,
    async () => (await import('./tools/face-swap-photo.ts')).renderFaceSwapPhoto,
  ],
  'head-swap': [faces, async () => (await import('./tools/head-swap.ts')).renderHeadSwap],
  'image-background-remover': [
    none,
    async () => seeing((await import('./tools/image-background-remover.ts')).renderBackgroundRemover),
  ],
  'image-to-video': [
    clips,
    async () => (await import('./tools/image-to-video.ts')).renderImageToVideo,
  ],
  'lip-sync': [both, async () => (await import('./tools/lip-sync.ts')).renderLipSync],
  'photo-colorizer': [
    none,
    async () => seeing((await import('./tools/photo-colorizer.ts')).renderColorizer),
  ],
  'text-to-video': [
    clips,
    async () => (await import('./tools/text-to-video.ts')).renderTextToVideo,
  ],
  'video-to-video': [
    clips,
    async () => (await import('./tools/video-to-video.ts')).renderVideoToVideo,
  ],
};

/** A tool that needs no faces, and does better when it is told where they are. */
function seeing(render: Render): Render {
  if (isLacking(faces)) return render;
  return async (request) => {
    const { withKnownFaces } = await import('./faces/known-faces.ts');
    return render(await withKnownFaces(request));
  };
}

/** What is missing for step kinds, or for all: a sentence each. */
export function lacksFor(kinds?: ReadonlySet<string>): readonly string[] {
  const needs = new Set([...(kinds ?? [])].flatMap((kind) => needsOf(kind)));
  return lacksOf()
    .filter(({ need }) => kinds === undefined || needs.has(need))
    .map(({ sentence }) => sentence);
}

/** Face detection looks into clips too, but most do without. */
const needsOf = (kind: string): readonly Need[] =>
  kind === 'face-detect' ? ['faces'] : (tools[kind]?.[0] ?? []);

const lacking = new Set(lacksOf().map(({ need }) => need));
const isLacking = (needs: readonly Need[]): boolean => needs.some((need) => lacking.has(need));

/** A tool whose libraries are missing is rendered as a stand-in. */
export async function renderReally(request: RenderRequest): Promise<RenderOutcome> {
  const [needs, load] = tools[request.tool.name] ?? [none, undefined];
  if (load === undefined || isLacking(needs)) return renderPlainly(request);
  const render = await load();
  return render(request);
}

export async function searchReally(
  question: FaceQuestion,
  tell: (face: FoundFace) => Promise<void>,
): Promise<FaceAnswer> {
  if (isLacking(['faces'])) return guessFaces(question, tell);
  const { file } = question.input;
  if (file === undefined || mediaTypeOf(extensionOf(file)) !== 'video') {
    const { findFacesInPicture } = await import('./faces/search-picture.ts');
    return findFacesInPicture(question, tell);
  }
  if (isLacking(clips)) return guessFaces(question, tell);
  const { findFacesInClip } = await import('./faces/search-clip.ts');
  return findFacesInClip(question, tell);
}
