// From a queued face detection to its faces: each one that the renderer finds is kept as an asset whose path a
// mapping can name (facts.md, Face detection).

import { isRendererClosed, type Renderer } from '../../previews/open.ts';
import type { Clock } from '../base/clock.ts';
import { reportTrouble } from '../base/own-trouble.ts';
import type { Assets } from '../store/assets.ts';
import type { Database } from '../store/database.ts';
import type { Detections, StoredDetection } from '../store/detections.ts';
import type { Storage } from '../store/storage.ts';
import { paceOf, type Speed } from './pace.ts';
import { leaveAsItIs, type Production, remaining } from './production.ts';
import type { Job } from './studio.ts';

/** How long a detection takes. Not published: about what the quickest tools take. */
const medianSeconds = 3;

export interface FaceSearch {
  jobOf(detection: StoredDetection): Job;
}

export interface FaceSearchParts {
  readonly database: Database;
  readonly detections: Detections;
  readonly assets: Assets;
  readonly storage: Storage;
  readonly production: Production;
  readonly renderer: Renderer;
  readonly clock: Clock;
  readonly speed: Speed;
  readonly seed: number;
}

export function openFaceSearch(parts: FaceSearchParts): FaceSearch {
  const { database, detections, assets, storage, production, renderer, clock, speed, seed } = parts;

  async function search(detection: StoredDetection): Promise<'complete' | 'error'> {
    const { id, account, input, confidence } = detection;
    const inputs = production.inputsFor([input]);
    const [image] = inputs.ok ? inputs.value : [];
    if (image === undefined) return 'error';
    const answer = await renderer.findFaces(
      { input: image, confidence },
      async ({ name, crop, region }) => {
        const path = `api-assets/${id}/${name}`;
        await storage.save(path, crop);
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
        paceOf(speed, seed, detection.seq, medianSeconds),
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
          if (isRendererClosed(reason)) return leaveAsItIs;
          throw reason;
        }
      },
      broke: async (reason) => {
        reportTrouble(`face detection ${detection.id}`, reason);
        await detections.finish(detection.id, 'error');
      },
    }),
  };
}
