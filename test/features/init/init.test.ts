// `init`: the pipeline that it writes for each tool is valid, has a plan, and runs.
import { lstatSync, mkdirSync, symlinkSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { tools } from '../../../src/contract/tools/all.ts';
import { type Initialized, type InitOptions, init } from '../../../src/features/init/init.ts';
import { starters } from '../../../src/features/init/starter.ts';
import { proposeTools } from '../../../src/features/init/survey.ts';
import { plan } from '../../../src/features/plan/plan.ts';
import { runWith } from '../../../src/features/run/run.ts';
import { validate } from '../../../src/features/validate/validate.ts';
import { loadPipeline } from '../../../src/language/load/load.ts';
import { renderProblem, resultOf } from '../../../src/language/load/refusal.ts';
import { portraitClip, voiceSample } from '../../previews/media.ts';
import { envOf, photo, Rig, service } from '../../rig.ts';

const media = new Map<string, Buffer>();
beforeAll(async () => {
  for (const at of [1, 2]) media.set(`photos/${at}.png`, await photo(at));
  media.set('actor.png', await photo(3));
  media.set('clips/one.mp4', await portraitClip());
  media.set('voice.wav', voiceSample());
});

function folder(): Rig {
  const rig = new Rig('');
  for (const [name, bytes] of media) rig.write(name, bytes);
  return rig;
}

async function made(rig: Rig, options: InitOptions): Promise<Initialized> {
  const done = await init({ folder: rig.folder, ...options });
  return done;
}

const problemOf = async (options: InitOptions): Promise<string> => {
  const done = await resultOf(() => init(options));
  return done.ok ? '' : renderProblem(done.error);
};

describe('for each tool, the pipeline', () => {
  test('is there', () => {
    expect(starters.map(({ tool }) => tool).sort()).toEqual(tools.map(({ name }) => name));
  });

  test('is valid without a warning, fits its budget and has a plan; one of each kind runs', async () => {
    const rig = folder();
    const local = await service();
    const ran = new Set<unknown>();
    for (const { name } of tools) {
      const { text, items, missing } = await made(rig, { tool: name });
      expect(missing, name).toEqual([]);
      expect(text).toMatch(/^# yaml-language-server: \$schema=\S+\n/);
      expect(text).toMatch(/^ {4}uses: /m);
      const file = rig.path(`${name}.yaml`);
      const valid = await resultOf(() => validate(file));
      expect(valid.ok ? valid.value.warnings : renderProblem(valid.error), name).toEqual([]);
      const loaded = await loadPipeline(file);
      const planned = await plan(loaded, { env: envOf(local) });
      const { notes, credits } = planned.plan;
      expect({ name, notes, items }).toEqual({ name, notes: [], items: expect.any(Number) });
      const budget = Number(/budget: \{ credits: (\d+)/.exec(text)?.[1]);
      expect(budget, name).toBeGreaterThanOrEqual(credits);
      const kind = starters.find(({ tool }) => tool === name)?.of;
      if (ran.has(kind)) continue;
      ran.add(kind);
      const internals = { backoffMs: 1, speedFactor: 1000 };
      const done = await resultOf(() =>
        runWith(loaded, { env: envOf(local), items: { limit: 1 } }, internals),
      );
      expect(done.ok && done.value.summary.outcome, name).toBe('done');
    }
  });
});

describe('what it finds', () => {
  test('are photos, clips and sounds with their formats and places; tools that fit come first', async () => {
    const rig = folder();
    rig.write('photos/old/3.JPG', await photo(4));
    rig.write('node_modules/pkg/logo.png', await photo(5));
    rig.write('out/x/1.png', await photo(6));
    const { found, tools: proposed } = await proposeTools(rig.folder);
    expect(found).toEqual([
      { media: 'image', count: 3, formats: ['png', 'jpg'], folder: 'photos' },
      { media: 'video', count: 1, formats: ['mp4'], folder: 'clips' },
      { media: 'audio', count: 1, formats: ['wav'], folder: '' },
    ]);
    expect(proposed).toHaveLength(tools.length);
    expect(proposed[0]).toMatchObject({ of: 'image', fits: true });
    const bare = await proposeTools(new Rig('').folder);
    expect(bare.found).toEqual([]);
    expect(bare.tools[0]).toMatchObject({ of: 'prompt', fits: true });
  });

  test('is where the items are, whatever the folder is called', async () => {
    const rig = new Rig('');
    for (const name of ['my [old] {photos}', 'b/c']) {
      rig.write(`${name}/a.png`, await photo(1));
      rig.write(`${name}/a.jpg`, await photo(2));
      const output = `${name.slice(0, 1)}.yaml`;
      const { text } = await made(rig, { tool: 'photo-colorizer', media: name, output });
      expect(text).toContain('item.name');
      const loaded = await loadPipeline(rig.path(output));
      expect((await plan(loaded, { rehearse: true })).plan.items).toBe(2);
    }
  });

  test('in the working folder itself does not include the results', async () => {
    const rig = new Rig('');
    rig.write('a.png', await photo(1));
    const { text } = await made(rig, { tool: 'photo-colorizer', media: '.' });
    expect(text).toContain('items: { glob: "*.png" }');
  });

  test('is named where the pipeline file is in another folder', async () => {
    const rig = folder();
    rig.write('.git/HEAD', '');
    const { outside } = await made(rig, { tool: 'face-swap-photo', output: 'pipelines/a.yaml' });
    expect(outside).toBe(false);
    expect(rig.read('pipelines/a.yaml')).toContain('glob: "../photos/**/*.png"');
    expect(rig.read('pipelines/a.yaml')).toContain('default: ../actor.png');
    expect(rig.read('.gitignore')).toBe('.shotlist/\n/pipelines/out/face-swap-photo/\n');
  });

  test('may lack a file that the tool needs, or be outside the repository', async () => {
    const rig = new Rig('');
    rig.write('photos/a.png', await photo(1));
    expect(await made(rig, { tool: 'face-swap-photo' })).toMatchObject({
      ...{ missing: ['face'], outside: false },
    });
    const loaded = await resultOf(() =>
      loadPipeline(rig.path('face-swap-photo.yaml'), {
        inputs: { face: rig.path('photos/a.png') },
      }),
    );
    expect(loaded.ok && loaded.value.warnings).toEqual([]);
    expect(await made(rig, { tool: 'photo-colorizer', output: 'deep/a.yaml' })).toMatchObject({
      outside: true,
    });
  });
});

describe('it refuses', () => {
  test('to overwrite a file, or to write through a link', async () => {
    const rig = new Rig('mine\n');
    const options = { tool: 'ai-qr-code-generator', folder: rig.folder };
    expect(await problemOf({ ...options, output: 'pipeline.yaml' })).toContain('already exists');
    expect(rig.read('pipeline.yaml')).toBe('mine\n');
    symlinkSync('elsewhere.yaml', rig.path('link.yaml'));
    expect(await problemOf({ ...options, output: 'link.yaml' })).toContain('already exists');
    expect(lstatSync(rig.path('elsewhere.yaml'), { throwIfNoEntry: false })).toBeUndefined();
  });

  test('an unknown tool, a name that is none, and a folder without such files', async () => {
    const rig = new Rig('');
    mkdirSync(rig.path('empty'));
    const at = { folder: rig.folder };
    expect(await problemOf({ ...at, tool: 'face-swap-foto' })).toContain('face-swap-photo');
    const named = { ...at, tool: 'ai-qr-code-generator', name: '../x' };
    expect(await problemOf(named)).toContain('--name');
    const none = { ...at, tool: 'lip-sync', media: 'empty' };
    expect(await problemOf(none)).toContain('lip-sync');
    expect(await problemOf({ ...none, media: 'gone' })).toContain('gone');
    expect(rig.files('.')).toEqual(['pipeline.yaml']);
  });
});

describe('.gitignore', () => {
  test('gets each line once, and keeps its own lines and line ends', async () => {
    const rig = new Rig('');
    rig.write('.git/HEAD', '');
    rig.write('.gitignore', 'node_modules\r\nout');
    const tool = 'ai-qr-code-generator';
    expect((await made(rig, { tool, output: 'b.yaml' })).ignored).toEqual(['.shotlist/']);
    expect((await made(rig, { tool, output: 'c.yaml' })).ignored).toEqual([]);
    expect(rig.read('.gitignore')).toBe('node_modules\r\nout\r\n.shotlist/\r\n');
  });

  test('is not made where there is no repository', async () => {
    const rig = new Rig('');
    expect((await made(rig, { tool: 'ai-qr-code-generator' })).ignored).toEqual([]);
    expect(rig.files('.')).toEqual(['ai-qr-code-generator.yaml', 'pipeline.yaml']);
  });
});
