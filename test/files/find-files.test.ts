// Folders as they are on people's disks: links in circles, names of other systems, what may not be read.
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import files from 'node:fs/promises';
import { join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findFiles } from '../../src/files/find-files.ts';
import { matchOf } from '../../src/files/glob.ts';
import { oddSentences } from '../../src/files/glob-source.ts';
import { makeNamedPipe } from '../named-pipe.ts';
import { replaceUntilEnd } from './patched-fs.ts';
import { folderWith, temporaryFolder } from './places.ts';

async function found(
  glob: string,
  folder: string,
): Promise<{ readonly paths: readonly string[]; readonly odd: readonly string[] }> {
  const files = await findFiles(glob, folder);
  if (!files.ok) throw new Error(files.error);
  const { paths, odd } = files.value;
  return { paths, odd: odd.map(({ is, path }) => `${is} ${path}`) };
}

describe('a search', () => {
  const tree = folderWithNames();
  function folderWithNames(): readonly string[] {
    return ['a.jpg', 'B.JPG', '.h.jpg', 'x/c.jpg', 'x/y/d.Jpg', 'x/.git/e.jpg', 'z/n.txt'];
  }

  test.each([
    ['*.jpg', ['B.JPG', 'a.jpg']],
    ['**/*.jpg', ['B.JPG', 'a.jpg', 'x/c.jpg', 'x/y/d.Jpg']],
    ['X/*.jpg', ['x/c.jpg']],
    ['x/**', ['x/c.jpg', 'x/y/d.Jpg']],
    ['**', ['B.JPG', 'a.jpg', 'x/c.jpg', 'x/y/d.Jpg', 'z/n.txt']],
    ['**/y/*', ['x/y/d.Jpg']],
    ['*/*', ['x/c.jpg', 'z/n.txt']],
    ['{x/y,z}/*', ['x/y/d.Jpg', 'z/n.txt']],
    ['.*', ['.h.jpg']],
    ['**/.git/*', ['x/.git/e.jpg']],
    ['./*.jpg', ['B.JPG', 'a.jpg']],
    ['x/../*.jpg', ['B.JPG', 'a.jpg']],
    ['@(a|b).jpg', ['B.JPG', 'a.jpg']],
    ['!(a|.*).jpg', ['B.JPG']],
    ['!a.jpg', []],
    ['x', []],
    ['x/', []],
    ['', []],
  ])('for %s finds %j', async (glob, paths) => {
    expect(await found(glob, folderWith(...tree))).toEqual({ paths, odd: [] });
  });

  test('ends where links lead in circles, and finds every file', async () => {
    const folder = folderWith('a/x.jpg', 'b/y.jpg', 'b/deep/z.jpg');
    for (const [target, link] of [
      ['.', 'self'],
      ['..', 'a/up'],
      ['../b', 'a/b'],
      ['../a', 'b/a'],
      ['nowhere', 'nowhere'],
      ['loop2', 'loop1'],
      ['loop1', 'loop2'],
    ] as const)
      symlinkSync(target, join(folder, link));
    const { paths, odd } = await found('**/*.jpg', folder);
    expect(paths).toEqual([
      'a/b/deep/z.jpg',
      'a/b/y.jpg',
      'a/x.jpg',
      'b/a/x.jpg',
      'b/deep/z.jpg',
      'b/y.jpg',
    ]);
    expect(odd).toEqual([]);
  });

  test('goes once into each folder that links lead to, however many there are', async () => {
    const folder = temporaryFolder();
    for (let from = 0; from < 9; from++) {
      mkdirSync(join(folder, `f${from}`));
      writeFileSync(join(folder, `f${from}/x.jpg`), 'x');
      for (let to = 0; to < 9; to++)
        if (from !== to) symlinkSync(`../f${to}`, join(folder, `f${from}/l${to}`));
    }
    const { paths, odd } = await found('**/*.jpg', folder);
    expect(paths.length).toBeLessThanOrEqual(18);
    expect(new Set(paths.map((path) => path.split('/')[0])).size).toBe(9);
    expect(odd.length).toBeGreaterThan(0);
    expect(odd.every((one) => one.startsWith('repeated '))).toBe(true);
  });

  test('follows a link to a file, and names what is no file', async () => {
    const folder = folderWith('real/a.jpg');
    symlinkSync('real/a.jpg', join(folder, 'b.jpg'));
    symlinkSync('gone.jpg', join(folder, 'c.jpg'));
    symlinkSync('/dev/zero', join(folder, 'd.jpg'));
    symlinkSync('real', join(folder, 'e.jpg'));
    mkdirSync(join(folder, 'f.jpg'));
    makeNamedPipe(join(folder, 'g.jpg'));
    expect(await found('*.jpg', folder)).toEqual({
      paths: ['b.jpg'],
      odd: ['broken c.jpg', 'special d.jpg', 'special g.jpg'],
    });
  });

  test('takes any name that is text, letter by letter', async () => {
    const names = [
      'back\\slash.jpg',
      'line\nfeed.jpg',
      'rtl\u202egpj.jpg',
      '~.jpg',
      '-rf.jpg',
      'e\u0301.jpg',
      '\u00e9.jpg',
      '\ufffd.jpg',
      `${'n'.repeat(251)}.jpg`,
    ];
    const folder = folderWith(...names.map((name) => `back\\slash/${name}`));
    // A file system may compose accents: then the twins are one file.
    const there = readdirSync(join(folder, 'back\\slash'));
    const paths = [...there].sort();
    expect(await found('*.jpg', join(folder, 'back\\slash'))).toEqual({ paths, odd: [] });
    expect((await found('**/*.jpg', folder)).paths).toEqual(
      paths.map((name) => `back\\slash/${name}`),
    );
  });

  test.skipIf(process.platform !== 'linux')(
    'names, by its bytes, a file whose name is not UTF-8 (only Linux permits one)',
    async () => {
      const folder = folderWith('a.jpg');
      writeFileSync(
        Buffer.concat([Buffer.from(`${folder}/caf`), Buffer.from([0xe9]), Buffer.from('.jpg')]),
        'x',
      );
      mkdirSync(Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0xff])]));
      expect(await found('**/*.jpg', folder)).toEqual({
        paths: ['a.jpg'],
        odd: ['undecodable caf\\xe9.jpg', 'undecodable \\xff'],
      });
    },
  );

  test('of a folder that is not there, or is a file, finds nothing', async () => {
    const folder = folderWith('a.jpg');
    for (const none of ['none', 'none/deep', 'a.jpg', 'a.jpg/deep'])
      expect(await found('*.jpg', join(folder, none))).toEqual({ paths: [], odd: [] });
  });

  test('enters no folder that links lead to when it is barred, and says why', async () => {
    const folder = folderWith('a/x.jpg', 'b/y.jpg');
    symlinkSync('../b', join(folder, 'a/b'));
    const barred = (real: string): string | undefined =>
      real === join(folder, 'b') ? 'is not for us' : undefined;
    expect(await findFiles('**/*.jpg', join(folder, 'a'), barred)).toMatchObject({
      ok: true,
      value: {
        paths: ['x.jpg'],
        odd: [{ is: 'outside', path: 'b', why: 'is not for us' }],
      },
    });
  });

  test('names only what matches of what is odd', async () => {
    const folder = folderWith('a.jpg');
    makeNamedPipe(join(folder, 'pipe.txt'));
    symlinkSync('/dev/zero', join(folder, 'zero.txt'));
    symlinkSync('nowhere', join(folder, 'broken.txt'));
    expect(await found('*.jpg', folder)).toEqual({ paths: ['a.jpg'], odd: [] });
    expect(await findFiles('broken.*', folder)).toMatchObject({
      value: { odd: [{ is: 'broken', path: 'broken.txt', why: 'does not exist' }] },
    });
    expect(await findFiles('{pipe,zero}.*', folder)).toMatchObject({
      value: {
        odd: [
          { is: 'special', path: 'pipe.txt', why: 'is not a regular file' },
          { is: 'special', path: 'zero.txt', why: 'is not a regular file' },
        ],
      },
    });
  });

  test('names a folder that it cannot read, since what is in it could match', async () => {
    const folder = folderWith('a.jpg');
    symlinkSync('circle', join(folder, 'circle'));
    expect(await findFiles('*.jpg', join(folder, 'circle'))).toMatchObject({
      ok: true,
      value: {
        paths: [],
        odd: [{ is: 'unreadable', path: '', why: 'is a link that leads back to itself' }],
      },
    });
  });

  test('names a folder on the way that it cannot read, and goes on', async () => {
    const folder = folderWith('a/x.jpg', 'b/y.jpg');
    const { readdir } = files;
    replaceUntilEnd(files, {
      readdir: async (...given: unknown[]) => {
        if (given[0] === join(folder, 'a'))
          throw Object.assign(new Error('denied'), { code: 'EACCES' });
        return await Reflect.apply(readdir, files, given);
      },
    });
    expect(await findFiles('**/*.jpg', folder)).toMatchObject({
      ok: true,
      value: {
        paths: ['b/y.jpg'],
        odd: [
          { is: 'unreadable', path: 'a', why: 'cannot be read or written (permission denied)' },
        ],
      },
    });
  });

  test.each([
    ['*.jpg', ['']],
    ['x/*.jpg', ['', 'x']],
    ['x/*', ['', 'x']],
    ['*/y/*.jpg', ['', 'w', 'w/y', 'x', 'x/y']],
    ['**/*.jpg', ['', 'w', 'w/y', 'x', 'x/y', 'x/y/z']],
    ['x/**', ['', 'x', 'x/y', 'x/y/z']],
    ['.h/*.jpg', ['', '.h']],
    ['.h/**', ['', '.h', '.h/.i']],
    ['**/.i/*', ['', '.h', '.h/.i', 'w', 'w/y', 'x', 'x/.h', 'x/y', 'x/y/z']],
    ['{.h,w}/**', ['', '.h', '.h/.i', 'w', 'w/y']],
  ])('for %s reads only folders in which something could match', async (glob, expected) => {
    const names = ['a', 'x/b', 'x/y/c', 'x/y/z/d', '.h/e', '.h/.i/f', 'x/.h/g', 'w/y/h'];
    const folder = folderWith(...names.map((name) => `${name}.jpg`));
    const { readdir } = files;
    const read: string[] = [];
    replaceUntilEnd(files, {
      readdir: async (...given: unknown[]) => {
        read.push(relative(folder, String(given[0])));
        return await Reflect.apply(readdir, files, given);
      },
    });
    await findFiles(glob, folder);
    expect(read.sort()).toEqual(expected);
  });

  test('sorts whole paths, not name by name', async () => {
    const folder = folderWith('a/x.jpg', 'a.jpg', 'a-b.jpg', 'a0.jpg');
    expect((await found('**/*.jpg', folder)).paths).toEqual([
      'a-b.jpg',
      'a.jpg',
      'a/x.jpg',
      'a0.jpg',
    ]);
  });

  test('enters hidden folders only where the glob names a dot', async () => {
    const folder = folderWith('.a/.b/c.jpg', '.a/d.jpg', 'e/.f/g.jpg');
    expect((await found('**/*.jpg', folder)).paths).toEqual([]);
    expect((await found('.a/*.jpg', folder)).paths).toEqual(['.a/d.jpg']);
    expect((await found('**/.f/*', folder)).paths).toEqual(['e/.f/g.jpg']);
    expect((await found('{.a,e}/**/.*/*.jpg', folder)).paths).toEqual([
      '.a/.b/c.jpg',
      'e/.f/g.jpg',
    ]);
  });

  test('enters no folder that nothing in it can match', async () => {
    const folder = folderWith('x/a.jpg', 'y/deep/a.jpg', 'z/deep/er/a.jpg');
    symlinkSync('../y', join(folder, 'x/link'));
    symlinkSync('../../y', join(folder, 'z/deep/link'));
    expect(await found('x/*.jpg', folder)).toEqual({ paths: ['x/a.jpg'], odd: [] });
    expect(await found('*/deep/*.jpg', folder)).toEqual({ paths: ['y/deep/a.jpg'], odd: [] });
  });

  test('refuses what is no glob', async () => {
    expect(await findFiles(`${'a'.repeat(70_000)}*`, '/')).toMatchObject({
      ok: false,
      error: expect.stringContaining('is not a glob'),
    });
  });
});

describe('a glob', () => {
  test.each([
    ['IMG (1).jpg', 'img (1).JPG', true],
    ['a(b', 'a(b', true],
    ['a)b', 'a)b', true],
    ['(a+)+b', 'aab', false],
    ['(a+)+b', '(a+)+b', true],
    ['@(a|(b)).jpg', '(b).jpg', true],
    ['+(a).jpg', 'aaa.jpg', true],
    ['[(].jpg', '(.jpg', true],
    ['\\(a.jpg', '(a.jpg', true],
    ['a\\\\b', 'a\\b', true],
    ['*', 'back\\slash', true],
    ['*', 'a/b', false],
    ['*', '.hidden', false],
  ])('%s matches %j: %s', (glob, path, matches) => {
    const match = matchOf(glob);
    expect(match.ok && match.value(path)).toBe(matches);
  });
});

test('what is odd is told in a sentence for each kind, with examples', () => {
  const links = ['a', 'b', 'c', 'd', 'e'].map((path) => ({
    ...{ is: 'broken', path, why: 'does not exist' },
  })) satisfies readonly { is: string }[];
  const odd = [
    ...links.map((one) => ({ ...one, is: 'broken' as const })),
    { is: 'special' as const, path: 'f', why: '' },
    { is: 'undecodable' as const, path: 'g', why: '' },
    { is: 'undecodable' as const, path: 'h', why: '' },
    { is: 'unreadable' as const, path: 'i', why: 'may not be read' },
    { is: 'repeated' as const, path: 'j', why: '' },
  ];
  expect(oddSentences(odd, (path) => `p/${path}`)).toEqual([
    'p/a, p/b, p/c and 2 more are ignored: the links lead nowhere',
    'p/f is ignored: it is not a regular file',
    'p/g and p/h are ignored: the names are not valid UTF-8; rename the files',
    'p/i is not searched: the folder may not be read',
    'p/j is not searched: another link leads to the same folder',
  ]);
});
