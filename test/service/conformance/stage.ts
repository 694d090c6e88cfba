// A service that lives by a clock which the test moves: its projects take the time of the hosted service, and nothing
// ends before the test says so.
import { afterAll, beforeAll } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import type { RecordKind } from '../../../src/contract/api/project.ts';
import {
  type LocalService,
  type ServiceOptions,
  startService,
} from '../../../src/service/start.ts';
import { plainly, service } from '../../rig.ts';
import { Client, eventually, listAt, textAt } from '../client.ts';
import { type Clockwork, clockwork } from '../clockwork.ts';

export interface Stage {
  readonly local: LocalService;
  readonly client: Client;
  readonly clock: Clockwork;
}

/** A service whose projects take the time of the hosted one, by a clock that the test moves. */
export async function slow(options: ServiceOptions = {}): Promise<Stage> {
  const clock = clockwork();
  const local = await service(slowed(clock, { ...plainly, ...options }));
  return { local, client: new Client(local), clock };
}

/** One for all tests of a describe: for those that leave nothing behind that another one would notice. */
export function oneSlow(options: ServiceOptions = {}): () => Stage {
  let stage: Stage | undefined;
  beforeAll(async () => {
    const clock = clockwork();
    const local = await startService(slowed(clock, { ...plainly, ...options }));
    stage = { local, client: new Client(local), clock };
  });
  afterAll(async () => await stage?.local.close());
  return () => {
    if (stage === undefined) throw new Error('the service is there while the tests run');
    return stage;
  };
}

function slowed(clock: Clockwork, options: ServiceOptions): ServiceOptions {
  return { speed: 'realtime', credits: 1_000_000, ...clock.options, ...options };
}

/** Moves the clock until a project has the status; answers its record. */
export async function reach(
  { client, clock }: Stage,
  kind: RecordKind,
  id: string,
  status: string,
): Promise<JsonObject> {
  return await eventually(`project ${id} is ${status}`, async () => {
    const record = await client.record(kind, id);
    if (record['status'] === status) return record;
    if (['complete', 'error'].includes(textAt(record, 'status')))
      throw new Error(`project ${id} is not ${status}: ${JSON.stringify(record)}`);
    clock.tick();
    return undefined;
  });
}

/** The paths of the faces that a whole detection finds in a picture. */
export async function facesIn(
  { client, clock }: Stage,
  target_file_path: string,
): Promise<readonly string[]> {
  const { body } = await client.ask('POST', '/v1/files/face-detection', {
    assets: { target_file_path },
  });
  const path = `/v1/files/${textAt(body, 'id')}/face-detection`;
  return await eventually('the detection is complete', async () => {
    const record = (await client.ask('GET', path)).body;
    if (record['status'] === 'complete')
      return listAt(record, 'faces').map((face) => textAt(face, 'path'));
    clock.tick();
    return undefined;
  });
}
