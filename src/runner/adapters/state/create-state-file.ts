// Creates a state file together with its header: nobody ever sees the file without one.
import { lstatSync } from 'node:fs';
import { Ledger } from '../../journal/ledger.ts';
import type { Header } from '../../journal/line.ts';
import { compactedTexts, replaceState } from './compaction.ts';
import { type Content, ContentHash, StateFileChanged, sinceRead } from './file-version.ts';

/**
 * Returns the content of the new file. Throws `StateFileChanged` if another program created the file meanwhile, and system
 * errors.
 */
export async function createStateFile(file: string, header: Header): Promise<Content> {
  const ledger = new Ledger();
  await replaceState(file, `${file}.new`, header, ledger, async () => {
    if (lstatSync(file, { throwIfNoEntry: false }) !== undefined)
      throw new StateFileChanged(file, sinceRead);
  });
  const hash = new ContentHash();
  for (const text of compactedTexts(header, ledger)) hash.add(Buffer.from(text));
  return hash.content;
}
