// Promise 1 and 2: whatever dies, whenever, one task is charged at most once, and nothing paid is lost.
import { statSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { RunInternals } from '../../src/features/run/run.ts';
import { startService } from '../../src/service/start.ts';
import { bill, ended, photoRig, plainly, type Rig, service, until } from '../rig.ts';
import { longTest, sampleOf } from '../sweep.ts';
import { cutAt, PowerCut } from './power-cut.ts';

async function countLines(): Promise<number> {
  const rig = await photoRig(2);
  let lines = 0;
  const count: RunInternals = {
    lines: (file) => ({
      append(text) {
        lines += 1;
        file.append(text);
      },
      sync: () => file.sync(),
    }),
  };
  await rig.run(await service(), {}, count);
  return lines;
}

test('the power is cut before and after a line of the journal: resumed, and nothing is charged twice', async () => {
  const all = await countLines();
  expect(all).toBeGreaterThan(15);
  const lines = Array.from({ length: all }, (_, index) => index + 1);
  // Every ninth line, in turns; EVERY=1 tries all of them.
  for (const when of ['before', 'after'] as const)
    for (const line of sampleOf(lines, 9, when === 'before' ? 1 : 3)) {
      const local = await startService(plainly);
      const rig = await photoRig(2);
      try {
        const cut = cutAt(line, when, rig.path('photos.state.jsonl'));
        const death = await rig.run(local, {}, cut).catch((error: unknown) => error);
        // After the very last line nothing is left to be lost: that run ends by itself.
        if (line < all || when === 'before') expect(death).toBeInstanceOf(PowerCut);
        cut.restore();
        const { summary } = await rig.run(local);
        const charges = bill(local.ledger());
        const where = `cut ${when} line ${line}`;
        for (const [name, credits] of charges) expect(credits, `${where}: ${name}`).toBe(10);
        expect(summary.outcome, where).toBe(summary.tasks.doubt > 0 ? 'doubt' : 'done');
        const doubted = summary.tasks.doubt;
        expect(rig.files('out').length + doubted, where).toBe(2);
        expect(summary.credits.reserved, where).toBe(doubted * 10);
      } finally {
        await local.close();
      }
    }
});

test.each([1, 4])(
  'a disk that is full at sync %i stops the run, says so, and the next run goes on',
  async (at) => {
    const local = await service();
    const rig = await photoRig(3);
    let syncs = 0;
    const full: RunInternals = {
      lines: (file) => ({
        append: (text) => file.append(text),
        sync: async () => {
          syncs += 1;
          if (syncs >= at) throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
          await file.sync();
        },
      }),
    };
    await expect(rig.run(local, {}, full)).rejects.toThrow(
      /could not be written: the disk is full/,
    );
    const { summary } = await rig.run(local);
    for (const credits of bill(local.ledger()).values()) expect(credits).toBe(10);
    expect(rig.files('out').length + summary.tasks.doubt).toBe(3);
  },
);

describe('kill -9', () => {
  const swapsDone = (rig: Rig): number => {
    const state = rig.path('.shotlist/rehearsal/photos/state.jsonl');
    if (statSync(state, { throwIfNoEntry: false }) === undefined) return 0;
    return rig
      .read('.shotlist/rehearsal/photos/state.jsonl')
      .split('\n')
      .filter((line) => line.includes('"state":"created"')).length;
  };

  longTest(
    'a rehearsal killed after a few creations is completed by the next run, each photo charged once',
    async () => {
      const rig = await photoRig(8);
      const child = rig.start(['run', 'pipeline.yaml', '--speed', '40']);
      const death = ended(child);
      await until('some projects are created', () => swapsDone(rig) >= 4);
      child.kill('SIGKILL');
      expect((await death).code).toBeNull();

      const again = await rig.command(['run', 'pipeline.yaml', '--json']);
      expect(again.stderr).toBe('');
      expect(again.code).toBe(0);
      expect(rig.files('.shotlist/rehearsal/photos/out')).toHaveLength(8);

      const local = await service({ data: rig.privatePath('rehearsal/photos/service') });
      const charges = bill(local.ledger());
      expect(charges.size).toBe(8);
      expect([...charges.values()]).toEqual(Array.from({ length: 8 }, () => 10));
    },
  );

  test('against a service that lives on, at most what was in flight is in doubt, and nothing is charged twice', async () => {
    const local = await service({ speed: 40 });
    const rig = await photoRig(8);
    const env = { SHOTLIST_BASE_URL: local.address, SHOTLIST_API_KEY: local.key };
    const child = rig.start(['run', 'pipeline.yaml'], env);
    const death = ended(child);
    await until('3 projects are charged', () => bill(local.ledger()).size >= 3);
    child.kill('SIGKILL');
    await death;
    const again = await rig.run(local);
    for (const credits of bill(local.ledger()).values()) expect(credits).toBe(10);
    expect(again.summary.tasks.done + again.summary.tasks.reused).toBeGreaterThan(0);
    expect(rig.files('out').length + again.summary.tasks.doubt).toBe(8);
  });
});
