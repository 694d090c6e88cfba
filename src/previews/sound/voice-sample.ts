// The recording of a cloned voice: whether it is a sound, and what tells it from other recordings.
import { open } from 'node:fs/promises';
import type { ProjectError } from '../../contract/api/project.ts';
import { err, ok, type Result } from '../../contract/base/result.ts';
import { digestOfFile } from '../base/key.ts';
import type { RenderInput } from '../base/request.ts';
import { readFormat } from '../pictures/file-format.ts';

/** A text that differs from recording to recording; of somebody else's URL, which is not fetched, the URL. */
export async function voiceOf({
  file,
  reference,
  field,
}: RenderInput): Promise<Result<string, ProjectError>> {
  if (file === undefined) return ok(reference);
  const handle = await open(file);
  try {
    const format = await readFormat(handle);
    if (format.kind !== 'sound')
      return err({
        code: 'invalid_voice',
        message: `The recording of ${field} (${reference}) cannot be read: its sound format is not supported`,
      });
  } finally {
    await handle.close();
  }
  return ok(await digestOfFile(file));
}
