// Stored projects and detections as records of the interface (interface.md, Resources and their fields; facts.md, Project
// records, all fields).

import { fieldOf } from '../../base/json.ts';
import { clipOf } from '../../contract/api/clip.ts';
import type { Creation, Download, FaceDetection, Project } from '../../contract/api/project.ts';
import { assumedFps } from '../base/charge.ts';
import type { StoredDetection, StoredFace } from '../store/detections.ts';
import type { PresignedAddresses } from '../store/presigned-addresses.ts';
import type { StoredProject } from '../store/project-row.ts';

export function creationOf({ id, record, credits }: StoredProject): Creation {
  const answer = { id, credits_charged: credits };
  if (record === 'video') return { ...answer, estimated_frame_cost: credits };
  if (record === 'image') return { ...answer, frame_cost: credits };
  return answer;
}

/** The project's record, with new download addresses. */
export function recordOf(project: StoredProject, addresses: PresignedAddresses): Project {
  const downloads = project.files.map((key) => addresses.issue('downloads', key));
  const shared = {
    id: project.id,
    name: project.name,
    status: project.status,
    type: project.type,
    created_at: new Date(project.createdAt).toISOString(),
    enabled: project.enabled,
    credits_charged: project.credits,
    downloads,
    error: project.error,
  };
  if (project.record === 'audio') return shared;
  const seen = {
    ...shared,
    width: project.width ?? -1,
    height: project.height ?? -1,
    total_frame_cost: project.credits,
  };
  if (project.record === 'image') return { ...seen, image_count: countOf(project) };
  const { start, end } = clipOf(project.body);
  return {
    ...seen,
    fps: project.fps ?? assumedFps,
    start_seconds: start,
    end_seconds: end,
    download: downloads[0] ?? null,
  };
}

/** How many pictures the request asks for. */
function countOf({ body }: StoredProject): number {
  const count = fieldOf(body, 'image_count');
  return typeof count === 'number' ? count : 1;
}

export function detectionRecordOf(
  { id, status }: StoredDetection,
  faces: readonly StoredFace[],
  addresses: PresignedAddresses,
): FaceDetection {
  const shown = (path: string): Download => addresses.issue('downloads', path);
  return {
    id,
    status,
    credits_charged: 0,
    faces: faces.map(({ path }) => ({ path, url: shown(path).url })),
  };
}
