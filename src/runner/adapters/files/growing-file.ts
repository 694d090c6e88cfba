// The lines of a text file, also of one that another process still appends to.
import { fstatSync, statSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { openRegular } from '../../../contract/files/regular-file.ts';

const lineFeed = 10;
const chunkBytes = 1 << 18;
const pauseMs = 250;
/** In bytes: no program writes a longer line into a log. */
const longest = 1 << 24;

/**
 * Yields complete lines. With `follow`, the lines that are appended later, too, until `signal` is aborted; a file that was
 * replaced or cut is read from its beginning. Throws system errors.
 */
export async function* linesOf(
  path: string,
  { follow = false, signal }: { readonly follow?: boolean; readonly signal?: AbortSignal } = {},
): AsyncGenerator<string> {
  for (;;) {
    await using handle = await openRegular(path);
    let [position, rest] = [0, Buffer.alloc(0)];
    for (;;) {
      if (signal?.aborted === true) return;
      const buffer = Buffer.allocUnsafe(chunkBytes);
      const { bytesRead } = await handle.read({ buffer, position });
      if (bytesRead === 0) {
        if (!follow) {
          if (rest.length > 0) yield rest.toString('utf8');
          return;
        }
        await wait(pauseMs);
        if (isAnother(path, handle.fd, position)) break;
        continue;
      }
      position += bytesRead;
      rest = Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
      let from = 0;
      for (let end = rest.indexOf(lineFeed); end >= 0; end = rest.indexOf(lineFeed, from)) {
        yield rest.toString('utf8', from, end);
        from = end + 1;
      }
      rest = rest.subarray(from);
      if (rest.length > longest) rest = Buffer.alloc(0);
    }
  }
}

/** A file that is missing for a moment may be on its way to another name: the old one is read on. */
function isAnother(path: string, descriptor: number, position: number): boolean {
  const now = statSync(path, { throwIfNoEntry: false });
  if (now === undefined) return false;
  return now.ino !== fstatSync(descriptor).ino || now.size < position;
}
