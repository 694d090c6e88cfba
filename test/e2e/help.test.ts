// The first look at the command line: `shotlist`, and `--help` at the widths of real terminals.
import { spawn, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { ended, ownEnvironment } from '../command.ts';
import { Rig } from '../rig.ts';

const main = fileURLToPath(new URL('../../src/runner/cli/main.ts', import.meta.url));
const makesTerminals = spawnSync('script', ['--version']).status === 0;

/** The lines that `shotlist <args>` prints on a terminal. */
async function onTerminal(columns: number, args: string): Promise<readonly string[]> {
  const line = `stty cols ${columns} rows 40; exec ${process.execPath} ${main} ${args}`;
  const child = spawn('script', ['-qec', line, '/dev/null'], {
    env: { ...ownEnvironment(), TERM: 'xterm' },
  });
  return (await ended(child)).stdout.trimEnd().split(/\r?\n/);
}

/** Heading and the names below it. */
const groupsOf = (help: string): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(
    [...help.matchAll(/^(\w[\w ]*):\n((?: .*\n?)+)/gm)].map(([, heading = '', lines = '']) => [
      heading,
      [...lines.matchAll(/^ {2}(?:-h, )?((?:--)?[a-z][\w-]*)/gm)].map(([, name = '']) => name),
    ]),
  );

describe('--help', () => {
  test('groups the commands', async () => {
    const { stdout, code } = await new Rig('').command(['--help']);
    expect(code).toBe(0);
    expect(groupsOf(stdout)).toMatchObject({
      Start: ['init', 'tools', 'validate', 'fmt', 'plan', 'run', 'help'],
      See: ['status', 'report', 'ui', 'log', 'receipts', 'graph'],
      Choose: ['reroll', 'pick', 'forget'],
      Unattended: ['tick', 'schedule', 'watch'],
      'Team and git': ['trust', 'git-setup', 'merge'],
      'Check and mend': ['explain', 'resolve', 'refresh', 'audit', 'repair', 'prune'],
      'Several hosts': ['worker', 'export', 'engine'],
      'Local service': ['serve'],
    });
    expect(stdout).not.toMatch(/^(Other|Commands):/m);
  });

  test.each(['plan', 'run', 'tick', 'watch', 'schedule', 'reroll'])(
    'groups all flags of %s',
    async (command) => {
      const { stdout } = await new Rig('').command([command, '--help']);
      const { 'What to run': what, Where, Rehearsal, Options } = groupsOf(stdout);
      expect([what?.includes('--profile'), Where?.includes('--hosted'), Options]).toEqual([
        ...[true, true, undefined],
      ]);
      expect(Rehearsal?.[0]).toBe('--rehearse');
    },
  );

  test.skipIf(!makesTerminals)(
    'fits the terminal, and breaks lines only between words (needs script)',
    async () => {
      for (const command of ['--help', 'run --help', 'engine --help']) {
        const wide = (await onTerminal(400, command)).join(' ').split(/\s+/);
        for (const columns of [40, 80, 120]) {
          const lines = await onTerminal(columns, command);
          expect(lines.filter((line) => line.length > columns)).toEqual([]);
          expect(lines.join(' ').split(/\s+/)).toEqual(wide);
        }
      }
    },
  );
});

describe('without a command', () => {
  test('shotlist says how to begin, and what to do with the pipelines that are there', async () => {
    const rig = new Rig('not one: yet\n');
    const begin = await rig.command([]);
    expect(begin).toMatchObject({ code: 2, stderr: '' });
    expect(begin.stdout).toContain('\n  shotlist init\n');
    for (const name of ['b.yaml', "a'b.yaml", 'pipelines/c.yaml', 'pipelines/d.yaml'])
      rig.write(name, 'pipeline: p\n');
    const { stdout } = await rig.command([]);
    expect(stdout).toContain("Here: 'a'\\''b.yaml', b.yaml, pipelines/c.yaml and 1 more.");
    expect(stdout).toContain("\n  shotlist plan 'a'\\''b.yaml'\n");
  });
});
