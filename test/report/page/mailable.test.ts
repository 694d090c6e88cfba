// Texts that may be mailed.
import { describe, expect, test } from 'vitest';
import { baseName, mailable } from '../../../src/report/page/report-builder.ts';

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
