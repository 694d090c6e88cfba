// What a line that cannot be read still says: whole lines inside it, and whole fields. Nothing is guessed.
import { describe, expect, test } from 'vitest';
import {
  type Fields,
  fieldsOf,
  fieldsWithin,
  jobFieldsOf,
  linesWithin,
} from '../../../../src/state/repair/fragments.ts';
import { job, numbered, run, supplied } from '../../../model/lines.ts';

const file = { task: 'save:a', index: 0, path: 'a.png', bytes: 5, sha256: job('x') };
const saved = JSON.stringify(file);

describe('of an object', () => {
  test.each<readonly [string, Readonly<Record<string, unknown>>, Fields]>([
    ['fields of other names are dropped', { seq: 1, other: 1, constructor: 2 }, { seq: 1 }],
    ['fields of other types are dropped', { seq: 0, event: '', credits: 'x', run: 2 }, { run: 2 }],
    ['a step kind that does not exist is dropped', { kind: 'x', seq: 1 }, { seq: 1 }],
    [
      'a free step kind is kept',
      { kind: 'upload', event: 'supplied' },
      { kind: 'upload', event: 'supplied' },
    ],
    [
      'a free step kind with a project is dropped',
      { kind: 'upload', project: 'p' },
      { project: 'p' },
    ],
    [
      'a free step kind of an intent is dropped',
      { kind: 'upload', event: 'intent' },
      { event: 'intent' },
    ],
    [
      'the step kind of a tool is kept',
      { kind: 'head-swap', project: 'p' },
      { kind: 'head-swap', project: 'p' },
    ],
    ['an id that cannot stand in an address is dropped', { project: 'a b', seq: 1 }, { seq: 1 }],
    [
      'an earlier attempt keeps its credits without an id that cannot be used',
      {
        past: [
          { name: 'a', credits: 3, project: '..' },
          { name: 'b', credits: 4, project: 'p' },
        ],
      },
      {
        past: [
          { name: 'a', credits: 3 },
          { name: 'b', credits: 4, project: 'p' },
        ],
      },
    ],
    ['earlier attempts that are no list are dropped', { past: 'x', seq: 1 }, { seq: 1 }],
    ['earlier attempts that are no objects are dropped', { past: [7], seq: 1 }, { seq: 1 }],
  ])('%s', (_, object, fields) => {
    expect(fieldsOf(object)).toStrictEqual(fields);
  });

  test('a job line has only its own fields', () => {
    const fields = { seq: 1, event: 'created', task: 't', run: 1, credits: 3, project: 'p' };
    expect(jobFieldsOf(fields)).toStrictEqual({ credits: 3, project: 'p' });
  });
});

describe('within a text', () => {
  const [one = '', two = ''] = numbered([run(), supplied()]).map((line) => JSON.stringify(line));
  const seqs = (text: string): readonly unknown[] =>
    linesWithin(text).lines.map(({ type, line }) =>
      type === 'event' && 'seq' in line ? line.seq : type,
    );

  test.each<readonly [string, string, readonly number[], readonly string[]]>([
    ['two glued lines are two', `${one}${two}`, [1, 2], []],
    ['a line behind a cut one is one', `${two.slice(0, 30)}${one}`, [1], [two.slice(0, 30)]],
    ['a line before a cut one is one', `${one}${two.slice(0, 30)}`, [1], [two.slice(0, 30)]],
    ['a line between others is one', `x${one}y`, [1], ['x', 'y']],
    ['zeros, spaces and byte order marks say nothing', `\0\0${one} \ufeff${two}\r`, [1, 2], []],
    [
      'a line with a character that was replaced is none',
      one.replace('run', 'r\ufffdn'),
      [],
      [one.replace('run', 'r\ufffdn')],
    ],
    [
      'a replaced character in a text is not believed',
      two.replace('photo:a', 'photo\ufffda'),
      [],
      [two.replace('photo:a', 'photo\ufffda')],
    ],
    ['an object that is no line is none', '{"a":1}', [], ['{"a":1}']],
  ])('%s', (_, text, lines, rests) => {
    expect(seqs(text)).toEqual(lines);
    expect(linesWithin(text).rests).toEqual(rests);
  });
});

describe('of a line that is cut', () => {
  test.each<readonly [string, string, Fields]>([
    ['numbers and texts count only when something follows', '{"seq":12,"attempt":3', { seq: 12 }],
    ['a text that is not closed does not count', '{"seq":12,"at":"2026', { seq: 12 }],
    [
      'a task counts, although an output begins with one',
      '{"task":"swap:a","why":"x',
      { task: 'swap:a' },
    ],
    ['the first of a name counts', '{"seq":1,"seq":2,', { seq: 1 }],
    [
      'a value that is no JSON does not hide what follows',
      '{"kind":tool,"credits":5,',
      { credits: 5 },
    ],
    [
      'what many objects have counts behind zeros and a mark',
      '\0 \ufeff{"credits":5,',
      { credits: 5 },
    ],
    [
      'what many objects have does not count without a beginning',
      '"seq":1,"credits":5,',
      { seq: 1 },
    ],
    ['what many objects have does not count in the middle', 'x{"seq":1,"credits":5,', { seq: 1 }],
    [
      'what many objects have does not count in an open list',
      '{"past":[{"name":"x","credits":3,"seq":7,',
      { seq: 7 },
    ],
    [
      'what many objects have does not count in an open object',
      '{"result":{"id":"x","project":"p","seq":7,',
      { seq: 7 },
    ],
    ['a whole object counts', '{"result":{"downloads":1},"seq', { result: { downloads: 1 } }],
    ['a whole list counts', '{"tasks":["a","b"],"seq', { tasks: ['a', 'b'] }],
    [
      'escapes and brackets in texts are no ends',
      '{"why":"}]","at":"a\\"},b","seq":3}',
      { at: 'a"},b', seq: 3 },
    ],
    [
      'brackets and escapes in the texts of an object do not end it',
      '{"result":{"a":"}","b":"\\"}{","c":"["},"seq":3,',
      { result: { a: '}', b: '"}{', c: '[' }, seq: 3 },
    ],
    ['a replaced character is not believed', '{"name":"a\ufffd","seq":3,', { seq: 3 }],
    ['a broken escape is not believed', '{"name":"a\\x","seq":3,', { seq: 3 }],
    [
      'whole files of a list count',
      `{"outputs":[${saved},${saved.slice(0, 50)}`,
      { outputs: [file] },
    ],
    [
      'a list of files that is whole counts as it is',
      `{"outputs":[],"x":#${saved}`,
      { outputs: [] },
    ],
    ['a file under another name is none', `{"result":${saved},"seq`, { result: file }],
    ['an object that is no file is none', '{"outputs":[{"task":"t"},', {}],
  ])('%s', (_, text, fields) => {
    expect(fieldsWithin(text)).toStrictEqual(fields);
  });
});
