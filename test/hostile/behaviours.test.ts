// Every hostile behaviour against a run with eight creations in flight: nothing crashes, the other seven are done and
// saved, the state file can be read, nothing is paid twice, and no terminal, log or file gets what it must not have.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { printable, printableJson } from '../../src/base/printable.ts';
import type { RunInternals } from '../../src/features/run/run.ts';
import { zoneOf } from '../../src/service-api/storage-address.ts';
import { runEventText } from '../../src/views/run-text.ts';
import { summaryText } from '../../src/views/summary-text.ts';
import { bill, photoPipeline, photoRig, type Rig, service, type Told } from '../rig.ts';
import { sampleOf } from '../sweep.ts';
import { answers } from './answers.ts';
import type { After, Behaviour } from './behaviour.ts';
import { files } from './files.ts';
import { frontOf, victim } from './front.ts';
import { wire } from './wire.ts';

const count = 8;

/** This machine counts as public, so that nothing else is ever dialled; no name is looked up. */
const network = {
  resolve: async (host: string): Promise<readonly string[]> =>
    host === 'both.test' ? ['8.8.8.8', '10.0.0.1'] : ['10.0.0.1'],
  zoneOf: (address: string) => (address === '127.0.0.1' ? 'public' : zoneOf(address)),
} as const;

/** The photo pipeline without face detection. */
const allFaces = photoPipeline
  .replace(/ {2}faces: .*\n/, '')
  .replace(/ {4}if: .*\n/, '')
  .replace('individual-faces', 'all-faces')
  .replace(
    / {8}face_mappings: [\s\S]*?\n {2}save:/,
    '        source_file_path: ${{ steps.actor.file_path }}\n  save:',
  );

const trace = /\n\s+at .+:\d+:\d+|node:internal/;
const control = /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

/** What a person and a log would see of a run. */
function seen({ events, ...ran }: Told): string {
  const texts = events.map((event) => runEventText(event, count) ?? '');
  const log = events.map((event) => printableJson(JSON.stringify(event)));
  return [
    ...texts.map((text) => printable(text, true)),
    ...log,
    summaryText(ran.summary, ran),
  ].join('\n');
}

function expectClean(text: string, key: string): void {
  expect(text).not.toMatch(trace);
  expect(text.replaceAll('\n', '')).not.toMatch(control);
  expect(text.includes(key)).toBe(false);
}

/** How the victim's item stands. */
function standing({ summary }: Told): After {
  const own = summary.problems.find(({ task }) => task.includes(`:${victim}.png`));
  return own === undefined || own.ending === 'done' ? 'done' : (own.ending as After);
}

async function run(rig: Rig, behaviour: Behaviour): Promise<void> {
  const local = await service({ slots: count, tier: 'business' });
  const { who = 'one', charged = 10, client = {}, at, operation, withheld } = behaviour;
  const front = await frontOf(local, {
    ...{ at, operation, who, withheld: withheld === true },
    gather: count,
  });
  const { key } = local;
  const internals: RunInternals = { client: { network, longestFile: 4 << 20, ...client } };
  const options = { backoffMs: 1, speedFactor: 1000 };
  const { after } = behaviour;
  if (after.includes('refused')) {
    const refused: unknown = await rig
      .run(front.service, options, internals)
      .catch((error) => error);
    expect(refused).toBeInstanceOf(Error);
    expectClean(refused instanceof Error ? refused.message.replaceAll('\n', ' ') : '', key);
    expect(local.ledger().filter(({ kind }) => kind === 'charge')).toEqual([]);
  } else {
    const told = await rig.run(front.service, options, internals);
    expect(front.met()).toBeGreaterThan(0);
    expectClean(seen(told), key);
    expectClean(readFileSync(rig.path('photos.state.jsonl'), 'utf8'), key);
    expect(told.events.filter(({ type }) => type === 'bug')).toEqual([]);
    const stands = standing(told);
    expect(after.map((one) => (one === 'lost' ? 'pending' : one))).toContain(stands);
    expect(told.summary.tasks.doubt).toBe(stands === 'doubt' ? 1 : 0);
    if (who === 'one') {
      const saved = rig.files('out').filter((name) => name !== `${victim}.png`);
      expect(saved).toHaveLength(count - 1);
    }
  }
  await goesOn();

  /** With an honest service again: what can be done is done, and nothing is paid twice. */
  async function goesOn(): Promise<void> {
    front.tame();
    const again = await rig.run(front.service, options);
    expectClean(seen(again), key);
    const stands = standing(again);
    if (!after.includes('lost')) expect(stands).not.toBe('pending');
    expect(stands).not.toBe('failed');
    expect(again.summary.items.done).toBe(stands === 'done' ? count : count - 1);
    expect(rig.files('out')).toHaveLength(stands === 'done' ? count : count - 1);
    const paid = new Map(bill(local.ledger()));
    expect(paid.get(victim)).toBe(withheld === true && stands !== 'done' ? undefined : charged);
    paid.delete(victim);
    expect([...paid.values()]).toEqual(Array.from({ length: count - 1 }, () => 10));
  }
}

test('there are at least forty of them, each with a name of its own', () => {
  const names = [...wire, ...answers, ...files].map(({ name }) => name);
  expect(names.length / 3).toBeGreaterThanOrEqual(40);
  expect(new Set(names).size).toBe(names.length);
});

describe.each([
  ['on the wire', wire],
  ['in answers', answers],
  ['of storage', files],
])('a hostile service %s', (_, behaviours) => {
  // EVERY=1 tries all of them.
  const named = sampleOf(behaviours, 20).map((behaviour) => [behaviour.name, behaviour] as const);
  test.each(named)('%s', async (__, behaviour) => {
    const faces = behaviour.at === 'detect' || behaviour.at === 'detection';
    await run(await photoRig(count, faces ? photoPipeline : allFaces), behaviour);
  });
});
