// A bug that ends a command is one sentence with a code; the stack is shown only to whoever asks for it.
import { describe, expect, test } from 'vitest';
import { type Ended, ended, Rig } from '../rig.ts';
import { longTest } from '../sweep.ts';

/** Loaded before the command, each plants a bug. */
const planted = {
  'in a command': 'URL.canParse = () => { throw new TypeError("planted\\u001b[31m"); };',
  'where nobody waits for it':
    'process.on("newListener", (name) => { if (name === "uncaughtException") setImmediate(() => { throw new TypeError("planted"); }); });',
};

function crashed(code: string, env: Readonly<Record<string, string>> = {}): Promise<Ended> {
  const preload = `--import=data:text/javascript;base64,${Buffer.from(code).toString('base64')}`;
  const args = ['run', 'pipeline.yaml', '--service', 'https://service.invalid'];
  const rig = new Rig(
    'pipeline: p\nsteps:\n  a: { uses: ai-image-generator, keep: remote, with: { image_count: 1, style: { prompt: x } } }\n',
  );
  return ended(rig.start(args, { NODE_OPTIONS: preload, SHOTLIST_API_KEY: 'k', ...env }));
}

describe.each(Object.entries(planted))('a bug %s', (_, code) => {
  test('is said in one line, without a stack trace, and the exit code is 1', async () => {
    const { code: exit, stdout, stderr } = await crashed(code);
    expect(stderr).toMatch(
      /^error: a bug in shotlist, code [0-9a-f]{8}: TypeError: planted[^\n]*; please report it with the code \(README\.md, "Reporting a problem"\); set SHOTLIST_DEBUG=1 to see where it happened\n$/,
    );
    expect(stdout + stderr).not.toContain('\u001b');
    expect(exit).toBe(1);
  });

  longTest('shows its stack with SHOTLIST_DEBUG=1', async () => {
    const { stderr } = await crashed(code, { SHOTLIST_DEBUG: '1' });
    expect(stderr).toMatch(/\n\s+at /);
  });
});

test('a bug is said before the command ends, also to a reader who is behind', async () => {
  const flood = 'process.stderr.write("x".repeat(300_000)); throw new TypeError("planted");';
  const { code, stderr } = await crashed(
    `process.on("newListener", (name) => { if (name === "uncaughtException") setImmediate(() => { ${flood} }); });`,
  );
  expect(stderr).toMatch(/error: a bug in shotlist, code [0-9a-f]{8}: TypeError: planted[^\n]*\n$/);
  expect(code).toBe(1);
});
