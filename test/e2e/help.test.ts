// `--help` at the widths of real terminals.
import { spawn, spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { main } from '../built.ts';
import { ended, ownEnvironment } from '../command.ts';

const makesTerminals = spawnSync('script', ['--version']).status === 0;

/** The lines that `shotlist <args>` prints on a terminal. */
async function onTerminal(columns: number, args: string): Promise<readonly string[]> {
  const line = `stty cols ${columns} rows 40; exec ${process.execPath} ${main} ${args}`;
  const child = spawn('script', ['-qec', line, '/dev/null'], {
    env: { ...ownEnvironment(), TERM: 'xterm' },
  });
  return (await ended(child)).stdout.trimEnd().split(/\r?\n/);
}

describe('--help', () => {
  test.skipIf(!makesTerminals)(
    'fits the terminal, and breaks lines only between words (needs script)',
    async () => {
      for (const command of ['--help', 'run --help']) {
        const wide = (await onTerminal(400, command)).join(' ').split(/\s+/);
        for (const columns of [40, 100]) {
          const lines = await onTerminal(columns, command);
          expect(lines.filter((line) => line.length > columns)).toEqual([]);
          expect(lines.join(' ').split(/\s+/)).toEqual(wide);
        }
      }
    },
  );
});
