// A step kind that cannot be right, in the state file: an error with its place, and nothing is looked up by guessing.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { audit } from '../../../src/features/drift/audit.ts';
import { refresh } from '../../../src/features/drift/refresh.ts';
import { loadPipeline } from '../../../src/language/load/load.ts';
import { resultOf } from '../../../src/language/load/refusal.ts';
import { envOf, photoRig, service } from '../../rig.ts';

async function paidRun(kind: string) {
  const local = await service();
  const rig = await photoRig(1);
  await rig.run(local);
  const state = join(rig.folder, 'photos.state.jsonl');
  const text = readFileSync(state, 'utf8').replaceAll(
    '"kind":"face-swap-photo"',
    `"kind":"${kind}"`,
  );
  writeFileSync(state, text);
  const loaded = await loadPipeline(rig.file);
  const line = text.split('\n').findIndex((one) => one.includes(`"kind":"${kind}"`)) + 1;
  return { state, line, loaded, options: { env: envOf(local) } };
}

test('a step kind that does not exist is refused with its line', async () => {
  const { state, line, loaded, options } = await paidRun('face-swapp');
  const before = readFileSync(state, 'utf8');
  const told = await resultOf(() => refresh(loaded, options));
  const message = `${state}:${line}: there is no step kind "face-swapp"`;
  expect(told).toMatchObject({
    ok: false,
    error: {
      diagnostics: [
        {
          message: expect.stringContaining(message),
          hint: expect.stringContaining('shotlist repair'),
        },
      ],
    },
  });
  expect(readFileSync(state, 'utf8')).toBe(before);
});

test('a project whose tool a repaired file does not name is listed as not looked up', async () => {
  const { loaded, options } = await paidRun('unknown');
  const why = expect.stringContaining('does not say which tool created it');
  expect(await refresh(loaded, options)).toMatchObject({
    projects: 1,
    changes: [],
    unread: [{ why }],
  });
  expect(await audit(loaded, options)).toMatchObject({
    projects: 1,
    differences: [{ why }],
  });
});
