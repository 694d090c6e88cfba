// Files, folders and command lines as people have them, and not as they should be: each is answered with the expected
// exit code and a sentence; never with a stack trace, a flood, a hang, or anything that drives the terminal.
import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { privateFolderOf } from '../../src/state/private-folder.ts';
import { main } from '../built.ts';
import { ended, ownEnvironment, runCommand } from '../command.ts';
import { sampleOf } from '../sweep.ts';
import { type Case, furnish, oddCases } from './odd-cases.ts';

/** Nothing here takes long: a command that is still running by then hangs, and is killed. Not a measure of speed. */
const hangMs = 60_000;

const env = ownEnvironment();

interface Told {
  readonly code: number | null;
  /** Standard output and standard error. */
  readonly text: string;
}

type Ask = Pick<Case, 'argv'> & {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
};

async function together({ cwd, argv, env: more }: Ask): Promise<Told> {
  const line = { cwd, args: argv, env: { ...env, ...more } };
  const { code, stdout, stderr } = await runCommand(line);
  return { code, text: stdout + stderr };
}

async function apart({ cwd, argv, env: more }: Ask, output: Case['apart']): Promise<Told> {
  const full = output === 'full' ? openSync('/dev/full', 'w') : undefined;
  const process = spawn(globalThis.process.execPath, [main, ...argv], {
    ...{ cwd, env: { ...env, ...more } },
    stdio: ['ignore', full ?? 'pipe', 'pipe'],
  });
  if (full !== undefined) closeSync(full);
  if (output === 'closed') process.stdout?.destroy();
  onTestFinished(() => void process.kill('SIGKILL'));
  const { code, stdout, stderr } = await ended(process);
  return { code, text: stdout + stderr };
}

/** Control characters, and those that reorder or hide text. */
const unsafe = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]/u;
const trace =
  /^\s+at .+:\d+:\d+\)?$|^crashed: |a bug in shotlist|\b(Type|Range|Reference|Syntax)Error\b|node:internal/m;

/** Words of programs that a sentence for people lets through where nobody thought of the value. */
const leaked = /\bundefined\b|\[object |(?<!["=])\bNaN\b|must NOT/;

const cases = oddCases();

test('the corpus has its size, every case has an expectation, and no two have one name', () => {
  expect(cases.length).toBeGreaterThanOrEqual(340);
  expect(cases.filter(({ says }) => says.length === 0).map(({ name }) => name)).toEqual([]);
  expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length);
});

// EVERY=1 tries all.
const tried = sampleOf(cases, 13);
for (const {
  name,
  argv,
  env: more = {},
  files,
  private: own = {},
  code,
  says,
  apart: output,
} of tried)
  test(name, { timeout: hangMs }, async () => {
    const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'shotlist-odd-')));
    onTestFinished(() => {
      for (const folder of [cwd, privateFolderOf(cwd)])
        rmSync(folder, { recursive: true, force: true });
    });
    await furnish(cwd, files);
    await furnish(privateFolderOf(cwd), own);
    const told = await (output === undefined
      ? together({ cwd, argv, env: more })
      : apart({ cwd, argv, env: more }, output));
    const { text } = told;
    for (const words of says) expect(text).toMatch(new RegExp(words, 'su'));
    expect(told.code, text).toBe(code);
    expect(text).not.toMatch(trace);
    expect(text).not.toMatch(leaked);
    expect(text.replace(/[\n\t]/g, ' ')).not.toMatch(unsafe);
    expect(text.split('\n').length).toBeLessThanOrEqual(100);
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(2000);
  });
