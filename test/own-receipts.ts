// Each test has receipts of its own: two services may have had one address, one after the other.
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';

let tests = 0;

beforeEach(() => {
  tests += 1;
  process.env['SHOTLIST_RECEIPTS'] = join(tmpdir(), `shotlist-receipts-${process.pid}-${tests}`);
});

afterEach(() => {
  const folder = process.env['SHOTLIST_RECEIPTS'];
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
});
