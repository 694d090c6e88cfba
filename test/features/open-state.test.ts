// A state file is opened by one at a time, and only the file of this pipeline and this service.
import { existsSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { realClock } from '../../src/core/clock.ts';
import { headerOf, openState } from '../../src/features/open-state.ts';
import { boundPipeline } from '../../src/language/load/bound-pipeline.ts';
import { loadPipeline } from '../../src/language/load/load.ts';
import { renderProblem, resultOf } from '../../src/language/load/refusal.ts';
import { type Access, lockState } from '../../src/state/lock-state.ts';
import { pathsOf } from '../../src/state/run-paths.ts';
import { Rig } from '../rig.ts';

const pipeline = 'pipeline: p\nsteps: { up: { uses: upload, with: { file: a.png } } }\n';

async function opener(state?: object) {
  const rig = new Rig(pipeline);
  const loaded = await loadPipeline(rig.file);
  const bound = boundPipeline(loaded);
  const paths = pathsOf(bound, { kind: 'hosted', address: 'https://a', key: 'k' }, {});
  if (state !== undefined) writeFileSync(paths.state, `${JSON.stringify(state)}\n${run}\n`);
  const warnings: string[] = [];
  const onWarning = (message: string) => void warnings.push(message);
  const context = { clock: realClock, onWarning, env: process.env };
  const open = (access: Access, service?: string) =>
    openState(bound, paths, access, { ...context, ...(service === undefined ? {} : { service }) });
  const lock = () => lockState(paths, 'edit', context);
  return { bound, paths, warnings, open, lock };
}

const run = JSON.stringify({ run: 'r1', at: '2026-08-05T10:00:00.000Z' });
const header = { shotlist: 4, pipeline: 'p', service: 'https://a' };

test.each(['edit', 'run'] as const)(
  'one that is opened to %s is locked until it is closed',
  async (access) => {
    const { open, paths } = await opener(header);
    const first = await open(access);
    const locked = { problem: { reason: 'locked' } };
    await expect(open('edit')).rejects.toMatchObject(locked);
    await expect(open('run')).rejects.toMatchObject(locked);
    expect((await open('read')).running?.process).toContain(`process ${process.pid} `);
    await open('plan');
    await first[Symbol.asyncDispose]();
    expect(existsSync(paths.lock)).toBe(false);
    await open('read');
  },
);

test('reading makes nothing, and takes no lock', async () => {
  const { open, paths } = await opener();
  expect((await open('read')).running).toBeUndefined();
  expect([paths.ownFolder, paths.lock, paths.state].filter((path) => existsSync(path))).toEqual([]);
});

test('one that cannot be opened leaves no lock behind', async () => {
  const { open, paths } = await opener({ ...header, pipeline: 'other' });
  for (const access of ['edit', 'run', 'read', 'plan'] as const) {
    const opened = await resultOf(() => open(access));
    expect(opened.ok ? '' : renderProblem(opened.error)).toContain(
      `${paths.state} belongs to the pipeline "other", not to "p"`,
    );
    expect(existsSync(paths.lock)).toBe(false);
  }
});

test.each([
  ['https://b', 'belongs to the service https://a, not to the service https://b'],
  ['rehearsal', 'belongs to the service https://a, not to a rehearsal'],
])('one of another service is not opened for %s', async (service, words) => {
  const { open } = await opener(header);
  const opened = await resultOf(() => open('run', service));
  expect(opened.ok ? '' : renderProblem(opened.error)).toContain(words);
  await open('run', 'https://a');
});

test('a torn last line is reported, unless a run is writing it', async () => {
  const { open, lock, paths, warnings } = await opener(header);
  writeFileSync(paths.state, `${JSON.stringify(header)}\n${run}\n{"seq":1,"eve`);
  await open('read');
  expect(warnings).toHaveLength(1);
  await lock();
  await open('read');
  expect(warnings).toHaveLength(1);
});

test('one that is not there yet is opened empty; whoever needs it hears how it is made', async () => {
  const { bound, open } = await opener();
  const opened = await open('edit');
  const found = resultOf(() => headerOf(opened, bound));
  expect(found.ok ? '' : renderProblem(found.error)).toContain(
    `shotlist run ${bound.file} --hosted creates it`,
  );
});
