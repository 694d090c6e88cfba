// The progress of a run in a pipe: the first item at once, then a line every ten seconds, and few while nothing happens.
import { expect, test } from 'vitest';
import { progressLines } from '../../src/features/run/perform-command.ts';
import { HandClock } from '../e2e/watched.ts';
import { Watching } from '../views/live/live-events.ts';

/** Lets sleepers that were woken go on. */
const turn = () => new Promise((resolve) => void setImmediate(resolve));

test('a line tells the first item at once, then the progress every ten seconds, or every minute while nothing happens', async () => {
  const [clock, watching, lines] = [
    new HandClock(),
    new Watching(50, { budget: 900 }),
    [] as string[],
  ];
  const progress = progressLines(
    () => watching.facts(clock.elapsed()),
    clock,
    (text) => void lines.push(text),
  );
  const pass = async (seconds: number): Promise<void> => {
    for (let i = 0; i < seconds; i += 5) {
      clock.pass(5000);
      await turn();
    }
  };
  watching.whole('a', 100);
  progress.itemOver();
  expect(lines).toEqual(['  1 of 50 items · 10 of 900 credits charged']);
  watching.whole('b', 100, 'failed', 'no face');
  watching.begin('photo', 'c');
  progress.itemOver();
  await pass(5);
  expect(lines).toHaveLength(1);
  await pass(5);
  expect(lines[1]).toBe('  2 of 50 items · 1 failed · 1 task running · 10 of 900 credits charged');
  await pass(50);
  expect(lines).toHaveLength(2);
  await pass(10);
  expect(lines).toHaveLength(3);
  progress.end();
  await pass(60);
  expect(lines).toHaveLength(3);
});
