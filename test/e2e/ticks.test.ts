// `shotlist tick`: a pipeline advances in short steps that nobody waits for, pays once, and asks the service only when
// an answer is useful.

import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { RunInternals } from '../../src/features/run/run.ts';
import { LookSchedule } from '../../src/plan/look-schedule.ts';
import { bill, envOf, Rig, service } from '../rig.ts';
import { clockwork } from '../service/clockwork.ts';
import { sampleOf } from '../sweep.ts';
import { Ticking } from '../ticking.ts';
import { cutAt, PowerCut } from './power-cut.ts';

const minute = 60_000;

const clips = (count: number, more = ''): string => `pipeline: clips
${more}items: { values: [${Array.from({ length: count }, (_, n) => `clip${n}`).join(', ')}] }
output: out
steps:
  clip: { uses: text-to-video, with: { model: ltx-2.3, resolution: 480p, end_seconds: 3, style: { prompt: "\${{ item.value }}" } } }
  save: { uses: download, with: { of: clip, to: "\${{ item.key }}.mp4" } }
  tidy: { uses: delete, with: { of: clip } }
`;

/** A picture, and a clip that is made of it. */
const chain = `pipeline: chain
output: out
steps:
  head: { uses: ai-image-generator, with: { image_count: 1, model: z-image-turbo, resolution: 640px, style: { prompt: a head } } }
  clip:
    uses: image-to-video
    with: { model: ltx-2.3, resolution: 480p, end_seconds: 3, assets: { image_file_path: "\${{ steps.head.url }}" } }
  save: { uses: download, with: { of: clip, to: clip.mp4 } }
`;

/** Three pictures an item, each enlarged, and a sheet of them. */
const sheets = `pipeline: sheets
items: { values: [a, b] }
output: out
steps:
  img: { uses: ai-image-generator, with: { image_count: 3, model: flux-schnell, resolution: 640px, style: { prompt: "\${{ item.value }}" } } }
  up: { for_each: "\${{ steps.img.downloads }}", uses: ai-image-upscaler, with: { scale_factor: 2, style: { mode: preserve }, assets: { image_file_path: "\${{ each.url }}" } } }
  saveup: { uses: download, with: { of: up, to: "\${{ item.key }}-\${{ each.index }}.png" } }
  sheet: { uses: ai-image-editor, with: { image_count: 1, model: nano-banana, resolution: 640px, assets: { image_file_paths: "\${{ steps.up.all.map(u, u.url) }}" }, style: { prompt: a contact sheet } } }
  save: { uses: download, with: { of: sheet, to: "\${{ item.key }}.png" } }
`;

async function ticking(pipeline: string, options: Parameters<typeof service>[0] = {}) {
  const time = clockwork();
  const local = await service({ speed: 'realtime', ...time.options, ...options });
  const rig = new Rig(pipeline);
  const world = new Ticking(local, time);
  return { time, local, rig, world };
}

describe('a tick', () => {
  test('buys and leaves; the next ones look when that is useful, save, and are done', async () => {
    const { time, local, rig, world } = await ticking(clips(2));
    const first = await world.tick(rig.file);
    expect(first.summary).toMatchObject({ outcome: 'waiting', tasks: { rendering: 2, later: 4 } });
    expect(first.summary.credits.charged).toBeGreaterThan(0);
    expect(world.looks).toEqual([]);
    // The median of text-to-video is 51 s.
    const firstLookMs = new LookSchedule({ speedFactor: 1 }).next('text-to-video', 0);
    const wakeAt = new Date(time.now() + firstLookMs).toISOString();
    expect(first.summary.wakeAt).toBe(wakeAt);

    const asked = world.requests;
    time.pass(10_000);
    const early = await world.tick(rig.file);
    expect(early.summary.outcome).toBe('waiting');
    expect(world.requests).toBe(asked);

    for (let n = 0; n < 5; n++) {
      time.pass(minute);
      await world.tick(rig.file);
    }
    const last = await world.tick(rig.file);
    expect(last.summary).toMatchObject({ outcome: 'done', items: { done: 2 } });
    expect(last.summary.wakeAt).toBeUndefined();
    expect(rig.files('out')).toHaveLength(2);
    expect(local.ledger().filter(({ kind }) => kind === 'charge')).toHaveLength(2);
    // One open run from the first tick to the last.
    expect(rig.read('clips.state.jsonl').match(/"run":/g)).toHaveLength(1);
  });

  test('advances a chain: the second step begins in a later tick', async () => {
    const { time, local, rig, world } = await ticking(chain);
    const outcomes: string[] = [];
    for (let n = 0; n < 12 && outcomes.at(-1) !== 'done'; n++) {
      outcomes.push((await world.tick(rig.file)).summary.outcome);
      time.pass(minute);
    }
    expect(outcomes.at(-1)).toBe('done');
    expect(outcomes.length).toBeGreaterThan(2);
    expect(rig.files('out')).toEqual(['clip.mp4']);
    expect(bill(local.ledger()).size).toBe(2);
  });

  test.each([
    ['the plan of the account', clips(5), { tier: 'creator' }, 3],
    ['limits.steps', clips(5, 'limits: { steps: { text-to-video: 2 } }\n'), {}, 2],
    ['limits.items', clips(5, 'limits: { items: 4 }\n'), { tier: 'business' }, 4],
  ] as const)('keeps within %s, over many ticks', async (_what, pipeline, options, most) => {
    const { time, rig, world, local } = await ticking(pipeline, options);
    let outcome = '';
    for (let n = 0; n < 60 && outcome !== 'done'; n++) {
      ({ outcome } = (await world.tick(rig.file)).summary);
      time.pass(minute);
    }
    expect(outcome).toBe('done');
    expect(world.mostAtOnce).toBe(most);
    expect(bill(local.ledger()).size).toBe(5);
  });

  test('of two steps in a row, with more tasks than the account has places, buys what it may and leaves the rest', async () => {
    const { time, rig, world, local } = await ticking(sheets, { tier: 'creator' });
    const outcomes: string[] = [];
    for (let n = 0; n < 60 && outcomes.at(-1) !== 'done'; n++) {
      outcomes.push((await world.tick(rig.file)).summary.outcome);
      time.pass(10_000);
    }
    expect(new Set(outcomes)).toEqual(new Set(['waiting', 'done']));
    expect(world.mostAtOnce).toBe(3);
    expect(bill(local.ledger()).size).toBe(10);
  });

  test('does not repeat what failed for good: a run does', async () => {
    const fault = { fault: 'job-error', code: 'invalid_parameters' } as const;
    const { time, rig, world, local } = await ticking(clips(1), { faults: { faults: [fault] } });
    for (let n = 0; n < 8; n++) {
      await world.tick(rig.file);
      time.pass(minute);
    }
    const asked = world.requests;
    const state = rig.read('clips.state.jsonl');
    const { summary } = await world.tick(rig.file);
    expect(summary).toMatchObject({ outcome: 'failed', tasks: { failed: 1 } });
    expect(world.requests).toBe(asked);
    expect(rig.read('clips.state.jsonl')).toBe(state);
    expect(local.ledger().filter(({ kind }) => kind === 'charge')).toHaveLength(1);
  });

  test('that reached the budget stays there: no later tick begins a new budget', async () => {
    const { time, rig, world, local } = await ticking(clips(3, 'budget: { credits: 100 }\n'));
    const codes: string[] = [];
    for (let n = 0; n < 20; n++) {
      codes.push((await world.tick(rig.file)).summary.outcome);
      time.pass(minute);
    }
    expect(codes.at(-1)).toBe('budget');
    expect(bill(local.ledger()).size).toBe(1);
  });

  test('of another checkout continues, with the state file and the pipeline alone', async () => {
    const { time, rig, world, local } = await ticking(clips(2));
    await world.tick(rig.file);
    time.pass(5 * minute);
    const other = mkdtempSync(join(tmpdir(), 'shotlist-test-'));
    onTestFinished(() => rmSync(other, { recursive: true, force: true }));
    for (const name of ['pipeline.yaml', 'clips.state.jsonl'])
      cpSync(rig.path(name), join(other, name));
    const { summary } = await world.tick(join(other, 'pipeline.yaml'));
    expect(summary).toMatchObject({ outcome: 'done', tasks: { done: 6 } });
    expect(bill(local.ledger()).size).toBe(2);
  });
});

describe('the power is cut during a tick', () => {
  /** Ticks until everything is done; the tick that writes line `cut` of the journal dies there. */
  async function endured(cut: number, when: 'before' | 'after') {
    const { time, local, rig, world } = await ticking(clips(2));
    let lines = 0;
    let deaths = 0;
    let outcome = '';
    let isAtAnEnd = false;
    for (let n = 0; n < 20 && outcome !== 'done' && outcome !== 'doubt'; n++) {
      const power = cutAt(deaths > 0 ? -1 : cut - lines, when, rig.path('clips.state.jsonl'));
      const heard: string[] = [];
      const counting: RunInternals = {
        lines: (file) => {
          const cuts = power.lines?.(file) ?? file;
          return {
            append(line) {
              heard.push(line);
              cuts.append(line);
            },
            sync: () => cuts.sync(),
          };
        },
      };
      try {
        ({ outcome } = (await world.tick(rig.file, {}, counting)).summary);
      } catch (error) {
        if (!(error instanceof PowerCut)) throw error;
        deaths += 1;
        power.restore();
      }
      lines += heard.length;
      isAtAnEnd ||= deaths === 0 && lines === cut;
      time.pass(minute);
    }
    return { local, rig, deaths, lines, outcome, isAtAnEnd };
  }

  test('and nothing is paid twice or lost, wherever that is', async () => {
    const all = (await endured(1000, 'before')).lines;
    expect(all).toBeGreaterThan(8);
    const lines = Array.from({ length: all }, (_, n) => n + 1);
    // In turns; EVERY=1 tries all of them.
    for (const when of ['before', 'after'] as const)
      for (const cut of sampleOf(lines, 11, when === 'before' ? 0 : 3)) {
        const { local, rig, deaths, outcome, isAtAnEnd } = await endured(cut, when);
        const where = `cut ${when} line ${cut}`;
        // After the last line of a tick, there was nothing more to cut.
        if (cut < all && !isAtAnEnd) expect(deaths, where).toBe(1);
        const paid = local.ledger().filter(({ kind }) => kind === 'charge');
        const scenes = paid.map(({ name }) => name?.replace(/ #.*/, ''));
        expect(new Set(scenes).size, where).toBe(scenes.length);
        if (outcome === 'done') expect(rig.files('out'), where).toHaveLength(2);
        else expect(outcome, where).toBe('doubt');
      }
  });
});

test('the command exits with 6 and the time of the next look, and with 0 at the end', async () => {
  const time = clockwork(Date.now());
  const local = await service({ speed: 'realtime', ...time.options });
  const rig = new Rig(clips(1));
  const first = await rig.command(['tick', 'pipeline.yaml', '--json'], envOf(local));
  const last = JSON.parse(first.stdout.trim().split('\n').at(-1) ?? '');
  expect(first.code).toBe(6);
  expect(last).toMatchObject({ type: 'ended', summary: { outcome: 'waiting', exitCode: 6 } });
  expect(Date.parse(last.summary.wakeAt)).toBeGreaterThan(Date.now() - 60_000);
  const text = await rig.command(['tick', 'pipeline.yaml'], envOf(local));
  expect(text).toMatchObject({ code: 6, stderr: '' });
  expect(text.stdout).toContain('next look');
  time.pass(10 * minute);
  // The command has the system's time: make the project old instead.
  const state = rig.read('clips.state.jsonl');
  rig.write('clips.state.jsonl', state.replaceAll(/"at":"20\d\d/g, '"at":"2020'));
  const saved = await rig.command(['tick', 'pipeline.yaml'], envOf(local));
  expect(saved.code).toBe(0);
  expect(saved.stdout).toContain('1 of 1 item');
  expect((await rig.command(['tick', 'pipeline.yaml'], envOf(local))).code).toBe(0);
  expect(bill(local.ledger()).size).toBe(1);
});
