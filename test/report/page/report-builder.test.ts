// What a report says about failures and requests, and what of it may leave the machine.
import { describe, expect, test } from 'vitest';
import {
  baseName,
  failureGroups,
  mailable,
  parametersOf,
} from '../../../src/report/page/report-builder.ts';

const failed = (item: number, key: string, why: string, code?: string) => ({
  ...{ step: 3, item, key, why, code },
});

describe('failures', () => {
  test('with one cause are one group with a remedy, the largest first', () => {
    const groups = failureGroups([
      failed(0, 'cat.png', 'cat.png is empty'),
      failed(1, 'a.png', 'No face was found.', 'no_source_face'),
      failed(2, 'b.png', 'No face was found.', 'no_source_face'),
      failed(3, 'b.png', 'No face was found.', 'no_source_face'),
      failed(4, 'dog.png', 'dog.png is empty'),
    ]);
    expect(groups).toEqual([
      {
        ...{ step: 3, why: 'No face was found.', code: 'no_source_face' },
        ...{ advice: 'use a picture that shows a face', items: [1, 2, 3] },
      },
      { step: 3, why: '… is empty', items: [0, 4] },
    ]);
  });

  test('of different steps, codes or sentences are different causes', () => {
    const groups = failureGroups([
      failed(0, 'a.png', 'no', 'refused'),
      failed(1, 'b.png', 'no', 'forbidden'),
      failed(2, 'c.png', 'never', 'refused'),
      { ...failed(3, 'd.png', 'no', 'refused'), step: 4 },
    ]);
    expect(groups).toHaveLength(4);
  });
});

describe('the parameters of a request', () => {
  test('each value has a line with its path; the name of the project has none', () => {
    const body = {
      name: 'swap:a #1',
      style: { prompt: 'a boat', seeds: [1, 2] },
      fast: true,
      audio: null,
    };
    expect(parametersOf(body)).toEqual([
      { name: 'style.prompt', value: 'a boat' },
      { name: 'style.seeds[0]', value: '1' },
      { name: 'style.seeds[1]', value: '2' },
      { name: 'fast', value: 'true' },
      { name: 'audio', value: 'null' },
    ]);
  });

  test('a value says nothing about the machine, and a long one is cut', () => {
    const [path, long] = parametersOf({ path: '/home/me/photos/a.jpg', long: 'x'.repeat(700) });
    expect(path?.value).toBe('a.jpg');
    expect(long?.value).toHaveLength(600);
    expect(parametersOf({ many: Array.from({ length: 99 }, String) })).toHaveLength(40);
  });
});

describe('a text for somebody else', () => {
  test.each([
    ['/home/ann/photos/cat.png does not exist', 'cat.png does not exist'],
    ['cannot read "/srv/a b/x.png"', 'cannot read "x.png"'],
    ['C:\\Users\\Ann\\cat.png is empty', 'cat.png is empty'],
    ['~/photos/cat.png', 'cat.png'],
    ['see https://api.example.com/v1/x?key=1 for more', 'see [address] for more'],
    ['s3://bucket/cat.png', '[address]'],
    ['no answer from 127.0.0.1:4000', 'no answer from [address]'],
    ['photos/holiday/cat.png, ../media/**/*.jpg', 'photos/holiday/cat.png, ../media/**/*.jpg'],
    ['1/2 of the face and/or the hair', '1/2 of the face and/or the hair'],
  ])('%j becomes %j', (text, expected) => {
    expect(mailable(text)).toBe(expected);
  });

  test('a file has its name only', () => {
    expect(['../a/b.png', 'c:\\x\\y.png', 'z'].map(baseName)).toEqual(['b.png', 'y.png', 'z']);
  });
});
