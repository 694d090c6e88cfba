// What the live view of a run takes: items of four steps, folded event by event, and a frame of 80 by 24 in between, five
// times for each second of a run of 1,000 items a second.

import type { RunEvent } from '../src/core/run-event.ts';
import { RunView } from '../src/core/run-view.ts';
import { liveFacts } from '../src/views/live/live-facts.ts';
import { liveLines } from '../src/views/live/live-lines.ts';
import { defineBench, type Row } from './frame/bench.ts';

const kinds = { photo: 'upload', color: 'photo-colorizer', save: 'download', tidy: 'delete' };
const itemsPerSecond = 1000;
const framesPerSecond = 5;

export const live = defineBench({
  name: 'live',
  description: `Processor time of the live view, at ${itemsPerSecond} items and ${framesPerSecond} frames a second.`,
  full: { items: 100_000, pairs: 5 },
  tiny: { items: 400, pairs: 1 },
  goals: [],
  async *run({ items, pairs }) {
    for (let pair = 1; pair <= pairs; pair++) yield measureLive(items);
  },
});

function measureLive(items: number): Row {
  const view = new RunView({ pipeline: 'bench', speed: undefined, began: 0 });
  const rows = Object.entries(kinds).map(([step, kind]) => ({
    ...{ step, kind, credits: 0, unpriced: 0, tasks: { begin: items } },
  }));
  const files = { changed: 0, elsewhere: 0, stored: 0 };
  const plan = {
    ...{ items, rows, credits: 10 * items, unpriced: 0, uncounted: 0, unpricedWhy: [] },
    ...{ files, badItems: 0, notes: [], noted: 0 },
  };
  let [now, fold, draw, frames] = [0, 0, 0, 0];
  view.take({ type: 'planned', plan }, now);
  for (let index = 0; index < items; index += 1) {
    now += 1000 / itemsPerSecond;
    const item = `IMG_${index}.jpg`;
    const events: readonly RunEvent[] = [
      ...Object.keys(kinds).flatMap((step): readonly RunEvent[] => [
        { type: 'begun', step, task: `${step}:${item}`, item },
        { type: 'task', step, task: `${step}:${item}`, item, ending: 'done', credits: 0 },
      ]),
      { type: 'item', item, ok: true, changed: true, of: index + 1 },
    ];
    const before = performance.now();
    for (const event of events) view.take(event, now);
    const folded = performance.now();
    fold += folded - before;
    if (index % (itemsPerSecond / framesPerSecond) !== 0) continue;
    liveLines(liveFacts(view, now), { columns: 80, rows: 24 });
    draw += performance.now() - folded;
    frames += 1;
  }
  const seconds = items / itemsPerSecond;
  const share = ((fold + draw) / (seconds * 1000)) * 100;
  return {
    ...{ items, events: items * 9, 'ms to fold': fold, frames, 'ms to draw': draw },
    '% of a core': share,
  };
}
