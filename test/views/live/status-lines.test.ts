// What a run says of itself in its live file, and that it names who is at work.
import { expect, test } from 'vitest';
import { validatorOf } from '../../../src/base/schema.ts';
import { liveFacts, liveSchema } from '../../../src/views/live/live-facts.ts';
import { liveText } from '../../../src/views/live/live-lines.ts';
import { wild } from '../wild.ts';
import { Watching } from './live-events.ts';

function middle(): Watching {
  const watching = new Watching(300, { budget: 5000 });
  for (let i = 0; i < 20; i += 1) watching.whole(`IMG_${i}.jpg`, 500);
  watching.whole('IMG_931.jpg', 500, 'doubt', wild);
  for (let i = 100; i < 112; i += 1) watching.begin('photo', `IMG_${i}.jpg`);
  watching.now += 1500;
  return watching;
}

const isLive = validatorOf(liveSchema);
const facts = ({ view, now }: Watching) => liveFacts(view, now);

test('the facts of a view have the form that a reader accepts, at every stage', () => {
  const watching = middle();
  const { view } = watching;
  const accepts = (): boolean => isLive(JSON.parse(JSON.stringify(facts(watching))));
  expect(accepts()).toBe(true);
  const outage = { since: '', tries: 1, nextTryMs: 1, limitMs: 1, of: 'service' } as const;
  watching.take({ type: 'waiting', why: 'no answer', ...outage });
  expect([view.stage.is, accepts()]).toEqual(['waiting', true]);
  watching.take({ type: 'stopping', why: 'asked' });
  expect([view.stage.is, accepts()]).toEqual(['stopping', true]);
});

test('status names the tasks that have been at work the longest', () => {
  expect(liveText(facts(middle()))).toMatch(
    /\n\nRunning: photo:IMG_100\.jpg \(1\.5 s\), .+, photo:IMG_109\.jpg \(1\.5 s\) and 2 more tasks$/,
  );
});
