// What `status --watch` shows fits the terminal, and says who is at work.
import { describe, expect, test } from 'vitest';
import { isLiveFacts, liveFacts } from '../../../src/views/live/live-facts.ts';
import { liveText, watchLines } from '../../../src/views/live/live-lines.ts';
import { lineWidth, textOf } from '../../../src/views/live/spans.ts';
import { control, wild } from '../wild.ts';
import { Watching } from './live-events.ts';

function middle(): Watching {
  const watching = new Watching(300, { budget: 5000 });
  for (let i = 0; i < 20; i += 1) watching.whole(`IMG_${i}.jpg`, 500);
  watching.whole('IMG_931.jpg', 500, 'doubt', wild);
  for (let i = 100; i < 112; i += 1) watching.begin('photo', `IMG_${i}.jpg`);
  watching.now += 1500;
  return watching;
}

const facts = ({ view, now }: Watching) => liveFacts(view, now);
const process = 'process 12 on host, since 2026-11-22T09:00:00.000Z';

test('the facts of a view have the form that a reader accepts, at every stage', () => {
  const watching = middle();
  const { view } = watching;
  const accepts = (): boolean => isLiveFacts(JSON.parse(JSON.stringify(facts(watching))));
  expect(accepts()).toBe(true);
  const outage = { since: '', tries: 1, nextTryMs: 1, limitMs: 1, of: 'service' } as const;
  watching.take({ type: 'waiting', why: 'no answer', ...outage });
  expect([view.stage.is, accepts()]).toEqual(['waiting', true]);
  watching.take({ type: 'stopping', why: 'asked' });
  expect([view.stage.is, accepts()]).toEqual(['stopping', true]);
});

describe('the screen', () => {
  test.each([
    [80, 24],
    [40, 10],
    [20, 4],
    [10, 3],
    [1, 1],
    [200, 50],
  ])('fits %d columns and %d rows', (columns, rows) => {
    const text = Array.from({ length: 60 }, (_, i) => `${i} ${wild}`).join('\n');
    for (const watched of [
      { is: 'live', live: facts(middle()), process } as const,
      { is: 'still', text, rest: 'shotlist status p.yaml' } as const,
    ]) {
      const lines = watchLines(watched, { columns, rows });
      expect(lines.length).toBeLessThanOrEqual(Math.max(1, rows - 1));
      for (const line of lines) {
        expect(lineWidth(line)).toBeLessThanOrEqual(columns);
        expect(textOf(line)).not.toMatch(control);
      }
    }
  });

  test('says that Ctrl-C does not end the run, and which command shows the rest', () => {
    const live = watchLines(
      { is: 'live', live: facts(middle()), process },
      { columns: 80, rows: 24 },
    );
    expect(textOf(live.at(-1) ?? [])).toContain('Ctrl-C ends this view, not the run');
    const text = 'line\n'.repeat(30);
    const still = watchLines(
      { is: 'still', text, rest: 'shotlist status p' },
      { columns: 80, rows: 10 },
    );
    expect(still.map(textOf)).toContain('… and 25 more lines: shotlist status p');
  });
});

test('status names the tasks that have been at work the longest', () => {
  expect(liveText(facts(middle()))).toMatch(
    /\n\nRunning: photo:IMG_100\.jpg \(1\.5 s\), .+, photo:IMG_109\.jpg \(1\.5 s\) and 2 more tasks$/,
  );
});
