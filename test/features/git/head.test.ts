import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { headRecord, historyRecord } from '../../../src/features/git/head.ts';
import type { OtherRecord } from '../../../src/state/load-record.ts';
import { identity } from '../../e2e/clones.ts';
import { temporaryFolder } from '../../files/places.ts';
import { git } from '../../hostile/repositories/clone.ts';
import { created, header, textOf } from '../../state/records.ts';

const options = { env: { PATH: process.env['PATH'], ...identity } };
const [a, b, c] = ['a', 'b', 'c'].map((of) => textOf(created(of)));
const head = textOf(header);

/** A repository that commits these contents of the file, one after the other; undefined: without it. */
function fileWith(contents: readonly (string | undefined)[], name = 'sub/p.state.jsonl'): string {
  const folder = temporaryFolder();
  git(folder, 'init', '--quiet');
  const file = join(folder, name);
  mkdirSync(dirname(file), { recursive: true });
  for (const content of contents) {
    if (content === undefined) rmSync(file);
    else writeFileSync(file, content);
    git(folder, 'add', '--all');
    git(folder, 'commit', '--quiet', '--message', 'x');
  }
  return file;
}

async function textIn(record: OtherRecord | undefined): Promise<string | undefined> {
  if (record === undefined) return undefined;
  const lines: string[] = [];
  for await (const some of record.lines) lines.push(...some);
  return lines.map((line) => `${line}\n`).join('');
}

const headText = async (file: string) => textIn(await headRecord(file, options));
const historyText = async (file: string, since?: string, of: typeof header | undefined = header) =>
  textIn(await historyRecord(file, of, since, options));

describe('the version in HEAD', () => {
  test('is read where it differs from the file, whatever their times', async () => {
    const file = fileWith([`${head}${a}`, `${head}${a}${b}`]);
    expect(await headText(file)).toBeUndefined();
    writeFileSync(file, `${head}${a}`);
    expect(await headText(file)).toBe(`${head}${a}${b}`);
    rmSync(file);
    expect(await headText(file)).toBe(`${head}${a}${b}`);
  });

  test('is none outside of a repository, or if HEAD does not have the file', async () => {
    const file = fileWith([head, undefined]);
    expect(await headText(file)).toBeUndefined();
    expect(await headText(join(temporaryFolder(), 'p.state.jsonl'))).toBeUndefined();
    expect(await headText(fileWith([]))).toBeUndefined();
  });

  test('may be larger than what git says at once', async () => {
    const large =
      head + Array.from({ length: 3000 }, (_, at) => textOf(created(`é${at}`))).join('');
    const file = fileWith([large]);
    rmSync(file);
    expect((await headText(file)) === large).toBe(true);
  });
});

describe('the history', () => {
  test('has all lines that were ever added, and those since a commit', async () => {
    const file = fileWith([`${head}${a}`, `${head}${b}`, undefined]);
    const first = git(dirname(dirname(file)), 'rev-parse', 'HEAD~2').trim();
    const last = await historyRecord(file, header, undefined, options);
    expect(await textIn(last)).toBe(`${b}${head}${a}`);
    // Also what commits have taken away since: it was there.
    expect(await historyText(file, first)).toContain(a);
    expect(await historyText(file, first)).toContain(b);
    expect(await historyText(file, last?.commit)).toBeUndefined();
    for (const unknown of ['0'.repeat(40), '--output=x', ''])
      expect(await historyText(file, unknown)).toBe(`${b}${head}${a}`);
  });

  test('ends where the file was another record', async () => {
    const other = textOf({ ...header, service: 'https://other.example' });
    const file = fileWith([`${other}${a}`, `${other}${b}`, `${head}${c}`]);
    expect(await historyText(file)).toBe(`${head}${c}`);
  });

  test('has what only one parent of a merge has, and what only the merge has', async () => {
    const file = fileWith([head, `${head}${a}`]);
    const folder = dirname(dirname(file));
    git(folder, 'checkout', '--quiet', '-b', 'side', 'HEAD~1');
    writeFileSync(file, `${head}${b}`);
    git(folder, 'commit', '--quiet', '--all', '--message', 'x');
    git(folder, 'merge', '--quiet', '--strategy', 'ours', 'main');
    writeFileSync(file, `${head}${b}${c}`);
    git(folder, 'commit', '--quiet', '--all', '--amend', '--message', 'x');
    for (const setting of ['log.diffMerges first-parent', 'diff.noprefix true', 'color.ui always'])
      git(folder, 'config', ...setting.split(' '));
    expect(await headText(file)).toBeUndefined();
    const history = await historyText(file);
    for (const line of [a, b, c]) expect(history).toContain(line);
  });

  test('is that of this file, however it is named', async () => {
    const file = fileWith([`${head}${a}`], '[*]/:(p) *.state.jsonl');
    writeFileSync(file.replace(' *', ' other'), `${head}${b}`);
    git(dirname(dirname(file)), 'add', '--all');
    git(dirname(dirname(file)), 'commit', '--quiet', '--message', 'x');
    expect(await historyText(file)).toBe(`${head}${a}`);
    expect(await headText(file)).toBeUndefined();
  });

  test('that git cannot read to its end throws', async () => {
    const file = fileWith([`${head}${a}`, `${head}${b}`]);
    const folder = dirname(dirname(file));
    const blob = git(folder, 'rev-parse', 'HEAD~1:sub/p.state.jsonl').trim();
    rmSync(join(folder, '.git', 'objects', blob.slice(0, 2), blob.slice(2)));
    await expect(historyText(file)).rejects.toMatchObject({ code: 'GIT_FAILED' });
  });
});
