// A glob that finds nothing says what is there, and which glob would find it.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { whyEmpty } from '../../src/files/glob-source.ts';
import { makeNamedPipe } from '../named-pipe.ts';
import { temporaryFolder } from './places.ts';

function folderWith(...files: readonly string[]): string {
  const folder = temporaryFolder();
  for (const file of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    if (!file.endsWith('/')) writeFileSync(join(folder, file), 'x');
    else mkdirSync(join(folder, file));
  }
  return folder;
}

const heics = Array.from({ length: 12 }, (_, index) => `photos/${index}.HEIC`);

test.each<readonly [string, readonly string[], string]>([
  ['photos/*.jpg', heics, '"photos" has 12 .heic files: "photos/*.heic"?'],
  [
    'photos/*.jpg',
    ['photos/a.png', 'photos/b.png', 'photos/c.webp', 'photos/n.txt', 'photos/x'],
    '"photos" has 2 .png files, 1 extensionless file, 1 .txt file and other files: "photos/*.{png,webp}"?',
  ],
  ['photos', heics, '"photos" is a folder: "photos/**"?'],
  ['photos/', heics, '"photos/" is a folder: "photos/**"?'],
  [
    'photos/*.jpg',
    ['photos/2019/a.jpg', 'photos/2020/b.JPG', 'photos/2020/c.png'],
    '"photos" has 2 folders (2019, 2020): "photos/**/*.jpg"?',
  ],
  ['*.jpg', ['a/b.jpg'], 'the folder of the pipeline file has 1 folder (a): "**/*.jpg"?'],
  [
    'photos/*',
    ['photos/a/1', 'photos/b/1', 'photos/c/1', 'photos/d/1'],
    '"photos" has 4 folders (a, b, c, …): "photos/**/*"?',
  ],
  ['photos/*.jpg', ['photos/'], '"photos" is empty'],
  [
    'photos/*.jpg',
    ['photos/.a.jpg', 'photos/._b.jpg'],
    '"photos" has only hidden files, which a glob finds if it names the dot: "photos/.*"',
  ],
  [
    'Photos/*.jpg',
    ['photos/a.jpg', 'x'],
    'there is no folder "Photos" in the folder of the pipeline file; did you mean "photos"?',
  ],
  [
    'photos/2021/deep/*.jpg',
    ['photos/2020/a.jpg'],
    'there is no folder "2021" in "photos"; did you mean "2020"?',
  ],
  ['qqq/*.jpg', ['photos/a.jpg'], 'there is no folder "qqq" in the folder of the pipeline file'],
  ['a.jpg/*.jpg', ['a.jpg'], '"a.jpg" is a file, not a folder'],
  ['a.jpg/b/*.jpg', ['a.jpg'], '"a.jpg" is a file, not a folder'],
  [
    'photos\\*.jpg',
    ['photos/a.jpg'],
    'a backslash does not separate folders: write "photos/*.jpg"?',
  ],
  ['C:\\photos\\*.jpg', [], '"C:" is a Windows drive: write a path that exists on this machine'],
  [
    '~/photos/*.jpg',
    [],
    'only a shell expands "~": write the whole path, or one relative to the pipeline file',
  ],
  [
    '~ann/*.jpg',
    [],
    'only a shell expands "~": write the whole path, or one relative to the pipeline file',
  ],
  ['~', [], 'only a shell expands "~": write the whole path, or one relative to the pipeline file'],
  ['~a', ['b.txt'], 'the folder of the pipeline file has 1 .txt file'],
  ['x~/*.jpg', ['x~/a.txt'], '"x~" has 1 .txt file'],
  ['d:/photos/*.jpg', [], '"d:" is a Windows drive: write a path that exists on this machine'],
  ['!(a).jpg', ['b.txt'], 'the folder of the pipeline file has 1 .txt file'],
  [
    'photos/*.jpg',
    [
      'photos/a.png',
      'photos/b.txt',
      'photos/c.gif',
      'photos/d.mp4',
      'photos/e.wav',
      'photos/f.mp3',
    ],
    '"photos" has 1 .gif file, 1 .mp3 file, 1 .mp4 file and other files: "photos/*.{gif,mp3,mp4,png}"?',
  ],
  [
    'photos/*.jpg',
    ['photos/a.png', 'photos/b.png', 'photos/deep/c.png'],
    '"photos" has 2 .png files and 1 folder (deep): "photos/**/*.jpg"?',
  ],
  [
    'photos/**/*.jpg',
    ['photos/a.png', 'photos/deep/c.png'],
    '"photos" has 1 .png file and 1 folder (deep)',
  ],
  [
    'photos/*.jpg',
    ['photos/a/1', 'photos/b/1', 'photos/c/1'],
    '"photos" has 3 folders (a, b, c): "photos/**/*.jpg"?',
  ],
  ['photos/**', ['photos/.a.jpg', 'photos/b/.c.jpg'], '"photos" has 1 folder (b)'],
  ['photos//', ['photos/a.jpg'], '"photos//" is a folder: "photos/**"?'],
  ['none/deep/*.jpg', ['x.jpg'], 'there is no folder "none" in the folder of the pipeline file'],
  [
    'photos/nine/*.jpg',
    ['photos/nime', 'photos/other/a.jpg'],
    'there is no folder "nine" in "photos"',
  ],
  ['!a.jpg', ['b.jpg'], '"!" excludes nothing here: use --exclude to exclude items'],
])('%s among %j: %s', async (glob, files, why) => {
  expect(await whyEmpty(glob, folderWith(...files))).toBe(why);
});

test('the look ends in a huge folder, and follows no link out', async () => {
  const folder = folderWith('photos/');
  for (let index = 0; index < 5010; index++) writeFileSync(join(folder, `photos/${index}.txt`), '');
  const why = await whyEmpty('photos/*.jpg', folder);
  // Fewer than 5,000 where the machine is busy: the look also ends after some time.
  const [, counted = ''] = /^"photos" has at least ([\d,]+) \.txt files$/.exec(why ?? '') ?? [];
  expect(Number(counted.replace(',', '')), why).toBeGreaterThan(0);
  expect(Number(counted.replace(',', '')), why).toBeLessThanOrEqual(5000);
  const other = folderWith('photos/a.txt', 'secret/b.jpg');
  symlinkSync('../secret', join(other, 'photos/link'));
  makeNamedPipe(join(other, 'photos/pipe.jpg'));
  expect(await whyEmpty('photos/**/*.jpg', other)).not.toContain('b.jpg');
});
