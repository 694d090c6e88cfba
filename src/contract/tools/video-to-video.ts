// video-to-video: redraws a clip in an art style (facts.md, Body fields of every creation endpoint).
import {
  choice,
  clipSize,
  clipSource,
  endSeconds,
  group,
  listed,
  openList,
  startSeconds,
} from '../fields.ts';
import { at24fps, fiveSeconds } from '../price-rule.ts';
import { endsAfterStart, sourceIsGiven } from '../rules.ts';
import { clipPath, eachFile, partOfClip } from '../starter.ts';
import { listedTool } from '../tool.ts';

export const videoToVideo = listedTool({
  name: 'video-to-video',
  title: 'Redraw a clip in an art style',
  record: 'video',
  type: 'VIDEO_TO_VIDEO',
  medianSeconds: 772,
  description: 'Redraws a clip in an art style. The sides of the output are divisible by 64.',
  required: ['assets', 'end_seconds', 'start_seconds', 'style'],
  fields: {
    start_seconds: startSeconds,
    end_seconds: endSeconds,
    // interface.md, Limits: at least 64 px, when given.
    height: { ...clipSize.height, minimum: 64 },
    width: { ...clipSize.width, minimum: 64 },
    fps_resolution: choice('Whether to redraw every frame or every second frame.', 'FULL', 'HALF'),
    assets: group('The clip.', ['video_source'], clipSource),
    style: group('The look.', ['art_style'], {
      art_style: openList('The art style.', ...redrawStyles()),
      model: choice(
        'The model that redraws the clip; `default` if omitted.',
        'default',
        '3D Anime',
        'Absolute Reality',
        'Dreamshaper',
        'Flat 2D Anime',
        'Kaywaii',
        'Soft Anime',
        'Western Anime',
      ),
      prompt: {
        type: ['string', 'null'],
        description: 'A description of the result; see prompt_type.',
      },
      prompt_type: choice(
        'How to combine the prompt with the style’s own; `default` if omitted.',
        'append_default',
        'custom',
        'default',
      ),
      version: choice('The version of the style; `default` if omitted.', 'default', 'v1', 'v2'),
    }),
  },
  rules: [endsAfterStart, sourceIsGiven('video_source', 'video_file_path')],
  sizeLimit: { longest: 1472 },
  // fps_resolution HALF may halve the price; no source says so.
  price: { kind: 'frames', credits: 48 / at24fps },
  priceExamples: [fiveSeconds()],
  examples: [
    {
      start_seconds: 0,
      end_seconds: 2,
      assets: { video_source: 'file', video_file_path: 'asset:video' },
      style: { art_style: 'Watercolor' },
    },
    {
      start_seconds: 0,
      end_seconds: 2,
      assets: { video_source: 'youtube', youtube_url: 'https://youtu.be/example' },
      style: { art_style: 'Watercolor', prompt_type: 'custom', prompt: 'a quiet harbour' },
    },
  ],
  starter: eachFile(
    'video',
    `${partOfClip}
style: { art_style: Watercolor }
assets: { video_source: file, video_file_path: "${clipPath}" }`,
  ),
});

/** Art styles that the types of the public client list. */
function redrawStyles(): readonly string[] {
  return listed(`
    3D Render | Airbender | Android | Anime Warrior | Armored Knight | Assassin's Creed | Avatar |
    Black Spiderman | Boba Fett | Bold Anime | Celestial Skin | Chinese Swordsmen | Clay | Comic |
    Cyberpunk | Cypher | Dark Fantasy | Dragonball Z | Future Bot | Futuristic Fantasy | GTA |
    Ghibli Anime | Ghost | Gundam | Hologram | Illustration | Impressionism | Ink | Ink Poster |
    Jinx | Knight | Lego | Link | Marble | Mario | Master Chief | Mech | Minecraft | Mystique |
    Naruto | Neon Dream | No Art Style | Oil Painting | On Fire | Origami | Painterly Anime | Pixar |
    Pixel | Power Armor | Power Ranger | Radiant Anime | Realistic Anime | Realistic Pixar |
    Retro Anime | Retro Sci-Fi | Samurai | Samurai Bot | Sharp Anime | Soft Anime | Solid Snake |
    Spartan | Starfield | Street Fighter | Studio Ghibli | Sub-Zero | The Void | Tomb Raider |
    Underwater | Van Gogh | Viking | Watercolor | Western Anime | Wu Kong | Wuxia Anime | Zelda
  `);
}
