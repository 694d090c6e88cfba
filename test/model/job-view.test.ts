// The view of a job's line, and the moves behind it, against a transition function of the view: whatever happens to a job, both
// say the same. Many: ROUNDS=100000 SEED=1 npx vitest run test/model/job-view.test.ts
import { expect, test } from 'vitest';
import { chanceOf } from '../../src/base/chance.ts';
import { asJson, canonical } from '../../src/base/json.ts';
import { movesOf, viewOf } from '../../src/model/job-view.ts';
import type { JobLine } from '../../src/model/line.ts';
import { stateAfter as moved } from '../../src/model/record/job.ts';
import { joined } from '../../src/model/record/join.ts';
import { type Job, lineText, parseLine } from '../../src/model/record/line.ts';
import { type JobEvent, jobFacts } from '../../src/model/state.ts';
import { stateAfter } from './transitions.ts';

const job = 'a'.repeat(64);
const sha256 = 'b'.repeat(64);

/** An event without its time. */
type Told = JobEvent extends infer E ? (E extends JobEvent ? Omit<E, 'at'> : never) : never;

/** What may happen next to a job in this state. */
function next(line: JobLine | undefined, number: number, chance: () => number): Told | undefined {
  const pick = <T>(...all: readonly T[]): T => all[Math.floor(chance() * all.length)] as T;
  const task = pick('swap:a', 'swap:b');
  const save = pick('save:a', 'save:b');
  const credits = pick(0, 5, 10);
  const intent: Told = {
    event: 'intent',
    job,
    task,
    kind: 'face-swap-photo',
    attempt: number,
    // Later ones sort before earlier ones, too.
    name: `${pick('a', 'm', 'z')}${String(number).padStart(4, '0')}`,
    reserve: 10,
    measure: { of: 'face-swap-photo', amount: 1 },
  };
  if (line === undefined) return intent;
  if (chance() < 0.1) return { event: 'serves', job, task };
  if (line.take === undefined && chance() < 0.05) return { event: 'picked', job, take: pick(1, 2) };
  const settled = { event: 'settled', job, credits } as const;
  const error = { code: pick('render_failed', 'moderation'), message: 'm' };
  switch (line.state) {
    case 'intended':
      return pick<Told>(
        { event: 'created', job, project: `p-${line.name}`, credits },
        { event: 'doubt', job, why: 'w' },
        { ...settled, status: 'not_taken', credits: 0, error: { code: 'outage', message: 'm' } },
        { ...settled, status: 'not_taken', credits: 0, error },
        // A person says so of what a killed run was about to send.
        {
          ...settled,
          status: 'not_taken',
          credits: 0,
          error: { code: 'not_charged', message: 'm' },
        },
      );
    case 'doubt':
      return pick<Told>(
        { event: 'created', job, project: `p-${line.name}`, credits },
        {
          ...settled,
          status: 'not_taken',
          credits: 0,
          error: { code: 'not_charged', message: 'm' },
        },
        {
          ...settled,
          status: 'abandoned',
          credits: line.reserve ?? 0,
          error: { code: 'abandoned', message: 'm' },
        },
      );
    case 'created':
      return pick<Told>(
        {
          ...settled,
          status: 'complete',
          result: { downloads: pick(1, 2) },
          expires: '2026-11-30T00:00:00.000Z',
        },
        { ...settled, status: pick('error', 'canceled'), error },
        { event: 'deleted', job, why: 'gone' },
        { event: 'amended', job, project: line.project ?? '', credits },
      );
    case 'complete':
    case 'deleted': {
      const [output] = line.outputs ?? [];
      const file = {
        task: save,
        index: pick(0, 1),
        path: pick('x.png', 'y.png'),
        bytes: 1,
        sha256,
      };
      const place = { job, task: output?.task ?? save, index: output?.index ?? 0 };
      return pick<Told | undefined>(
        { event: 'output', job, ...file },
        output && { event: 'stored', ...place, store: 'c'.repeat(16) },
        output && { event: 'pruned', ...place },
        // What a store has, the line of a job does not forget.
        line.outputs?.some(({ stored }) => stored !== undefined)
          ? undefined
          : output && { event: 'forgotten', job, task: output.task },
        line.state === 'complete' ? { event: 'deleted', job, task: 'drop:a' } : intent,
        { event: 'amended', job, project: line.project ?? '', credits },
        chance() < 0.3 ? { event: 'forgotten', job } : undefined,
      );
    }
    case 'failed':
    case 'forgotten':
      return jobFacts[line.state].mayBegin ? intent : undefined;
    case 'supplied':
      return undefined;
  }
}

/** What both must say: not when, and not in which words. */
function compared(line: JobLine): unknown {
  const {
    at: _at,
    peak: _peak,
    added: _added,
    sender: _sender,
    runId: _run,
    error,
    past,
    outputs,
    ...rest
  } = line;
  const code = error?.code;
  const spent = past?.map(({ name, credits, project }) => ({ name, credits, project }));
  const files = outputs?.map(({ pruned, ...file }) => ({
    ...file,
    isPruned: pruned !== undefined,
  }));
  return { ...rest, code, past: spent, outputs: files ?? [] };
}

const rounds = Number(process.env['ROUNDS'] ?? 300);
const seed = Number(process.env['SEED'] ?? 1);

test('The view of a line says what the transition function says', () => {
  for (let round = 0; round < rounds; round++) {
    const chance = chanceOf(seed, round);
    let line: JobLine | undefined;
    let record: Job | undefined;
    const told: string[] = [];
    for (let step = 1; step < 24; step++) {
      const event = next(line, step, chance);
      if (event === undefined) continue;
      const at = new Date(Date.UTC(2026, 10, 28) + step * 1000).toISOString();
      const whole = { ...event, at } as JobEvent;
      const after = stateAfter(line, whole);
      if (!after.ok) continue;
      told.push(JSON.stringify(event));
      line = after.value;
      const before = record;
      for (const move of movesOf(record, whole, 'run')) record = moved(record, move, 'run', at);
      if (record === undefined) throw new Error('no job');
      expect(compared(viewOf(record, () => 1)), told.join('\n')).toEqual({
        ...(compared(line) as object),
        attempt: expect.any(Number),
      });
      if (before !== undefined)
        expect(canonical(asJson(joined(before, record))), `undone: ${told.at(-1)}`).toBe(
          canonical(asJson(record)),
        );
      const read = parseLine(lineText(record));
      expect(read.ok && lineText(read.value)).toBe(lineText(record));
    }
  }
});

test('An answer is that of the attempt that this run has sent, whatever another record has brought', () => {
  const at = (second: number): string =>
    new Date(Date.UTC(2026, 10, 28) + second * 1000).toISOString();
  const sent = (name: string, run: string): Job => {
    const intent = { ...next(undefined, 1, () => 0), name, at: at(1) } as JobEvent;
    const [move] = movesOf(undefined, intent, run);
    if (move === undefined) throw new Error('no move');
    return moved(undefined, move, run, at(1));
  };
  for (const [ours, theirs] of [
    ['a', 'b'],
    ['b', 'a'],
  ] as const) {
    let record = joined(sent(ours, 'our run'), sent(theirs, 'their run'));
    const created: JobEvent = { event: 'created', job, project: 'p', credits: 5, at: at(2) };
    for (const move of movesOf(record, created, 'our run'))
      record = moved(record, move, 'our run', at(2));
    expect(record.attempts.map(({ name, project }) => [name, project])).toEqual([
      ['a', ours === 'a' ? 'p' : undefined],
      ['b', ours === 'b' ? 'p' : undefined],
    ]);
  }
});
