// The kept files in `.shotlist`, and which of them are orphans. Other pipelines of the folder keep their files there too,
// and so are files that their owner had changed before a result replaced them: only recorded files can be orphans.
import { extensionOf } from '../contract/api/asset.ts';
import type { OutputLine } from '../model/line.ts';
import type { BackingProject, OrphanKept, RecordName } from './orphan.ts';

/** A file of the folder of kept files, by its name. */
export interface KeptFile {
  readonly sha256: string;
  readonly extension: string;
  readonly bytes: number;
  /** When it was set aside, in milliseconds since 1970. */
  readonly at: number;
}

/**
 * What a recorded result makes of its kept copy. `needed`: the copy must stay. `last`: it is the only copy of a result
 * whose task the pipeline still has.
 */
export type KeptUse = 'needed' | 'last' | 'none';

const strength: readonly KeptUse[] = ['none', 'last', 'needed'];

interface Owner {
  readonly use: KeptUse;
  readonly about: {
    readonly at: number;
    readonly tasks: readonly string[];
    readonly credits: number;
  };
  /** Nothing is left of the result without this copy. */
  readonly last: boolean;
  /** Absent if the result has its file in its place. */
  readonly record?: RecordName;
  /** The project that has the only other copy. */
  readonly backing?: BackingProject;
}

interface Known {
  readonly use: KeptUse;
  readonly orphan: OrphanKept;
}

const nameOf = (sha256: string, extension: string): string => `${sha256}.${extension}`;

export class KeptCopies {
  readonly #files: ReadonlyMap<string, KeptFile>;
  readonly #known = new Map<string, Known>();

  constructor(files: readonly KeptFile[]) {
    this.#files = new Map(files.map((file) => [nameOf(file.sha256, file.extension), file]));
  }

  has(sha256: string, extension: string): boolean {
    return this.#files.has(nameOf(sha256, extension));
  }

  add({ sha256, path }: OutputLine, { use, about, last, record, backing }: Owner): void {
    const name = nameOf(sha256, extensionOf(path));
    const file = this.#files.get(name);
    if (file === undefined) return;
    const known = this.#known.get(name);
    const records = [...(known?.orphan.records ?? []), ...(record === undefined ? [] : [record])];
    const before = known?.orphan.backedBy ?? [];
    const backedBy = backing === undefined ? before : [...before, backing];
    const at = Math.max(file.at, about.at, known?.orphan.at ?? 0);
    this.#known.set(name, {
      use: stronger(use, known?.use ?? 'none'),
      orphan: {
        ...file,
        ...about,
        at,
        records,
        backedBy,
        last: last || known?.orphan.last === true,
      },
    });
  }

  found(): { orphans: readonly OrphanKept[]; lastCopies: number; unrecorded: number } {
    const known = [...this.#known.values()];
    return {
      orphans: known.filter(({ use }) => use === 'none').map(({ orphan }) => orphan),
      lastCopies: known.filter(({ use }) => use === 'last').length,
      unrecorded: this.#files.size - known.length,
    };
  }
}

const stronger = (one: KeptUse, other: KeptUse): KeptUse =>
  strength.indexOf(one) > strength.indexOf(other) ? one : other;
