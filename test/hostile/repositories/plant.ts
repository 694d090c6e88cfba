// A planted repository as data: what somebody commits who wants to reach files, hosts or keys of whoever clones it.
import { posix } from 'node:path';

/** How a run on it ends: it runs, or it is refused with words that match. Undefined: either will do. */
export type Ending = 'runs' | RegExp | undefined;

export interface Plant {
  readonly name: string;
  /** Committed, by path. */
  readonly files?: Readonly<Record<string, string | Buffer>>;
  /** Committed links, by path; a target that begins with `victim/` is in the folder beside the clone. */
  readonly links?: Readonly<Record<string, string>>;
  /** Put there when it was cloned: what git never checks out, but an archive may hold. */
  readonly loose?: Readonly<Record<string, string>>;
  /** Named pipes, put there likewise. */
  readonly pipes?: readonly string[];
  /** Default: `pipeline.yaml`. */
  readonly pipeline?: string;
  /** Default: the consented host is named. */
  readonly host?: 'unnamed';
  readonly rehearsal: Ending;
  readonly hosted: Ending;
}

/** What plants are made with. */
export interface Seeds {
  /** A photo that both services take. */
  readonly photo: Buffer;
  /** The address of a host that nobody consented to. */
  readonly stranger: string;
  /** The name of the temporary file of the first output, which depends on the repository alone. */
  readonly part: string;
  /** The consented host. */
  readonly service: string;
  /** A state file of a hosted run. */
  readonly state: string;
  /** A file that must never come into being. */
  readonly canary: string;
}

/** A link's target, from where the link stands. */
export function targetFrom(path: string, target: string): string {
  if (!target.startsWith('victim/') && target !== 'victim') return target;
  return posix.join(...path.split('/').map(() => '..'), target);
}

export const pipelineWith = (lines: string, to = '${{ item.stem }}.png'): string => `pipeline: p
items: { glob: photos/*.png }
${lines}
steps:
  photo: { uses: upload, with: { file: "\${{ item.path }}" } }
  make:
    uses: photo-colorizer
    with: { assets: { image_file_path: "\${{ steps.photo.file_path }}" } }
  save: { uses: download, with: { of: make, to: "${to}" } }
`;

/** What every plant has unless it has its own. */
export const innocent = ({ photo }: Pick<Seeds, 'photo'>): Record<string, string | Buffer> => ({
  'pipeline.yaml': pipelineWith('output: out'),
  'photos/p1.png': photo,
});
