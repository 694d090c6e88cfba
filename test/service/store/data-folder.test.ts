// The data folder of a local service is one that it made: in a folder of other things it would remove files.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { startService } from '../../../src/service/start.ts';
import { plainly, service } from '../../rig.ts';
import { dataFolder } from '../killable.ts';

const started = (data: string): Promise<unknown> => startService({ ...plainly, data });

describe('a data folder is refused', () => {
  test('when no local service made it, and stays as it is', async () => {
    const data = dataFolder();
    const victim = dataFolder();
    writeFileSync(join(victim, 'photo.jpg'), 'mine');
    writeFileSync(join(data, 'service.sqlite'), '');
    symlinkSync(victim, join(data, 'api-assets'));
    await expect(started(data)).rejects.toThrow(
      /no local service created it for you on this machine/,
    );
    expect(readdirSync(data)).toEqual(['api-assets', 'service.sqlite']);
    expect(readFileSync(join(victim, 'photo.jpg'), 'utf8')).toBe('mine');
  });

  test('when it is a link', async () => {
    const folder = dataFolder();
    symlinkSync(dataFolder(), join(folder, 'data'));
    await expect(started(join(folder, 'data'))).rejects.toThrow(/is a link\. Name the folder/);
  });

  const places = ['api-assets', 'outputs', 'incoming', 'service.sqlite-wal', 'api-assets/x'];
  test.each(places)('when %s in it is a link that somebody put there later', async (path) => {
    const data = dataFolder();
    await (await service({ data })).close();
    const victim = join(dataFolder(), 'victim');
    mkdirSync(join(victim, '0123456789abcdef01234567'), { recursive: true });
    const photo = join(victim, '0123456789abcdef01234567/0123456789ab.png');
    writeFileSync(photo, 'mine');
    rmSync(join(data, path), { recursive: true, force: true });
    symlinkSync(victim, join(data, path));
    await expect(started(data)).rejects.toThrow(/is a link\. Remove it/);
    expect(existsSync(photo)).toBe(true);
  });

  test('when its id is one of somebody else', async () => {
    const data = dataFolder();
    await (await service({ data })).close();
    vi.stubEnv('XDG_STATE_HOME', dataFolder());
    onTestFinished(() => void vi.unstubAllEnvs());
    await expect(started(data)).rejects.toThrow(/no local service created it for you/);
  });

  test('when there is no place for its secret', async () => {
    const folder = dataFolder();
    writeFileSync(join(folder, 'state'), '');
    vi.stubEnv('XDG_STATE_HOME', join(folder, 'state'));
    onTestFinished(() => void vi.unstubAllEnvs());
    await expect(started(join(folder, 'data'))).rejects.toThrow(/Set XDG_STATE_HOME/);
  });
});

test('a data folder may be moved: the service has the same key there, and another one elsewhere', async () => {
  const folder = dataFolder();
  const local = await service({ data: join(folder, 'here') });
  await local.close();
  renameSync(join(folder, 'here'), join(folder, 'there'));
  const moved = await service({ data: join(folder, 'there') });
  expect(moved.key).toBe(local.key);
  const other = await service({ data: join(folder, 'other') });
  expect(other.key).not.toBe(local.key);
});
