// What has changed about a task since an earlier job of it: which field, which file, which result of another task.
import type { Json } from '../base/json.ts';
import type { Manifest } from '../model/fingerprint.ts';
import {
  type ChangedField,
  changesBetween,
  type KeptManifest,
  textsOf,
  valueOfJob,
} from '../model/manifest.ts';

export type Change =
  | ({ readonly is: 'value' } & ChangedField)
  /** `before` and `after`: the SHA-256 of the content; `file`: the path now, `was`: the path at the time if it was another. */
  | {
      readonly is: 'file';
      readonly field: string;
      readonly file: string;
      readonly was?: string;
      readonly before?: string;
      readonly after?: string;
    }
  /** A result of another task, which is not the same one. */
  | { readonly is: 'result'; readonly field: string; readonly kind?: string };

/** A file that the plan uploads, or has uploaded. */
export interface Upload {
  readonly file: string;
  /** The fingerprint. */
  readonly job: string;
  /** The SHA-256 of the content. */
  readonly content?: string;
}

interface Known {
  readonly uploads: readonly Upload[];
  readonly manifests: ReadonlyMap<string, KeptManifest>;
}

/** `after`: undefined if the request is not known yet; then only its files are compared. */
export function changesOf(
  before: KeptManifest,
  after: Manifest | undefined,
  known: Known,
): readonly Change[] {
  if (after === undefined) return changedFiles(before, known);
  const own = { field: 'file', file: before.file ?? '' };
  return changesBetween(before, after).map((change): Change => {
    if (change.field === 'content' && before.file !== undefined)
      return { is: 'file', ...own, ...digests(before.content, after.content) };
    return changed(change, known);
  });
}

function changed(change: ChangedField, { uploads, manifests }: Known): Change {
  const { field } = change;
  const [before, after] = [jobIn(change.before), jobIn(change.after)];
  if (before === undefined || after === undefined) return { is: 'value', ...change };
  const [was, now] = [manifests.get(before), uploads.find(({ job }) => job === after)];
  if (now === undefined || (was !== undefined && was.kind !== 'upload')) {
    const kind = was?.kind;
    return { is: 'result', field, kind };
  }
  const moved = was?.file === undefined || was.file === now.file ? {} : { was: was.file };
  return { is: 'file', field, file: now.file, ...moved, ...digests(was?.content, now.content) };
}

/** The files of an earlier request that have other content now. */
function changedFiles({ body }: KeptManifest, { uploads, manifests }: Known): readonly Change[] {
  return textsOf(body).flatMap(([field, text]): readonly Change[] => {
    const job = jobIn(text);
    const was = job === undefined ? undefined : manifests.get(job);
    const now = uploads.find(({ file }) => file === was?.file);
    if (was?.file === undefined || now === undefined || now.job === job) return [];
    return [{ is: 'file', field, file: was.file, ...digests(was.content, now.content) }];
  });
}

const digests = (before: string | undefined, after: string | undefined) => ({
  before,
  after,
});

const jobIn = (value: Json | undefined): string | undefined =>
  typeof value === 'string' ? valueOfJob(value)?.job : undefined;
