// An upload whose file changes or fails while it is sent: what storage has then is not the file.
import { createHash } from 'node:crypto';
import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { afterNextRead, failSecondRead } from '../files/patched-fs.ts';
import { temporaryFolder } from '../files/places.ts';
import { serve } from './server.ts';

function fileOf(bytes: number): { readonly path: string; readonly content: Buffer } {
  const path = join(temporaryFolder(), 'a.png');
  const content = Buffer.alloc(bytes, 'pixels ');
  writeFileSync(path, content);
  return { path, content };
}

describe('an upload', () => {
  test('of a file that shrinks while it is sent is no success', async () => {
    const server = await serve((_, response) => response.end());
    const { path } = fileOf(4 << 20);
    await afterNextRead(() => truncateSync(path, 1));
    const put = { uploadUrl: server.address, filePath: 'x' };
    expect(await server.client().put(put, { path })).toMatchObject({
      ok: false,
      error: { reason: 'unanswered' },
    });
  });

  test('of a file whose device fails in the middle is this machine’s trouble', async () => {
    const server = await serve((_, response) => response.end());
    const { path } = fileOf(4 << 20);
    await failSecondRead('EIO');
    const put = { uploadUrl: server.address, filePath: 'x' };
    expect(await server.client().put(put, { path })).toEqual({
      ok: false,
      error: {
        reason: 'local',
        message: 'the file could not be read or written: the device failed (input/output error)',
      },
    });
  });

  test.each([
    ['in one piece', 1 << 20],
    ['in pieces', (1 << 20) + 1],
  ])('sends a file %s with its whole length', async (how, bytes) => {
    const server = await serve((_, response) => response.end());
    const { path, content } = fileOf(bytes);
    // A file in one piece is not read through an open file.
    if (how === 'in one piece') await failSecondRead('EIO');
    const put = { uploadUrl: server.address, filePath: 'x' };
    expect(await server.client().put(put, { path })).toEqual({
      ok: true,
      value: createHash('sha256').update(content).digest('hex'),
    });
    expect(server.asked[0]?.headers['content-length']).toBe(`${bytes}`);
  });

  test.each([
    [200, true],
    [204, true],
    [299, true],
    [300, false],
  ])('that is answered with %i has arrived: %s', async (status, arrived) => {
    const server = await serve((_, response) => response.writeHead(status).end());
    const { path } = fileOf(10);
    const put = { uploadUrl: server.address, filePath: 'x' };
    expect((await server.client().put(put, { path })).ok).toBe(arrived);
  });
});
