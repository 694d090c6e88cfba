import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { addUnion, attributesOf, hasUnion, unionLine } from '../../../src/features/git/union.ts';
import { temporaryFolder } from '../../files/places.ts';

/** A repository with a pipeline in a folder, and these files of attributes. */
function stateIn(files: Readonly<Record<string, string>> = {}): { top: string; state: string } {
  const top = temporaryFolder();
  for (const folder of ['.git', 'a/b']) mkdirSync(join(top, folder), { recursive: true });
  for (const [name, content] of Object.entries(files)) writeFileSync(join(top, name), content);
  return { top, state: join(top, 'a', 'b', 'p.state.jsonl') };
}

describe('git merges a state file by union', () => {
  const cases: readonly (readonly [boolean, Readonly<Record<string, string>>])[] = [
    [false, {}],
    [true, { '.gitattributes': `*.png binary\n  *.state.jsonl   merge=union \n` }],
    [true, { '.gitattributes': '*.state.jsonl text merge=union\r\n' }],
    [false, { '.gitattributes': `# ${unionLine}\n` }],
    [false, { '.gitattributes': `${unionLine}\n*.state.jsonl merge=shotlist\n` }],
    [true, { '.gitattributes': `*.state.jsonl merge=shotlist\n${unionLine}\n` }],
    [false, { '.gitattributes': `${unionLine}\n* -merge\n` }],
    [true, { '.gitattributes': `${unionLine}\n*.state.jsonl text\n` }],
    [true, { 'a/.gitattributes': unionLine }],
    [true, { 'a/b/.gitattributes': 'p.state.jsonl merge=union' }],
    [false, { '.gitattributes': unionLine, 'a/b/.gitattributes': '*.jsonl merge=binary\n' }],
    [false, { '.gitattributes': 'other.state.jsonl merge=union\n' }],
  ];
  test.each(cases)('%s: %j', (is, files) => {
    expect(hasUnion(stateIn(files).state)).toBe(is);
  });

  test('only in a repository, and under its usual name', () => {
    const { top, state } = stateIn();
    expect(attributesOf(state)).toBe(join(top, '.gitattributes'));
    expect(attributesOf(join(top, 'record.jsonl'))).toBeUndefined();
    rmSync(join(top, '.git'), { recursive: true });
    expect(attributesOf(state)).toBeUndefined();
  });
});

test('the line is added behind the others, and never through a link', async () => {
  const { top, state } = stateIn({ '.gitattributes': '*.png binary\r\n*.jpg binary' });
  const attributes = join(top, '.gitattributes');
  expect(await addUnion(attributes)).toEqual({ ok: true });
  expect(readFileSync(attributes, 'utf8')).toBe(`*.png binary\r\n*.jpg binary\r\n${unionLine}\r\n`);
  expect(hasUnion(state)).toBe(true);
  const outside = join(temporaryFolder(), 'victim');
  for (const link of [attributes, `${attributes}.part`]) {
    rmSync(link, { force: true });
    symlinkSync(outside, link);
    await addUnion(attributes);
    expect(existsSync(outside)).toBe(false);
    rmSync(link, { force: true });
  }
  expect(readFileSync(attributes, 'utf8')).toBe(`${unionLine}\n`);
});
