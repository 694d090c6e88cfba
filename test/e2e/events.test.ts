// Events of the service against doubt: the answer to a creation gets lost, an event says what became of it, and whatever
// dies in between, it is paid once.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Clock } from '../../src/core/ports.ts';
import type { RunInternals, RunOptions } from '../../src/features/run/run.ts';
import type { FaultRule } from '../../src/service/faults/schema.ts';
import type { LocalService, ServiceOptions } from '../../src/service/start.ts';
import { bill, ended, envOf, photoRig, Rig, service, until } from '../rig.ts';
import { Client, eventually, listAt, textAt } from '../service/client.ts';
import { clockwork } from '../service/clockwork.ts';
import { hub } from '../service/receiver.ts';
import { nobody } from '../service-api/server.ts';
import { longTest, sampleOf } from '../sweep.ts';
import { cutAt, PowerCut } from './power-cut.ts';

const swaps = 'POST /v1/face-swap-photo';
const voice = { style: { prompt: 'Hello', voice_name: 'Elon' } };

/** One clip a word, from words alone. */
const clipPipeline = `pipeline: clips
items:
  values: [{ key: boat }, { key: tram }]
output: out
steps:
  clip:
    uses: text-to-video
    with: { name: "\${{ item.key }}", end_seconds: 3, style: { prompt: "\${{ item.key }}" } }
  save: { uses: download, with: { of: clip, to: "\${{ item.key }}/" } }
`;

interface Registered {
  readonly local: LocalService;
  readonly port: number;
  readonly secret: string;
  readonly options: RunOptions;
}

/** A service that sends its events to a port where nobody listens yet. */
async function registered(
  faults: readonly FaultRule[],
  options: ServiceOptions = {},
): Promise<Registered> {
  const local = await service({ eventBackoffMs: 20, faults: { faults }, ...options });
  const url = await nobody();
  const port = Number(new URL(url).port);
  const secret = textAt(await hub(local.address, '/hub/webhooks', { url: `${url}/in` }), 'secret');
  const listen = { host: '127.0.0.1', port };
  return { local, port, secret, options: { listen, webhookSecret: secret } };
}

const fault = {
  reset: { fault: 'reset', on: 'POST /v1/*', when: 'after' },
  silence: { fault: 'silence', on: 'POST /v1/*', when: 'after' },
  broken: { fault: 'broken', on: 'POST /v1/*', when: 'after' },
} as const;
/** Only the creation: upload addresses and face detection are POSTs as well. */
const swapFault = (kind: keyof typeof fault): FaultRule => ({ ...fault[kind], on: swaps });

describe('the answer to every creation gets lost after it was charged', () => {
  test.each(['reset', 'broken'] as const)(
    '(%s): events say what was made, and the run ends done, charged once',
    async (kind) => {
      const { local, options } = await registered([swapFault(kind)]);
      const rig = await photoRig(2);
      const { summary, events } = await rig.run(local, options);
      expect(events.filter(({ type }) => type === 'note')).toEqual([]);
      expect(summary).toMatchObject({
        ...{ outcome: 'done' },
        tasks: { doubt: 0, pending: 0 },
        credits: { charged: 20, refunded: 0, reserved: 0 },
      });
      expect(rig.files('out')).toHaveLength(2);
      expect([...bill(local.ledger()).values()]).toEqual([10, 10]);
      expect(local.requests()[swaps]).toBe(2);
    },
  );

  test('and the events are signed wrongly at first, come in the wrong order, and twice: the same', async () => {
    const { local, options } = await registered([
      fault.reset,
      { fault: 'event-wrong-signature', count: 4 },
      { fault: 'event-out-of-order', on: 'video.started' },
      { fault: 'event-doubled' },
    ]);
    const rig = new Rig(clipPipeline);
    const { summary } = await rig.run(local, options);
    expect(summary).toMatchObject({ outcome: 'done', credits: { reserved: 0 } });
    expect(rig.files('out')).toHaveLength(2);
    expect(bill(local.ledger()).size).toBe(2);
    expect(summary.credits.charged).toBe(
      [...bill(local.ledger()).values()].reduce((sum, credits) => sum + credits, 0),
    );
    expect(local.requests()['POST /v1/text-to-video']).toBe(2);
  });

  test('once an event has said that it was made, nothing is sent again, whatever the answer was', async () => {
    const { local, options } = await registered([]);
    const rig = await photoRig(2);
    const lying: RunInternals = {
      api: (api) => ({
        ...api,
        async create(tool, body, known) {
          const made = await api.create(tool, body, known);
          const error = { reason: 'unavailable', status: 503, message: '' } as const;
          return made.ok ? { ok: false, error } : made;
        },
      }),
    };
    const { summary } = await rig.run(local, { ...options, backoffMs: 3000 }, lying);
    expect(summary).toMatchObject({ outcome: 'done', credits: { charged: 20, reserved: 0 } });
    expect([...bill(local.ledger()).values()]).toEqual([10, 10]);
    expect(local.requests()[swaps]).toBe(2);
  });

  test('a project that fails is refunded, and another attempt is made, when events say so', async () => {
    const failing = { fault: 'job-error', code: 'unknown_error', count: 1 } as const;
    const { local, options } = await registered([swapFault('reset'), failing]);
    const rig = await photoRig(
      1,
      (await photoRig(0))
        .read('pipeline.yaml')
        .replace('if: size', 'retry: { attempts: 2 }\n    if: size'),
    );
    const { summary } = await rig.run(local, options);
    expect(summary).toMatchObject({ outcome: 'done', tasks: { doubt: 0, failed: 0 } });
    expect([...bill(local.ledger()).values()]).toEqual([10]);
    expect(local.requests()[swaps]).toBe(2);
  });

  test('and every event too: it ends in doubt, charged once', async () => {
    const { local, options } = await registered([swapFault('reset'), { fault: 'event-lost' }]);
    const rig = await photoRig(1);
    const { summary } = await rig.run(local, { ...options, doubtTimeoutMs: 20 });
    expect(summary).toMatchObject({
      ...{ outcome: 'doubt' },
      credits: { charged: 0, reserved: 10 },
    });
    const again = await rig.run(local, { ...options, doubtTimeoutMs: 20 });
    expect(again.summary).toMatchObject({ outcome: 'doubt', tasks: { doubt: 1 } });
    expect([...bill(local.ledger()).values()]).toEqual([10]);
  });

  test('and every event is signed by somebody else: nothing is believed, it ends in doubt', async () => {
    const forged = { fault: 'event-wrong-signature' } as const;
    const { local, options } = await registered([swapFault('reset'), forged]);
    const rig = await photoRig(1);
    const { summary } = await rig.run(local, { ...options, doubtTimeoutMs: 80 });
    expect(summary).toMatchObject({ outcome: 'doubt', credits: { charged: 0 } });
  });

  test('and the run is asked to stop while it waits for an event: it stops at once', async () => {
    const { local, options } = await registered([swapFault('reset'), { fault: 'event-lost' }]);
    const rig = await photoRig(1);
    const stop = new AbortController();
    const running = rig.run(local, {
      ...options,
      signal: stop.signal,
      doubtTimeoutMs: 86_400_000,
    });
    await until('it is in doubt', () => journal(rig).includes('"state":"doubt"'));
    stop.abort();
    expect((await running).summary).toMatchObject({ outcome: 'interrupted', tasks: { doubt: 1 } });
  });
});

test('what an earlier run left in doubt stays with the service as long as no run goes on with it, and is resolved when the event comes again and the next run listens', async () => {
  const { local, options } = await registered([swapFault('reset')]);
  const rig = await photoRig(2);
  const first = await rig.run(local);
  expect(first.summary).toMatchObject({ outcome: 'doubt', tasks: { doubt: 2 } });
  const other = await rig.run(local, { ...options, items: { only: 'p1.png' } });
  // What is in doubt is of the other item.
  expect(other.summary).toMatchObject({
    outcome: 'doubt',
    tasks: { doubt: 0 },
    otherDoubts: { count: 1 },
    credits: { charged: 10, reserved: 10 },
  });
  const rest = await rig.run(local, options);
  expect(rest.events).toContainEqual(expect.objectContaining({ type: 'listening', doubts: 1 }));
  const waits = ({ events }: typeof rest) =>
    events.filter((event) => event.type === 'note' && event.message.startsWith('waiting'));
  expect(waits(rest)).toHaveLength(1);
  expect(rest.summary).toMatchObject({
    ...{ outcome: 'done', tasks: { doubt: 0 } },
    credits: { charged: 10, refunded: 0, reserved: 0 },
  });
  expect(rig.files('out')).toHaveLength(2);
  expect([...bill(local.ledger()).values()]).toEqual([10, 10]);
  expect(local.requests()[swaps]).toBe(2);
  const third = await rig.run(local, options);
  expect(third.summary).toMatchObject({ outcome: 'done', tasks: { done: 0 } });
});

describe('kill -9', () => {
  longTest('between a creation and its answer: the command that listens resolves it', async () => {
    const clock = clockwork(Date.now());
    const held = { ...clock.options, speed: 'realtime' } as const;
    const { local, port, secret } = await registered([swapFault('silence')], held);
    const rig = await photoRig(1);
    const env = { ...envOf(local), SHOTLIST_WEBHOOK_SECRET: secret };
    const args = ['run', 'pipeline.yaml', '--listen', `${port}`, '--log', 'run.log'];
    const first = rig.start(args, env);
    const death = ended(first);
    await passing(clock, 'it is charged', () => bill(local.ledger()).size === 1);
    first.kill('SIGKILL');
    await death;
    expect(journal(rig)).not.toContain('"state":"created"');

    const second = rig.start(args, env);
    let said = '';
    second.stdout?.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
    const done = ended(second);
    await until('it listens', () => said.includes('in doubt may be resolved'));
    let over = false;
    void done.then(() => {
      over = true;
    });
    await passing(clock, 'it is over', () => over);
    const { code, stdout } = await done;
    expect(code).toBe(0);
    expect([...bill(local.ledger()).values()]).toEqual([10]);
    expect(rig.files('out')).toHaveLength(1);
    for (const text of [stdout, journal(rig), rig.read('run.log')])
      expect(text).not.toContain(secret);
  });

  test('between an event and the disk: the event was not answered, so it comes again', async () => {
    const { local, port, secret, options } = await registered([swapFault('reset')]);
    const rig = await photoRig(1);
    const script = fileURLToPath(new URL('./stuck-run.ts', import.meta.url));
    const env = { ...process.env, ...envOf(local), SHOTLIST_WEBHOOK_SECRET: secret };
    const child = spawn(process.execPath, [script, rig.file, `${port}`], { cwd: rig.folder, env });
    onTestFinished(() => void child.kill('SIGKILL'));
    let said = '';
    child.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
    const death = ended(child);
    await until('the event is heard', () => said.includes('created'));
    // One that came after it, and is answered: by now the first would have been answered too.
    const stranger = await new Client(local).create('ai-voice-generator', voice);
    await eventually('the event of a stranger is answered', async () => {
      const log = await hub(local.address, `/hub/deliveries?project=${stranger.id}`);
      return listAt(log, 'deliveries').some(({ state }) => state === 'delivered') || undefined;
    });
    child.kill('SIGKILL');
    await death;
    expect(journal(rig)).not.toContain('"state":"created"');

    const { summary } = await rig.run(local, { ...options, doubtTimeoutMs: 10_000 });
    expect(summary).toMatchObject({
      outcome: 'done',
      tasks: { doubt: 0 },
      credits: { charged: 10 },
    });
    expect(bill(local.ledger()).get('p1')).toBe(10);
    expect(local.requests()[swaps]).toBe(1);
  });
});

// Every third line, in turns: what is cut after one is what is cut before the next.
const cuts = [
  ['before', 1],
  ['after', 2],
] as const;
test.each(sampleOf(cuts, 2))(
  'the power is cut %s every line of the journal, and no answer ever comes: what was charged is never in doubt',
  async (when, from) => {
    let cut = true;
    let lines = 0;
    for (let line = from; cut; line += 3) {
      const { local, options } = await registered([swapFault('reset')]);
      const rig = await photoRig(1);
      const power = cutAt(line, when, rig.path('photos.state.jsonl'));
      const first = await rig.run(local, options, power).catch((error: unknown) => error);
      cut = first instanceof PowerCut;
      power.restore();
      // What was begun and never sent has no event: there nothing can come.
      const sent = local.requests()[swaps] === 1;
      const begun = journal(rig).includes('"attempts":[{');
      const lost = begun && !sent;
      const { summary } = await rig.run(local, { ...options, doubtTimeoutMs: lost ? 1 : 50_000 });
      const where = `cut ${when} line ${line}`;
      expect(summary.outcome, where).toBe(lost ? 'doubt' : 'done');
      expect([...bill(local.ledger()).values()], where).toEqual(lost ? [] : [10]);
      expect(summary.credits.reserved, where).toBe(lost ? 10 : 0);
      expect(rig.files('.').includes('out/p1.png'), where).toBe(!lost);
      await local.close();
      lines = line;
    }
    expect(lines).toBeGreaterThan(9);
  },
);

test('with events a project is read when it is over, without them again and again', async () => {
  const reads = 'GET /v1/image-projects/:id';
  const pictureOf = (what: string): Rig =>
    new Rig(`pipeline: pictures
steps:
  picture:
    uses: ai-image-generator
    with: { image_count: 1, style: { prompt: ${what} } }
`);
  const clock = clockwork(Date.now());
  const held = { ...clock.options, speed: 'realtime' } as const;
  const { local, options } = await registered([], held);

  const polled = pictureOf('a boat').run(local);
  await until('it is read many times', () => (local.requests()[reads] ?? 0) > 5);
  await finished(clock, polled);
  const without = local.requests()[reads] ?? 0;

  const created = 'POST /v1/ai-image-generator';
  const listening = pictureOf('a ship').run(local, { ...options, clock: sleepless });
  await until('it is created', () => local.requests()[created] === 2);
  const { summary } = await finished(clock, listening);
  expect(summary.outcome).toBe('done');
  expect((local.requests()[reads] ?? 0) - without).toBe(1);
});

/** Who sleeps is woken by nothing but news. */
const sleepless: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  chance: () => 0.5,
  sleep: (_, ...signals) =>
    new Promise((resolve) => {
      for (const signal of signals)
        if (signal.aborted) resolve();
        else signal.addEventListener('abort', () => resolve(), { once: true });
    }),
};

/** Lets the service's time pass, a little at each look, until something is so. */
async function passing(
  clock: ReturnType<typeof clockwork>,
  what: string,
  check: () => boolean,
): Promise<void> {
  await until(what, () => {
    clock.pass(40);
    return check();
  });
}

async function finished<T>(clock: ReturnType<typeof clockwork>, running: Promise<T>): Promise<T> {
  let over = false;
  const end = (): void => {
    over = true;
  };
  running.then(end, end);
  await passing(clock, 'the run is over', () => over);
  return await running;
}

function journal(rig: Rig): string {
  return rig.files('.').includes('photos.state.jsonl') ? rig.read('photos.state.jsonl') : '';
}
