// What the README shows works: its pipeline, its commands, its code.

import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { kinds } from '../src/contract/kinds/all.ts';
import { validate } from '../src/runner/language/validate.ts';
import { faultSchemas } from '../src/service/endpoints/fault-schema.ts';
import { portraitPhoto } from './previews/media.ts';
import { ended, Rig } from './rig.ts';

const root = new URL('..', import.meta.url);
const readme = readFileSync(new URL('README.md', root), 'utf8');
const guide = readFileSync(new URL('docs/local-service.md', root), 'utf8');
const cures = readFileSync(new URL('docs/when-things-go-wrong.md', root), 'utf8');
const blocks = (language: string, text = readme): readonly string[] =>
  [...text.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(
    (match) => match[1] ?? '',
  );

test('its two commands are there, and the first lines say what it is', () => {
  expect(readme).toContain('npm ci && npm run demo');
  expect(readme).toContain('npm ci && npm test');
  expect(readme).toContain(`lists the ${kinds.length})`);
});

test('its pipeline is valid, without a warning', () => {
  const [yaml = ''] = blocks('yaml');
  const checked = validate('README.md', yaml);
  expect(checked.ok && checked.value.warnings).toEqual([]);
});

test('its commands and flags exist', async () => {
  const rig = new Rig('');
  const shown = [...blocks('sh'), ...blocks('sh', guide), ...blocks('sh', cures)];
  for (const line of shown.flatMap((block) => block.split('\n'))) {
    const command = /npx shotlist (\w+)/.exec(line)?.[1];
    if (command === undefined) continue;
    const { stdout, code } = await rig.command([command, '--help']);
    expect(code, line).toBe(0);
    for (const flag of line.match(/--[a-z-]+/g) ?? []) expect(stdout, line).toContain(flag);
  }
  const { stdout } = await rig.command(['run', '--help']);
  for (const flag of [
    '--input',
    '--items',
    '--limit',
    '--only',
    '--until',
    '--exclude',
    '--retry-failed',
    '--run-id',
    '--state',
    '--output',
    '--allow-outside',
    '--service',
    '--rehearse',
    '--hosted',
    '--json',
    '--budget',
    '--pay-again',
    '--listen',
    '--speed',
    '--verbose',
    '--log',
  ])
    expect(stdout).toContain(flag);
});

test('the guide to the local service names every flag and every fault', async () => {
  const { stdout } = await new Rig('').command(['serve', '--help']);
  for (const flag of stdout.match(/--[a-z-]+/g) ?? [])
    if (flag !== '--help') expect(guide).toContain(flag);
  for (const fault of Object.keys(faultSchemas)) expect(guide).toContain(`\`${fault}\``);
});

test('the page about trouble shows what a pipeline may say about failures', () => {
  const [yaml = ''] = blocks('yaml', cures);
  const lines = yaml.trimEnd().split('\n');
  expect(lines).toHaveLength(3);
  for (const line of lines) {
    const checked = validate(
      'p.yaml',
      `pipeline: p\n${line}\nsteps: { up: { uses: upload, with: { file: a.png } } }\n`,
    );
    expect(checked.ok, line).toBe(true);
  }
});

test('its code runs, typed, and swaps the photos', async () => {
  const [code = ''] = blocks('ts');
  const [yaml = ''] = blocks('yaml');
  const rig = new Rig('');
  rig.write('pipelines/face-swap-photos.yaml', yaml);
  const portrait = await portraitPhoto();
  for (const name of ['media/photos/one.jpg', 'media/actor.jpg', 'me.jpg'])
    rig.write(name, portrait);
  // The media are outside the pipeline's folder, and in its repository.
  rig.write('.git/HEAD', '');
  const library = new URL('src/index.ts', root).href;
  writeFileSync(rig.path('example.ts'), code.replace("'shotlist'", JSON.stringify(library)));
  const { SHOTLIST_API_KEY: _key, SHOTLIST_BASE_URL: _address, ...env } = process.env;
  const child = spawn(process.execPath, [rig.path('example.ts')], { cwd: rig.folder, env });
  const { stdout, stderr } = await ended(child);
  expect(stderr).toBe('');
  expect(stdout).toContain('swap:one.jpg done');
  expect(stdout.trim().split('\n').at(-1)).toBe('done 10');
});
