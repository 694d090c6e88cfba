// Creates a state file together with its header: nobody ever sees the file without one.
import { lstatSync } from 'node:fs';
import { Ledger } from '../../journal/ledger.ts';
import type { Header } from '../../journal/line.ts';
import { replaceState } from './compaction.ts';
import { type Content, StateFileChanged, sinceRead } from './file-version.ts';

/**
 * Returns the content of the new file. Throws `StateFileChanged` if another program created the file meanwhile, and system
 * errors.
 */
export async function createStateFile(file: string, header: Header): Promise<Content> {
  return await replaceState(file, `${file}.new`, header, new Ledger(), async () => {
    if (lstatSync(file, { throwIfNoEntry: false }) !== undefined)
      throw new StateFileChanged(file, sinceRead);
  });
}
