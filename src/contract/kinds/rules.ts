// Rules between fields, which a schema cannot express well (interface.md; facts.md, Ranges
// published).
import { grouped } from '../base/grouped.ts';
import { fieldOf, type JsonObject } from '../base/json.ts';
import type { Rule, RuleBreach } from './kind.ts';

/** interface.md, POST /v1/character-replace: end_seconds must be greater than start_seconds. */
export const endsAfterStart: Rule = {
  says: 'end_seconds must be greater than start_seconds, which is 0 if omitted.',
  check: clipEndsAfterStart,
};

function clipEndsAfterStart(body: JsonObject): readonly RuleBreach[] {
  const start = fieldOf(body, 'start_seconds') ?? 0;
  const end = fieldOf(body, 'end_seconds');
  if (typeof start !== 'number' || typeof end !== 'number' || end > start) return [];
  return [
    {
      field: 'end_seconds',
      message: `end_seconds (${end}) must be greater than start_seconds (${start})`,
    },
  ];
}

/** facts.md: all-faces needs one source face, individual-faces needs mappings. */
export const facesHaveASource = (source: string): Rule => ({
  says: `Set ${source} or face_mappings: face_swap_mode all-faces needs the first, individual-faces the second.`,
  check: (body) => faceSourceBreaches(body, source),
});

function faceSourceBreaches(body: JsonObject, source: string): readonly RuleBreach[] {
  const mode = fieldOf(body, 'assets.face_swap_mode');
  const hasSource = fieldOf(body, `assets.${source}`) !== undefined;
  const mappings = fieldOf(body, 'assets.face_mappings');
  const hasMappings = Array.isArray(mappings) ? mappings.length > 0 : mappings !== undefined;
  if (mode === 'individual-faces' && !hasMappings)
    return [
      {
        field: 'assets.face_mappings',
        message: 'face_swap_mode individual-faces needs at least one entry in face_mappings',
      },
    ];
  if (mode === 'all-faces' && !hasSource)
    return [{ field: `assets.${source}`, message: `face_swap_mode all-faces needs ${source}` }];
  if (!hasSource && !hasMappings)
    return [{ field: 'assets', message: `there is no new face: set ${source} or face_mappings` }];
  return [];
}

/** facts.md, Body fields: `video_source: file` requires `video_file_path`, and so on. */
export const sourceIsGiven = (
  source: 'video_source' | 'audio_source',
  file: 'video_file_path' | 'audio_file_path',
): Rule => ({
  says: `${source} file needs ${file}; ${source} youtube needs youtube_url.`,
  check: (body) => sourceBreaches(body, source, file),
});

function sourceBreaches(body: JsonObject, source: string, file: string): readonly RuleBreach[] {
  const from = fieldOf(body, `assets.${source}`);
  const needed = from === 'file' ? file : from === 'youtube' ? 'youtube_url' : undefined;
  if (needed === undefined || fieldOf(body, `assets.${needed}`) !== undefined) return [];
  return [{ field: `assets.${needed}`, message: `${source} ${from} needs ${needed}` }];
}

/**
 * The frame rate behind published prices (facts.md, Prices). Only the service knows the real rate.
 */
const leastFps = 24;

/**
 * interface.md, Limits: the most frames that a tool accepts. Refuses only what is too long at any
 * usual rate.
 */
export const hasFramesAtMost = (frames: number): Rule => ({
  says: `The clip has at most ${grouped(frames)} frames.`,
  check: (body) => frameBreaches(body, frames),
});

function frameBreaches(body: JsonObject, frames: number): readonly RuleBreach[] {
  const start = fieldOf(body, 'start_seconds') ?? 0;
  const end = fieldOf(body, 'end_seconds');
  const cap = fieldOf(body, 'max_fps_limit');
  if (typeof start !== 'number' || typeof end !== 'number') return [];
  const fps = typeof cap === 'number' ? Math.min(cap, leastFps) : leastFps;
  const asked = Math.floor((end - start) * fps);
  if (asked <= frames) return [];
  return [
    {
      field: 'end_seconds',
      message: `the clip has ${asked} frames or more, at ${fps} frames per second; the service accepts at most ${frames}`,
    },
  ];
}

/**
 * The length of the requested clip, rounded to milliseconds because 64.4 - 4.4 is slightly more
 * than 60.
 */
export function secondsIn(body: JsonObject): number | undefined {
  const start = fieldOf(body, 'start_seconds') ?? 0;
  const end = fieldOf(body, 'end_seconds');
  if (typeof start !== 'number' || typeof end !== 'number') return undefined;
  return Math.round((end - start) * 1000) / 1000;
}

/**
 * The longest talking photo: 180 seconds realistic, 45 prompted (models.md, Other tools), 60 in any
 * other mode (interface.md, Limits).
 */
export const talksAtMost: Rule = {
  says: 'The clip lasts at most 180 seconds with style.generation_mode realistic, 45 with prompted, and 60 with any other mode.',
  check: talkBreaches,
};

function talkBreaches(body: JsonObject): readonly RuleBreach[] {
  const mode = fieldOf(body, 'style.generation_mode');
  const most = mode === 'realistic' ? 180 : mode === 'prompted' ? 45 : 60;
  const length = secondsIn(body);
  if (length === undefined || length <= most) return [];
  const others = mode === 'realistic' ? '' : ', or 180 with style.generation_mode realistic';
  return [
    {
      field: 'end_seconds',
      message: `the clip lasts ${length} seconds; the service accepts at most ${most}${others}`,
    },
  ];
}

/**
 * models.md, Other tools: a custom prompt, a custom art style and lyrics require their text or
 * audio.
 */
export const animationIsGiven: Rule = {
  says: 'style.prompt_type custom needs style.prompt; use_lyrics needs audio; style.art_style Custom needs style.art_style_custom.',
  check: animationBreaches,
};

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

/** models.md, Other tools: subtitles need a template, or a font and positions. */
export const subtitlesHaveALook: Rule = {
  says: 'style needs template, or custom_config with font, horizontal_position and vertical_position.',
  check: lookBreaches,
};

function lookBreaches(body: JsonObject): readonly RuleBreach[] {
  if (fieldOf(body, 'style.template') !== undefined) return [];
  const needed = ['font', 'horizontal_position', 'vertical_position'];
  const missing = needed.filter(
    (field) => fieldOf(body, `style.custom_config.${field}`) === undefined,
  );
  if (missing.length === 0) return [];
  return [
    {
      field: 'style',
      message: `style needs template, or custom_config with ${needed.join(', ')}: ${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing`,
    },
  ];
}
