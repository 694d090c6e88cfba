// Commands that mend a state file and ask the service: of a rehearsal, wherever its state file stands.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Rig } from '../rig.ts';

const pipeline = `pipeline: p
items: { values: [{ key: a }] }
steps:
  make: { uses: ai-qr-code-generator, with: { content: x, style: { art_style: plain } } }
  save: { uses: download, with: { of: make, to: "\${{ item.key }}.png" } }
`;

/** A finished rehearsal whose state file was named with --state. */
async function rehearsed(): Promise<{ rig: Rig; state: string }> {
  const rig = new Rig(pipeline);
  const state = join(rig.folder, 'mine.jsonl');
  const ran = await rig.command(['run', rig.file, '--state', state]);
  expect(ran.code, ran.stderr).toBe(0);
  return { rig, state };
}

test('a state file that --state names is compared with the rehearsal that wrote it', async () => {
  const { rig, state } = await rehearsed();
  const audited = await rig.command(['audit', rig.file, '--state', state]);
  expect(audited.stdout).toMatch(
    /^Rehearsal: .+\n1 project; credits: 0 charged\.\nThe ledgers agree\.\n$/,
  );
  const refreshed = await rig.command(['refresh', rig.file, '--state', state]);
  expect(refreshed.stdout).toMatch(/^Rehearsal: .+\n1 project read: nothing changed\.\n$/);
  expect(existsSync(join(rig.folder, '.shotlist', 'service'))).toBe(false);
});

test('data of a rehearsal that cannot be used is named, with the cure', async () => {
  const { rig, state } = await rehearsed();
  writeFileSync(rig.privatePath('rehearsal/p/service/service.sqlite'), 'no database');
  const audited = await rig.command(['audit', rig.file, '--state', state]);
  expect(audited.code).toBe(2);
  expect(audited.stderr).toContain('the rehearsal: error: The data folder ');
  expect(audited.stderr).toContain(
    `${rig.path('.shotlist/rehearsal/p')} holds nothing but this pipeline's rehearsal: to start`,
  );
});
