// The workspace of a round: a folder with a pipeline of six steps per item, tiny photos that all differ, and a few bytes
// that pass for a clip.
import { createHash } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { swapAssets, uploadAndDetect, writePhotos } from '../test/photo-pipeline.ts';

/**
 * The second tool. `clip`: character-replace, whose charge is an estimate; with plain pictures, all its outputs are the
 * clip itself. `picture`: photo-colorizer, whose outputs differ by item.
 */
export type SecondTool = 'clip' | 'picture';

export interface Terms {
  readonly second: SecondTool;
  readonly items: number;
  /** The budget of one run in credits. */
  readonly budget: number;
  /** How many items are in flight at once. */
  readonly window: number;
}

/** The price of an item in credits. */
export const itemCredits: Readonly<Record<SecondTool, number>> = { clip: 40, picture: 20 };

const acts: Readonly<Record<SecondTool, string>> = {
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

export const extensionOf: Readonly<Record<SecondTool, string>> = { clip: 'mp4', picture: 'png' };

const pipelineText = ({ second, budget, window }: Terms): string => `pipeline: torture
inputs:
  actor: { type: file, default: actor.png }
  clip: { type: file, default: clip.mp4 }
items: { glob: "photos/*.png" }
budget: { credits: ${budget} }
limits: { items: ${window} }
output: out
steps:
${second === 'clip' ? '  clip: { uses: upload, with: { file: "${{ inputs.clip }}" } }\n' : ''}\
${uploadAndDetect}\
  swap:
    uses: face-swap-photo
    with:
${swapAssets}\
    retry: { attempts: 4 }
  act:${acts[second]}
    retry: { attempts: 4 }
  save: { uses: download, with: { of: act, to: "\${{ item.stem }}.${extensionOf[second]}" } }
  tidy: { uses: delete, with: { of: act } }
`;

export interface Workspace {
  readonly folder: string;
  readonly file: string;
  readonly state: string;
  readonly output: string;
  remove(): Promise<void>;
}

export async function openWorkspace(terms: Terms): Promise<Workspace> {
  const folder = mkdtempSync(join(tmpdir(), 'shotlist-torture-'));
  const file = join(folder, 'pipeline.yaml');
  writeFileSync(file, pipelineText(terms));
  writeFileSync(join(folder, 'clip.mp4'), createHash('sha512').update('clip').digest());
  await writePhotos(folder, terms.items);
  return {
    folder,
    file,
    state: join(folder, 'torture.state.jsonl'),
    output: join(folder, 'out'),
    remove: () => rm(folder, { recursive: true, force: true, maxRetries: 3 }),
  };
}
