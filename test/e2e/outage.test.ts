// An outage in the middle of a run: the service is stopped and comes back at the same address. The run waits; no task
// fails, no attempt is spent, nothing is paid twice. Other outages: test/stories/outage.test.ts.
import { expect, onTestFinished, test } from 'vitest';
import type { MediaApi } from '../../src/core/ports.ts';
import type { RunInternals } from '../../src/features/run/run.ts';
import { type LocalService, startService } from '../../src/service/start.ts';
import { bill, photoPipeline, photoRig, plainly, type Rig } from '../rig.ts';

const stateFile = 'photos.state.jsonl';

/** A local service that can be stopped and started again: same address, same key, same data. */
class Stoppable {
  readonly #data: string;
  #running: LocalService;
  #stopped: Promise<void> | undefined;

  static async start(rig: Rig): Promise<Stoppable> {
    const data = rig.path('service-data');
    return new Stoppable(data, await startService({ ...plainly, data }));
  }

  constructor(data: string, running: LocalService) {
    this.#data = data;
    this.#running = running;
    onTestFinished(() => this.stop());
  }

  get service(): LocalService {
    return this.#running;
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#running.close();
    return this.#stopped;
  }

  async startAgain(): Promise<void> {
    await this.#stopped;
    const { address, key } = this.#running;
    const port = Number(new URL(address).port);
    this.#running = await startService({ ...plainly, data: this.#data, port, key });
    this.#stopped = undefined;
  }
}

interface Outage {
  readonly internals: RunInternals;
  /** How many calls found nobody. */
  missed(): number;
}

/**
 * The service goes away when so many creations are answered, at a moment when none is under way, since such a one would
 * be in doubt. Whatever is asked from then on waits until it is gone, so that no call spends pauses on a service that is
 * only ending. `missed` is told each time that a call finds nobody while no creation is under way.
 */
function awayAfter(creations: number, away: Stoppable, missed: (times: number) => void): Outage {
  let [answered, underWay, misses] = [0, 0, 0];
  let gone: Promise<void> | undefined;
  const noted = async <T extends Awaited<ReturnType<MediaApi[keyof MediaApi]>>>(
    ask: () => Promise<T>,
  ): Promise<T> => {
    await gone;
    const got = await ask();
    if (!got.ok && got.error.reason === 'unreachable' && underWay === 0) missed(++misses);
    return got;
  };
  const internals: RunInternals = {
    api: (api) => ({
      uploadAddresses: (items) => noted(() => api.uploadAddresses(items)),
      put: (target, file) => noted(() => api.put(target, file)),
      detectFaces: (body) => noted(() => api.detectFaces(body)),
      faceDetection: (id) => noted(() => api.faceDetection(id)),
      account: () => noted(() => api.account()),
      async create(tool, body, known) {
        await gone;
        underWay += 1;
        try {
          return await api.create(tool, body, known);
        } finally {
          underWay -= 1;
          answered += 1;
        }
      },
      async project(record, id) {
        if (answered >= creations && underWay === 0) gone ??= away.stop();
        return await noted(() => api.project(record, id));
      },
      deleteProject: (record, id) => noted(() => api.deleteProject(record, id)),
      download: (url, into) => noted(() => api.download(url, into)),
    }),
  };
  return { internals, missed: () => misses };
}

const limited = (outage: string, items = 8): string =>
  photoPipeline.replace(
    'output: out',
    `output: out\nlimits: { items: ${items}, outage: ${outage} }`,
  );

const jobs = (rig: Rig): readonly { attempts: readonly { state: string }[] }[] =>
  rig
    .read(stateFile)
    .split('\n')
    .filter((line) => line.startsWith('{"job":') && line.includes('face-swap-photo'))
    .map((line) => JSON.parse(line));

function eachIsPaidOnce(rig: Rig, local: LocalService, photos: number): void {
  const paid = bill(local.ledger());
  expect([...paid.keys()]).toHaveLength(photos);
  expect([...paid.values()].every((credits) => credits === 10)).toBe(true);
  expect(rig.files('out')).toHaveLength(photos);
}

test('12 photos, the service away in the middle: the run waits, goes on by itself, and nothing fails', async () => {
  const rig = await photoRig(12, limited('15m'));
  const away = await Stoppable.start(rig);
  const { internals, missed } = awayAfter(4, away, (times) => {
    if (times === 4) void away.startAgain();
  });
  const told = await rig.run(away.service, {}, internals);
  expect(missed()).toBeGreaterThanOrEqual(4);
  expect(told.summary).toMatchObject({
    outcome: 'done',
    items: { done: 12 },
    tasks: { failed: 0, pending: 0, doubt: 0, blocked: 0 },
    problems: [],
    credits: { charged: 120, refunded: 0, reserved: 0 },
  });
  eachIsPaidOnce(rig, away.service, 12);
  expect(
    jobs(rig).map(({ attempts }) => attempts.filter(({ state }) => state !== 'refused').length),
  ).toEqual(Array.from({ length: 12 }, () => 1));
  const waits = told.events.filter(({ type }) => type === 'waiting');
  expect(waits[0]).toMatchObject({
    ...{ of: 'service', why: 'cannot be reached (ECONNREFUSED)', tries: 1 },
    limitMs: 15 * 60_000,
  });
  expect(told.events.filter(({ type }) => type === 'back').length).toBeGreaterThan(0);
});
