// A run as people watch it: on a terminal, in a pipe, and with --quiet.
import { spawn, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { envOf, photoRig, type Rig, service, until } from '../rig.ts';
import { MemoryTerminal } from '../runner/cli/terminal.ts';

const main = fileURLToPath(new URL('../../src/runner/cli/main.ts', import.meta.url));
const failing = {
  faults: [{ fault: 'job-error', on: 'face-swap-photo', code: 'no_source_face', count: 1 }],
} as const;

test('in a pipe, a failure is a line, and so is the progress after the first item', async () => {
  const [local, rig] = [await service({ faults: failing }), await photoRig(3)];
  const { stdout, code } = await rig.command(['run', 'pipeline.yaml'], envOf(local));
  expect(stdout).toMatch(/\n {2}failed: swap:p\d\.png: no_source_face/);
  expect(stdout).toMatch(/\n {2}1 of 3 items · /);
  expect(stdout).not.toContain('\u001b');
  expect(code).toBe(1);
});

test('--quiet prints the failures and the summary, and nothing else', async () => {
  const [local, rig] = [await service({ faults: failing }), await photoRig(2)];
  const { stdout } = await rig.command(['run', 'pipeline.yaml', '--quiet'], envOf(local));
  expect(stdout).toMatch(
    /^ {2}failed: swap:p\d\.png: no_source_face[^\n]*\nSome tasks did not finish\.\n/,
  );
});

test('--quiet and --json exclude each other', async () => {
  const rig = await photoRig(1);
  const { code, stderr } = await rig.command(['run', 'pipeline.yaml', '--quiet', '--json']);
  expect([code, stderr]).toEqual([2, expect.stringContaining('--quiet')]);
});

const makesTerminals = spawnSync('script', ['--version']).status === 0;

/** The command on a terminal of its own: what it wrote so far. */
function onTerminal(rig: Rig, env: Readonly<Record<string, string>>) {
  const { CI: _ci, NO_COLOR: _color, ...others } = process.env;
  const command = `stty cols 80 rows 24; exec ${process.execPath} ${main} run pipeline.yaml --pictures plain`;
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    cwd: rig.folder,
    env: { ...others, TERM: 'xterm', ...env },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const written = { text: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    written.text += text;
  });
  const ended = new Promise<number | null>((resolve) => void child.on('close', resolve));
  return { child, written, ended };
}

describe.skipIf(!makesTerminals)('on a terminal (needs script)', () => {
  test('a first line says what is read, and the next output takes it away', async () => {
    const rig = await photoRig(1, 'pipeline: [');
    const { written, ended } = onTerminal(rig, {});
    expect(await ended).toBe(2);
    expect(written.text).toMatch(/^[^\n]*reading pipeline\.yaml …/);
    const terminal = new MemoryTerminal();
    terminal.write(written.text);
    const screen = (await terminal.lines()).join('\n');
    expect(screen).toContain('pipeline.yaml:1:');
    expect(screen).not.toContain('reading');
  });

  test('the view is there while the run lasts, and only its summary afterwards', async () => {
    const [local, rig] = [await service(), await photoRig(2)];
    const { written, ended } = onTerminal(rig, envOf(local));
    expect(await ended).toBe(0);
    expect(written.text).toContain('photos');
    expect(written.text).toMatch(/planning|asking the service/);
    const terminal = new MemoryTerminal();
    terminal.write(written.text);
    const screen = (await terminal.lines()).join('\n');
    expect(screen).toContain('2 of 2 finished');
    expect(screen).not.toMatch(/[━●○]|planning/);
  });

  test('Ctrl-C is told above the view, and leaves the terminal as it was', async () => {
    const [local, rig] = [await service({ speed: 1 }), await photoRig(2)];
    const { child, written, ended } = onTerminal(rig, envOf(local));
    await until('a swap is at work', () => /swap +● /.test(stripVTControlCharacters(written.text)));
    child.stdin.write('\u0003');
    expect(await ended).toBe(130);
    const terminal = new MemoryTerminal();
    terminal.write(written.text);
    const screen = (await terminal.lines()).join('\n');
    expect(screen).toContain('stopping: waiting for running requests');
    expect(screen).toContain('Interrupted. Run it again to continue');
    expect(screen).not.toMatch(/[━●○]/);
    expect(terminal.modes.wraparoundMode).toBe(true);
  });
});
