// The package as npm installs it: the command starts, and an old Node.js is told which one is needed.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'shotlist-package-'));
const installed = join(folder, 'package');

const pipeline = `pipeline: p
steps:
  note: { uses: upload, with: { file: a.png } }
`;

/** Packs what `npm publish` would, built without looking at types, and unpacks it. */
beforeAll(() => {
  const source = join(folder, 'source');
  for (const name of ['package.json', 'LICENSE', 'README.md', 'bin', 'schemas', 'pipelines'])
    cpSync(join(root, name), join(source, name), { recursive: true });
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const built = ['--noCheck', '--declaration', 'false', '--outDir', join(source, 'dist')];
  execFileSync(process.execPath, [tsc, '-p', join(root, 'tsconfig.build.json'), ...built]);
  const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
  execFileSync('npm', args, { cwd: source, stdio: 'pipe' });
  execFileSync('tar', ['-xzf', join(folder, 'shotlist-0.1.0.tgz'), '-C', folder]);
  symlinkSync(join(root, 'node_modules'), join(installed, 'node_modules'));
  const old = "Object.defineProperty(process, 'version', { value: 'v12.22.12' });";
  writeFileSync(join(folder, 'old.cjs'), old);
  writeFileSync(join(folder, 'p.yaml'), pipeline);
  writeFileSync(join(folder, 'a.png'), 'x');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const start = (node: string, ...args: readonly string[]): ReturnType<typeof spawnSync> =>
  spawnSync(node, args, { cwd: folder, encoding: 'utf8' });
const bin = join(installed, 'bin/shotlist.cjs');
const sentence = (version: string): string =>
  `shotlist needs Node.js 22.19 or later, and this is Node.js ${version}: install a newer version from https://nodejs.org and run the command again.\n`;

/** Another Node.js of this machine that is too old. */
const oldNode = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/bin', '/usr/local/bin']
  .map((place) => join(place, 'node'))
  .filter((node) => existsSync(node))
  .map((node) => ({ node, version: start(node, '--version').stdout.toString().trim() }))
  .find(({ version }) => Number(/^v(\d+)\./.exec(version)?.[1]) < 22);

describe('the packed command', () => {
  test('says its version, and plans a pipeline', () => {
    expect(start(process.execPath, bin, '--version')).toMatchObject({
      status: 0,
      stdout: '0.1.0\n',
      stderr: '',
    });
    expect(start(process.execPath, bin, 'plan', 'p.yaml')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('1 to do'),
      stderr: '',
    });
  });

  test.each(['--version', 'plan', 'run', 'serve'])(
    'on a Node.js that is too old, %s says in one sentence which is needed',
    (command) => {
      expect(start(process.execPath, '-r', './old.cjs', bin, command, 'p.yaml')).toMatchObject({
        status: 2,
        stdout: '',
        stderr: sentence('12.22.12'),
      });
    },
  );

  // Only where such a Node.js is installed beside the project's own.
  test.skipIf(oldNode === undefined)('on a real one that is too old, it does too', () => {
    const { node, version } = oldNode ?? { node: '', version: '' };
    expect(start(node, bin, 'run', 'p.yaml')).toMatchObject({
      status: 2,
      stdout: '',
      stderr: sentence(version.slice(1)),
    });
  });
});
