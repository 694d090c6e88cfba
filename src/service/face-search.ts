// From a queued face detection to its faces: the picture is looked at, and each face is kept as an asset whose
// path a mapping can name (facts.md, Face detection). Clips are not looked into: no face is found in one.

import { extensionOf, mediaTypeOf } from '../api/asset.ts';
import type { Assets } from './assets.ts';
import type { Clock } from './clock.ts';
import type { Database } from './database.ts';
import type { Detections, StoredDetection } from './detections.ts';
import { reportTrouble } from './own-trouble.ts';
import { paceOf, type Speed } from './pace.ts';
import { type Production, remaining } from './production.ts';
import { guessFace } from './render/faces.ts';
import { pixelsOf, sharpOf } from './render/picture.ts';
import { readPicture } from './render/read-picture.ts';
import type { Storage } from './storage.ts';
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
  readonly clock: Clock;
  readonly speed: Speed;
  readonly seed: number;
}

export function openFaceSearch(parts: FaceSearchParts): FaceSearch {
  const { database, detections, assets, storage, production, clock, speed, seed } = parts;

  async function search({ id, account, input }: StoredDetection): Promise<'complete' | 'error'> {
    const inputs = production.inputsFor([input]);
    if (!inputs.ok) return 'error';
    const [image] = inputs.value;
    // Nothing of somebody else's URL is fetched, and a clip is not decoded: both hold no face for us.
    if (image?.file === undefined || mediaTypeOf(extensionOf(image.file)) !== 'image')
      return 'complete';
    const picture = await readPicture(image);
    if (!picture.ok) return 'error';
    const region = await guessFace(picture.value);
    const crop = await sharpOf(picture.value)
      .extract(pixelsOf(region, picture.value))
      .png({ compressionLevel: 2 })
      .toBuffer();
    const path = `api-assets/${id}/0-0.png`;
    await storage.save(path, crop);
    await database.write(() => {
      assets.add(path, account, crop.length, clock.now());
      detections.addFace(id, { path, image: input.key, region });
    });
    return 'complete';
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
        const status = await search(detection);
        return () => detections.finish(detection.id, status);
      },
      broke: async (reason) => {
        reportTrouble(`face detection ${detection.id}`, reason);
        await detections.finish(detection.id, 'error');
      },
    }),
  };
}
