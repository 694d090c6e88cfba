// How long a saved sound is, by the header of its WAV file.
import { NotRegularFile, openRegular } from '../base/regular-file.ts';
import { isSystemProblem } from '../base/system-error.ts';

/** The header and what may stand between it and the sound. */
const headBytes = 1 << 16;

/** Seconds, to the millisecond; undefined if the file is no WAV file, or does not say. */
export async function soundSeconds(path: string): Promise<number | undefined> {
  try {
    const file = await openRegular(path);
    try {
      const { size } = await file.stat();
      const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0);
      return wavSeconds(buffer.subarray(0, bytesRead), size);
    } finally {
      await file.close();
    }
  } catch (error) {
    // The file is saved all the same; whoever needs it says that it cannot be read.
    if (isSystemProblem(error) || error instanceof NotRegularFile) return undefined;
    throw error;
  }
}

/** `head`: the beginning of a file of `size` bytes. */
export function wavSeconds(head: Buffer, size: number): number | undefined {
  if (head.toString('latin1', 0, 4) !== 'RIFF' || head.toString('latin1', 8, 12) !== 'WAVE')
    return undefined;
  let bytesPerSecond = 0;
  for (let at = 12; at + 8 <= head.length; ) {
    const name = head.toString('latin1', at, at + 4);
    const length = head.readUInt32LE(at + 4);
    const content = at + 8;
    if (name === 'fmt ' && content + 12 <= head.length)
      bytesPerSecond = head.readUInt32LE(content + 8);
    if (name === 'data') {
      // A stream whose length was not known at its beginning says the greatest length.
      const bytes = Math.min(length, size - content);
      if (bytesPerSecond === 0 || bytes <= 0) return undefined;
      return Math.round((bytes / bytesPerSecond) * 1000) / 1000 || undefined;
    }
    // Chunks begin at even positions.
    at = content + length + (length % 2);
  }
  return undefined;
}
