// Which event may follow which state of a job, and the state that follows: asked of the transition function itself about
// sample jobs, so that the guard in the database cannot drift from it.
import { unknownKind } from '../../model/job-kind.ts';
import type { JobLine, NewEvent } from '../../model/line.ts';
import { jobSchema } from '../../model/line-schemas.ts';
import { type JobEvent, jobFacts, stateAfter } from '../../model/state.ts';

type NewJobEvent = Extract<NewEvent, { readonly job: string }>;

/**
 * The event's name, with what decides its move. The function in the database appends the rest: whether an amended project
 * is the current one or a past one, whether a file is recorded, whether the job is itself a take, whether its kind is
 * unknown, and whether an adopted attempt is the current one.
 */
export function variantOf(event: NewJobEvent): string {
  switch (event.event) {
    case 'settled':
      return `settled ${event.status}`;
    case 'deleted':
      return event.why === undefined ? 'deleted' : 'deleted why';
    case 'adopted':
      return event.line.job === event.job && event.line.adopted !== undefined
        ? `adopted ${event.line.state}`
        : 'adopted nothing';
    case 'forgotten':
      return event.task === undefined ? 'forgotten' : 'forgotten files';
    default:
      return event.event;
  }
}

const job = '0'.repeat(64);
const before = '2026-01-01T00:00:00.000Z';
const after = '2026-01-02T00:00:00.000Z';
const file = { task: 'save:a', index: 0 };
const digest = '1'.repeat(64);
const paid = { name: 'now', reserve: 1, project: 'now', credits: 1 };
const begun = { name: 'now', reserve: 1 };

const samples: Readonly<Record<JobLine['state'], Partial<JobLine>>> = {
  supplied: {},
  intended: begun,
  doubt: begun,
  created: paid,
  complete: paid,
  deleted: paid,
  failed: paid,
  forgotten: {},
};

const sampleOf = (state: JobLine['state']): JobLine => ({
  job,
  kind: 'face-swap-photo',
  state,
  tasks: ['swap:a'],
  attempt: 1,
  at: before,
  ...samples[state],
  past: [{ name: 'past', project: 'past', credits: 1 }],
  outputs: [{ ...file, path: 'a.png', bytes: 1, sha256: digest }],
});

interface Case {
  readonly variant: string;
  readonly event: NewJobEvent;
  readonly change?: Partial<JobLine>;
}

const upload = { task: 'upload:a', kind: 'upload', result: {} };
const settled = (status: 'complete' | 'error' | 'canceled' | 'not_taken' | 'abandoned'): Case => ({
  variant: `settled ${status}`,
  event: { event: 'settled', job, status, credits: 1 },
});

const states: readonly JobLine['state'][] = jobSchema.properties.state.enum;

const adopted = (state: JobLine['state'], isSame: boolean): Case => ({
  variant: `adopted ${state}${isSame ? ' same' : ''}`,
  event: { event: 'adopted', job, line: { ...sampleOf(state), name: 'next', adopted: before } },
  ...(isSame ? { change: { name: 'next', adopted: before } } : {}),
});

const cases: readonly Case[] = [
  {
    variant: 'intent',
    event: {
      event: 'intent',
      job,
      task: 'swap:a',
      kind: 'face-swap-photo',
      attempt: 2,
      name: 'next',
      reserve: 1,
    },
  },
  { variant: 'created', event: { event: 'created', job, project: 'now', credits: 1 } },
  settled('complete'),
  settled('error'),
  settled('canceled'),
  settled('not_taken'),
  settled('abandoned'),
  { variant: 'doubt', event: { event: 'doubt', job, why: 'why' } },
  { variant: 'supplied', event: { event: 'supplied', job, ...upload } },
  {
    variant: 'supplied unknown',
    event: { event: 'supplied', job, ...upload },
    change: { kind: unknownKind },
  },
  { variant: 'serves', event: { event: 'serves', job, task: 'swap:b' } },
  {
    variant: 'output',
    event: { event: 'output', job, ...file, path: 'a.png', bytes: 1, sha256: digest },
  },
  { variant: 'stored', event: { event: 'stored', job, ...file, store: '2'.repeat(16) } },
  {
    variant: 'stored nothing',
    event: { event: 'stored', job, ...file, store: '2'.repeat(16) },
    change: { outputs: [] },
  },
  { variant: 'pruned', event: { event: 'pruned', job, ...file } },
  {
    variant: 'pruned nothing',
    event: { event: 'pruned', job, ...file },
    change: { outputs: [] },
  },
  { variant: 'deleted', event: { event: 'deleted', job, task: 'tidy:a' } },
  { variant: 'deleted why', event: { event: 'deleted', job, why: 'why' } },
  { variant: 'amended now', event: { event: 'amended', job, project: 'now', credits: 2 } },
  { variant: 'amended past', event: { event: 'amended', job, project: 'past', credits: 2 } },
  { variant: 'amended nothing', event: { event: 'amended', job, project: 'none', credits: 2 } },
  { variant: 'forgotten', event: { event: 'forgotten', job } },
  { variant: 'forgotten files', event: { event: 'forgotten', job, task: 'save:a' } },
  { variant: 'picked', event: { event: 'picked', job, take: 2 } },
  {
    variant: 'picked take',
    event: { event: 'picked', job, take: 2 },
    change: { take: { of: job, number: 2 } },
  },
  ...states.flatMap((state) => [adopted(state, false), adopted(state, true)]),
];

/** The state that follows, by the state before (`none`: there is no job) and the variant of the event. */
export const moves: Readonly<Record<string, string>> = Object.fromEntries(
  cases.flatMap(({ variant, event, change }) =>
    ['none' as const, ...states].flatMap((state) => {
      const line = state === 'none' ? undefined : { ...sampleOf(state), ...change };
      const whole: JobEvent = { ...event, at: after };
      const moved = stateAfter(line, whole);
      return moved.ok ? [[`${state} ${variant}`, moved.value.state]] : [];
    }),
  ),
);

/** The states in which the reserve of a job is set aside. */
export const reserving: readonly JobLine['state'][] = states.filter(
  (state) => jobFacts[state].inDoubt,
);
