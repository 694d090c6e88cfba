// A live report during a run plans only what may still change, and is the same as one that plans everything.

import { rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { realClock } from '../../../src/core/clock.ts';
import { LiveReport } from '../../../src/features/report/live-report.ts';
import { boundPipeline } from '../../../src/language/load/bound-pipeline.ts';
import { loadPipeline } from '../../../src/language/load/load.ts';
import type { PageMessage } from '../../../src/report/page/page-message.ts';
import type { ReportData } from '../../../src/report/page/report-data.ts';
import { locateState } from '../../../src/state/locate-state.ts';
import { Lock } from '../../../src/state/lock.ts';
import { mixedRun } from '../../reported.ts';

async function gathered(live: LiveReport): Promise<readonly PageMessage[]> {
  return await live.gather(() => undefined);
}

test('settled items stay during a run, and are looked at again after it', async () => {
  const { rig } = await mixedRun();
  const loaded = await loadPipeline(rig.file);
  const bound = boundPipeline(loaded);
  const located = locateState(bound, {});
  const live = new LiveReport(bound, () => () => located, {}, realClock);
  const lock = await Lock.take(located.paths.lock, realClock);
  expect((await gathered(live)).map(({ type }) => type)).toEqual(['report']);
  expect(live.greeting()[0]?.data).toMatch(/"running":true.*"key":"p2.png","state":"done"/);
  // Nothing changed, so nothing differs from the plan of all items.
  expect(await gathered(live)).toEqual([]);
  // Only a plan finds out that a result is gone.
  rmSync(rig.path('out/p2.png'));
  expect(await gathered(live)).toEqual([]);
  await lock?.release();
  const [message] = await gathered(live);
  const { running, items }: ReportData = JSON.parse(message?.data ?? '');
  expect(running).toBe(false);
  expect(items.find(({ key }) => key === 'p2.png')?.state).toBe('failed');
});
