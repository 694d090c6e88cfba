// resolve, refresh and audit read projects as patiently as a run does: a lost answer says nothing about a project.

import { expect, test } from 'vitest';
import { audit } from '../../src/features/drift/audit.ts';
import { refresh } from '../../src/features/drift/refresh.ts';
import { resolve } from '../../src/features/resolve/resolve.ts';
import { loadPipeline } from '../../src/language/load/load.ts';
import type { LoadedPipeline } from '../../src/language/load/loaded-pipeline.ts';
import { resultOf } from '../../src/language/load/refusal.ts';
import { realClock } from '../../src/run/clock.ts';
import type { Clock } from '../../src/run/jobs/ports.ts';
import { envOf, type Rig } from '../rig.ts';
import { hub } from '../service/receiver.ts';
import { doubted } from './doubted.ts';

const read = 'GET /v1/image-projects/:id';
const faults = [
  ['four answers of 503', { fault: 'unavailable', status: 503, on: read, count: 4 }],
  ['an answer of 429', { fault: 'throttled', retry_after: 9, on: read, count: 1 }],
  ['two cut connections', { fault: 'reset', when: 'before', on: read, count: 2 }],
] as const;

/** Pauses take no time. */
const clock: Clock = { ...realClock, sleep: async () => undefined };

async function loaded(rig: Rig): Promise<LoadedPipeline> {
  const read = await loadPipeline(rig.file);
  return read;
}

/** One creation is in doubt, one photo has a project, and the service fails before each of the three. */
test.each(faults)('resolve, refresh and audit outlast %s', async (_, fault) => {
  const { local, rig, name } = await doubted('after', 2);
  const fails = () => hub(local.address, '/hub/faults', { faults: [{ ...fault }] });
  const project = local.ledger().find((entry) => entry.name === name)?.project ?? '';
  const options = { env: envOf(local), clock };
  await fails();
  const refreshed = await resultOf(async () =>
    refresh(await loaded(rig), { ...options, acceptMissing: true }),
  );
  expect(refreshed).toMatchObject({ ok: true, value: { projects: 1, unread: [] } });
  await fails();
  const audited = await resultOf(async () => audit(await loaded(rig), options));
  expect(audited).toMatchObject({ ok: true, value: { projects: 1, differences: [] } });
  await fails();
  const told = await resultOf(async () =>
    resolve(await loaded(rig), name, { how: 'project', project }, options),
  );
  expect(told).toMatchObject({ ok: true, value: { state: 'complete', credits: 10, project } });
});
