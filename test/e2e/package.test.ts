// The package as npm installs it: it holds nothing that a run left behind, the command starts and loads no more
// than it needs, and an old Node.js is told which one is needed.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { builtRoot } from '../built.ts';
import { ownEnvironment } from '../command.ts';
import { canBeNobody } from '../nobody.ts';
import { pictureWith } from '../photo.ts';
import { ended, envOf, photoRig, type Rig, service } from '../rig.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'shotlist-package-'));
const installed = join(folder, 'package');

const pipeline = `pipeline: p
steps:
  note: { uses: upload, with: { file: a.png } }
`;

/** What runs, the demo, tests and people leave in a checkout, some of it secret. */
const leftBehind = [
  '.shotlist/rehearsal/p/service/service.sqlite',
  '.shotlist/rehearsal/p/service/service.sqlite-wal',
  '.shotlist/rehearsal/p/service/api-assets/1/photo.jpg',
  '.shotlist/rehearsal/p/state.jsonl',
  '.shotlist/log.jsonl',
  'face-swap-photos.state.jsonl',
  'face-swap-photos.state.jsonl.reserve',
  'media/actor.jpg',
  'media/photos/sample1.jpg',
  'out/face-swap-photos/sample1.png',
  '.env',
  '.env.yaml.bak',
  'key',
  'key.txt',
  'api-key.pem',
  '.npmrc',
  'notes.md',
  'customers.csv',
  'service-data/service.sqlite',
  'nested/private.yaml',
  'nested/private.js',
];

/** Everything that a package may hold, and nothing else. */
const packable = [
  /^package\.json$/,
  /^README\.md$/,
  /^LICENSE$/,
  /^bin\/shotlist\.cjs$/,
  /^dist\/([a-z][a-z0-9-]*\/)*[a-z][a-z0-9-]*\.(js|d\.ts)$/,
  /^dist\/licenses\.txt$/,
  /^schemas\/(tools\/)?[a-z][a-z-]*\.schema\.json$/,
  /^pipelines\/[a-z][a-z-]*\.yaml$/,
  /^pipelines\/people\.csv$/,
  /^pipelines\/ci\/(meme-a-day\.(service|crontab)|[a-z-]+\.yaml)$/,
];

const source = join(folder, 'source');
let packed: readonly string[] = [];

/** Packs what `npm publish` would, without the declarations, and unpacks it. */
beforeAll(() => {
  for (const name of ['package.json', 'LICENSE', 'README.md', 'bin', 'schemas', 'pipelines'])
    cpSync(join(root, name), join(source, name), { recursive: true });
  cpSync(new URL('dist', builtRoot), join(source, 'dist'), { recursive: true });
  for (const place of ['', 'pipelines', 'schemas', 'bin'])
    for (const name of leftBehind) plant(join(source, place, name));
  plant(join(source, 'dist/service/.shotlist/service.sqlite'));
  plant(join(source, 'dist/p.state.jsonl'));
  const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
  const report = execFileSync('npm', args, { cwd: source, stdio: 'pipe', encoding: 'utf8' });
  packed = pathsIn(report);
  execFileSync('tar', ['-xzf', join(folder, 'shotlist-0.1.0.tgz'), '-C', folder]);
  symlinkSync(join(root, 'node_modules'), join(installed, 'node_modules'));
  const old = "Object.defineProperty(process, 'version', { value: 'v12.22.12' });";
  writeFileSync(join(folder, 'old.cjs'), old);
  writeFileSync(join(folder, 'p.yaml'), pipeline);
  writeFileSync(join(folder, 'a.png'), pictureWith('x'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function plant(file: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, 'a secret');
}

/** The paths of the files in the report of `npm pack --json`, sorted. */
function pathsIn(report: string): readonly string[] {
  return [...report.matchAll(/"path": (".*")/g)].map(([, path]) => `${JSON.parse(path ?? '')}`);
}

type Started = ReturnType<typeof spawnSync>;
const start = (node: string, ...args: readonly string[]): Started =>
  spawnSync(node, args, { cwd: folder, encoding: 'utf8' });
const bin = join(installed, 'bin/shotlist.cjs');
const sentence = (version: string): string =>
  `shotlist needs Node.js 22.19 or later, and this is Node.js ${version}: install a newer version from https://nodejs.org and run the command again.\n`;

/** Loaded before the command: prints the packages that the process has loaded as the last line of stderr. */
const observer = `
import { registerHooks } from 'node:module';
const packages = new Set();
registerHooks({
  load(url, context, next) {
    const [, name] = /.*\\/node_modules\\/((?:@[^/]+\\/)?[^/]+)\\//.exec(url) ?? [];
    if (name !== undefined) packages.add(name);
    return next(url, context);
  },
});
process.on('exit', () => process.stderr.write('\\n' + JSON.stringify([...packages])));
`;

/** The packages that a run loads. */
async function loadedBy(rig: Rig, env: Readonly<Record<string, string>>): Promise<unknown> {
  const preload = `data:text/javascript;base64,${Buffer.from(observer).toString('base64')}`;
  const args = ['--import', preload, bin, 'run', 'pipeline.yaml', '--pictures', 'plain'];
  const child = spawn(process.execPath, args, {
    cwd: rig.folder,
    env: { ...ownEnvironment(), ...env },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const { code, stderr } = await ended(child);
  expect(code, stderr).toBe(0);
  return JSON.parse(stderr.split('\n').at(-1) ?? '');
}

/** Another Node.js of this machine that is too old. */
const oldNode = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/bin', '/usr/local/bin']
  .map((place) => join(place, 'node'))
  .filter((node) => existsSync(node))
  .map((node) => ({ node, version: start(node, '--version').stdout.toString().trim() }))
  .find(({ version }) => Number(/^v(\d+)\./.exec(version)?.[1]) < 22);

describe('the package', () => {
  test('holds nothing but what is meant for users, whatever lies in the checkout', () => {
    expect(packed.filter((path) => !packable.some((pattern) => pattern.test(path)))).toEqual([]);
  });

  test('holds the command, the library, the schemas and the example pipelines', () => {
    expect(packed).toEqual(
      expect.arrayContaining([
        'bin/shotlist.cjs',
        'dist/index.js',
        'dist/cli/main.js',
        'dist/previews/face-worker.js',
        'schemas/pipeline.schema.json',
        'pipelines/face-swap-photos.yaml',
      ]),
    );
  });

  test('has the licenses of the packages in it', () => {
    const names = readFileSync(join(installed, 'dist/licenses.txt'), 'utf8').split('\n');
    expect(names).toEqual(expect.arrayContaining(['commander', 'js-tokens', 're2js', 'yaml']));
  });

  test('has no script that npm would run, or ask about, when it is installed', () => {
    const { scripts } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
    expect(Object.keys(scripts)).toContain('prepack');
    for (const name of ['preinstall', 'install', 'postinstall', 'prepare'])
      expect(Object.keys(scripts)).not.toContain(name);
  });
});

describe('the packed command', () => {
  test('says its version, and plans a pipeline', () => {
    expect(start(process.execPath, bin, '--version')).toMatchObject({
      status: 0,
      stdout: '0.1.0\n',
      stderr: '',
    });
    expect(start(process.execPath, bin, 'plan', 'p.yaml')).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/1 +to upload/),
      stderr: '',
    });
  });

  test('loads neither the HTTP client nor sharp for a run with nothing to do, and both for a rehearsal', async () => {
    const rig = await photoRig(1);
    const large = ['undici', 'sharp'];
    expect(await loadedBy(rig, {})).toEqual(expect.arrayContaining(large));
    const local = await service();
    await rig.run(local);
    const loaded = await loadedBy(rig, envOf(local));
    expect(loaded).toContain('p-retry');
    for (const name of large) expect(loaded).not.toContain(name);
  });

  test.each(['--version', 'run'])(
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

describe('the launcher', () => {
  /** A working folder with a pipeline, and who starts the command there. */
  function startIn(place: string, env: NodeJS.ProcessEnv, uid?: number): Started {
    const user = uid === undefined ? {} : { uid, gid: uid };
    const all = { env: { PATH: process.env['PATH'], ...env }, cwd: place, ...user };
    return spawnSync(process.execPath, [bin, 'validate', 'p.yaml'], { encoding: 'utf8', ...all });
  }
  function workingFolder(): string {
    const place = mkdtempSync(join(folder, 'work-'));
    chmodSync(place, 0o777);
    writeFileSync(join(place, 'p.yaml'), pipeline);
    return place;
  }

  test.each([
    ['is empty', { HOME: '' }],
    ['is relative', { HOME: '.' }],
    ['does not exist', { HOME: '/nonexistent' }],
    ['has a relative folder of caches', { HOME: '/nonexistent', XDG_CACHE_HOME: 'caches' }],
  ])('starts, and keeps nothing in the working folder, where the home %s', (_what, env) => {
    const place = workingFolder();
    expect(startIn(place, env)).toMatchObject({ status: 0, stderr: '' });
    expect(readdirSync(place)).toEqual(['p.yaml']);
  });

  test('neither reads nor keeps compiled code in a home that is the working folder', () => {
    const place = workingFolder();
    expect(startIn(place, { HOME: place })).toMatchObject({ status: 0, stderr: '' });
    expect(readdirSync(place)).toEqual(['p.yaml']);
  });

  // Only root can become a user whom the system does not know.
  test.skipIf(process.getuid?.() !== 0 || !canBeNobody)(
    'starts for a user whom the system does not know',
    () => {
      chmodSync(folder, 0o755);
      const place = workingFolder();
      expect(startIn(place, {}, 1_234_567)).toMatchObject({ status: 0, stderr: '' });
      expect(startIn(place, { HOME: '/root' }, 1_234_567)).toMatchObject({ status: 0, stderr: '' });
      expect(readdirSync(place)).toEqual(['p.yaml']);
    },
  );

  test('loads no code that lies in the working folder, whatever its name', async () => {
    const rig = await photoRig(1);
    const loaded = rig.path('loaded.txt');
    const evil = `require('node:fs').appendFileSync(${JSON.stringify(loaded)}, __filename)`;
    const { dependencies, peerDependencies } = JSON.parse(
      readFileSync(join(root, 'package.json'), 'utf8'),
    );
    const names = [...Object.keys({ ...dependencies, ...peerDependencies }), 'node', 'shotlist'];
    for (const name of names) rig.write(`node_modules/${name}/index.js`, evil);
    for (const name of ['index.js', 'evil.cjs', 'shotlist.js', 'dist/cli/main.js', 'src/index.ts'])
      rig.write(name, evil);
    rig.write('package.json', '{ "main": "evil.cjs", "bin": "evil.cjs", "type": "commonjs" }');
    rig.write('.npmrc', 'node-options=--require ./evil.cjs\nscript-shell=./evil.cjs\n');
    rig.write('.env', 'NODE_OPTIONS=--require ./evil.cjs\n');
    rig.write('node.config.json', '{ "nodeOptions": { "import": ["./evil.cjs"] } }');
    const { stderr, code } = await ended(
      spawn(process.execPath, [bin, 'run', 'pipeline.yaml', '--pictures', 'plain'], {
        cwd: rig.folder,
        env: ownEnvironment(),
      }),
    );
    expect(code, stderr).toBe(0);
    expect(existsSync(loaded)).toBe(false);
  });
});
