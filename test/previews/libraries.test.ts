// The heavy libraries are optional: what is said of those that are missing, and a service that goes on without them.
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { asJson, isObject } from '../../src/base/json.ts';
import { isInstalled, lacksFor, lacksOf } from '../../src/previews/registry.ts';
import { photo } from '../rig.ts';
import { Client, listAt, textAt } from '../service/client.ts';
import { longTest } from '../sweep.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const heavy = ['@vladmandic', '@tensorflow', 'node-av', '@seydx'];

describe('the libraries for real pictures', () => {
  test('are here for developers', () => {
    expect(lacksOf()).toEqual([]);
    expect(lacksFor()).toEqual([]);
  });

  test('each lack is a sentence with the line that mends it', () => {
    expect(lacksOf((name) => !name.startsWith('@tensorflow/'))).toEqual([
      {
        need: 'faces',
        sentence:
          'Faces are not looked for, and stand-ins replace what needs them: @tensorflow/tfjs and ' +
          '@tensorflow/tfjs-backend-wasm are not installed (npm install @tensorflow/tfjs @tensorflow/tfjs-backend-wasm)',
      },
    ]);
    expect(lacksOf((name) => name !== 'node-av')).toEqual([
      {
        need: 'clips',
        sentence:
          'Clips are neither decoded nor rendered, and stand-ins replace them: node-av is not installed ' +
          '(npm install node-av)',
      },
    ]);
  });

  test('a package that is not there is not installed, one that hides its package.json is', () => {
    expect(isInstalled('no-such-package-here')).toBe(false);
    expect(isInstalled('fastify')).toBe(true);
    expect(isInstalled('p-limit')).toBe(true);
  });
});

/** The sources in a folder of their own, with every package but the heavy ones. */
function withoutLibraries(): string {
  const folder = mkdtempSync(join(tmpdir(), 'shotlist-light-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of ['src', 'package.json', 'schemas'])
    cpSync(join(root, name), join(folder, name), { recursive: true });
  mkdirSync(join(folder, 'node_modules'));
  for (const name of readdirSync(join(root, 'node_modules')))
    if (!heavy.includes(name))
      symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name));
  return folder;
}

longTest('a service without them says so, and makes stand-ins', async () => {
  const folder = withoutLibraries();
  const child = spawn(process.execPath, ['src/cli/main.ts', 'serve', '--json'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const { value: line } = await createInterface({ input: child.stdout })
    [Symbol.asyncIterator]()
    .next();
  const facts = asJson(JSON.parse(line ?? ''));
  if (!isObject(facts)) throw new Error(`it said ${line}`);
  expect(stderr).toContain('npm install @vladmandic/face-api @tensorflow/tfjs');
  expect(stderr).toContain('npm install node-av');

  const client = new Client({ address: textAt(facts, 'address'), key: textAt(facts, 'key') });
  const picture = await client.upload(await photo(1), 'png');
  const found = await client.faces(picture);
  expect(found['status']).toBe('complete');
  expect(listAt(found, 'faces')).toHaveLength(1);
  const swap = await client.settled('image', await client.swap(picture, picture));
  expect(swap['error']).toBeNull();
  const clip = Buffer.from('as good as any clip to one who cannot look into it');
  const film = await client.upload(clip, 'mp4', 'video');
  const { id } = await client.create('character-replace', {
    end_seconds: 1,
    assets: { video_file_path: film, image_file_path: picture },
  });
  const replaced = await client.settled('video', id);
  expect(replaced['error']).toBeNull();
  expect(await client.outputs(replaced)).toEqual([clip]);
});
