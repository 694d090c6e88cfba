// Where child processes keep compiled code, so that each starts in half the time.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface CompileCache {
  readonly folder: string;
  close(): void;
}

/** The folder that this process uses itself, or a temporary one. */
export function openCompileCache(): CompileCache {
  const own = process.env['NODE_COMPILE_CACHE'];
  if (own !== undefined) return { folder: own, close: () => undefined };
  const folder = mkdtempSync(join(tmpdir(), 'shotlist-torture-cache-'));
  return { folder, close: () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }) };
}
