// A run answers this user and nobody else, and whatever is in the place of its socket is taken for no answer.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { holdingOf, realProcesses, takeLock } from '../../../../src/state/lock/lock.ts';
import {
  askRun,
  openRunSocket,
  type RunSocket,
  removeSocket,
} from '../../../../src/state/lock/run-socket.ts';
import { type LiveFacts, liveFacts } from '../../../../src/views/live/live-facts.ts';
import { temporaryFolder } from '../../../files/places.ts';
import { Watching } from '../../../views/live/live-events.ts';

function facts(): LiveFacts {
  const watching = new Watching(3, { budget: 100 });
  watching.whole('a.jpg', 500);
  watching.whole('b.jpg', 500, 'failed', 'no_source_face');
  watching.begin('photo', 'c.jpg');
  return liveFacts(watching.view, watching.now + 40);
}

async function opened(answer: () => LiveFacts = facts): Promise<RunSocket> {
  const socket = await openRunSocket(answer, { XDG_RUNTIME_DIR: temporaryFolder() });
  if (socket === undefined) throw new Error('no socket');
  onTestFinished(() => socket.close());
  return socket;
}

/** A socket of another program, in a folder as runs make them. */
async function strange(answer: string | undefined, mode = 0o700): Promise<string> {
  const folder = mkdtempSync(join(temporaryFolder(), 'shotlist-'));
  chmodSync(folder, mode);
  const path = join(folder, 'run.sock');
  const server = createServer((reader) => {
    reader.on('error', () => undefined);
    if (answer !== undefined) reader.end(answer);
  });
  await new Promise<void>((resolve) => void server.listen(path, resolve));
  onTestFinished(() => void server.close());
  return path;
}

describe('the socket of a run', () => {
  test('tells how far the run is now, as often as somebody asks', async () => {
    let version = 0;
    const socket = await opened(() => ({ ...facts(), version: ++version }));
    expect(await askRun(socket.path)).toEqual({ ...facts(), version: 1 });
    expect(await askRun(socket.path)).toMatchObject({ version: 2, atWork: [{ forMs: 40 }] });
  });

  test('is closed to other users: the folder and the socket have no bits for them', async () => {
    const { path } = await opened();
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test('is gone with its folder once it is closed', async () => {
    const { path, close } = await opened();
    await close();
    expect(existsSync(dirname(path))).toBe(false);
    expect(await askRun(path)).toBeUndefined();
  });

  test('is in the temporary folder if there is no folder for this session, or its path is too long', async () => {
    for (const session of [undefined, join(temporaryFolder(), 'none'), `/${'x'.repeat(90)}`]) {
      const socket = await openRunSocket(facts, { XDG_RUNTIME_DIR: session });
      expect(socket?.path.startsWith(`${session}/`)).toBe(false);
      await socket?.close();
    }
  });

  test('is missing where none can be made, and nothing is left behind', async () => {
    const folder = temporaryFolder();
    const before = process.env['TMPDIR'];
    process.env['TMPDIR'] = join(folder, 'none');
    onTestFinished(() => {
      process.env['TMPDIR'] = before;
    });
    expect(await openRunSocket(facts, {})).toBeUndefined();
  });
});

describe('there is no answer', () => {
  test.each([
    ['garbage', '\u0000\u0001 no JSON'],
    ['nothing', ''],
    ['another form', '{"pipeline":"photos"}'],
    ['numbers that cannot be', JSON.stringify({ ...facts(), share: 9e9 })],
    ['more than a view can be', `"${'x'.repeat(2_000_000)}"`],
  ])('from a program that says %s', async (_, answer) => {
    expect(await askRun(await strange(answer))).toBeUndefined();
  });

  test('from a program that says nothing and does not end', async () => {
    expect(await askRun(await strange(undefined), 20)).toBeUndefined();
  });

  test('from a folder that others can enter', async () => {
    const answer = JSON.stringify(facts());
    expect(await askRun(await strange(answer))).toEqual(facts());
    expect(await askRun(await strange(answer, 0o755))).toBeUndefined();
  });

  test('from a path that no run makes: nobody connects to it', async () => {
    let asked = 0;
    const path = join(temporaryFolder(), 'docker.sock');
    const server = createServer(() => {
      asked += 1;
    });
    await new Promise<void>((resolve) => void server.listen(path, resolve));
    onTestFinished(() => void server.close());
    for (const place of [path, 'run.sock', '', '/', `${path}\u0000`])
      expect(await askRun(place)).toBeUndefined();
    expect(asked).toBe(0);
  });

  test('from a file in the place of a socket', async () => {
    const folder = mkdtempSync(join(temporaryFolder(), 'shotlist-'));
    writeFileSync(join(folder, 'run.sock'), JSON.stringify(facts()));
    expect(await askRun(join(folder, 'run.sock'))).toBeUndefined();
  });
});

describe('a lock', () => {
  const now = Date.parse('2026-08-05T10:00:00Z');

  test('names the socket of its holder', async () => {
    const file = join(temporaryFolder(), 'p.lock');
    await takeLock(file, now, realProcesses, '/run/shotlist-abcdef/run.sock');
    expect((await holdingOf(file))?.socket).toBe('/run/shotlist-abcdef/run.sock');
  });

  test('of another machine names none, because the path means nothing here', async () => {
    const file = join(temporaryFolder(), 'p.lock');
    const other = { pid: 1, host: 'another-machine', since: 'x', socket: '/run/s' };
    writeFileSync(file, JSON.stringify(other));
    expect(await holdingOf(file)).toEqual({
      process: 'process 1 on another-machine, since x',
      socket: undefined,
    });
  });
});

describe('what a killed run left', () => {
  test('is removed with its folder', async () => {
    const path = await strange('');
    await removeSocket(path);
    expect(existsSync(dirname(path))).toBe(false);
  });

  test('is left alone if it is no socket of a run', async () => {
    const folder = join(temporaryFolder(), 'shotlist-abcdef');
    mkdirSync(folder, { mode: 0o700 });
    const file = join(folder, 'run.sock');
    writeFileSync(file, 'precious');
    await removeSocket(file);
    expect(existsSync(file)).toBe(true);
    await removeSocket(join(folder, 'other'));
    expect(existsSync(folder)).toBe(true);
  });
});
