// The job that finds the faces of a face detection. Each face is stored as an asset, whose path a face mapping can name
// (facts.md, Face detection).

import { isRendererClosed, type Renderer } from '../../previews/open.ts';
import type { ServiceClock } from '../base/clock.ts';
import { reportInternalError } from '../base/internal-error.ts';
import type { Speed } from '../base/speed.ts';
import type { Assets } from '../store/assets.ts';
import type { Database } from '../store/database.ts';
import type { Detections, StoredDetection } from '../store/detections.ts';
import type { FileStore } from '../store/file-store.ts';
import { keepForRestart, type RenderJobs, remaining } from './render-job.ts';
import type { ScheduledJob } from './scheduler.ts';
import { timingOf } from './timing.ts';

/** How long a detection takes. Nothing is published; the fastest tools take about this long. */
const medianSeconds = 3;

export interface DetectionJobs {
  jobOf(detection: StoredDetection): ScheduledJob;
}

export interface DetectionJobDependencies {
  readonly database: Database;
  readonly detections: Detections;
  readonly assets: Assets;
  readonly fileStore: FileStore;
  readonly renderJobs: RenderJobs;
  readonly renderer: Renderer;
  readonly clock: ServiceClock;
  readonly speed: Speed;
  readonly seed: number;
}

export function openDetectionJobs(dependencies: DetectionJobDependencies): DetectionJobs {
  const { database, detections, assets, fileStore, renderJobs, renderer, clock, speed, seed } =
    dependencies;

  async function search(detection: StoredDetection): Promise<'complete' | 'error'> {
    const { id, account, input, confidence } = detection;
    const inputs = renderJobs.inputsFor([input]);
    const [image] = inputs.ok ? inputs.value : [];
    if (image === undefined) return 'error';
    const answer = await renderer.findFaces(
      { input: image, confidence },
      async ({ name, crop, region }) => {
        const path = `api-assets/${id}/${name}`;
        await fileStore.save(path, crop);
        await database.write(() => {
          assets.add(path, account, crop.length, clock.now());
          detections.addFace(id, { path, image: input.key, region });
        });
      },
    );
    return answer.ok ? 'complete' : 'error';
  }

  return {
    jobOf: (detection) => ({
      ...remaining(
        timingOf(speed, seed, detection.seq, medianSeconds),
        clock.now(),
        detection.createdAt,
        detection.startedAt,
      ),
      id: detection.id,
      isWanted: () => true,
      begin: () => detections.start(detection.id, clock.now()),
      work: async () => {
        try {
          const status = await search(detection);
          return () => detections.finish(detection.id, status);
        } catch (reason) {
          if (isRendererClosed(reason)) return keepForRestart;
          throw reason;
        }
      },
      onFailure: async (reason) => {
        reportInternalError(`face detection ${detection.id}`, reason);
        await detections.finish(detection.id, 'error');
      },
    }),
  };
}
