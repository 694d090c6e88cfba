// Files, folders and command lines as people have them, and not as they should be: each is answered with the expected
// exit code and a sentence; never with a stack trace, a flood, a hang, or anything that drives the terminal.
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { adoptFolder } from '../../src/contract/files/owner.ts';
import { type Case, furnish, oddCases } from './odd-cases.ts';
import type { Ask, Told } from './odd-child.ts';

/** Nothing here takes long: what is not done by then hangs, and is killed. Not a measure of speed. */
const hangMs = 20_000;

const main = fileURLToPath(new URL('../../src/runner/cli/main.ts', import.meta.url));
const childFile = fileURLToPath(new URL('odd-child.ts', import.meta.url));

const {
  SHOTLIST_API_KEY: _key,
  SHOTLIST_API_KEY_FILE: _file,
  SHOTLIST_BASE_URL: _address,
  ...clean
} = process.env;
// Compiled once for all processes: most of their time goes into that.
const compiled = mkdtempSync(join(tmpdir(), 'shotlist-odd-compiled-'));
const env = { ...clean, NODE_COMPILE_CACHE: compiled };

let child: ChildProcess | undefined;
afterAll(() => {
  child?.kill('SIGKILL');
  rmSync(compiled, { recursive: true, force: true });
});

/** Kills what hangs. */
async function inTime<T>(work: Promise<T>, process: ChildProcess): Promise<T> {
  const timer = setTimeout(() => process.kill('SIGKILL'), hangMs);
  try {
    return await work;
  } finally {
    clearTimeout(timer);
  }
}

async function together(ask: Ask): Promise<Told> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null)
    child = fork(childFile, { env, execArgv: [], stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  const { signal, abort } = aborter();
  const answer = once(child, 'message', { signal }).then(([told]): Told => told);
  const death = once(child, 'exit', { signal }).then(([code, by]): Told => {
    throw new Error(`the process ended (${code ?? by}); killed after ${hangMs} ms if it hung`);
  });
  child.send(ask);
  try {
    return await inTime(Promise.race([answer, death]), child);
  } finally {
    abort();
    await Promise.allSettled([answer, death]);
  }
}

function aborter(): { readonly signal: AbortSignal; readonly abort: () => void } {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}

async function apart({ cwd, argv, env: more }: Ask, output: Case['apart']): Promise<Told> {
  const full = output === 'full' ? openSync('/dev/full', 'w') : undefined;
  const process = spawn(globalThis.process.execPath, [main, ...argv], {
    ...{ cwd, env: { ...env, ...more } },
    stdio: ['ignore', full ?? 'pipe', 'pipe'],
  });
  if (full !== undefined) closeSync(full);
  if (output === 'closed') process.stdout?.destroy();
  let text = '';
  for (const stream of [process.stdout, process.stderr])
    stream?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
  const [code, signal] = await inTime(once(process, 'close'), process);
  if (signal !== null) throw new Error(`killed after ${hangMs} ms: it hung`);
  return { code: Number(code), text };
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

for (const { name, argv, env: more = {}, files, own = [], code, says, apart: output } of cases)
  test(name, async () => {
    const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'shotlist-odd-')));
    onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
    await furnish(cwd, files);
    for (const folder of own) adoptFolder(join(cwd, folder));
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
