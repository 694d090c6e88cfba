// An outage in the middle of a run: the service is stopped and comes back at the same address. The run waits; no task
// fails, no attempt is spent, nothing is paid twice.
import { describe, expect, onTestFinished, test } from 'vitest';
import { err } from '../../src/base/result.ts';
import type { RunInternals } from '../../src/features/run/run.ts';
import type { MediaApi } from '../../src/run/jobs/ports.ts';
import type { FaultsDocument } from '../../src/service/faults/schema.ts';
import { type LocalService, startService } from '../../src/service/start.ts';
import { bill, photoPipeline, photoRig, plainly, type Rig, service, type Told } from '../rig.ts';

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

const typesIn = ({ events }: Told): ReadonlySet<string> => new Set(events.map(({ type }) => type));

const jobs = (rig: Rig): readonly { state: string; attempt: number; kind: string }[] =>
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
  expect(jobs(rig).map(({ attempt }) => attempt)).toEqual(Array.from({ length: 12 }, () => 1));
  const waits = told.events.filter(({ type }) => type === 'waiting');
  expect(waits[0]).toMatchObject({
    ...{ of: 'service', why: 'cannot be reached (ECONNREFUSED)', tries: 1 },
    limitMs: 15 * 60_000,
  });
  expect(told.events.filter(({ type }) => type === 'back').length).toBeGreaterThan(0);
}, 180_000);

test('an outage that lasts longer than limits.outage stops the run, and the next run goes on', async () => {
  const rig = await photoRig(8, limited('40ms'));
  const away = await Stoppable.start(rig);
  const { internals } = awayAfter(4, away, () => undefined);
  const { summary } = await rig.run(away.service, {}, internals);
  expect(summary).toMatchObject({ outcome: 'failed', tasks: { failed: 0, doubt: 0 } });
  expect(summary.stopped).toMatch(
    /^the run stopped waiting: the service cannot be reached \(ECONNREFUSED\), for .* limits\.outage/,
  );
  expect(jobs(rig).some(({ state }) => state === 'intended' || state === 'doubt')).toBe(false);
  await away.startAgain();
  const again = await rig.run(away.service);
  expect(again.summary).toMatchObject({ outcome: 'done', items: { done: 8 } });
  eachIsPaidOnce(rig, away.service, 8);
}, 180_000);

test('a run that is interrupted while it waits ends at once, with nothing in doubt', async () => {
  const rig = await photoRig(8, limited('15m'));
  const away = await Stoppable.start(rig);
  const person = new AbortController();
  const { internals } = awayAfter(4, away, (times) => {
    if (times === 3) person.abort();
  });
  // Long pauses: the interruption ends one of them.
  const { summary } = await rig.run(
    away.service,
    { signal: person.signal, backoffMs: 200 },
    internals,
  );
  expect(summary).toMatchObject({ outcome: 'interrupted', tasks: { failed: 0, doubt: 0 } });
  expect(rig.read(stateFile)).not.toContain('"doubt"');
  await away.startAgain();
  const again = await rig.run(away.service);
  expect(again.summary).toMatchObject({ outcome: 'done', tasks: { failed: 0, doubt: 0 } });
  eachIsPaidOnce(rig, away.service, 8);
}, 180_000);

test('a run that dies while it waits leaves nothing in doubt', async () => {
  const rig = await photoRig(8, limited('15m'));
  const away = await Stoppable.start(rig);
  const lines: string[] = [];
  let atDeath: string | undefined;
  const person = new AbortController();
  const { internals } = awayAfter(4, away, (times) => {
    if (times !== 4) return;
    // What a power cut would leave at this moment.
    atDeath = lines.join('\n');
    person.abort();
  });
  const witness: RunInternals = {
    ...internals,
    lines: (file) => ({
      append(line) {
        lines.push(line);
        file.append(line);
      },
      sync: () => file.sync(),
    }),
  };
  await rig.run(away.service, { signal: person.signal }, witness);
  const open = new Set<string>();
  for (const line of (atDeath ?? '').split('\n')) {
    const { event, job, status }: Record<string, string> = JSON.parse(line);
    if (job === undefined) continue;
    if (event === 'intent') open.add(job);
    if (event === 'created' || status === 'not_taken') open.delete(job);
  }
  expect([...open]).toEqual([]);
}, 180_000);

describe('a service that is there and takes nothing for a while', () => {
  test.each<readonly [string, FaultsDocument['faults'][number], string]>([
    [
      'answers creations with 429',
      { fault: 'throttled', retry_after: 0, on: 'POST /v1/face-swap-photo', count: 9 },
      'creations',
    ],
    [
      'answers everything with 502',
      { fault: 'unavailable', status: 502, skip: 9, count: 9 },
      'service',
    ],
  ])(
    '%s: the run waits, and nothing fails',
    async (_, fault, of) => {
      const local = await service({ faults: { faults: [fault] } });
      const rig = await photoRig(5, limited('15m', 2));
      const told = await rig.run(local);
      expect(told.summary).toMatchObject({
        outcome: 'done',
        items: { done: 5 },
        tasks: { failed: 0, pending: 0, doubt: 0 },
      });
      eachIsPaidOnce(rig, local, 5);
      expect(jobs(rig).every(({ attempt }) => attempt === 1)).toBe(true);
      expect(told.events).toContainEqual(expect.objectContaining({ type: 'waiting', of }));
      expect(typesIn(told).has('back')).toBe(true);
    },
    60_000,
  );
});

test('where all that is left is answered with 503, the run stops with what it has', async () => {
  const local = await service({
    faults: {
      faults: [{ fault: 'unavailable', status: 503, on: 'DELETE /v1/image-projects/:id' }],
    },
  });
  const rig = await photoRig(1, limited('30ms', 1));
  const { summary } = await rig.run(local);
  expect(summary).toMatchObject({ outcome: 'failed', tasks: { doubt: 0, failed: 0 } });
  expect(summary.stopped).toContain('is not available (503)');
  expect(rig.files('out')).toEqual(['p1.png']);
});

test('a lost answer to a creation stays a doubt while the service is away', async () => {
  const rig = await photoRig(3, limited('15m', 1));
  const away = await Stoppable.start(rig);
  let sent = 0;
  let stopped: Promise<void> | undefined;
  const internals: RunInternals = {
    api: (api) => ({
      ...api,
      async create(tool, body, known) {
        sent += 1;
        const made = await api.create(tool, body, known);
        if (sent > 1) return made;
        // The service took it; the answer got lost with the connection.
        stopped = away.stop();
        await stopped;
        void away.startAgain();
        return err({ reason: 'unanswered', message: 'ECONNRESET' });
      },
    }),
  };
  const { summary } = await rig.run(away.service, {}, internals);
  expect(summary).toMatchObject({ outcome: 'doubt', tasks: { doubt: 1, failed: 0 } });
  expect(away.service.ledger().filter(({ kind }) => kind === 'charge')).toHaveLength(3);
  expect(sent).toBe(3);
}, 180_000);
