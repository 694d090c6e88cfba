// The door to the real renderers: which tool is rendered where, and what it needs for that. Each room is loaded when
// it is first asked for, so that a thread which only makes QR codes never loads a face detector.
import { extensionOf, mediaTypeOf } from '../../contract/api/asset.ts';
import { guessFaces } from '../plain/renderer.ts';
import { renderPlainly } from '../plain/tools.ts';
import type { FaceAnswer, FaceQuestion, FoundFace } from '../renderer.ts';
import type { RenderOutcome, RenderRequest } from '../request.ts';
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
    async () => seeing((await import('./photo/clothes.ts')).renderClothes),
  ],
  'ai-face-editor': [faces, async () => (await import('./head/face-editor.ts')).renderFaceEditor],
  'ai-gif-generator': [clips, async () => (await import('./video/gif.ts')).renderGif],
  'ai-headshot-generator': [
    faces,
    async () => (await import('./head/headshot.ts')).renderHeadshotOfFace,
  ],
  'ai-image-editor': [
    none,
    async () => (await import('./photo/image-editor.ts')).renderImageEditor,
  ],
  'ai-image-generator': [
    none,
    async () => (await import('./photo/image-generator.ts')).renderImageGenerator,
  ],
  'ai-image-upscaler': [none, async () => (await import('./photo/upscaler.ts')).renderUpscaler],
  'ai-meme-generator': [none, async () => (await import('./photo/meme.ts')).renderMeme],
  'ai-qr-code-generator': [none, async () => (await import('./photo/qr-code.ts')).renderQrCode],
  'ai-talking-photo': [
    both,
    async () => (await import('./video/talking-photo.ts')).renderTalkingPhoto,
  ],
  'ai-video-editor': [
    clips,
    async () => (await import('./video/video-editor.ts')).renderVideoEditor,
  ],
  'ai-voice-cloner': [none, async () => (await import('./sound/speech.ts')).renderVoiceCloner],
  'ai-voice-generator': [
    none,
    async () => (await import('./sound/speech.ts')).renderVoiceGenerator,
  ],
  animation: [clips, async () => (await import('./video/animation.ts')).renderAnimation],
  'audio-to-video': [
    clips,
    async () => (await import('./video/audio-to-video.ts')).renderAudioToVideo,
  ],
  'auto-subtitle-generator': [
    clips,
    async () => (await import('./video/auto-subtitles.ts')).renderAutoSubtitles,
  ],
  'body-swap': [none, async () => seeing((await import('./photo/body-swap.ts')).renderBodySwap)],
  'character-replace': [
    clips,
    async () => seeing((await import('./clip/character-replace.ts')).renderCharacterReplace),
  ],
  'face-swap': [both, async () => (await import('./both/swap-clip.ts')).renderFaceSwapClip],
  'face-swap-photo': [
    faces,
    async () => (await import('./face/photo-swap.ts')).renderFaceSwapPhoto,
  ],
  'head-swap': [faces, async () => (await import('./head/head-swap.ts')).renderHeadSwap],
  'image-background-remover': [
    none,
    async () => seeing((await import('./photo/background-remover.ts')).renderBackgroundRemover),
  ],
  'image-to-video': [
    clips,
    async () => (await import('./video/image-to-video.ts')).renderImageToVideo,
  ],
  'lip-sync': [both, async () => (await import('./video/lip-sync.ts')).renderLipSync],
  'photo-colorizer': [
    none,
    async () => seeing((await import('./photo/colorizer.ts')).renderColorizer),
  ],
  'text-to-video': [
    clips,
    async () => (await import('./video/text-to-video.ts')).renderTextToVideo,
  ],
  'video-to-video': [
    clips,
    async () => (await import('./video/video-to-video.ts')).renderVideoToVideo,
  ],
};

/** A tool that needs no faces, and does better when it is told where they are. */
function seeing(render: Render): Render {
  if (isLacking(faces)) return render;
  return async (request) => {
    const { withKnownFaces } = await import('./face/known.ts');
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
    const { findFacesInPicture } = await import('./face/search.ts');
    return findFacesInPicture(question, tell);
  }
  if (isLacking(clips)) return guessFaces(question, tell);
  const { findFacesInClip } = await import('./both/search-clip.ts');
  return findFacesInClip(question, tell);
}
