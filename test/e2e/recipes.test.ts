// Each recipe of pipelines/ as a user has it: copied into a folder with media of their own, planned, run, and run again.
import { readdirSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { realClock } from '../../src/core/clock.ts';
import { type PlanOptions, plan } from '../../src/features/plan/plan.ts';
import { runWith } from '../../src/features/run/run.ts';
import { loadPipeline } from '../../src/language/load/load.ts';
import type { LoadedPipeline } from '../../src/language/load/loaded-pipeline.ts';
import { read, root } from '../examples.ts';
import { portraitClip } from '../previews/media.ts';
import { envOf, photo, Rig, service } from '../rig.ts';

/** The day on which the recipes run, whatever the clock says meanwhile. */
const clock = { ...realClock, now: () => started };
const started = Date.now();
const today = new Date(started).toLocaleDateString('sv', { timeZone: 'Europe/Berlin' });

interface Recipe {
  /** What the user's folder needs, relative to the recipe. */
  readonly media: readonly string[];
  /** The charge of each creation, as many as there must be. */
  readonly charges: readonly number[];
  /** The numbers of the guide, if they are not those of single charges. */
  readonly costs?: readonly number[];
  /** The files that it makes, below its output folder and without extensions, which the service decides. */
  readonly files: readonly string[];
}

const times = (count: number, credits: number): readonly number[] => Array(count).fill(credits);

const twoPhotos = ['photos/a.png', 'photos/b.png'];
const demoPhotos = ['../media/actor.jpg', '../media/photos/a.png', '../media/photos/b.png'];
const twoProducts = ['products/lamp.png', 'products/mug.png'];

const catalogue: Recipe = {
  media: twoProducts,
  charges: times(6, 10),
  files: ['ink/lamp', 'ink/mug', 'neon/lamp', 'neon/mug', 'oil/lamp', 'oil/mug'],
};

const recipes: Readonly<Record<string, Recipe>> = {
  catalogue,
  'character-clips': {
    media: ['character.jpg', 'clips/dance.mp4', 'clips/walk.mp4'],
    charges: times(2, 150),
    files: ['dance', 'walk'],
  },
  'color-album': {
    media: twoPhotos,
    charges: [10, 10, 5],
    files: ['a', 'b', 'contact-sheet'],
  },
  'face-swap-photos': { media: demoPhotos, charges: times(2, 10), files: ['a', 'b'] },
  'four-variants': {
    media: [],
    charges: [...times(2, 20), ...times(8, 25)],
    files: ['lighthouse', 'market'].flatMap((key) => [0, 1, 2, 3].map((at) => `${key}-${at}`)),
  },
  'gif-sets': {
    media: [],
    charges: times(6, 50),
    files: ['a-sleepy-cat', 'a-small-red-robot'].flatMap((character) =>
      ['facepalm', 'party', 'thumbs-up'].map((mood) => `${character}/${mood}`),
    ),
  },
  greetings: {
    media: ['photos/ada.jpg', 'photos/bo.jpg'],
    charges: [7, 8, 240, 288],
    costs: [48, 0.1, 543],
    files: ['ada', 'bo'],
  },
  'head-shots': { media: twoPhotos, charges: times(2, 50), files: ['a', 'b'] },
  'meme-a-day': {
    media: [],
    charges: [10],
    files: [`${today.slice(0, 7).replace('-', '/')}/${today}`],
  },
  'one-face': {
    media: ['actor.jpg', ...twoPhotos],
    charges: times(2, 10),
    files: ['a', 'b'],
  },
  'picture-to-clip': {
    media: [],
    charges: [5, 5, 72, 72],
    files: ['clips/harbour', 'clips/tram', 'pictures/harbour', 'pictures/tram'],
  },
  'product-photos': {
    media: twoProducts,
    charges: [5, 5, 25, 25],
    files: ['print/lamp', 'print/mug', 'web/lamp', 'web/mug'],
  },
  'star-in-the-clip': {
    media: ['../media/clip.mp4', ...demoPhotos],
    charges: [10, 10, 150, 150],
    files: ['a', 'a', 'b', 'b'],
  },
  subtitles: { media: ['clips/talk.mp4'], charges: [6], files: ['talk'] },
  'text-to-video': {
    media: [],
    charges: [72, 120, 120],
    files: ['harbour', 'heron', 'tram'],
  },
};

const folder = readdirSync(join(root, 'pipelines'));
const names = folder.flatMap((name) => (name.endsWith('.yaml') ? [name.slice(0, -5)] : []));
const guide = read('docs/recipes.md');
const textOf = (name: string): string => read(`pipelines/${name}.yaml`);

const clip = portraitClip();

async function mediumFor(path: string, number: number): Promise<Buffer> {
  if (path.endsWith('.mp4')) return await clip;
  const picture = await photo(number);
  return path.endsWith('.jpg') ? await sharp(picture).jpeg().toBuffer() : picture;
}

/** A folder with the recipe, what pipelines/ has beside it, and media; a repository if the media are outside the folder. */
async function copied(name: string, { media }: Recipe): Promise<Rig> {
  const rig = new Rig('');
  if (media.some((path) => path.startsWith('../'))) rig.write('.git/HEAD', '');
  rig.write(`recipes/${name}.yaml`, textOf(name));
  for (const other of folder.filter((file) => file.endsWith('.csv')))
    rig.write(`recipes/${other}`, read(`pipelines/${other}`));
  for (const [number, path] of media.entries())
    rig.write(join('recipes', path), await mediumFor(path, number));
  return rig;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);
const sorted = (numbers: readonly number[]): readonly number[] =>
  [...numbers].sort((a, b) => a - b);

/** Loads the copy, which must be free of warnings. */
async function loadedFrom(rig: Rig, name: string, profile?: string): Promise<LoadedPipeline> {
  const options = profile === undefined ? {} : { profile };
  const loaded = await loadPipeline(rig.path(`recipes/${name}.yaml`), options);
  expect(loaded.warnings).toEqual([]);
  return loaded;
}

async function plannedCredits(loaded: LoadedPipeline, options: PlanOptions): Promise<number> {
  const planned = await plan(loaded, { ...options, clock });
  const complete = { unpriced: 0, uncounted: 0, badItems: 0, notes: [] };
  expect(planned).toMatchObject({ warnings: [], plan: complete });
  return planned.plan.credits;
}

describe.each(names)('%s', (name) => {
  const recipe = recipes[name];
  if (recipe === undefined) throw new Error(`say above what ${name} needs, costs and makes`);

  test('plans without a warning, costs what the plan says on a free account, makes its files, and is then free', async () => {
    const rig = await copied(name, recipe);
    const local = await service({ tier: 'free' });
    const loaded = await loadedFrom(rig, name);
    const run = async (): Promise<string> => {
      const pace = { backoffMs: 1, speedFactor: 100 };
      const ran = await runWith(loaded, { env: envOf(local), clock }, pace);
      expect(ran.summary).toMatchObject({ outcome: 'done', problems: [] });
      return ran.output;
    };
    expect(await plannedCredits(loaded, { env: envOf(local) })).toBe(sum(recipe.charges));
    const output = relative(rig.folder, await run());
    const paid = local.ledger().filter(({ kind }) => kind !== 'adjustment');
    expect(paid.every(({ kind }) => kind === 'charge')).toBe(true);
    expect(sorted(paid.map(({ credits }) => credits))).toEqual(sorted(recipe.charges));
    const made = rig.files(output);
    expect(made.map((file) => file.replace(/\.\w+$/, ''))).toEqual(recipe.files);
    for (const file of made) expect(statSync(rig.path(join(output, file))).size).toBeGreaterThan(0);

    const before = local.requests();
    await run();
    expect(local.requests()).toEqual(before);
  });

  test('can be read on one screen, and says what it is for', () => {
    const text = textOf(name);
    expect(text).toMatch(/^description: .+\.$/m);
    expect(text).toMatch(/^budget: /m);
    // A chain of ten steps, which the README explains.
    if (name !== 'star-in-the-clip') expect(text.trimEnd().split('\n').length).toBeLessThan(31);
  });

  test('has a section in the guide that says how to start it and what it costs', () => {
    const [, section = ''] = guide.split(`\n## ${name}\n`);
    const [own = ''] = section.split('\n## ');
    expect(own).toContain(`](../pipelines/${name}.yaml)`);
    expect(own).toContain(`npx shotlist run ${name}.yaml`);
    const [, costs = ''] = /^Costs: (.+)$/m.exec(own) ?? [];
    for (const credits of recipe.costs ?? recipe.charges)
      expect(costs).toMatch(new RegExp(`\\b${credits}\\b`));
    const [, words = ''] = /^Words: (.+)$/m.exec(own) ?? [];
    const named = [...words.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word);
    expect(named.length).toBeGreaterThan(1);
    for (const word of named) expect(textOf(name)).toContain(word);
  });
});

test('the profile of the catalogue plans without a warning, too', async () => {
  const rig = await copied('catalogue', catalogue);
  const loaded = await loadedFrom(rig, 'catalogue', 'print');
  expect(await plannedCredits(loaded, { rehearse: true })).toBe(6 * 150);
});
