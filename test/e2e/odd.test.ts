// Files, folders and command lines as people have them, and not as they should be: each is answered with the expected
// exit code and a sentence; never with a stack trace, a flood, a hang, or anything that drives the terminal.
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { type Case, furnish, oddCases } from './odd-cases.ts';
import type { Ask, Told } from './odd-child.ts';

/** Nothing here takes long: what is not done by then hangs, and is killed. Not a measure of speed. */
const hangMs = 20_000;

/** Cases whose mend is on its way, and what they wait for. */
const waiting: ReadonlyMap<string, string> = new Map([
  ['pipelines: all-nul.yaml', 'B18'],
  ['pipelines: nul.yaml', 'B18'],
  ['pipelines: latin-1.yaml', 'B18'],
  ['pipelines: photo.jpg', 'B18'],
  ['pipelines: truncated-utf-8.yaml', 'B18'],
  ['pipelines: utf-16-be.yaml', 'B18'],
  ['pipelines: utf-16-le.yaml', 'B18'],
  ['pipelines: conflict.yaml', 'C26'],
  ['pipelines: two-documents.yaml', 'C26'],
  ['commands: --rehearse with --service', 'C26'],
  ['commands: help without noise', 'C26'],
  ['states: a merge conflict', 'C26'],
  ['pipelines: deep.yaml', 'B16'],
  ['pipelines: expression-deep.yaml', 'B16'],
  ['pipelines: long-line.yaml', 'B16'],
  ['pipelines: many-unknown-keys.yaml', 'B16'],
  ['pipelines: many-wrong-uses.yaml', 'B16'],
  ['folders: a glob of 70,000 characters', 'B16'],
  ['pipelines: end-seconds-huge.yaml', 'A8'],
  ['pipelines: expression-backtracking.yaml', 'B15'],
  ['pipelines: expression-nested-maps.yaml', 'B15'],
  ['pipelines: hyphen-for-underscore.yaml', 'A5'],
  ['pipelines: misspelt-nested.yaml', 'A5'],
  ['pipelines: misspelt-optional.yaml', 'A5'],
  ['pipelines: misspelt-required.yaml', 'A5'],
  ['pipelines: items-number-prompt.yaml', 'A4'],
  ['commands: a pipeline that is a named pipe', 'B14'],
  ['commands: a pipeline that is /dev/zero', 'B14'],
  ['commands: a pipeline of 11 MB', 'B14'],
  ['commands: --output in /proc', 'B14'],
  ['commands: --state that is a named pipe', 'B14'],
  ['commands: --state that is /dev/zero', 'B14'],
  ['commands: --log that is a photo', 'B17'],
  ['commands: --log that is the pipeline', 'B17'],
  ['commands: plan to a full disk', 'B21'],
  ['folders: an empty photo', 'C24'],
  ['folders: only an empty photo', 'C24'],
  ['folders: a reserved name of Windows', 'C24'],
  ['folders: a name of 255 bytes', 'C24'],
  ['folders: a line feed in a name', 'C24'],
  ['folders: an escape code in a name', 'C24'],
  ['folders: a backslash in a name', 'C24'],
  ['folders: a tilde as a folder', 'C24'],
  ['folders: 300 empty photos', 'C24'],
  ['states: NUL bytes', 'A2'],
  ['states: a header, then NUL bytes', 'A2'],
  ['states: NUL bytes, asked for their status', 'A2'],
  ['states: NUL bytes, to be run', 'A2'],
  ['states: a link to itself', 'A2'],
]);

const main = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));
const childFile = fileURLToPath(new URL('odd-child.ts', import.meta.url));

const { SHOTLIST_API_KEY: _key, SHOTLIST_BASE_URL: _address, ...env } = process.env;

let child: ChildProcess | undefined;
afterAll(() => void child?.kill('SIGKILL'));

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

async function apart({ cwd, argv }: Ask, output: Case['apart']): Promise<Told> {
  const full = output === 'full' ? openSync('/dev/full', 'w') : undefined;
  const process = spawn(globalThis.process.execPath, [main, ...argv], {
    ...{ cwd, env },
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
  /^\s+at .+:\d+:\d+\)?$|^crashed: |\b(Type|Range|Reference|Syntax)Error\b|node:internal/m;

const cases = oddCases();

test('the corpus has its size, every case has an expectation, and no two have one name', () => {
  expect(cases.length).toBeGreaterThanOrEqual(120);
  expect(cases.filter(({ says }) => says.length === 0).map(({ name }) => name)).toEqual([]);
  expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length);
  const names = new Set(cases.map(({ name }) => name));
  expect([...waiting.keys()].filter((name) => !names.has(name))).toEqual([]);
});

for (const { name, argv, files, code, says, apart: output } of cases)
  test.skipIf(waiting.has(name))(name, async () => {
    const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'shotlist-odd-')));
    onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
    await furnish(cwd, files);
    const told = await (output === undefined
      ? together({ cwd, argv })
      : apart({ cwd, argv }, output));
    const { text } = told;
    for (const words of says) expect(text).toMatch(new RegExp(words, 'su'));
    expect([code].flat(), text).toContain(told.code);
    expect(text).not.toMatch(trace);
    expect(text.replace(/[\n\t]/g, ' ')).not.toMatch(unsafe);
    expect(text.split('\n').length).toBeLessThanOrEqual(100);
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(2000);
  });
