// The outputs of a finished task for later tasks, in two forms: by content, for fingerprints, which never become stale;
// and live, for requests, which do.

import { asJson, type Json, type JsonObject } from '../base/json.ts';
import type { FaceDetection, Project } from '../contract/api/project.ts';
import type { Operation } from '../contract/kinds.ts';
import { type Fingerprint, token } from './fingerprint.ts';

/** The fields of a project record that never change: the journal keeps them. */
const lasting = [
  'type',
  'width',
  'height',
  'fps',
  'start_seconds',
  'end_seconds',
  'image_count',
  'total_frame_cost',
  'created_at',
] as const;

/** The lasting part of a complete project: lasting fields and the number of downloads, without addresses. */
export function lastingOf(record: Project): JsonObject {
  const kept: Record<string, Json> = { downloads: record.downloads.length };
  for (const field of lasting) {
    const value = record[field];
    if (value !== undefined && value !== null) kept[field] = value;
  }
  return kept;
}

/**
 * The length of a video in seconds, by its record; rounded to milliseconds, because 64.4 - 4.4 is
 * slightly more than 60.
 */
function durationOf({ start_seconds: start, end_seconds: end }: JsonObject): JsonObject {
  if (typeof end !== 'number') return {};
  const from = typeof start === 'number' ? start : 0;
  return end > from ? { duration: Math.round((end - from) * 1000) / 1000 } : {};
}

/** The lasting part of a face detection: its id and the faces' paths, without addresses. */
export function lastingFaces(record: FaceDetection): JsonObject {
  return { id: record.id, faces: record.faces.map(({ path }) => ({ path })) };
}

/** The outputs for fingerprints. `result` is the part of the job that the journal keeps. */
export function namedByContent(
  operation: Operation,
  of: Fingerprint,
  result: JsonObject,
  credits: number,
): JsonObject {
  switch (operation) {
    case 'upload':
      return { file_path: token(of, 'file_path') };
    case 'detect': {
      const faces = Array.isArray(result['faces']) ? result['faces'] : [];
      return {
        id: token(of, 'id'),
        credits_charged: credits,
        faces: faces.map((_: Json, index) => ({
          path: token(of, `faces/${index}/path`),
          url: token(of, `faces/${index}/url`),
        })),
      };
    }
    case 'create': {
      const count = result['downloads'];
      // A repaired record may not say what the project had.
      if (typeof count !== 'number') return predicted(operation, of);
      const downloads = downloadsOf(of, count);
      return {
        ...durationOf(result),
        ...result,
        id: token(of, 'id'),
        name: token(of, 'name'),
        status: 'complete',
        credits_charged: credits,
        downloads,
        ...(downloads[0] === undefined
          ? {}
          : { url: token(of, 'downloads/0/url'), download: downloads[0] }),
      };
    }
    case 'download':
    case 'delete':
      return {};
  }
}

const downloadsOf = (of: Fingerprint, count: number): readonly JsonObject[] =>
  Array.from({ length: count }, (_, index) => ({
    url: token(of, `downloads/${index}/url`),
    expires_at: token(of, `downloads/${index}/expires_at`),
  }));

/** The outputs for requests, from a record that was just read. */
export function liveProject(record: Project): JsonObject {
  const entries = Object.entries(record).filter(([, value]) => value !== undefined);
  const fields = Object.fromEntries(entries) as JsonObject;
  const json = { ...durationOf(fields), ...fields };
  const [first] = record.downloads;
  return first === undefined ? json : { ...json, url: first.url };
}

export function liveFaces(record: FaceDetection): JsonObject {
  return {
    id: record.id,
    credits_charged: record.credits_charged ?? 0,
    faces: asJson(record.faces),
  };
}

/**
 * The outputs of a task before it has run, as far as they are known: enough for most fingerprints that depend on them.
 * `count`: the number of results, if the request says so.
 */
export function predicted(operation: Operation, of: Fingerprint, count?: number): JsonObject {
  switch (operation) {
    case 'upload':
      return { file_path: token(of, 'file_path') };
    case 'detect':
      return { id: token(of, 'id') };
    case 'create':
      return {
        id: token(of, 'id'),
        url: token(of, 'downloads/0/url'),
        ...(count === undefined ? {} : { downloads: downloadsOf(of, count) }),
      };
    case 'download':
    case 'delete':
      return {};
  }
}
