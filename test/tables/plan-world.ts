// A pipeline, a disk as a plain object, and lines of jobs and outputs.
import { digestOf } from '../../src/base/digest.ts';
import type { DiskFacts, FileFact, RecordedFile } from '../../src/core/facts.ts';
import type { Pipeline } from '../../src/language/pipeline.ts';
import { validate } from '../../src/language/validate.ts';
import type { JobState, JobView } from '../../src/model/job-view.ts';
import type { Output } from '../../src/model/record/line.ts';

const start = Date.parse('2026-08-05T10:00:00Z');

export const hash = (words: string): string => digestOf({ content: words });

export function pipelineOf(text: string): Pipeline {
  const result = validate('p.yaml', text);
  if (!result.ok) throw new Error(result.error.map(({ message }) => message).join('; '));
  return result.value.pipeline;
}

/** A disk: files by path from the pipeline file, each with its content; `unread` ones have not been hashed yet. */
export class Disk implements DiskFacts {
  readonly inputs = new Map<string, string>();
  readonly outputs = new Map<string, string>();
  readonly keptFiles = new Map<string, string>();
  readonly unread = new Set<string>();
  /** Paths that only another checkout has saved. */
  readonly elsewhere = new Set<string>();

  input(path: string): FileFact {
    return this.#fact(path, this.inputs.get(path));
  }

  output(path: string): FileFact {
    return this.#fact(path, this.outputs.get(path));
  }

  isElsewhere({ path }: RecordedFile): boolean {
    return !this.outputs.has(path) && this.elsewhere.has(path);
  }

  /** The output folder is `out`, beside the pipeline file. */
  recordedAs(path: string): string {
    return `out/${path}`;
  }

  kept(digest: string, extension: string): FileFact {
    const name = `${digest}.${extension}`;
    return this.#fact(name, this.keptFiles.get(name));
  }

  #fact(path: string, content: string | undefined): FileFact {
    if (content === undefined) return { is: 'absent', why: 'does not exist' };
    return {
      is: 'file',
      bytes: content.length,
      digest: this.unread.has(path) ? undefined : digestOf({ content }),
    };
  }
}

/** What an output line says of a file with this content. */
export const outputLine = (task: string, path: string, content: string, index = 0): Output => ({
  of: 'a #1',
  task,
  index,
  at: new Date(start).toISOString(),
  path,
  bytes: content.length,
  sha256: hash(content),
});

export function jobLine(state: JobState, more: Partial<JobView> = {}): JobView {
  return {
    job: hash('job'),
    kind: 'face-swap-photo',
    state,
    tasks: ['swap:a'],
    outputs: [],
    past: [],
    at: new Date(start).toISOString(),
    ...more,
  };
}

/** Every item's photo gets the actor's face. */
export const swapping = `pipeline: p
items: { values: [{ key: a }, { key: b }] }
steps:
  actor: { uses: upload, with: { file: actor.png } }
  photo: { uses: upload, with: { file: "\${{ item.key }}.png" } }
  swap:
    uses: face-swap-photo
    with:
      assets: { target_file_path: "\${{ steps.photo.file_path }}", source_file_path: "\${{ steps.actor.file_path }}" }
  save: { uses: download, with: { of: swap, to: "\${{ item.key }}-out.png" } }
`;
