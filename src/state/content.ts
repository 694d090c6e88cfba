// The content of a state file, for whoever wants to know later whether it is the same.
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { systemCode } from '../base/system-error.ts';
import { openOwn } from '../files/new-file.ts';

export interface Content {
  readonly bytes: number;
  readonly sha256: string;
}

/** Undefined if there is no such file. Throws system errors. */
export async function contentOf(file: string): Promise<Content | undefined> {
  try {
    await using handle = await openOwn(file, constants.O_RDONLY);
    const hash = createHash('sha256');
    let bytes = 0;
    for await (const chunk of handle.createReadStream({ start: 0, autoClose: false })) {
      hash.update(chunk);
      bytes += chunk.length;
    }
    return { bytes, sha256: hash.digest('hex') };
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
