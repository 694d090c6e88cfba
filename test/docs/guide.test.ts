// docs/guide.md can be followed to its end.
import { mkdirSync, symlinkSync } from 'node:fs';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { root } from '../examples.ts';
import { envOf, Rig, service } from '../rig.ts';
import { promisedCode } from '../shell.ts';
import { blocksOf, missingLine, Walkthrough } from './walkthrough.ts';

const photos = { cup: '#854', lamp: '#ca5', rose: '#b35', shoe: '#456' };

const author = {
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.org',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.org',
  GIT_CONFIG_GLOBAL: '/dev/null',
};

test('every command of the guide works, and prints what the guide shows', async () => {
  const rig = new Rig('');
  for (const [name, background] of Object.entries(photos)) {
    const create = { width: 96, height: 72, channels: 3, background } as const;
    rig.write(`photos/${name}.jpg`, await sharp({ create }).jpeg().toBuffer());
  }
  // What `npm install` would make.
  mkdirSync(rig.path('node_modules'));
  symlinkSync(root, rig.path('node_modules/shotlist'));
  for (const name of ['package.json', 'package-lock.json']) rig.write(name, '{}\n');
  const reader = new Walkthrough(rig, author, envOf(await service()));
  let printed = '';
  for (const { language, text, file } of blocksOf('docs/guide.md')) {
    if (language === 'sh') {
      printed = '';
      for (const line of text.trimEnd().split('\n')) {
        const typed = await reader.type(line);
        printed += typed.stdout + typed.stderr;
        expect([line, typed.code], printed).toEqual([line, promisedCode(line)]);
      }
    } else if (language === 'text') {
      expect(missingLine(text, printed), printed).toBeUndefined();
    } else if (language === 'diff') reader.change(file ?? '', text);
    else if (file === 'cutouts.yaml') expect(rig.read(file)).toBe(text);
    else rig.write(file ?? '', text);
  }
});
