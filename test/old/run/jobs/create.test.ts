// The paid job by itself: what stands on disk above the request, when the request is sent again, and what it counts.
import { describe, expect, test } from 'vitest';
import type { Project } from '../../../../src/contract/api/project.ts';
import { awaitEvent, create } from '../../../../src/run/jobs/create.ts';
import { WebhookInbox } from '../../../../src/run/jobs/webhook-inbox.ts';
import { awaitOrder, createOrder } from '../parts.ts';
import { busy, performed, Scene, throttled, unanswered, unfit } from './performing.ts';

const order = createOrder('a', 10);

const listening = (): WebhookInbox => new WebhookInbox({ patienceMs: 60_000, since: 0 });

const told = (more: Partial<Project> = {}): Project => ({
  ...{ id: 'p-told', name: order.name, status: 'rendering', downloads: [] },
  ...more,
});

describe('a creation', () => {
  test('is sent only once its intent is on disk, and used only once its project is', async () => {
    const scene = new Scene();
    const sent: number[] = [];
    const { said, outcome } = await performed(create(order, scene.context), () => {
      sent.push(scene.sent);
    });
    expect(said).toEqual(['intent!', 'created!', 'settled!']);
    expect(sent).toEqual([0, 1, 1]);
    expect(outcome.is).toBe('done');
  });

  test('whose answer has the project of another creation is in doubt, and the project stays where it is', async () => {
    const scene = new Scene([
      { id: 'p-1', credits: 10 },
      { id: 'p-1', credits: 10 },
    ]);
    await performed(create(createOrder('b', 10), scene.context));
    const { said, outcome } = await performed(create(order, scene.context));
    expect(said).toEqual(['intent!', 'doubt!']);
    expect(outcome).toMatchObject({ ending: 'doubt', why: expect.stringContaining('p-1') });
  });

  test('is sent under the unique name of its attempt', async () => {
    const scene = new Scene();
    await performed(create(order, scene.context));
    expect([...scene.service.projects.values()]).toMatchObject([{ body: { name: 'a #1' } }]);
  });

  test.each([
    ['503', busy],
    ['429', throttled],
  ])('asks again before it is sent again after %s', async (_, failure) => {
    const scene = new Scene([failure]);
    const sent: number[] = [];
    const { said } = await performed(create(order, scene.context), () => {
      sent.push(scene.sent);
    });
    expect(said).toEqual(['intent!', '?', 'created!', 'settled!']);
    expect(sent).toEqual([0, 1, 2, 2]);
  });

  test('waits as long as the service asks, and a jittered pause more, before it asks', async () => {
    const scene = new Scene([throttled]);
    const slept: number[][] = [];
    await performed(create(order, scene.context), () => slept.push([...scene.clock.slept]));
    expect(slept[1]).toEqual([8000]);
  });

  test('is given up when it may not be tried more often, and is on record as not taken', async () => {
    const scene = new Scene([busy, busy]);
    const twice = { ...order, attempts: 2 };
    const { said, events, outcome } = await performed(create(twice, scene.context));
    expect(said).toEqual(['intent!', '?', 'settled']);
    expect(events.at(-1)).toMatchObject({ error: { code: 'unavailable' } });
    expect(outcome).toMatchObject({ ending: 'failed', code: 'unavailable' });
    expect(scene.sent).toBe(2);
  });

  test('is not sent again when the run stops meanwhile', async () => {
    const scene = new Scene([busy]);
    const performance = create(order, scene.context);
    const { said, outcome } = await performed(performance, () => scene.stopper.abort());
    expect(said).toEqual(['intent!', 'settled']);
    expect(outcome).toMatchObject({ ending: 'pending', why: 'stopped' });
    expect(scene.sent).toBe(1);
  });

  test('does not begin while the run stops', async () => {
    const scene = new Scene();
    scene.stopper.abort();
    const { said, outcome } = await performed(create(order, scene.context));
    expect([said, scene.sent]).toEqual([[], 0]);
    expect(outcome).toMatchObject({ ending: 'pending', why: 'stopped' });
  });

  test('that an outage spared is on record as not taken before it waits, and is begun again', async () => {
    const scene = new Scene([{ reason: 'unreachable', message: 'ECONNREFUSED' }]);
    const { said, events, outcome } = await performed(create(order, scene.context));
    expect(said).toEqual(['intent!', 'settled!']);
    expect(events.at(-1)).toMatchObject({ error: { code: 'outage' } });
    expect(outcome.is).toBe('withheld');
  });

  test('whose permission has become too old is not sent, and is asked about again', async () => {
    const scene = new Scene([{ reason: 'late', message: '' }]);
    const { said, outcome } = await performed(create(order, scene.context));
    expect(said).toEqual(['intent!', 'settled!']);
    expect(outcome.is).toBe('withheld');
  });

  test('takes its turn under the request rate before the intent, and before it is sent again', async () => {
    const scene = new Scene([busy]);
    const said: string[] = [];
    const pace = async () => void said.push('turn');
    await performed(create(order, { ...scene.context, pace }), (word) => void said.push(word));
    expect(said.slice(0, 5)).toEqual(['turn', 'intent!', 'turn', '?', 'created!']);
  });

  test('that is refused fails with the reason, and is not sent again', async () => {
    const scene = new Scene([unfit]);
    const { said, outcome } = await performed(create(order, scene.context));
    expect(said).toEqual(['intent!', 'settled']);
    expect(outcome).toMatchObject({
      ...{ ending: 'failed', code: 'refused' },
      why: 'the service refused the request (422): no face',
    });
    expect(scene.sent).toBe(1);
  });

  test('whose answer is lost is in doubt, on disk, and is not sent again', async () => {
    const scene = new Scene([unanswered]);
    const { said, outcome } = await performed(create(order, scene.context));
    expect(said).toEqual(['intent!', 'doubt!']);
    expect(outcome).toMatchObject({ is: 'ended', ending: 'doubt' });
    expect(scene.sent).toBe(1);
  });
});

test('a creation that is not made again because of an outage of others is withheld', async () => {
  const scene = new Scene([busy]);
  const { said, outcome } = await performed(create(order, scene.context), (word) => {
    // Two others were told the same: now it is an outage.
    if (word === 'intent!')
      for (const _ of [1, 2])
        scene.context.outages.hearOfCreation({ ok: false, error: busy }, { probe: false });
  });
  expect(said).toEqual(['intent!', 'settled!']);
  expect(outcome.is).toBe('withheld');
});

test('a creation that others have found an outage for meanwhile is withheld too', async () => {
  const scene: Scene = new Scene([], {
    create: async () => {
      const down = { reason: 'unreachable', message: 'ECONNREFUSED' } as const;
      scene.context.outages.hearOfCreation({ ok: false, error: down }, { probe: false });
      return { ok: false, error: busy };
    },
  });
  const { said, outcome } = await performed(create(order, scene.context));
  expect(said).toEqual(['intent!', 'settled!']);
  expect(outcome.is).toBe('withheld');
});

describe('what is counted', () => {
  const charged = async (scene: Scene) => {
    const { events } = await performed(create(order, scene.context));
    return events.find(({ event }) => event === 'created');
  };

  test('is the charge that the answer names', async () => {
    expect(await charged(new Scene([{ id: 'p', credits: 7 }]))).toMatchObject({ credits: 7 });
  });

  test('is the reserve where an answer names none: nothing unknown is free', async () => {
    expect(await charged(new Scene([{ id: 'p', credits: undefined }]))).toMatchObject({
      credits: 10,
    });
  });

  test('is nothing only where an answer says so', async () => {
    expect(await charged(new Scene([{ id: 'p', credits: 0 }]))).toMatchObject({ credits: 0 });
  });

  test.each<readonly [string, Partial<Project>, number]>([
    ['the charge that an event names', { credits_charged: 7 }, 7],
    ['the reserve where an event names none', {}, 10],
    ['nothing where an event of a failed project names none', { status: 'error' }, 0],
    [
      'the charge of a failed project that is not refunded',
      { status: 'error', credits_charged: 4 },
      4,
    ],
  ])('is %s', async (_, more, credits) => {
    const inbox = listening();
    const scene = new Scene([unanswered], {}, inbox);
    const { said, events } = await performed(create(order, scene.context), (word) => {
      if (word === 'doubt!') void inbox.deliver('image', told(more), new AbortController().signal);
    });
    expect(said.slice(0, 3)).toEqual(['intent!', 'doubt!', 'created!']);
    expect(events.find(({ event }) => event === 'created')).toMatchObject({
      ...{ project: 'p-told', credits },
    });
  });
});

describe('an event that names the attempt', () => {
  test('stands for an answer that takes longer', async () => {
    const inbox = listening();
    const scene = new Scene([], { create: () => new Promise(() => undefined) }, inbox);
    const { said, events } = await performed(create(order, scene.context), (word) => {
      if (word === 'intent!')
        void inbox.deliver('image', told({ credits_charged: 9 }), new AbortController().signal);
    });
    expect(said.slice(0, 2)).toEqual(['intent!', 'created!']);
    expect(events[1]).toMatchObject({ project: 'p-told', credits: 9 });
  });

  test('with the project of another creation leaves it in doubt', async () => {
    const inbox = listening();
    const scene = new Scene([unanswered], {}, inbox);
    expect(scene.context.projects.claim('p-told', 'another attempt')).toBe(true);
    const { said } = await performed(create(order, scene.context), (word) => {
      if (word === 'doubt!') void inbox.deliver('image', told(), new AbortController().signal);
    });
    expect(said).toEqual(['intent!', 'doubt!']);
  });

  test('is answered only once its project is on disk', async () => {
    const inbox = listening();
    const answers: boolean[] = [];
    const { signal } = new AbortController();
    const scene = new Scene(
      [],
      {
        create: async () => {
          await Promise.resolve();
          void inbox.deliver('image', told(), signal).then((taken) => answers.push(taken));
          return await new Promise(() => undefined);
        },
      },
      inbox,
    );
    const seen: (readonly [string, number])[] = [];
    await performed(create(order, scene.context), (word) => {
      seen.push([word, answers.length]);
    });
    // While "created" waits for the disk the event has no answer yet.
    expect(seen).toEqual([
      ['intent!', 0],
      ['created!', 0],
    ]);
    expect(answers).toEqual([true]);
  });
});

describe('a creation while events are listened to', () => {
  test('is not sent where an event has named it already', async () => {
    const inbox = listening();
    const scene = new Scene([], {}, inbox);
    const { said } = await performed(create(order, scene.context), (word) => {
      if (word === 'intent!') void inbox.deliver('image', told(), new AbortController().signal);
    });
    expect(said.slice(0, 2)).toEqual(['intent!', 'created!']);
    expect(scene.sent).toBe(0);
  });

  test('that is answered first is what the answer says, and nobody waits for the event any more', async () => {
    const inbox = listening();
    const scene = new Scene([{ id: 'p-answered', credits: 7 }], {}, inbox);
    const taken: boolean[] = [];
    const { events } = await performed(create(order, scene.context), (word) => {
      const { signal } = new AbortController();
      if (word === 'created!')
        void inbox.deliver('image', told(), signal).then((one) => taken.push(one));
    });
    expect(events[1]).toMatchObject({ event: 'created', project: 'p-answered', credits: 7 });
    // Nobody listened when it came, so it comes again.
    expect(taken).toEqual([false]);
  });

  test('ends the request that an event has answered', async () => {
    const inbox = listening();
    const { signal } = new AbortController();
    let ended = false;
    const scene = new Scene(
      [],
      {
        create: (_tool, _body, known) => {
          known?.addEventListener('abort', () => {
            ended = true;
          });
          void inbox.deliver('image', told(), signal);
          return new Promise(() => undefined);
        },
      },
      inbox,
    );
    const { events } = await performed(create(order, scene.context));
    expect(events[1]).toMatchObject({ project: 'p-told' });
    expect(ended).toBe(true);
  });

  test('in doubt waits as long as the inbox is patient, from then on', async () => {
    const inbox = new WebhookInbox({ patienceMs: 60_000, since: 0 });
    const scene = new Scene([unanswered], {}, inbox);
    scene.clock.pass(500_000);
    const { said, outcome } = await performed(create(order, scene.context));
    expect(said).toEqual(['intent!', 'doubt!']);
    expect(outcome).toMatchObject({ ending: 'doubt' });
    expect(scene.clock.slept).toEqual([60_000]);
  });

  test('in doubt is not waited for where nothing listens', async () => {
    const scene = new Scene([unanswered]);
    await performed(create(order, scene.context));
    expect(scene.clock.slept).toEqual([]);
  });

  test('that the service would not take is not waited for', async () => {
    const scene = new Scene([unfit], {}, listening());
    const { said } = await performed(create(order, scene.context));
    expect(said).toEqual(['intent!', 'settled']);
    expect(scene.clock.slept).toEqual([]);
  });
});

describe('a creation of an earlier run that is in doubt', () => {
  test.each([
    [0, 60_000],
    [20_000, 40_000],
    [90_000, 0],
  ])(
    'begun %d ms into the run is waited for until the inbox has been patient',
    async (ms, left) => {
      const inbox = listening();
      const scene = new Scene([], {}, inbox);
      scene.clock.pass(ms);
      const waiting = awaitOrder('a');
      inbox.expect(waiting.name, 'image');
      await performed(awaitEvent(waiting, scene.context));
      expect(scene.clock.slept).toEqual([left]);
    },
  );

  test('is waited for no longer once its event has come', async () => {
    const inbox = listening();
    const scene = new Scene([], {}, inbox);
    scene.clock.sleep = (_, signal) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
    const waiting = awaitOrder('a');
    inbox.expect(waiting.name, 'image');
    void inbox.deliver('image', told({ name: waiting.name }), new AbortController().signal);
    const first = await awaitEvent(waiting, scene.context).next();
    expect(first.value).toMatchObject({ event: { event: 'created', project: 'p-told' } });
  });

  test('is not waited for where nothing listens', async () => {
    const scene = new Scene();
    const { outcome } = await performed(awaitEvent(awaitOrder('a'), scene.context));
    expect(outcome).toMatchObject({ ending: 'doubt' });
    expect(scene.clock.slept).toEqual([]);
  });

  test('is found by an event, and settled', async () => {
    const inbox = listening();
    const scene = new Scene([], {}, inbox);
    const waiting = awaitOrder('a');
    inbox.expect(waiting.name, 'image');
    void inbox.deliver('image', told({ name: waiting.name }), new AbortController().signal);
    const { said, events } = await performed(awaitEvent(waiting, scene.context));
    expect(said[0]).toBe('created!');
    expect(events[0]).toMatchObject({ project: 'p-told', credits: 10 });
  });

  test('stays in doubt when no event comes in time', async () => {
    const inbox = listening();
    const scene = new Scene([], {}, inbox);
    const waiting = awaitOrder('a');
    inbox.expect(waiting.name, 'image');
    const { said, outcome } = await performed(awaitEvent(waiting, scene.context));
    expect(said).toEqual([]);
    expect(outcome).toMatchObject({ is: 'ended', ending: 'doubt' });
  });
});
