// Processes and this process have the same receipts, and not those of the developer.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Made when it is first asked for, unless a test has named a folder. */
export function ownReceipts(): Readonly<Record<string, string>> {
  process.env['SHOTLIST_RECEIPTS'] ??= mkdtempSync(join(tmpdir(), 'shotlist-torture-receipts-'));
  return { SHOTLIST_RECEIPTS: process.env['SHOTLIST_RECEIPTS'] };
}
