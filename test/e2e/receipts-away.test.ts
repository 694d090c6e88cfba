// Receipts that are absent, locked, damaged or unwritable are no reason to stop: the run pays once, and says what is missing.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import type { LocalService } from '../../src/service/start.ts';
import { canBeNobody, nobody } from '../nobody.ts';
import { ended, envOf, photoRig, type Rig, service, type Told } from '../rig.ts';
import { canMount, makeReadOnly } from '../small-disk.ts';

const holder = fileURLToPath(new URL('../old/state/receipts/process.ts', import.meta.url));

function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'shotlist-receipts-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const aboutReceipts = ({ events }: Told): readonly string[] =>
  events.flatMap((event) =>
    event.type === 'warning' && /receipts|RECEIPTS/.test(event.message) ? [event.message] : [],
  );

/** The rows of a database: how many creations it has. */
function rowsIn(file: string): number {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return Number(
      database.prepare("SELECT count(*) AS n FROM creation WHERE state <> 'supplied'").get()?.['n'],
    );
  } finally {
    database.close();
  }
}

const charged = (server: LocalService): number =>
  server.ledger().filter(({ kind }) => kind === 'charge').length;

interface Place {
  /** The value of the variable, and what is said of each run there. */
  readonly given: string;
  readonly says: readonly RegExp[];
}

const notRecorded = /recorded in the state file only/;
const leftOver =
  /^\d payments? of this command (is|are) not in your receipts .*--import .*state\.jsonl$/;

test.each<readonly [string, (rig: Rig) => Place]>([
  ['a relative folder', () => ({ given: 'receipts', says: [/not an absolute path \(receipts\)/] })],
  ['an empty text', () => ({ given: '', says: [] })],
  ['a folder that does not exist', () => ({ given: join(freshFolder(), 'a/b'), says: [] })],
  [
    'a file',
    () => {
      const given = join(freshFolder(), 'file');
      writeFileSync(given, '');
      return { given, says: [/not a folder.*is not known/, /not a folder.*only/, leftOver] };
    },
  ],
  [
    'a folder with a folder in the place of the database',
    () => {
      const given = freshFolder();
      mkdirSync(join(given, 'receipts.db'));
      return { given, says: [/are not a file.*is not known/, /are not a file.*only/, leftOver] };
    },
  ],
])('with %s for the receipts, a run pays once and says what is missing', async (_name, place) => {
  const server = await service();
  const rig = await photoRig(1);
  const { given, says } = place(rig);
  const env = { SHOTLIST_RECEIPTS: given, XDG_STATE_HOME: freshFolder() };
  const told = await rig.run(server, {}, {}, env);
  expect(told.summary.outcome).toBe('done');
  const said = aboutReceipts(told);
  for (const words of says) expect(said).toContainEqual(expect.stringMatching(words));
  expect(said.length).toBe(says.length);
  expect(charged(server)).toBe(1);
  const again = await rig.run(server, {}, {}, env);
  expect([again.summary.credits.charged, existsSync(rig.path('receipts'))]).toEqual([0, false]);
});

test('with receipts that another process keeps locked, a run goes on, and tells how to add its payments', async () => {
  const server = await service();
  const rig = await photoRig(2);
  const file = join(freshFolder(), 'receipts.db');
  const env = { SHOTLIST_RECEIPTS: dirname(file) };
  await (await photoRig(1)).run(server, {}, {}, env);
  const locks = spawn(process.execPath, [holder, 'lock', file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void locks.kill('SIGKILL'));
  await once(locks.stdout, 'data');
  const before = charged(server);
  const told = await rig.run(server, {}, {}, env);
  expect(told.summary.outcome).toBe('done');
  const said = aboutReceipts(told);
  expect(said).toEqual([expect.stringMatching(notRecorded), expect.stringMatching(leftOver)]);
  expect(charged(server)).toBe(before + 1);
  locks.kill('SIGKILL');
});

test('what cannot be written during a run is written at its end', async () => {
  const server = await service();
  const rig = await photoRig(2);
  const file = join(freshFolder(), 'receipts.db');
  const env = { SHOTLIST_RECEIPTS: dirname(file) };
  await (await photoRig(1)).run(server, {}, {}, env);
  const locks = new DatabaseSync(file);
  locks.exec('BEGIN EXCLUSIVE');
  const told = await rig.run(
    server,
    {},
    {
      lines: (journal) => ({
        append(line) {
          journal.append(line);
          if (line.includes('"event":"ended"')) locks.close();
        },
        sync: () => journal.sync(),
      }),
    },
    env,
  );
  expect(told.summary.outcome).toBe('done');
  expect(aboutReceipts(told)).toEqual([expect.stringMatching(notRecorded)]);
  expect(rowsIn(file)).toBe(2);
});

test('receipts that were damaged are set aside, with a warning', async () => {
  const server = await service();
  const rig = await photoRig(1);
  const folder = freshFolder();
  const env = { SHOTLIST_RECEIPTS: folder };
  writeFileSync(join(folder, 'receipts.db'), 'x'.repeat(9_000), { mode: 0o600 });
  const told = await rig.run(server, {}, {}, env);
  expect([told.summary.outcome, aboutReceipts(told).length]).toEqual(['done', 1]);
  expect(aboutReceipts(told)[0]).toMatch(/set aside/);
  expect(rowsIn(join(folder, 'receipts.db'))).toBe(1);
});

test.skipIf(!canMount)(
  'receipts on a read-only disk are asked: what they know is not paid for again',
  async () => {
    const server = await service();
    const rig = await photoRig(1);
    const folder = freshFolder();
    const env = { SHOTLIST_RECEIPTS: folder };
    await rig.run(server, {}, {}, env);
    rmSync(rig.path('photos.state.jsonl'));
    makeReadOnly(folder);
    const told = await rig.run(server, {}, {}, env);
    expect([told.summary.outcome, charged(server)]).toEqual(['done', 1]);
  },
);

test('no database comes into being in a plan, in a run with nothing to do, or in one that only reads', async () => {
  const server = await service();
  const rig = await photoRig(2);
  const folder = freshFolder();
  const env = { SHOTLIST_RECEIPTS: join(folder, 'mine') };
  const plan = await rig.command(['plan', rig.file], { ...envOf(server), ...env });
  expect([plan.code, readdirSync(folder)]).toEqual([0, []]);
  await rig.run(server, {}, {}, env);
  expect(rowsIn(join(folder, 'mine/receipts.db'))).toBe(2);
  rmSync(join(folder, 'mine'), { recursive: true });
  for (const _again of [1, 2]) await rig.run(server, {}, {}, env);
  await rig.command(['plan', rig.file], { ...envOf(server), ...env });
  expect(readdirSync(folder)).toEqual([]);
});

test('no key and no signed address is in the receipts, during a run and after it', async () => {
  const server = await service({ key: 'sl_a_key_that_no_receipt_may_hold' });
  const rig = await photoRig(1);
  const folder = freshFolder();
  const seen: string[] = [];
  const look = (): void => {
    for (const name of existsSync(folder) ? readdirSync(folder) : [])
      seen.push(readFileSync(join(folder, name), 'latin1'));
  };
  await rig.run(
    server,
    {},
    {
      lines: (file) => ({
        append: (line) => file.append(line),
        sync: async () => {
          await file.sync();
          look();
        },
      }),
    },
    { SHOTLIST_RECEIPTS: folder },
  );
  look();
  expect(seen.some((bytes) => bytes.includes('face-swap-photo'))).toBe(true);
  for (const text of ['sl_a_key', 'signature=', 'expires='])
    expect(seen.filter((bytes) => bytes.includes(text)).length, text).toBe(0);
  const addresses = seen.flatMap((bytes) => bytes.match(/https?:\/\/[\w.:/?=&%-]+/g) ?? []);
  expect(addresses.filter((address) => /[?=&]/.test(address))).toEqual([]);
});

test.skipIf(nobody.uid === undefined || !canBeNobody)(
  'a user without a home folder, as in a container, is told what is missing, and no folder of the repository stands for it',
  async () => {
    const server = await service();
    const rig = await photoRig(2);
    chmodSync(rig.folder, 0o777);
    chmodSync(rig.path('photos'), 0o755);
    const { SHOTLIST_RECEIPTS: _, ...env } = envOf(server);
    for (const home of [undefined, 'relative']) {
      const child = rig.start(
        ['run', rig.file],
        { ...env, ...without('XDG_STATE_HOME', 'SHOTLIST_RECEIPTS'), HOME: home } as Record<
          string,
          string
        >,
        { uid: 54_321, gid: 54_321 },
      );
      const { code, stderr } = await ended(child);
      expect([home, code, stderr]).toEqual([home, 2, expect.stringContaining('XDG_STATE_HOME')]);
    }
    expect(charged(server)).toBe(0);
    expect(existsSync(rig.path('.local'))).toBe(false);
  },
);

const without = (...names: readonly string[]): Record<string, undefined> =>
  Object.fromEntries(names.map((name) => [name, undefined]));
