// Who gets a slot, in which order, and who never waits.
import { describe, expect, test } from 'vitest';
import { Ended } from '../../src/core/ended.ts';
import { type Priority, type Slot, Slots, slotLimits } from '../../src/core/slots.ts';
import { chances } from '../kit/clock.ts';

const swap = 'face-swap-photo';
const clip = 'text-to-video';
const never = new AbortController().signal;

const limited = (projects: number | undefined, kinds: Record<string, number> = {}): Slots =>
  new Slots({ projects, kinds });

/** Whoever got a slot, in order. */
class Line {
  readonly slots: Slots;
  readonly got: string[] = [];
  readonly held = new Map<string, Slot>();

  constructor(slots: Slots) {
    this.slots = slots;
  }

  async ask(name: string, kind = swap, priority: Priority = 'new', signal = never): Promise<void> {
    const slot = await this.slots.take(kind, priority, signal);
    this.got.push(name);
    this.held.set(name, slot);
  }

  async giveBack(name: string): Promise<void> {
    this.held.get(name)?.[Symbol.dispose]();
    await settled();
  }
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('so many projects are in progress at once, and the next ones begin in their order', async () => {
  const line = new Line(limited(2));
  for (const name of ['a', 'b', 'c', 'd']) void line.ask(name);
  await settled();
  expect(line.got).toEqual(['a', 'b']);
  await line.giveBack('b');
  expect(line.got).toEqual(['a', 'b', 'c']);
  await line.giveBack('a');
  expect(line.got).toEqual(['a', 'b', 'c', 'd']);
});

test('what is paid goes first, then what has begun', async () => {
  const line = new Line(limited(1));
  void line.ask('first');
  void line.ask('new', swap, 'new');
  void line.ask('begun', swap, 'begun');
  void line.ask('owed', swap, 'owed');
  void line.ask('begun 2', swap, 'begun');
  await settled();
  for (const name of ['first', 'owed', 'begun', 'begun 2']) await line.giveBack(name);
  expect(line.got).toEqual(['first', 'owed', 'begun', 'begun 2', 'new']);
});

test('a kind has a limit of its own, and holds no other kind up', async () => {
  const line = new Line(limited(3, { [swap]: 1, upload: 2 }));
  for (const name of ['swap 1', 'swap 2']) void line.ask(name);
  for (const name of ['clip 1', 'clip 2', 'clip 3']) void line.ask(name, clip);
  for (const name of ['up 1', 'up 2', 'up 3']) void line.ask(name, 'upload');
  for (const name of ['down 1', 'down 2']) void line.ask(name, 'download');
  await settled();
  expect(line.got).toEqual([...['swap 1', 'clip 1', 'clip 2', 'up 1', 'up 2', 'down 1', 'down 2']]);
  await line.giveBack('clip 1');
  expect(line.got.at(-1)).toBe('clip 3');
  await line.giveBack('swap 1');
  expect(line.got.at(-1)).toBe('swap 2');
});

test('a slot is given back once', async () => {
  const line = new Line(limited(1));
  for (const name of ['a', 'b', 'c']) void line.ask(name);
  await settled();
  await line.giveBack('a');
  await line.giveBack('a');
  expect(line.got).toEqual(['a', 'b']);
});

test('a project that is left keeps its slot, and nobody waits for it', async () => {
  const line = new Line(limited(2));
  for (const name of ['a', 'b']) void line.ask(name);
  await settled();
  const waiting = line.ask('c');
  line.held.get('a')?.leave();
  await line.giveBack('a');
  expect(line.got).toEqual(['a', 'b']);
  line.held.get('b')?.leave();
  await expect(waiting).rejects.toMatchObject({ ending: 'later' });
  await expect(line.ask('d')).rejects.toMatchObject({ ending: 'later' });
});

test('a project that renders already has a slot, whether or not there is room', async () => {
  const slots = limited(1);
  const kept = [slots.keep(swap), slots.keep(swap)];
  const line = new Line(slots);
  void line.ask('a');
  for (const slot of kept) {
    await settled();
    expect(line.got).toEqual([]);
    slot[Symbol.dispose]();
  }
  await settled();
  expect(line.got).toEqual(['a']);
});

test('whoever waits when the run stops ends at once, and takes nobody’s turn', async () => {
  const line = new Line(limited(1));
  const stop = new AbortController();
  void line.ask('a');
  const waiting = line.ask('b', swap, 'owed', stop.signal);
  void line.ask('c');
  await settled();
  stop.abort();
  await expect(waiting).rejects.toMatchObject({ ending: 'pending', held: { by: 'run' } });
  await expect(line.ask('d', swap, 'new', stop.signal)).rejects.toBeInstanceOf(Ended);
  await line.giveBack('a');
  expect(line.got).toEqual(['a', 'c']);
});

describe('the limits', () => {
  const limits = { items: 4, steps: { [clip]: 2 }, outageMs: 0 };
  test.each([
    ['pro', true, 5],
    ['creator', true, 3],
    ['business', true, undefined],
    ['free', true, undefined],
    [undefined, true, undefined],
    ['something new', true, undefined],
    ['pro', false, 4],
    ['creator', false, 3],
    [undefined, false, 4],
  ] as const)('on the plan %s, waiting %s: %s projects', (tier, waits, projects) => {
    expect(slotLimits(limits, tier, waits)).toEqual({ projects, kinds: { [clip]: 2 } });
  });
});

test('whatever comes and goes, no limit is exceeded, and everybody is served', async () => {
  for (let seed = 1; seed <= 30; seed++) {
    const chance = chances(seed);
    const kinds = [swap, clip, 'upload'];
    const [projects, ofSwap, ofUpload] = [1, 1, 1].map(() => 1 + Math.floor(chance() * 4));
    const slots = limited(projects, { [swap]: ofSwap ?? 1, upload: ofUpload ?? 1 });
    const taken = new Map(kinds.map((kind) => [kind, 0]));
    const of = (kind: string): number => taken.get(kind) ?? 0;
    let served = 0;
    const one = async (): Promise<void> => {
      for (let turns = Math.floor(chance() * 5); turns > 0; turns--) await settled();
      const kind = kinds[Math.floor(chance() * kinds.length)] ?? swap;
      const priority = (['owed', 'begun', 'new'] as const)[Math.floor(chance() * 3)] ?? 'new';
      using _ = await slots.take(kind, priority, never);
      taken.set(kind, of(kind) + 1);
      expect(of(swap) + of(clip)).toBeLessThanOrEqual(projects ?? 0);
      expect(of(swap)).toBeLessThanOrEqual(ofSwap ?? 0);
      expect(of('upload')).toBeLessThanOrEqual(ofUpload ?? 0);
      for (let turns = Math.floor(chance() * 5); turns > 0; turns--) await settled();
      taken.set(kind, of(kind) - 1);
      served += 1;
    };
    await Promise.all(Array.from({ length: 60 }, one));
    expect(served).toBe(60);
  }
});
