// A folder that several hosts share: a coordinator on any of them goes on. Hosts are folders of users here.
// @module-tag postgres
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { coordinate } from '../../src/distributed/coordinate.ts';
import { termsOf } from '../../src/distributed/terms.ts';
import { status } from '../../src/features/status/status.ts';
import { boundPipeline } from '../../src/language/load/bound-pipeline.ts';
import { loadPipeline } from '../../src/language/load/load.ts';
import { renderProblem, resultOf } from '../../src/language/load/refusal.ts';
import { realClock } from '../../src/run/clock.ts';
import type { LocalService } from '../../src/service/start.ts';
import { pathsOf } from '../../src/state/run-paths.ts';
import { newEngine, startWorker } from '../engine-rig.ts';
import { photoRig, service } from '../rig.ts';
import { longTest } from '../sweep.ts';

/** From here on, this process runs on another host. */
function beOn(host: string): void {
  vi.stubEnv('XDG_STATE_HOME', join(hosts, host));
}

let hosts = '';
beforeEach(() => {
  hosts = mkdtempSync(join(tmpdir(), 'shotlist-hosts-'));
  beOn('first');
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(hosts, { recursive: true, force: true });
  });
});

/** Why the pipeline cannot be coordinated here; empty if it can. Ends at once. */
async function coordinated(
  file: string,
  local: LocalService,
  url: string,
): Promise<{ readonly refused: string; readonly warnings: readonly string[] }> {
  const loaded = await loadPipeline(file);
  const bound = boundPipeline(loaded);
  const paths = pathsOf(bound, { kind: 'hosted', address: local.address, key: local.key }, {});
  const warnings: string[] = [];
  const begun = await resultOf(() =>
    coordinate(bound, paths, url, {
      ...{ clock: realClock, onWarning: (message) => void warnings.push(message) },
      terms: termsOf(bound, paths, { speedFactor: 1, backoffMs: 1 }),
    }),
  );
  if (!begun.ok) return { refused: renderProblem(begun.error), warnings };
  await begun.value.session.orderStore.release();
  await begun.value[Symbol.asyncDispose]();
  return { refused: '', warnings };
}

/** The first host has begun a run, and its coordinator is gone. */
async function begun() {
  const rig = await photoRig(2);
  const local = await service();
  const url = await newEngine();
  expect(await coordinated(rig.file, local, url)).toEqual({ refused: '', warnings: [] });
  return { rig, local, url };
}

longTest('a coordinator on another host goes on without a copy of anything', async () => {
  const { rig, local, url } = await begun();
  beOn('second');
  startWorker(rig, local, url);
  const told = await rig.run(local, { engine: url });
  expect(told.summary).toMatchObject({ outcome: 'done', items: { done: 2 } });
  expect(told.events.filter(({ type }) => type === 'warning')).toEqual([]);
  for (const host of ['second', 'first']) {
    beOn(host);
    expect((await rig.run(local)).events.filter(({ type }) => type === 'warning')).toEqual([]);
  }
  expect(rig.files('.shotlist').filter((name) => name.startsWith('engine/'))).toEqual([]);
});

test('status on another host shows the run, and a folder with a link in it is refused on every host', async () => {
  const { rig, local, url } = await begun();
  beOn('second');
  await status(await loadPipeline(rig.file), { engine: url });
  symlinkSync('/etc', rig.path('.shotlist/more'));
  for (const host of ['first', 'second']) {
    beOn(host);
    expect((await coordinated(rig.file, local, url)).refused).toContain('is a link');
  }
});
