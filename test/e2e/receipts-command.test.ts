// shotlist receipts: what was paid for is listed. What is refused, and in which words: test/transcripts/receipts.txt.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { envOf, ownReceipts, photoRig, Rig, service } from '../rig.ts';
import { after, movesTo, side } from '../state/paying.ts';

/** A folder of receipts as another machine has it. */
function otherMachine(): { readonly SHOTLIST_RECEIPTS: string } {
  const folder = mkdtempSync(join(tmpdir(), 'shotlist-other-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return { SHOTLIST_RECEIPTS: folder };
}

const databaseOf = ({ SHOTLIST_RECEIPTS: folder = '' }: Readonly<Record<string, string>>): string =>
  join(folder, 'receipts.db');

const json = async (
  rig: Rig,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  // biome-ignore lint/suspicious/noExplicitAny: JSON of many shapes
): Promise<any> => {
  const { code, stdout, stderr } = await rig.command(['receipts', ...args, '--json'], env);
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout);
};

test('lists the payments of a run', async () => {
  const rig = await photoRig(2);
  const host = await service();
  const env = envOf(host);
  await rig.run(host);
  const list = await json(rig, [], env);
  expect(list).toMatchObject({
    file: databaseOf(env),
    totals: { receipts: 2, credits: 20, detections: 2 },
  });
  expect(list.receipts).toMatchObject(
    [1, 2].map(() => ({
      ...{ credits: 10, tool: 'face-swap-photo', state: 'deleted', pipeline: 'pipeline.yaml' },
      ...{ folder: rig.folder, files: [{ bytes: expect.any(Number) }] },
    })),
  );
  const { stdout } = await rig.command(['receipts', '--pipeline', rig.file, '--limit', '1'], env);
  expect(stdout).toMatch(
    / 10 {2}face-swap-photo {2}swap:\w+\.png.* {2}done, 1 file, project deleted {2}pipeline\.yaml, in \//,
  );
  expect(stdout).toMatch(
    /^2 receipts, 20 credits, and 2 free face detections in \/.*receipts\.db \(\d+ kB\)$/m,
  );
});

test('a rehearsal has receipts of its own, beside it', async () => {
  const rig = await photoRig(1);
  await rig.command(['run', rig.file, '--rehearse']);
  const own = await json(rig, ['--rehearse', '--pipeline', rig.file], ownReceipts());
  expect(own.totals.receipts).toBe(1);
  expect(own.file).toBe(rig.privatePath('rehearsal/photos/receipts.db'));
  expect(await json(rig, [], ownReceipts())).toMatchObject({ bytes: 0, totals: { receipts: 0 } });
});

test('shows nothing that a terminal would obey, whatever the receipts say', async () => {
  const rig = new Rig('');
  const env = otherMachine();
  const evil = '\u001b[2Jmake\u202e:1\n';
  const payer = side(databaseOf(env), 'a', {
    by: { state: '/a/x.state.jsonl', pipeline: `/a/${evil}`, branch: evil },
  });
  payer.receipts.note({ ...after('swap', movesTo('created', 'n1')), tasks: [evil] });
  payer.receipts.close();
  const { stdout } = await rig.command(['receipts'], env);
  expect(stdout.trimEnd().split('\n')).toHaveLength(3);
  expect(stdout).toContain('\\u{1b}[2Jmake\\u{202e}:1\\n');
});

test('receipts that cannot be used are left as they are by a list, and are set aside by a run, which adds what it knows', async () => {
  const rig = await photoRig(1);
  const host = await service();
  const env = { ...envOf(host), ...otherMachine() };
  await rig.run(host);
  const garbage = 'no database at all, and long enough to be looked at as one'.repeat(20);
  writeFileSync(databaseOf(env), garbage, { mode: 0o600 });
  const { code, stderr } = await rig.command(['receipts'], env);
  expect([code, stderr]).toEqual([
    2,
    expect.stringMatching(/receipts\.db\) cannot be used \(file is not a database\)/),
  ]);
  const next = await rig.command(['run', rig.file], env);
  expect([next.code, next.stderr]).toEqual([0, expect.stringContaining('are set aside')]);
  expect((await json(rig, [], env)).totals.receipts).toBe(1);
});
