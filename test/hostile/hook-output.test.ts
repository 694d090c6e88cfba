// What a hook's program prints is text of somebody else, like what a service says: it does not reach a terminal or a log raw,
// and shows no secret.
import { expect, test } from 'vitest';
import { envOf, photo, Rig, service } from '../rig.ts';

/** By another way than base/printable.ts. Line feeds end lines. */
const unsafe =
  /(?!\n)[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/u;

const program = `
const wild = '\\u001b[2J\\u009b31m\\u202e\\u2066x\\u2028\\ufeff\\u007f\\r\\n\\u0007';
process.stdout.write(wild + 'https://files.example/x?signature=4711 ' + process.argv[2] + wild);
process.stderr.write(Buffer.from([0xff, 0xfe, 0x1b, 0x5d]));
process.stdout.write('y'.repeat(300000));
process.exit(1);
`;

test('the output of a hook is escaped, shortened and without secrets, everywhere', async () => {
  const local = await service();
  const command = JSON.stringify([process.execPath, 'notify.mjs', '\u001b]0;owned\u0007']);
  const rig = new Rig(
    `pipeline: p\non_finish: { command: ${command} }\nsteps: { a: { uses: upload, with: { file: a.png } } }\n`,
  );
  rig.write('a.png', await photo(1));
  rig.write('notify.mjs', program.replace('process.argv[2]', `'${local.key}' + process.argv[2]`));
  const env = { ...envOf(local), XDG_STATE_HOME: rig.path('user') };
  const trusted = await rig.command(['trust', 'pipeline.yaml'], env);
  expect(trusted.stdout).not.toMatch(unsafe);
  expect(trusted.stdout).toContain('u001b]0;owned');
  for (const more of [[], ['--json']]) {
    rig.write('a.png', await photo(2 + more.length));
    const args = ['run', 'pipeline.yaml', '--log', 'run.log', ...more];
    const { code, stdout, stderr } = await rig.command(args, env);
    expect(code).toBe(0);
    const all = stdout + stderr + rig.read('run.log');
    expect(all).toContain('ended with exit code 1');
    expect(all).not.toMatch(unsafe);
    for (const secret of [local.key, 'signature=4711']) expect(all).not.toContain(secret);
    expect(all.length).toBeLessThan(40_000);
  }
});
