// What stays true of a project or a detection, and what a request reads of one that was just read.

import { asJson, type Json, type JsonObject } from '../base/json.ts';
import type { FaceDetection, Project } from '../contract/api/project.ts';

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

/** The length of a clip in seconds, by its record; rounded to milliseconds, because 64.4 - 4.4 is slightly more than 60. */
export function lengthOf({ start_seconds: start, end_seconds: end }: JsonObject): JsonObject {
  if (typeof end !== 'number') return {};
  const from = typeof start === 'number' ? start : 0;
  return end > from ? { duration: Math.round((end - from) * 1000) / 1000 } : {};
}

/** The lasting part of a face detection: its id and the faces' paths, without addresses. */
export function lastingFaces(record: FaceDetection): JsonObject {
  return { id: record.id, faces: record.faces.map(({ path }) => ({ path })) };
}

/** The outputs for requests, from a record that was just read. */
export function liveProject(record: Project): JsonObject {
  const entries = Object.entries(record).filter(([, value]) => value !== undefined);
  const fields = Object.fromEntries(entries) as JsonObject;
  const json = { ...lengthOf(fields), ...fields };
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
