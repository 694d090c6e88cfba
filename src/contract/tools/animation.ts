// animation: an animation in an art style, with music or silent (facts.md, Body fields of every creation endpoint).
import { fieldOf, type JsonObject } from '../../base/json.ts';
import {
  audioAsset,
  choice,
  group,
  imageAsset,
  integer,
  listed,
  number,
  openList,
  text,
  videoLength,
} from '../fields.ts';
import { at24fps, fiveSeconds } from '../price-rule.ts';
import { type Rule, type RuleBreach, sourceIsGiven } from '../rules.ts';
import { eachPrompt, itemPrompt } from '../starter.ts';
import { listedTool } from '../tool.ts';

/**
 * models.md, Other tools: a custom prompt, a custom art style and lyrics require their text or
 * audio.
 */
const animationIsGiven: Rule = {
  says: 'style.prompt_type custom needs style.prompt; use_lyrics needs audio; style.art_style Custom needs style.art_style_custom.',
  check: animationBreaches,
};

export const animation = listedTool({
  name: 'animation',
  title: 'Animate a prompt or music',
  record: 'video',
  type: 'ANIMATION',
  medianSeconds: 596,
  description: 'Makes an animation in an art style, with music or without sound.',
  required: ['assets', 'end_seconds', 'fps', 'height', 'style', 'width'],
  fields: {
    end_seconds: videoLength,
    fps: number('Frame rate of the output, in frames per second.', { minimum: 1 }),
    height: integer('Output height in pixels.', { minimum: 64 }),
    width: integer('Output width in pixels.', { minimum: 64 }),
    assets: group('The music and the first picture.', ['audio_source'], {
      audio_source: choice(
        '`file` requires audio_file_path; `youtube` requires youtube_url.',
        'file',
        'none',
        'youtube',
      ),
      audio_file_path: { ...audioAsset, description: 'The music, if audio_source is file.' },
      youtube_url: text('The address of the music, if audio_source is youtube.', { minLength: 1 }),
      image_file_path: { ...imageAsset, description: 'The picture that the video starts with.' },
    }),
    style: group('The look.', ['art_style', 'camera_effect', 'prompt_type', 'transition_speed'], {
      art_style: openList('The art style.', ...animationStyles()),
      art_style_custom: text('A description of your own art style.'),
      camera_effect: openList('The movement of the camera.', ...cameraEffects()),
      prompt: text('A description of the animation; see prompt_type.'),
      prompt_type: choice('Where the prompt comes from.', 'ai_choose', 'custom', 'use_lyrics'),
      transition_speed: integer('How fast the picture changes: 1 to 10, higher is faster.', {
        minimum: 1,
        maximum: 10,
      }),
    }),
  },
  rules: [sourceIsGiven('audio_source', 'audio_file_path'), animationIsGiven],
  sizeLimit: { longest: 1472 },
  price: { kind: 'frames', credits: 24 / at24fps, fps: { field: 'fps', effect: 'sets' } },
  priceExamples: [fiveSeconds(' at 24 fps', { fps: 24 }), fiveSeconds(' at 60 fps', { fps: 60 })],
  examples: [
    {
      end_seconds: 2,
      fps: 12,
      height: 256,
      width: 256,
      assets: { audio_source: 'none' },
      style: {
        art_style: 'Painterly Illustration',
        camera_effect: 'Simple Zoom In',
        prompt_type: 'custom',
        prompt: 'a lighthouse in a storm',
        transition_speed: 5,
      },
    },
    {
      end_seconds: 2,
      fps: 12,
      height: 256,
      width: 256,
      assets: {
        audio_source: 'file',
        audio_file_path: 'asset:audio',
        image_file_path: 'asset:image',
      },
      style: {
        art_style: 'Painterly Illustration',
        camera_effect: 'Simple Zoom In',
        prompt_type: 'use_lyrics',
        transition_speed: 5,
      },
    },
  ],
  starter: eachPrompt(
    `end_seconds: 2 # the length of the video
fps: 12
width: 512
height: 512
assets: { audio_source: none } # or file, with audio_file_path
style:
  art_style: Painterly Illustration
  camera_effect: Simple Zoom In
  transition_speed: 5
  prompt_type: custom
  prompt: ${itemPrompt}`,
    ['lighthouse', 'a lighthouse in a storm'],
    ['forest', 'a path through a forest in autumn'],
  ),
});

function animationBreaches(body: JsonObject): readonly RuleBreach[] {
  const lacks = (field: string): boolean => (fieldOf(body, field) ?? '') === '';
  const promptType = fieldOf(body, 'style.prompt_type');
  const breaches: RuleBreach[] = [];
  if (promptType === 'custom' && lacks('style.prompt'))
    breaches.push({ field: 'style.prompt', message: 'prompt_type custom needs prompt' });
  if (promptType === 'use_lyrics' && fieldOf(body, 'assets.audio_source') === 'none')
    breaches.push({
      field: 'assets.audio_source',
      message: 'prompt_type use_lyrics needs audio: audio_source file or youtube',
    });
  if (fieldOf(body, 'style.art_style') === 'Custom' && lacks('style.art_style_custom'))
    breaches.push({
      field: 'style.art_style_custom',
      message: 'art_style Custom needs art_style_custom',
    });
  return breaches;
}

/** Art styles that the types of the public client list. */
function animationStyles(): readonly string[] {
  return listed(`
    3D Render | 90s Streets | Abstract Minimalist | Arcane | Art Deco | Bold Colored Illustration |
    Cinematic Landscape | Cinematic Miyazaki | Cosmic | Cubist | Custom | Cyberpunk |
    Dark Graphic Illustration | Dark Watercolor | Directed by AI | Double Exposure |
    Faded Illustration | Fantasy | Futuristic Anime | Impressionism | Ink and Watercolor Portrait |
    Inkpunk | Intricate Abstract Lines Portrait | Jackson Pollock | Landscape Painting | Low Poly |
    Miniatures | Minimal Cold Futurism | Oil Painting | Old School Comic | Overgrown |
    Painted Cityscape | Painterly Illustration | Photograph | Pixar | Pixel Art | Postapocalyptic |
    Sin City | Soft Delicate Matte Portrait | Spooky | Studio Ghibli Film Still | Synthwave |
    Traditional Watercolor | Van Gogh | Vibrant Matte Illustration | Vintage Japanese Anime | Woodcut
  `);
}

/** Camera effects that the types of the public client list. */
function cameraEffects(): readonly string[] {
  return listed(`
    Accelerate | Aggressive Zoom In - Audio Sync | Aggressive Zoom Out - Audio Sync | Boost Zoom In |
    Boost Zoom Out | Bounce In And Out | Bounce Out | Bounce Out - Audio Sync |
    Bounce and Spin - Audio Sync | Bounce in Place | Cog in the Machine | Devolve - Audio Sync |
    Directed by AI | Dramatic Zoom In | Dramatic Zoom Out | Drift Spin | Earthquake Bounce |
    Earthquake Bounce - Audio Sync | Evolve - Audio Sync | Heartbeat | Hesitate In | Jump | Pan Left |
    Pan Right | Pulse - Audio Sync | Pusher | Pusher - Audio Sync | Quadrant | Rise and Climb |
    Road Trip | Rodeo | Roll In | Roll In - Audio Sync | Rolling Bounces | Rubber Band |
    Simple Zoom In | Simple Zoom Out | Slice Bounce | Slideshow | Speed of Light | Spin Bounce |
    Sway Out | Sway Out - Audio Sync | Tilt Down | Tilt Up | Traverse | Tron | Vertigo |
    Vertigo - Audio Sync | Zoom In - Audio Sync | Zoom In and Spin - Audio Sync |
    Zoom Out - Audio Sync
  `);
}
