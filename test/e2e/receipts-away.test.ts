// Receipts on a disk that cannot be written, and a user who has no place for any. What else may be wrong with them:
// test/stories/receipts-away.test.ts.
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { LocalService } from '../../src/service/start.ts';
import { canBeNobody, nobody } from '../nobody.ts';
import { ended, envOf, photoRig, service } from '../rig.ts';
import { canMount, makeReadOnly } from '../small-disk.ts';

function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'shotlist-receipts-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const charged = (server: LocalService): number =>
  server.ledger().filter(({ kind }) => kind === 'charge').length;

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
