// Two pipelines of one user, or three, that want some of the same: each request is paid for once, whoever of them is first,
// and all have their results.
//
// Long: RUNS=50 SEED=1 npx vitest run test/e2e/two-pipelines.test.ts
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { chanceOf } from '../../src/base/chance.ts';
import { openDoubts, resolve } from '../../src/features/resolve/resolve.ts';
import { loadPipeline } from '../../src/language/load/load.ts';
import type { LoadedPipeline } from '../../src/language/load/loaded-pipeline.ts';
import type { LocalService } from '../../src/service/start.ts';
import { exitCodes } from '../../src/views/exit-codes.ts';
import { actor, swapAssets, uploadAndDetect } from '../photo-pipeline.ts';
import { type Ended, ended, envOf, photo, Rig, service, until } from '../rig.ts';
import { cloneOf, commitAll, git } from './clones.ts';

interface Shape {
  readonly window: number;
  /** A second paid step uses the result of the first one. */
  readonly isChained: boolean;
  /** The swap depends on faces that the service finds. */
  readonly detects: boolean;
  /** The project is deleted as soon as its result is saved. */
  readonly deletes: boolean;
}

const detected = uploadAndDetect.split('\n').slice(2).join('\n');
const wholePicture = `      assets:
        face_swap_mode: all-faces
        target_file_path: \${{ steps.photo.file_path }}
        source_file_path: \${{ steps.actor.file_path }}
`;

function pipelineOf(
  name: string,
  folder: string,
  { window, isChained, detects, deletes }: Shape,
): string {
  const chain = `\
  colour:
    uses: photo-colorizer
    with: { name: "c\${{ item.stem }}", assets: { image_file_path: "\${{ steps.swap.url }}" } }
  keep: { uses: download, with: { of: colour, to: "colour/\${{ item.stem }}.png" } }
`;
  return `pipeline: ${name}
inputs: { actor: { type: file, default: actor.png } }
items: { glob: "${folder}/*.png" }
limits: { items: ${window} }
output: out-${name}
steps:
${detects ? uploadAndDetect : uploadAndDetect.replace(detected, '')}\
  swap:
    uses: face-swap-photo
${detects ? `    if: size(steps.faces.faces) > 0\n` : ''}\
    with:
      name: "\${{ item.stem }}"
${detects ? swapAssets : wholePicture}\
  save: { uses: download, with: { of: swap, to: "\${{ item.stem }}.png" } }
${isChained ? chain : ''}\
${deletes ? `  tidy: { uses: delete, ${isChained ? 'needs: [colour], ' : ''}with: { of: swap } }\n` : ''}`;
}

/** A pipeline in its place, and what it must have in the end. */
interface Side {
  readonly rig: Rig;
  /** The name of the pipeline file. */
  readonly file: string;
  /** Paths of results. */
  readonly results: readonly string[];
  /** What the service hears as names of projects. */
  readonly requests: readonly string[];
}

const places = ['apart', 'one folder', 'a clone', 'a worktree'] as const;
type Place = (typeof places)[number];

interface Scene {
  readonly place: Place;
  readonly shapes: readonly [Shape, Shape];
  /** Of a third pipeline, in a folder of its own. */
  readonly third: Shape | undefined;
  /** Photos of each, every second one of them in common. */
  readonly count: number;
}

async function sidesOf({ place, shapes, third, count }: Scene): Promise<readonly Side[]> {
  const [one, two] = shapes;
  const isCheckout = place === 'a clone' || place === 'a worktree';
  const first = new Rig(pipelineOf('one', 'photos-one', one));
  if (isCheckout) {
    git(first.folder, 'init', '--quiet');
    first.write('.gitignore', '.shotlist/\nout-*/\nphotos-*/\n');
    commitAll(first, 'Add a pipeline');
  }
  const second =
    place === 'one folder' ? first : place === 'a clone' ? cloneOf(first) : new Rig('');
  if (place === 'a worktree') {
    git(second.folder, 'init', '--quiet');
    git(first.folder, 'worktree', 'add', '--quiet', second.path('tree'));
  }
  const below = place === 'a worktree' ? 'tree/' : '';
  const name = isCheckout ? 'one' : 'two';
  const file = isCheckout ? 'pipeline.yaml' : 'two.yaml';
  second.write(`${below}${file}`, pipelineOf(name, `photos-${name}`, two));
  const half = Math.ceil(count / 2);
  const sideOf = async (
    rig: Rig,
    under: string,
    own: string,
    { isChained }: Shape,
    from: number,
  ): Promise<Omit<Side, 'file'>> => {
    rig.write(`${under}actor.png`, await photo(actor));
    const numbers = Array.from({ length: count }, (_, index) => from + index);
    for (const number of numbers)
      rig.write(`${under}photos-${own}/p${number}.png`, await photo(number));
    const kept = (suffix: string): string[] =>
      numbers.map((number) => `${under}out-${own}/${suffix}p${number}.png`);
    return {
      rig,
      results: [...kept(''), ...(isChained ? kept('colour/') : [])],
      requests: numbers.flatMap((number) => [`p${number}`, ...(isChained ? [`cp${number}`] : [])]),
    };
  };
  const sides = [
    { ...(await sideOf(first, '', 'one', one, 1)), file: 'pipeline.yaml' },
    {
      ...(await sideOf(second, below, name, two, 1 + half)),
      file: `${below}${file}`,
    },
  ];
  if (third === undefined) return sides;
  const more = new Rig(pipelineOf('three', 'photos-three', third));
  return [...sides, { ...(await sideOf(more, '', 'three', third, 2)), file: 'pipeline.yaml' }];
}

const charges = (local: LocalService): readonly string[] =>
  local
    .ledger()
    .filter(({ kind }) => kind === 'charge')
    .map(({ name }) => name?.replace(/ #[0-9a-z]+$/, '') ?? '')
    .sort();

const expected = (sides: readonly Side[]): readonly string[] =>
  [...new Set(sides.flatMap(({ requests }) => requests))].sort();

const run = (side: Side, local: LocalService, ...more: readonly string[]) =>
  side.rig.start(['run', side.file, ...more], envOf(local));

const finish = (side: Side, local: LocalService, ...more: readonly string[]): Promise<Ended> =>
  side.rig.command(['run', side.file, ...more], envOf(local));

const loadedFrom = async ({ rig, file }: Side): Promise<LoadedPipeline> => {
  const loaded = await loadPipeline(rig.path(file));
  return loaded;
};

async function doubtsOf(side: Side, local: LocalService): Promise<readonly string[]> {
  const open = await openDoubts(await loadedFrom(side), { env: envOf(local) });
  return open.map(({ name }) => name);
}

/** A person looks in the hub and says what became of each doubt, in the first pipeline that has it. */
async function settleOnce(sides: readonly Side[], local: LocalService): Promise<number> {
  const settled = new Set<string>();
  for (const side of sides)
    for (const name of await doubtsOf(side, local)) {
      if (settled.has(name)) continue;
      settled.add(name);
      const project = local.ledger().find((entry) => entry.name === name)?.project;
      const how =
        typeof project === 'string'
          ? ({ how: 'project', project } as const)
          : ({ how: 'not-charged' } as const);
      await resolve(await loadedFrom(side), name, how, { env: envOf(local) });
    }
  return settled.size;
}

async function expectAllHome(sides: readonly Side[], local: LocalService): Promise<void> {
  for (const side of sides)
    for (const result of side.results)
      expect(existsSync(side.rig.path(result)), `${result} of ${side.file}`).toBe(true);
  expect(charges(local)).toEqual(expected(sides));
  const before = local.ledger().length;
  for (const side of sides) expect(await finish(side, local)).toMatchObject({ code: 0 });
  expect(local.ledger()).toHaveLength(before);
}

const first = Number(process.env['SEED'] ?? 1);
const runs = Number(process.env['RUNS'] ?? 1);

test('a first plan knows what another pipeline has paid for a file that is too large to be read in passing', async () => {
  const local = await service();
  const text = pipelineOf('one', 'photos', {
    ...{ window: 1, isChained: false, detects: false, deletes: false },
  });
  const large = Buffer.concat([await photo(1), Buffer.alloc(300_000)]);
  const plans: string[] = [];
  for (const name of ['first', 'second']) {
    const rig = new Rig(text);
    rig.write('actor.png', await photo(actor));
    rig.write('photos/a.png', large);
    plans.push((await rig.command(['plan', 'pipeline.yaml', '--json'], envOf(local))).stdout);
    if (name === 'first') await rig.run(local);
  }
  const credits = plans.map((plan) => JSON.parse(plan).plan.credits);
  expect(credits).toEqual([10, 0]);
});

test.each(Array.from({ length: runs }, (_, index) => first + index))(
  'seed %d: pipelines that run at the same time pay once for what they have in common, and all have it',
  { tags: 'long' },
  async (seed) => {
    const chance = chanceOf(seed, 29);
    const upTo = (most: number): number => 1 + Math.floor(chance() * most);
    const isChained = chance() < 0.3;
    const detects = chance() < 0.5;
    const shape = (): Shape => ({ window: upTo(6), isChained, detects, deletes: chance() < 0.4 });
    const scene: Scene = {
      place: places[seed % places.length] ?? 'apart',
      shapes: [shape(), shape()],
      third: chance() < 0.4 ? shape() : undefined,
      count: 3 + upTo(3),
    };
    const slow = { fault: 'latency', on: 'POST /v1/*', for: '2ms', up_to: '60ms' } as const;
    const local = await service({
      ...{ seed, speed: 40 + upTo(200) },
      faults: { faults: [slow] },
    });
    const sides = await sidesOf(scene);
    const kills = chance() < 0.5 ? sides[upTo(sides.length) - 1] : undefined;
    const bought = upTo(scene.count);
    const told = await Promise.all(
      sides.map(async (side) => {
        const child = run(side, local);
        const end = ended(child);
        if (side !== kills) return await end;
        let isOver = false;
        void end.finally(() => {
          isOver = true;
        });
        await until('some are bought', () => isOver || charges(local).length >= bought);
        child.kill('SIGKILL');
        await end;
        return await ended(run(side, local));
      }),
    );
    const where = `${JSON.stringify(scene)}\n${told.map(({ stdout, stderr }) => stdout + stderr).join('\n')}`;
    await settleOnce(sides, local);
    // A doubt is for a person, and then for the next run.
    for (const [index, side] of sides.entries()) {
      if (told[index]?.code === 0) continue;
      expect(told[index]?.code, where).toBe(exitCodes.doubt);
      const { code, stdout, stderr } = await finish(side, local);
      expect(code, where + stdout + stderr).toBe(0);
    }
    await expectAllHome(sides, local);
  },
);
