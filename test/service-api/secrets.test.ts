// A key file that other users can read is named in a warning, with the command that mends it.
import { chmodSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { openSecretWarnings } from '../../src/service-api/secrets.ts';
import { Rig } from '../rig.ts';

const pipeline = `pipeline: p
steps:
  note: { uses: upload, with: { file: a.png } }
`;

const variables = ['SHOTLIST_API_KEY', 'SHOTLIST_WEBHOOK_SECRET'] as const;

function secretFile(mode: number): string {
  const rig = new Rig(pipeline);
  rig.write('key', 'sk-4711\n');
  chmodSync(rig.path('key'), mode);
  return rig.path('key');
}

describe.skipIf(process.platform === 'win32')('a secret file (skipped without modes)', () => {
  test.each([0o644, 0o640, 0o604, 0o620, 0o666, 0o444])('with mode %o is warned of', (mode) => {
    const file = secretFile(mode);
    for (const variable of variables)
      expect(openSecretWarnings({ [`${variable}_FILE`]: file })).toEqual([
        `other users can read ${file} (${variable}_FILE): run chmod 600 ${file}`,
      ]);
  });

  test.each([0o600, 0o400, 0o700])('with mode %o is not', (mode) => {
    expect(openSecretWarnings({ SHOTLIST_API_KEY_FILE: secretFile(mode) })).toEqual([]);
  });

  test('that is not read, since the variable itself is set, is not', () => {
    const env = { SHOTLIST_API_KEY_FILE: secretFile(0o644), SHOTLIST_API_KEY: 'sk-1' };
    expect(openSecretWarnings(env)).toEqual([]);
  });

  test('that is missing or a folder is not', () => {
    for (const file of ['', '/nowhere/key', '/', 'a\0b'])
      expect(openSecretWarnings({ SHOTLIST_API_KEY_FILE: file })).toEqual([]);
  });

  test('is warned of once by the command, on standard error', async () => {
    const rig = new Rig(pipeline);
    rig.write('a.png', 'x');
    const file = secretFile(0o644);
    const env = { SHOTLIST_API_KEY_FILE: file, SHOTLIST_BASE_URL: 'http://127.0.0.1:9' };
    const { stdout, stderr } = await rig.command(['run', 'pipeline.yaml'], env);
    expect(stderr.split('chmod 600')).toHaveLength(2);
    expect(stderr).toContain(`warning: other users can read ${file}`);
    expect(`${stdout}${stderr}`).not.toContain('sk-4711');
  });
});
