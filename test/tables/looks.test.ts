// When a run looks at a project that renders, as the service sees it: by the published median, by what earlier runs learnt, and
// where the published median is wrong.
import { expect, test } from 'vitest';
import { BestDelay } from '../../bench/wait/best-delay.ts';
import { toolNamed } from '../../src/contract/tools/all.ts';
import { expectGolden } from '../golden.ts';
import { chances } from '../kit/clock.ts';
import { World } from '../kit/world.ts';
import { sampleOf } from '../sweep.ts';

const tool = 'text-to-video';
const publishedMs = (toolNamed(tool)?.medianSeconds ?? 0) * 1000;

const clips = (from: number, count: number): string => `pipeline: clips
items: { values: [${Array.from({ length: count }, (_, at) => `{ key: c${from + at} }`).join(', ')}] }
limits: { items: 5 }
steps:
  make: { uses: ${tool}, with: { end_seconds: 5, style: { prompt: "\${{ item.key }}" } } }
`;

/** Projects take so long, in this order; requests take no time. */
function worldOf(count: number, durations: (number: number) => number): World {
  const world = new World(clips(1, count));
  world.service.latencyMs = () => 0;
  world.service.renderMs = ({ number }) => durations(number);
  return world;
}

/** The ages of a project, in seconds, at the looks at it. */
function looksAt(world: World, task: string): readonly number[] {
  const { service, clock } = world;
  const made = service.projectOf(task);
  const began = made.at - (clock.true - clock.elapsed);
  return service.calls
    .filter(({ call, project }) => call === 'look' && project === made.id)
    .map(({ at }) => Math.round((at - began) / 100) / 10);
}

/** The first looks, and the last: `0.5 1 1.5 … 22.5`. */
function shown(looks: readonly number[]): string {
  const first = looks.slice(0, 8).join(' ');
  return looks.length > 8 ? `${first} … ${looks.at(-1)} (${looks.length} looks)` : first;
}

async function onlyOne(times: number, earlier?: number): Promise<string> {
  const durations = (number: number): number =>
    earlier !== undefined && number <= 5 ? earlier * publishedMs : times * publishedMs;
  const world = worldOf(earlier === undefined ? 1 : 5, durations);
  await world.run();
  if (earlier === undefined) return shown(looksAt(world, 'make:c1'));
  world.edit(clips(6, 1));
  await world.run();
  return shown(looksAt(world, 'make:c6'));
}

/** Of each project, the ages at which short runs look that come every so many seconds. */
async function byTicks(everyMs: number): Promise<string> {
  const world = worldOf(1, () => publishedMs);
  for (let ticks = 0; ticks < 200; ticks++) {
    const { outcome } = await world.tick();
    if (outcome === 'done') break;
    world.clock.pass(everyMs);
  }
  return shown(looksAt(world, 'make:c1'));
}

/** Three projects that nobody looked at for a day are over at the first look; then the same run makes another one. */
async function afterLateLooks(): Promise<string> {
  const world = worldOf(4, () => publishedMs);
  await world.tick({ items: { keys: new Set(['c1', 'c2', 'c3']) } });
  world.clock.pass(86_400_000);
  await world.run();
  return shown(looksAt(world, 'make:c4'));
}

test('the ages at which a run looks', async () => {
  const rows: (readonly [string, string])[] = [
    ['nothing is known, as published', await onlyOne(1)],
    ['nothing is known, a third of it', await onlyOne(1 / 3)],
    ['nothing is known, three times as long', await onlyOne(3)],
    ['learnt from five, as long again', await onlyOne(1, 1)],
    ['learnt from five, a third of it again', await onlyOne(1 / 3, 1 / 3)],
    ['learnt from five, three times as long again', await onlyOne(3, 3)],
    ['learnt from five, now three times as long', await onlyOne(3, 1)],
    ['ticks every ten seconds', await byTicks(10_000)],
    ['ticks every minute', await byTicks(60_000)],
    ['after first looks that came a day late', await afterLateLooks()],
  ];
  const width = Math.max(...rows.map(([what]) => what.length));
  const lines = rows.map(([what, looks]) => `${what.padEnd(width)}  ${looks}`);
  expectGolden('looks.txt', `${lines.join('\n')}\n`);
});

test.each(sampleOf([1, 1 / 3, 3], 3))(
  'whose median is %d times the published one: the delay is near the best of so many looks',
  async (times) => {
    const [spread, count, medianMs] = [0.35, 80, times * publishedMs];
    const chance = chances(1);
    const normal = (): number =>
      Math.sqrt(-2 * Math.log(1 - chance())) * Math.cos(2 * Math.PI * chance());
    const durations = Array.from(
      { length: count + 1 },
      () => medianMs * Math.exp(spread * normal()),
    );
    const world = worldOf(count, (number) => durations[number] ?? medianMs);
    await world.run();
    const { calls, projects } = world.service;
    let late = 0;
    for (const { id, number, task } of projects.values()) {
      const last = calls.findLast(({ call, project }) => call === 'look' && project === id);
      const created = calls.find(({ call, about }) => call === 'create' && about === task);
      late += (last?.at ?? 0) - (created?.at ?? 0) - (durations[number] ?? 0);
    }
    const looks = calls.filter(({ call }) => call === 'look').length;
    const best = medianMs * new BestDelay(spread).at(looks / count);
    expect(late / count / best).toBeLessThanOrEqual(1.25);
  },
);
