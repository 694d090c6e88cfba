// Opens the store of a run, and finds out before anything is bought whether files can be put there.

import { relative, resolve } from 'node:path';
import { shotlistLine } from '../base/shell.ts';
import type { Env } from '../base/user-folder.ts';
import type { Code } from '../contract/codes.ts';
import type { OutputStore } from '../core/ports.ts';
import { folderRefusal, type OutsideOptions } from '../files/boundary.ts';
import type { BoundPipeline } from '../language/load/bound-pipeline.ts';
import { type Problem, problem, Refusal } from '../language/load/refusal.ts';
import { storeAddressOf, storeName } from '../language/store.ts';
import { type BucketAccess, bucketAccess } from '../service-api/bucket-access.ts';
import { consentToStore } from '../service-api/consent.ts';
import type { Target, Unasked } from '../service-api/target.ts';
import type { RunPaths } from '../state/run-paths.ts';
import { FolderStore } from './folder.ts';

export interface OpenStore extends AsyncDisposable {
  readonly store: OutputStore;
}

/** `cut`: aborted when transfers must end immediately. */
export async function openStore(choice: StoreChoice, cut: AbortSignal): Promise<OpenStore> {
  if (choice.kind === 'folder') {
    const { id, folder } = choice;
    const store = new FolderStore({ id, folder, cut });
    return { store, [Symbol.asyncDispose]: async () => undefined };
  }
  const { id, name, prefix, access } = choice;
  // Most runs have no bucket.
  const { BucketStore } = await import('./s3.ts');
  const store = new BucketStore({ id, name, prefix, access, cut });
  return { store, [Symbol.asyncDispose]: () => store.close() };
}

export async function checkStore(store: OutputStore): Promise<void> {
  const usable = await store.check();
  if (usable.ok) return;
  const { reason, message } = usable.error;
  const hint = 'nothing was bought; check outputs.store and what it needs, then run again';
  const found = problem(`results cannot be stored: ${message}`, 'shotlist', hint);
  throw new Refusal(reason === 'unavailable' ? { ...found, reason: 'unreachable' } : found);
}

// Selects the store of a command, and decides whether it may be used: a bucket that a pipeline file names needs the
// user's consent and credentials, a folder outside the repository needs --allow-outside. A rehearsal has its own folder.

/** `id` names the store in the state file. */
export type StoreChoice =
  | {
      readonly kind: 'folder';
      readonly id: string;
      readonly folder: string;
      readonly note?: string;
    }
  | {
      readonly kind: 'bucket';
      readonly id: string;
      readonly name: string;
      readonly prefix: string;
      readonly access: BucketAccess;
    };

interface StoreContext extends OutsideOptions {
  readonly target: Target | Unasked;
  readonly env: Env;
  readonly paths: Pick<RunPaths, 'store'>;
}

/** Undefined if the pipeline names no store. */
export function chooseStore(
  bound: BoundPipeline,
  { target, env, paths, allowOutside }: StoreContext,
): StoreChoice | undefined {
  const { store } = bound.pipeline;
  if (store === undefined) return;
  const address = storeAddressOf(store);
  if (!address.ok) throw new Error(`bug: outputs.store is not valid: ${address.error.message}`);
  const id = storeName(store);
  const kept = address.value;
  if (kept.kind === 'folder') {
    const folder = resolve(bound.folder, kept.path);
    const refused = folderRefusal(bound, folder, { allowOutside });
    if (refused !== undefined)
      throw new Refusal(atStore(bound, refused.code, refused.why, refused.hint));
    return { kind: 'folder', id, folder: target.kind === 'rehearsal' ? paths.store : folder };
  }
  if (target.kind === 'rehearsal') {
    const shown = relative(bound.folder, paths.store);
    const note = `a rehearsal does not use ${store}: it stores its results in ${shown}`;
    return { kind: 'folder', id, folder: paths.store, note };
  }
  if (consentToStore(bound, env) !== 'trusted') {
    const hint = `nothing was sent. If you trust this file, run ${shotlistLine('trust', [bound.file])}`;
    throw new Refusal(
      atStore(bound, 'SL705', 'is a bucket, and you have not agreed to use it', hint),
    );
  }
  const access = bucketAccess(kept.bucket, env);
  if (!access.ok)
    throw new Refusal(
      atStore(bound, 'SL706', `cannot be used: ${access.error.message}`, access.error.hint),
    );
  return { kind: 'bucket', id, name: store, prefix: kept.prefix, access: access.value };
}

function atStore(
  { pipeline, file }: BoundPipeline,
  code: Code,
  why: string,
  hint: string,
): Problem {
  const { source, store } = pipeline;
  const message = `outputs.store: ${JSON.stringify(store)} ${why}`;
  const span = source.spanOf(['outputs', 'store']);
  return {
    reason: 'input',
    text: source.text,
    diagnostics: [{ severity: 'error', code, file, span, message, hint }],
  };
}
