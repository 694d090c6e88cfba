// The folder that a round happens in: a pipeline of six steps an item, photos that are tiny and all different, and a
// few bytes that pass for a clip.
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { photo } from '../test/photo.ts';

/**
 * Which tool comes second. `clip`: character-replace, whose charge is an estimate; the local service answers with the
 * clip itself, so its outputs are all alike. `picture`: photo-colorizer, whose output shows which item it is of.
 */
export type Second = 'clip' | 'picture';

export interface Terms {
  readonly second: Second;
  readonly items: number;
  /** Credits that one run may charge. */
  readonly budget: number;
  /** Items in the works at once. */
  readonly window: number;
}

/** Credits that an item costs. */
export const itemCredits: Readonly<Record<Second, number>> = { clip: 40, picture: 20 };

const acts: Readonly<Record<Second, string>> = {
  clip: `
    uses: character-replace
    estimate: 30
    with:
      end_seconds: 1
      assets: { video_file_path: "\${{ steps.clip.file_path }}", image_file_path: "\${{ steps.swap.url }}" }`,
  picture: `
    uses: photo-colorizer
    with: { assets: { image_file_path: "\${{ steps.swap.url }}" } }`,
};

export const endingOf: Readonly<Record<Second, string>> = { clip: 'mp4', picture: 'png' };

const pipelineText = ({ second, budget, window }: Terms): string => `pipeline: torture
inputs:
  actor: { type: file, default: actor.png }
  clip: { type: file, default: clip.mp4 }
items: { glob: "photos/*.png" }
budget: { credits: ${budget} }
limits: { items: ${window} }
output: out
steps:
  actor: { uses: upload, with: { file: "\${{ inputs.actor }}" } }
${second === 'clip' ? '  clip: { uses: upload, with: { file: "${{ inputs.clip }}" } }\n' : ''}\
  photo: { uses: upload, with: { file: "\${{ item.path }}" } }
  faces: { uses: face-detect, with: { target_file_path: "\${{ steps.photo.file_path }}" } }
  swap:
    uses: face-swap-photo
    with:
      assets:
        face_swap_mode: individual-faces
        target_file_path: \${{ steps.photo.file_path }}
        face_mappings: >-
          \${{ steps.faces.faces.map(f, {"original_face": f.path, "new_face": steps.actor.file_path}) }}
    retry: { attempts: 4 }
  act:${acts[second]}
    retry: { attempts: 4 }
  save: { uses: download, with: { of: act, to: "\${{ item.stem }}.${endingOf[second]}" } }
  tidy: { uses: delete, with: { of: act } }
`;

const pictures = new Map<number, Promise<Buffer>>();

/** The same photo each time it is asked for. */
function photoOf(number: number): Promise<Buffer> {
  const made = pictures.get(number) ?? photo(number);
  pictures.set(number, made);
  return made;
}

export interface Room {
  readonly folder: string;
  readonly file: string;
  readonly state: string;
  readonly output: string;
  remove(): Promise<void>;
}

export async function openRoom(terms: Terms): Promise<Room> {
  const folder = mkdtempSync(join(tmpdir(), 'shotlist-torture-'));
  const file = join(folder, 'pipeline.yaml');
  writeFileSync(file, pipelineText(terms));
  writeFileSync(join(folder, 'actor.png'), await photoOf(1000));
  writeFileSync(join(folder, 'clip.mp4'), createHash('sha512').update('clip').digest());
  mkdirSync(join(folder, 'photos'));
  for (let number = 1; number <= terms.items; number++)
    writeFileSync(join(folder, 'photos', `p${number}.png`), await photoOf(number));
  return {
    folder,
    file,
    state: join(folder, 'torture.state.jsonl'),
    output: join(folder, 'out'),
    remove: () => rm(folder, { recursive: true, force: true, maxRetries: 3 }),
  };
}
