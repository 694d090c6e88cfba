// Rules between fields, which a schema cannot express well (interface.md; facts.md, Ranges
// published).

import { fieldOf, type JsonObject } from '../base/json.ts';
import { grouped } from '../base/text.ts';
import { boundsOfClip } from './api/clip.ts';

/** A rule between fields: the sentence that documents it, and the check. */
export interface Rule {
  readonly says: string;
  /** A sentence for each field that breaks the rule. */
  readonly check: (body: JsonObject) => readonly RuleBreach[];
}

/** A broken rule, and the field that breaks it as a path into the body: `assets.face_mappings`. */
export interface RuleBreach {
  readonly field: string;
  readonly message: string;
}

/** interface.md, POST /v1/character-replace: end_seconds must be greater than start_seconds. */
export const endsAfterStart: Rule = {
  says: 'end_seconds must be greater than start_seconds, which is 0 if omitted.',
  check: clipEndsAfterStart,
};

function clipEndsAfterStart(body: JsonObject): readonly RuleBreach[] {
  const clip = boundsOfClip(body);
  if (clip === undefined || clip.end > clip.start) return [];
  const message = `end_seconds (${clip.end}) must be greater than start_seconds (${clip.start})`;
  return [{ field: 'end_seconds', message }];
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
const minFps = 24;

/**
 * interface.md, Limits: the most frames that a tool accepts. Refuses only what is too long at any
 * usual rate.
 */
export const hasFramesAtMost = (frames: number): Rule => ({
  says: `The clip has at most ${grouped(frames)} frames.`,
  check: (body) => frameBreaches(body, frames),
});

function frameBreaches(body: JsonObject, frames: number): readonly RuleBreach[] {
  const clip = boundsOfClip(body);
  if (clip === undefined) return [];
  const cap = fieldOf(body, 'max_fps_limit');
  const fps = typeof cap === 'number' ? Math.min(cap, minFps) : minFps;
  const asked = Math.floor((clip.end - clip.start) * fps);
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
  const clip = boundsOfClip(body);
  return clip === undefined ? undefined : Math.round((clip.end - clip.start) * 1000) / 1000;
}
