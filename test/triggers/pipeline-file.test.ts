// A pipeline file, as a long-lived command sees it.
import { rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { boundPipeline } from '../../src/language/load/bound-pipeline.ts';
import { valueOrThrow } from '../../src/language/load/refusal.ts';
import { PipelineFile } from '../../src/triggers/pipeline-file.ts';
import { Rig } from '../rig.ts';

const text = 'pipeline: p\nsteps: { own: { uses: upload, with: { file: b.png } } }\n';

/** A pipeline file, and what `refresh` says after each change; `pass` lets time go by. */
function followed(quietMs: number) {
  const rig = new Rig(text);
  let now = 0;
  const options = { clock: { elapsed: () => now }, quietMs };
  const file = new PipelineFile(rig.file, options, (loaded) => ({
    ...{ is: 'ready', ready: boundPipeline(valueOrThrow(loaded)) },
  }));
  const news = async () => (await file.refresh())?.is;
  const pass = (ms: number): void => {
    now += ms;
  };
  return { rig, file, news, pass };
}

test('a change is news once, also when the file becomes wrong, goes, or comes back', async () => {
  const { rig, news } = followed(0);
  const after = async (change: () => void) => {
    change();
    const said = await news();
    expect(await news()).toBeUndefined();
    return said;
  };
  expect(await after(() => undefined)).toBe('ready');
  expect(await after(() => rig.write('pipeline.yaml', `${text}# more\n`))).toBe('ready');
  expect(await after(() => rig.write('pipeline.yaml', 'steps: ['))).toBe('invalid');
  expect(await after(() => rmSync(rig.path('pipeline.yaml')))).toBe('invalid');
  expect(await after(() => rig.write('pipeline.yaml', text))).toBe('ready');
});

test('a problem that stays is news once, and again when the file was edited and is still wrong', async () => {
  const { rig, news } = followed(0);
  rig.write('pipeline.yaml', 'pipeline: p\n');
  expect([await news(), await news()]).toEqual(['invalid', undefined]);
  rig.write('pipeline.yaml', 'pipeline: p\n\n');
  expect([await news(), await news()]).toEqual(['invalid', undefined]);
});

test('a changed file is read when nobody writes to it', async () => {
  const { rig, file, news, pass } = followed(500);
  expect(await news()).toBe('ready');
  expect(file.quietInMs).toBeUndefined();
  rig.write('pipeline.yaml', 'pipe');
  expect([await news(), file.quietInMs]).toEqual([undefined, 500]);
  pass(300);
  rig.write('pipeline.yaml', `${text}# more\n`);
  expect([await news(), file.quietInMs]).toEqual([undefined, 500]);
  pass(500);
  expect(await news()).toBe('ready');
});
