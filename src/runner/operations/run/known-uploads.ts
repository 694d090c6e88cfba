// Which uploads of other pipelines a run may use: those for the same account at the same service, in the user's state
// folder. Rehearsals share none, and nothing is shared for a service on this machine, which may forget all its files.
import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import { makeFolder } from '../../../contract/files/make-folder.ts';
import { isSystemProblem } from '../../../contract/files/system-error.ts';
import { userFolder } from '../../../contract/files/user-folder.ts';
import { UploadCache } from '../../adapters/files/upload-cache.ts';
import { isLoopback } from '../../adapters/http/loopback.ts';
import { uploadSharedMs } from '../../plan/renew.ts';
import type { PreparedRun } from './context.ts';

/** Undefined if the run shares no uploads. Uploads are shared only if the user's state folder can be written. */
export function openKnownUploads({
  target,
  options,
  internals,
  clock,
}: Pick<PreparedRun, 'target' | 'options' | 'internals' | 'clock'>): UploadCache | undefined {
  if (target.kind === 'rehearsal') return undefined;
  const { address, key } = target;
  if (internals.sharesUploads !== true && isLoopback(new URL(address).hostname)) return undefined;
  const folder = userFolder(options.env);
  try {
    makeFolder(folder, 0o700);
  } catch (error) {
    if (!isSystemProblem(error)) throw error;
    return undefined;
  }
  return new UploadCache({
    file: join(folder, 'uploads.db'),
    account: accountName(address, key),
    clock,
    sharedForMs: uploadSharedMs,
  });
}

/** Two keys never share, even for one account. The key cannot be found out from the name. */
const accountName = (address: string, key: string): string =>
  createHmac('sha256', key).update(`uploads at ${address}`).digest('hex');
