// Opens the store of a run, and finds out before anything is bought whether files can be put there.

import { problem, Refusal } from '../language/load/refusal.ts';
import type { OutputStore } from '../run/jobs/ports.ts';
import type { StoreChoice } from './choose-store.ts';
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
