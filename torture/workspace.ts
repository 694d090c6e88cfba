// The workspace of a round: a folder with a pipeline of six steps per item, tiny photos that all differ, and a few bytes
// that pass for a clip.
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { swapAssets, uploadAndDetect, writePhotos } from '../test/photo-pipeline.ts';

/**
 * The second tool. `clip`: character-replace, whose charge is an estimate; with plain pictures, all its outputs are the
 * clip itself. `picture`: photo-colorizer, whose outputs differ by item. `fan`: ai-image-editor for each of two prompts,
 * and once more for the pictures of all items together.
 */
export type SecondTool = 'clip' | 'picture' | 'fan';

export const secondTools: readonly SecondTool[] = ['clip', 'picture', 'fan'];

export interface Terms {
  readonly second: SecondTool;
  readonly items: number;
  /** The budget of one run in credits. */
  readonly budget: number;
  /** How many items are in flight at once. */
  readonly window: number;
  /** A bucket that keeps the outputs. */
  readonly store?: string;
}

/** The price of all items in credits. */
export const creditsOf = ({ second, items }: Pick<Terms, 'second' | 'items'>): number =>
  second === 'fan' ? items * 20 + 5 : items * (second === 'clip' ? 40 : 20);

const editing = `
    uses: ai-image-editor
    retry: { attempts: 4 }
    with:
      image_count: 1
      model: flux-2-klein
      resolution: 640px`;

const acts: Readonly<Record<SecondTool, string>> = {
  clip: `
    uses: character-replace
    estimate: 30
    retry: { attempts: 4 }
    with:
      end_seconds: 1
      assets: { video_file_path: "\${{ steps.clip.file_path }}", image_file_path: "\${{ steps.swap.url }}" }`,
  picture: `
    uses: photo-colorizer
    retry: { attempts: 4 }
    with: { assets: { image_file_path: "\${{ steps.swap.url }}" } }`,
  fan: `
    for_each: \${{ ["warm", "cold"] }}${editing}
      style: { prompt: "\${{ each.value }}" }
      assets: { image_file_paths: ["\${{ steps.swap.url }}"] }
  group:${editing}
      style: { prompt: at one table }
      assets: { image_file_paths: "\${{ steps.swap.all.map(one, one.url).take(6) }}" }
  keep: { uses: download, with: { of: group, to: group.png } }`,
};

const savedAs: Readonly<Record<SecondTool, string>> = {
  clip: '${{ item.stem }}.mp4',
  picture: '${{ item.stem }}.png',
  fan: '${{ item.stem }}-${{ each.index }}.png',
};

const pipelineText = ({ second, budget, window, store }: Terms): string => `pipeline: torture
inputs:
  actor: { type: file, default: actor.png }
  clip: { type: file, default: clip.mp4 }
items: { glob: "photos/*.png" }
budget: { credits: ${budget} }
limits: { items: ${window} }
output: out
${store === undefined ? '' : `outputs: { store: "${store}" }\n`}\
steps:
${second === 'clip' ? '  clip: { uses: upload, with: { file: "${{ inputs.clip }}" } }\n' : ''}\
${uploadAndDetect}\
  swap:
    uses: face-swap-photo
    with:
${swapAssets}\
    retry: { attempts: 4 }
  act:${acts[second]}
  save: { uses: download, with: { of: act, to: "${savedAs[second]}" } }
  tidy: { uses: delete, with: { of: act } }
`;

/** What a complete run has paid for and saved. */
export interface Expected {
  /** The names of the tasks. */
  readonly paid: readonly string[];
  /** Paths relative to the pipeline's folder. */
  readonly outputs: readonly string[];
}

export function expectedOf({ second, items }: Pick<Terms, 'second' | 'items'>): Expected {
  const numbers = Array.from({ length: items }, (_, index) => index + 1);
  const swaps = numbers.map((number) => `swap:p${number}.png`);
  if (second !== 'fan')
    return {
      paid: [...swaps, ...numbers.map((number) => `act:p${number}.png`)],
      outputs: numbers.map((number) => `out/p${number}.${second === 'clip' ? 'mp4' : 'png'}`),
    };
  const elements = numbers.flatMap((number) => [0, 1].map((index) => ({ number, index })));
  return {
    paid: [
      ...swaps,
      ...elements.map(({ number, index }) => `act:p${number}.png[${index}]`),
      'group',
    ],
    outputs: [
      ...elements.map(({ number, index }) => `out/p${number}-${index}.png`),
      'out/group.png',
    ],
  };
}

export interface Workspace {
  readonly folder: string;
  readonly file: string;
  readonly state: string;
  readonly output: string;
  /** Of its own: another round may have another service at the same address. */
  readonly receipts: string;
  remove(): Promise<void>;
}

export async function openWorkspace(terms: Terms): Promise<Workspace> {
  const folder = mkdtempSync(join(tmpdir(), 'shotlist-torture-'));
  const file = join(folder, 'pipeline.yaml');
  writeFileSync(file, pipelineText(terms));
  writeFileSync(join(folder, 'clip.mp4'), createHash('sha512').update('clip').digest());
  await writePhotos(folder, terms.items);
  const receipts = `${folder}-receipts`;
  mkdirSync(receipts);
  return {
    folder,
    file,
    state: join(folder, 'torture.state.jsonl'),
    output: join(folder, 'out'),
    receipts,
    remove: async () => {
      for (const path of [folder, receipts])
        await rm(path, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}
