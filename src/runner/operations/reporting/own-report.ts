// Whether a file is a report that shotlist wrote.
import { open } from 'node:fs/promises';
import { systemCode } from '../../../contract/files/system-error.ts';
import { reportMark } from '../../report/page/document.ts';

/** True if there is a file that is not a report. */
export async function isOthersFile(path: string): Promise<boolean> {
  try {
    await using file = await open(path, 'r');
    const { buffer, bytesRead } = await file.read(Buffer.alloc(reportMark.length), 0);
    return buffer.subarray(0, bytesRead).toString('latin1') !== reportMark;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false;
    throw error;
  }
}
