// What the pipelines of tests, of the torture and of the benchmark have in common, and the folder with their photos.
// Imports nothing of the test runner, because the torture and the benchmark run without it.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { photo } from './photo.ts';

/** Uploads the actor and the photo of the item, and finds the faces in the photo. */
export const uploadAndDetect = `  actor: { uses: upload, with: { file: "\${{ inputs.actor }}" } }
  photo: { uses: upload, with: { file: "\${{ item.path }}" } }
  faces: { uses: face-detect, with: { target_file_path: "\${{ steps.photo.file_path }}" } }
`;

/** Below `with:` of a face-swap-photo step: every face of the photo becomes the actor's. */
export const swapAssets = `      assets:
        face_swap_mode: individual-faces
        target_file_path: \${{ steps.photo.file_path }}
        face_mappings: >-
          \${{ steps.faces.faces.map(f, {"original_face": f.path, "new_face": steps.actor.file_path}) }}
`;

/** The picture of the actor in every folder. */
export const actor = 1000;

/** Writes actor.png and photos/p1.png to photos/p<count>.png. */
export async function writePhotos(folder: string, count: number, make = photo): Promise<void> {
  mkdirSync(join(folder, 'photos'), { recursive: true });
  writeFileSync(join(folder, 'actor.png'), await photo(actor));
  for (let number = 1; number <= count; number++)
    writeFileSync(join(folder, 'photos', `p${number}.png`), await make(number));
}
