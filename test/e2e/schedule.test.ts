// `schedule`: every due time as promised, over restarts, changes of the file and of the clocks, and other processes.
import { readFileSync, renameSync, rmSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { realClock } from '../../src/core/clock.ts';
import type { RunInternals } from '../../src/features/run/run.ts';
import { renderProblem, resultOf } from '../../src/language/load/refusal.ts';
import type { LocalService } from '../../src/service/start.ts';
import { Lock } from '../../src/state/lock.ts';
import {
  type Scheduled,
  type ScheduleOptions,
  scheduleWith,
} from '../../src/triggers/schedule/schedule.ts';
import type { ScheduleEvent } from '../../src/views/trigger-events.ts';
import { tortureSchedule } from '../../torture/schedule.ts';
import { VirtualClock } from '../../torture/virtual-clock.ts';
import { dueAMinuteAgo } from '../due-once.ts';
import { ended, envOf, Rig, service, until } from '../rig.ts';
import { clockwork } from '../service/clockwork.ts';
import { longTest } from '../sweep.ts';
import { atLine } from './at-line.ts';

const hour = 3_600_000;
const day = 24 * hour;

const pipelineOf = (schedule: string): string => `pipeline: p
schedule: { ${schedule} }
output: out
steps:
  picture:
    uses: ai-image-generator
    with:
      name: "\${{ run.due }}"
      image_count: 1
      model: flux-schnell
      resolution: 640px
      style: { prompt: "\${{ run.date }} \${{ run.due }}" }
  save: { uses: download, with: { of: picture, to: "\${{ date(default(run.due, run.date), '%Y-%m-%d-%H') }}.png" } }
`;

const daily = 'cron: "0 7 * * *", time_zone: Europe/Berlin';
const hourly = 'cron: "0 * * * *"';

/** Half an hour before a daily run is due: the clock stops at each minute, so whoever begins a day earlier waits longer. */
const beforeDue = '2026-06-02T04:30:00Z';

class Bed {
  readonly rig: Rig;
  readonly local: LocalService;
  readonly clock: VirtualClock;
  readonly events: ScheduleEvent[] = [];

  constructor(rig: Rig, local: LocalService, clock: VirtualClock) {
    this.rig = rig;
    this.local = local;
    this.clock = clock;
  }

  static async of(schedule: string, from = '2026-06-01T12:00:00Z'): Promise<Bed> {
    const clock = new VirtualClock(Date.parse(from), 1);
    const local = await service({ credits: 10_000, now: () => clock.now() });
    return new Bed(new Rig(pipelineOf(schedule)), local, clock);
  }

  async schedule(options: ScheduleOptions, internals: RunInternals = {}): Promise<Scheduled> {
    const all = {
      ...{ clock: this.clock, env: envOf(this.local), ...options },
      onEvent: (event: ScheduleEvent) => void this.events.push(event),
    };
    const scheduled = await scheduleWith([this.rig.file], all, {
      ...{ backoffMs: 1, speedFactor: 100, ...internals },
    });
    return scheduled;
  }

  /** A process that is there for so long. */
  async follow(ms: number, internals: RunInternals = {}): Promise<Scheduled> {
    const stop = new AbortController();
    this.clock.at(this.clock.now() + ms, () => stop.abort());
    return await this.schedule({ signal: stop.signal }, internals);
  }

  async once(): Promise<Scheduled> {
    return await this.schedule({ once: true });
  }

  get due(): readonly string[] {
    return this.runLines.map(({ due = '' }) => due.slice(0, 16));
  }

  get runLines(): readonly { run: string; due?: string; ended?: string }[] {
    return readFileSync(this.rig.path('p.state.jsonl'), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
      .filter((line) => 'run' in line);
  }

  /** What was paid for, by the names that were sent. */
  get paid(): readonly string[] {
    return this.local
      .ledger()
      .filter(({ kind }) => kind === 'charge')
      .map(({ name }) => (name ?? '').replace(/ #[0-9a-z]+$/, ''));
  }

  of<T extends ScheduleEvent['type']>(type: T): readonly Extract<ScheduleEvent, { type: T }>[] {
    return this.events.filter(
      (event): event is Extract<ScheduleEvent, { type: T }> => event.type === type,
    );
  }
}

describe('days with restarts at random moments: each due time as promised, and paid once', () => {
  // Every zone: npm run torture -- --of schedule.
  const usual = { days: 5, longestPause: 2 * day, longestCreation: 30 * hour, seed: 4 };
  test.each([
    ['in the missing hour of Berlin', '30 2 * * *', 'Europe/Berlin', '2026-03-26T12:00:00Z'],
    ['in the doubled hour of New York', '30 1 * * *', 'America/New_York', '2026-10-30T12:00:00Z'],
  ])(
    '%s',
    async (_, cron, timeZone, from) => {
      const terms = { ...usual, cron: [cron], timeZone, from };
      const { violations, runs, starts } = await tortureSchedule(terms);
      expect(violations).toEqual([]);
      expect([runs, starts].every((count) => count > 1)).toBe(true);
    },
    60_000,
  );
});

test('the last of several missed days is run', async () => {
  const days = ['2026-06-02', '2026-06-04', '2026-06-05'];
  const bed = await Bed.of(daily, beforeDue);
  await bed.follow(hour);
  bed.clock.pass(3 * day - hour);
  await bed.follow(hour);
  expect(bed.due).toEqual(days.map((date) => `${date}T05:00`));
  expect(bed.paid).toEqual(days.map((date) => `${date}T07:00:00+02:00`));
  expect(bed.rig.files('out')).toEqual(days.map((date) => `${date}-07.png`));
  expect(bed.of('left-out').map(({ due, why }) => [due.slice(0, 10), why])).toEqual([
    ['2026-06-03', 'missed'],
  ]);
});

describe('a run that takes longer than the time to the next', () => {
  /** The first creation takes two and a half hours. */
  const slow = (clock: VirtualClock): RunInternals => {
    let first = true;
    return {
      api: (api) => ({
        ...api,
        async create(tool, body, known) {
          if (first) clock.pass(2.5 * hour);
          first = false;
          return await api.create(tool, body, known);
        },
      }),
    };
  };

  test('leaves out what comes due meanwhile', async () => {
    const bed = await Bed.of(hourly, '2026-06-01T12:30:00Z');
    await bed.follow(4 * hour, slow(bed.clock));
    expect(bed.due).toEqual(['2026-06-01T13:00', '2026-06-01T16:00']);
    expect(bed.of('left-out').map(({ due, why }) => [due, why])).toEqual([
      ['2026-06-01T14:00:00+00:00', 'overlap'],
    ]);
  });
});

describe('another process works on the state file when a run is due', () => {
  test('the run is left out', async () => {
    const bed = await Bed.of(hourly, '2026-06-01T12:30:00Z');
    await bed.follow(hour / 4);
    const lock = await Lock.take(bed.rig.path('.shotlist/p.state.jsonl.lock'), realClock);
    await bed.follow(hour / 2);
    await lock?.release();
    await bed.follow(hour);
    expect(bed.due).toEqual(['2026-06-01T14:00']);
    expect(bed.of('left-out').map(({ why }) => why)).toEqual(['overlap']);
  });
});

test('an interrupted run is continued first, under its due time, and by a plain run too', async () => {
  const bed = await Bed.of(daily, beforeDue);
  const stop = new AbortController();
  await bed.schedule(
    { signal: stop.signal },
    {
      api: (api) => ({
        ...api,
        async create(tool, body, known) {
          const made = await api.create(tool, body, known);
          stop.abort();
          return made;
        },
      }),
    },
  );
  expect(bed.runLines).toEqual([expect.not.objectContaining({ ended: expect.anything() })]);
  bed.clock.pass(5 * day + 3 * hour);
  // As if a person had cloned the repository: what schedule remembers is not in git.
  await bed.rig.run(bed.local, { clock: bed.clock });
  expect(bed.runLines).toMatchObject([
    { due: '2026-06-02T05:00:00.000Z', ended: expect.anything() },
  ]);
  expect(bed.paid).toEqual(['2026-06-02T07:00:00+02:00']);
  expect(bed.rig.files('out')).toEqual(['2026-06-02-07.png']);
  await bed.follow(hour);
  // Only the last of the days that were missed.
  expect(bed.due).toEqual(['2026-06-02T05:00', '2026-06-07T05:00']);
});

test('another program puts an older state file in its place in a run: both are joined, and no run is missed', async () => {
  const bed = await Bed.of(hourly, '2026-06-01T12:30:00Z');
  await bed.follow(hour);
  const [before, state] = [bed.rig.read('p.state.jsonl'), bed.rig.path('p.state.jsonl')];
  const replace = (): void => {
    bed.rig.write('other', before);
    renameSync(bed.rig.path('other'), state);
  };
  const { ends } = await bed.follow(2 * hour, atLine('created', replace));
  expect(ends).toEqual(['done']);
  expect(bed.due).toEqual([13, 14, 15].map((at) => `2026-06-01T${at}:00`));
  expect(bed.paid).toEqual([13, 14, 15].map((at) => `2026-06-01T${at}:00:00+00:00`));
});

test('a due time at which nothing is new is recorded too, and costs nothing', async () => {
  const bed = await Bed.of(hourly, '2026-06-01T12:30:00Z');
  const constant = bed.rig.read('pipeline.yaml').replace(/\$\{\{.*?\}\}/g, 'x');
  bed.rig.write('pipeline.yaml', constant);
  await bed.follow(3 * hour);
  expect(bed.due).toEqual([13, 14, 15].map((at) => `2026-06-01T${at}:00`));
  expect(bed.paid).toEqual(['x']);
});

describe('--once', () => {
  test('runs what was due in the past hour, once, and says what is next', async () => {
    const bed = await Bed.of(daily, '2026-06-01T05:20:00Z');
    expect(await bed.once()).toEqual({ ends: ['done'], next: '2026-06-02T07:00:00+02:00' });
    expect(await bed.once()).toEqual({ ends: [], next: '2026-06-02T07:00:00+02:00' });
    expect(bed.due).toEqual(['2026-06-01T05:00']);
    bed.clock.pass(3 * day);
    expect(await bed.once()).toMatchObject({ ends: ['done'] });
    expect(bed.due).toEqual(['2026-06-01T05:00', '2026-06-04T05:00']);
  });

  test('runs nothing on its first start if nothing was due in the past hour', async () => {
    const bed = await Bed.of(daily, '2026-06-01T12:00:00Z');
    expect(await bed.once()).toEqual({ ends: [], next: '2026-06-02T07:00:00+02:00' });
    bed.clock.pass(day);
    expect(await bed.once()).toMatchObject({ ends: ['done'] });
  });

  longTest('ends with the exit code of its run', async () => {
    const local = await service({ speed: 'instant' });
    const rig = new Rig(pipelineOf('cron: "* * * * *"'));
    const wrong = { ...envOf(local), SHOTLIST_API_KEY: 'wrong' };
    const refused = await rig.command(['schedule', 'pipeline.yaml', '--once'], wrong);
    expect(refused.code).toBe(5);
  });
});

test('a changed file counts from the change, and an invalid one runs nothing until it is right again', async () => {
  const bed = await Bed.of(daily, beforeDue);
  const good = bed.rig.read('pipeline.yaml');
  let step = 0;
  const stop = new AbortController();
  const later = '["0 9 * * *", "30 9 * * *", "0 11 * * *"]';
  const edits = [
    [Date.parse('2026-06-02T05:30:00Z'), 'pipeline: p\nschedule: { cron: "0 7" }\n'],
    [Date.parse('2026-06-02T08:00:00Z'), good.replace('"0 7 * * *"', later)],
    [Date.parse('2026-06-02T09:30:00Z'), undefined],
  ] as const;
  const next = (): void => {
    const [, text] = edits[step] ?? [];
    step += 1;
    if (text === undefined) stop.abort();
    else {
      bed.rig.write('pipeline.yaml', text);
      bed.clock.at(edits[step]?.[0] ?? 0, next);
    }
  };
  bed.clock.at(edits[0][0], next);
  await bed.schedule({ signal: stop.signal });
  expect(bed.of('invalid')).toHaveLength(1);
  expect(bed.of('scheduled').map((event) => event.next)).toEqual([
    '2026-06-02T07:00:00+02:00',
    // Missed while the file was wrong: the last of these takes place.
    '2026-06-02T09:00:00+02:00',
  ]);
  expect(bed.due).toEqual(['2026-06-02T05:00', '2026-06-02T07:30', '2026-06-02T09:00']);
});

test('a changed file waits for a state file that must be repaired first: the old schedule runs no more', async () => {
  const bed = await Bed.of(hourly, '2026-06-01T12:30:00Z');
  await bed.follow(hour);
  const whole = bed.rig.read('p.state.jsonl');
  const changed = bed.rig.read('pipeline.yaml').replace('"0 * * * *"', '"20 * * * *"');
  const stop = new AbortController();
  const { clock } = bed;
  clock.at(Date.parse('2026-06-01T13:40:00Z'), () => {
    bed.rig.write('pipeline.yaml', changed);
    bed.rig.write('p.state.jsonl', `${whole}no line of a state file\n`);
    clock.at(Date.parse('2026-06-01T14:10:00Z'), () => {
      bed.rig.write('p.state.jsonl', whole);
      clock.at(Date.parse('2026-06-01T14:30:00Z'), () => stop.abort());
    });
  });
  await bed.schedule({ signal: stop.signal });
  expect(bed.of('invalid')).toHaveLength(1);
  expect(bed.due).toEqual(['2026-06-01T13:00', '2026-06-01T14:20']);
});

test('a refused key stops the pipeline until its file changes', async () => {
  const bed = await Bed.of(hourly);
  const stop = new AbortController();
  bed.clock.at(bed.clock.now() + 5 * hour, () => stop.abort());
  const env = { ...envOf(bed.local), SHOTLIST_API_KEY: 'wrong' };
  const { ends } = await bed.schedule({ signal: stop.signal, env });
  expect(ends).toEqual(['unauthorized']);
  expect(bed.of('unauthorized')).toHaveLength(1);
  expect(bed.of('due')).toHaveLength(1);
});

test('a run waits for a service that is away, and takes place when it is back', async () => {
  const bed = await Bed.of(daily, beforeDue);
  const away = { ...envOf(bed.local), SHOTLIST_BASE_URL: 'http://127.0.0.1:9' };
  const stop = new AbortController();
  bed.clock.at(Date.parse('2026-06-02T05:30:00Z'), () => stop.abort());
  await bed.schedule({ signal: stop.signal, env: away });
  expect(bed.of('refused').length).toBeGreaterThan(2);
  expect(bed.of('refused').every(({ again }) => again)).toBe(true);
  await bed.follow(hour);
  expect(bed.due).toEqual(['2026-06-02T05:00']);
});

test('a folder: files without a schedule are ignored, a new file joins, SIGTERM ends the waiting', async () => {
  const bed = await Bed.of(daily);
  bed.rig.write('lists/one.yaml', pipelineOf(daily).replace('pipeline: p', 'pipeline: one'));
  bed.rig.write('lists/other.yaml', 'pictures: [1, 2]\n');
  const stop = new AbortController();
  const files: string[] = [];
  const scheduled = await resultOf(() =>
    scheduleWith(
      [bed.rig.path('lists')],
      {
        ...{ clock: bed.clock, env: envOf(bed.local), signal: stop.signal },
        onEvent(event) {
          if (event.type !== 'scheduled') return;
          files.push(event.pipeline);
          const two = pipelineOf(daily).replace('pipeline: p', 'pipeline: two');
          if (event.pipeline === 'two') stop.abort();
          else bed.rig.write('lists/two.yml', two);
        },
      },
      {},
    ),
  );
  expect([scheduled.ok, files]).toEqual([true, ['one', 'two']]);
});

test('a folder: a YAML file that never had a schedule is not reported when it changes or goes', async () => {
  const bed = await Bed.of(daily);
  bed.rig.write('lists/one.yaml', pipelineOf(daily).replace('pipeline: p', 'pipeline: one'));
  bed.rig.write('lists/other.yaml', 'pictures: [1, 2]\n');
  const stop = new AbortController();
  const { clock, rig } = bed;
  clock.at(clock.now() + day / 4, () => {
    rig.write('lists/other.yaml', 'pictures: [1, 2, 3]\n');
    clock.at(clock.now() + day / 4, () => {
      for (const name of ['one', 'other']) rmSync(rig.path(`lists/${name}.yaml`));
      clock.at(clock.now() + day / 4, () => stop.abort());
    });
  });
  const files: string[] = [];
  await scheduleWith(
    [rig.path('lists')],
    {
      ...{ clock, env: envOf(bed.local), signal: stop.signal },
      onEvent: (event) => {
        if (event.type === 'unscheduled') files.push(event.file);
      },
    },
    {},
  );
  expect(files).toEqual([rig.path('lists/one.yaml')]);
});

test('two files with one state file: the second is refused', async () => {
  const bed = await Bed.of(daily);
  bed.rig.write('copy.yaml', pipelineOf(daily));
  const files = [bed.rig.file, bed.rig.path('copy.yaml')];
  const scheduled = await resultOf(() =>
    scheduleWith(files, { once: true, env: envOf(bed.local) }, {}),
  );
  expect(scheduled.ok ? '' : renderProblem(scheduled.error)).toContain('has the same state file');
});

longTest(
  'a log has the pipeline, the due time and the beginning of the run on each line about a run',
  async () => {
    const rig = new Rig(pipelineOf(`cron: "${dueAMinuteAgo()}"`));
    const args = ['schedule', 'pipeline.yaml', '--once', '--rehearse', '--log', 'run.log'];
    expect(await rig.command(args)).toMatchObject({ code: 0 });
    const lines: readonly { msg: string; run?: string }[] = rig
      .read('run.log')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const due = expect.stringMatching(/^20.*:00\+00:00$/);
    const tasks = lines.filter(({ msg }) => msg === 'task');
    expect(tasks).not.toEqual([]);
    const run = lines.find(({ msg }) => msg === 'started')?.run;
    expect(run).toEqual(expect.any(String));
    for (const line of tasks) expect(line).toMatchObject({ pipeline: 'p', due, run });
    expect(lines.map(({ msg }) => msg)).toEqual(
      expect.arrayContaining(['scheduled', 'due', 'ran']),
    );
  },
);

test('SIGTERM in the middle of a run ends the process in order, and the next one continues it', async () => {
  const rendering = clockwork(Date.now());
  const local = await service({ ...rendering.options, speed: 'realtime' });
  const rig = new Rig(pipelineOf(`cron: "${dueAMinuteAgo()}"`));
  const bed = new Bed(rig, local, new VirtualClock(Date.now(), 1));
  const once = ['schedule', 'pipeline.yaml', '--once', '--json'];
  const child = rig.start(once, envOf(local));
  const end = ended(child);
  await until('a picture is paid', () => bed.paid.length > 0);
  child.kill('SIGTERM');
  const { code, stdout } = await end;
  expect(code).toBe(130);
  expect(stdout).toContain('"outcome":"interrupted"');
  const [begun] = bed.runLines;
  expect(bed.runLines.map(({ ended: at }) => at)).toEqual([undefined]);
  const [first] = bed.paid;
  rendering.pass(hour);
  expect(await bed.once()).toMatchObject({ ends: ['done'] });
  expect(bed.runLines).toMatchObject([{ run: begun?.run, ended: expect.anything() }]);
  expect(bed.paid).toEqual([first]);
});
