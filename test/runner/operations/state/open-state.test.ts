// A state file is opened by one at a time, and only the file of this pipeline and this service.
import { existsSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { realClock } from '../../../../src/runner/adapters/clock.ts';
import { pathsOf } from '../../../../src/runner/operations/files/run-paths.ts';
import { boundPipeline } from '../../../../src/runner/operations/pipeline/bound-pipeline.ts';
import { loadPipeline } from '../../../../src/runner/operations/pipeline/load.ts';
import { renderProblem } from '../../../../src/runner/operations/pipeline/problem.ts';
import { type Access, lockState } from '../../../../src/runner/operations/state/lock-state.ts';
import { headerOf, openState } from '../../../../src/runner/operations/state/open-state.ts';
import { Rig } from '../../../rig.ts';

const pipeline = 'pipeline: p\nsteps: { up: { uses: upload, with: { file: a.png } } }\n';

async function opener(state?: object) {
  const rig = new Rig(pipeline);
  const loaded = await loadPipeline(rig.file);
  if (!loaded.ok) throw new Error(renderProblem(loaded.error));
  const bound = boundPipeline(loaded.value);
  const paths = pathsOf(bound, { kind: 'hosted', address: 'https://a', key: 'k' }, {});
  if (state !== undefined) writeFileSync(paths.state, `${JSON.stringify(state)}\n`);
  const warnings: string[] = [];
  const onWarning = (message: string) => void warnings.push(message);
  const context = { clock: realClock, onWarning, env: process.env };
  const open = (access: Access, service?: string) =>
    openState(bound, paths, access, { ...context, ...(service === undefined ? {} : { service }) });
  const lock = () => lockState(paths, 'edit', context);
  return { bound, paths, warnings, open, lock };
}

const header = { shotlist: 3, pipeline: 'p', service: 'https://a' };

test.each(['edit', 'run'] as const)(
  'one that is opened to %s is locked until it is closed',
  async (access) => {
    const { open, paths } = await opener(header);
    const first = await open(access);
    if (!first.ok) throw new Error(renderProblem(first.error));
    expect(await open('edit')).toMatchObject({ ok: false, error: { reason: 'locked' } });
    expect(await open('run')).toMatchObject({ ok: false, error: { reason: 'locked' } });
    const reading = await open('read');
    expect(reading.ok && reading.value.running?.process).toContain(`process ${process.pid} `);
    expect((await open('plan')).ok).toBe(true);
    await first.value[Symbol.asyncDispose]();
    expect(existsSync(paths.lock)).toBe(false);
    expect((await open('read')).ok).toBe(true);
  },
);

test('reading makes nothing, and takes no lock', async () => {
  const { open, paths } = await opener();
  const opened = await open('read');
  expect(opened.ok && opened.value.running).toBeUndefined();
  expect([paths.ownFolder, paths.lock, paths.state].filter((path) => existsSync(path))).toEqual([]);
});

test('one that cannot be opened leaves no lock behind', async () => {
  const { open, paths } = await opener({ ...header, pipeline: 'other' });
  for (const access of ['edit', 'run', 'read', 'plan'] as const) {
    const opened = await open(access);
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
  const opened = await open('run', service);
  expect(opened.ok ? '' : renderProblem(opened.error)).toContain(words);
  expect((await open('run', 'https://a')).ok).toBe(true);
});

test('a torn last line is reported, unless a run is writing it', async () => {
  const { open, lock, paths, warnings } = await opener(header);
  writeFileSync(paths.state, `${JSON.stringify(header)}\n{"seq":1,"eve`);
  expect((await open('read')).ok).toBe(true);
  expect(warnings).toHaveLength(1);
  const locked = await lock();
  expect(locked.ok).toBe(true);
  expect((await open('read')).ok).toBe(true);
  expect(warnings).toHaveLength(1);
});

test('one that is not there yet is opened empty; whoever needs it hears how it is made', async () => {
  const { bound, open } = await opener();
  const opened = await open('edit');
  if (!opened.ok) throw new Error(renderProblem(opened.error));
  const found = headerOf(opened.value, bound);
  expect(found.ok ? '' : renderProblem(found.error)).toContain(
    `shotlist run ${bound.file} --hosted creates it`,
  );
});
