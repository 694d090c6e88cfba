// A data folder is its owner's alone: one that was open to others is closed, with all that is in it.
import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startService } from '../../../src/service/start.ts';
import { openDatabase } from '../../../src/service/store/database.ts';
import { canBeNobody, nobody } from '../../nobody.ts';
import { photo, plainly, Rig, service } from '../../rig.ts';
import { Client } from '../client.ts';

/** Every path in a folder, and the folder itself as `.`, that others may use in any way. */
function openToOthers(folder: string): readonly string[] {
  return ['.', ...readdirSync(folder, { recursive: true, encoding: 'utf8' })]
    .filter((name) => (statSync(join(folder, name)).mode & 0o077) !== 0)
    .sort();
}

const isRoot = process.getuid?.() === 0;

describe.skipIf(process.platform === 'win32')('a data folder (skipped without modes)', () => {
  test('that is new, with uploads, crops and outputs in it, is closed to others', async () => {
    const data = new Rig('').path('data');
    const before = process.umask(0);
    try {
      const local = await service({ data });
      const client = new Client(local);
      const file = await client.upload(await photo(1), 'png');
      await client.faces(file);
      await client.settled('image', await client.swap(file, file));
      const voice = { style: { prompt: 'Hello', voice_name: 'Elon' } };
      await client.settled('audio', (await client.create('ai-voice-generator', voice)).id);
      expect(readdirSync(data)).toContain('service.sqlite-wal');
      expect(openToOthers(data)).toEqual([]);
    } finally {
      process.umask(before);
    }
  });

  test('that was open to others is closed when it is opened, its database too', async () => {
    const data = new Rig('').path('data');
    await (await startService({ ...plainly, data })).close();
    await openDatabase(join(data, 'service.sqlite')).close();
    writeFileSync(join(data, 'service.sqlite-wal'), '');
    for (const name of ['service.sqlite', 'service.sqlite-wal']) chmodSync(join(data, name), 0o666);
    chmodSync(data, 0o777);
    await service({ data });
    expect(openToOthers(data)).toEqual([]);
  });

  test.skipIf(!isRoot || !canBeNobody)(
    'that belongs to another user and is open to others is refused (skipped unless root, who can make one, in a checkout that others may read)',
    async () => {
      const rig = new Rig('');
      mkdirSync(rig.path('data'));
      chmodSync(rig.path('data'), 0o777);
      chmodSync(rig.folder, 0o755);
      const child = rig.start(['serve', '--data', rig.path('data')], {}, nobody);
      let said = '';
      child.stderr?.on('data', (chunk: Buffer) => {
        said += chunk.toString();
      });
      const code = await new Promise((resolve) => child.once('close', resolve));
      expect([code, said]).toEqual([
        2,
        expect.stringContaining('belongs to another user, and others can use it'),
      ]);
      expect(readdirSync(rig.path('data'))).toEqual([]);
    },
  );

  test('that holds other things is left as it is', async () => {
    const data = new Rig('').path('data');
    mkdirSync(data);
    writeFileSync(join(data, 'mine.txt'), '');
    chmodSync(data, 0o755);
    await expect(startService({ ...plainly, data })).rejects.toThrow('holds files');
    expect(statSync(data).mode & 0o777).toBe(0o755);
  });
});
