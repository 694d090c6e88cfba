// What a live view shows at one moment, as plain data: it becomes the lines of a terminal, and a run writes it into its live
// file, for `status`.
import type { FromSchema } from 'json-schema-to-ts';
import type { RunView, StepProgress } from '../../core/run-view.ts';
import { isLate, mostPlanned, timeLeft } from './time-left.ts';

const text = { type: 'string' } as const;
const count = { type: 'integer', minimum: 0 } as const;
const milliseconds = { type: 'number', minimum: 0 } as const;
const credits = { type: 'number', minimum: 0 } as const;

const stageSchema = {
  oneOf: [
    {
      type: 'object',
      additionalProperties: false,
      required: ['is', 'seen', 'of'],
      properties: { is: { const: 'planning' }, seen: count, of: count },
    },
    {
      type: 'object',
      additionalProperties: false,
      required: ['is'],
      properties: { is: { type: 'string', enum: ['connecting', 'working'] } },
    },
    {
      type: 'object',
      additionalProperties: false,
      required: ['is', 'why', 'forMs'],
      properties: { is: { const: 'waiting' }, why: text, forMs: milliseconds },
    },
    {
      type: 'object',
      additionalProperties: false,
      required: ['is', 'why'],
      properties: { is: { const: 'stopping' }, why: text },
    },
  ],
} as const;

const stepSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['step', 'done', 'running', 'queued', 'failed', 'doubt', 'notRun'],
  properties: {
    step: text,
    done: { ...count, description: 'Reused ones included.' },
    running: count,
    queued: count,
    failed: count,
    doubt: count,
    notRun: { ...count, description: 'Skipped, blocked, or left for later.' },
  },
} as const;

const happeningSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['what', 'name'],
  properties: {
    what: { type: 'string', enum: ['done', 'failed', 'doubt'] },
    name: { ...text, description: 'A task, or an item that is over.' },
    why: text,
    credits,
    tookMs: milliseconds,
  },
} as const;

export const liveSchema = {
  type: 'object',
  additionalProperties: false,
  required: [
    ...['pipeline', 'rehearsal', 'version', 'elapsedMs', 'stage', 'share', 'items', 'charged'],
    ...['steps', 'atWork', 'troubles', 'done'],
  ],
  properties: {
    pipeline: text,
    rehearsal: { type: 'boolean' },
    version: { ...count, description: 'Rises with everything but the time.' },
    elapsedMs: milliseconds,
    stage: stageSchema,
    share: { type: 'number', minimum: 0, maximum: 1, description: 'Of the tasks, those over.' },
    items: {
      type: 'object',
      additionalProperties: false,
      required: ['total', 'done', 'skipped', 'failed', 'doubt', 'open'],
      properties: {
        total: count,
        done: count,
        skipped: count,
        failed: count,
        doubt: count,
        open: count,
      },
    },
    charged: { ...credits, description: 'Also for projects that still render.' },
    planned: { ...credits, description: 'The most that the plan may take; absent if unknown.' },
    budget: credits,
    creditDollars: {
      type: 'number',
      minimum: 0,
      description: 'The price of a credit in US dollars; absent if unknown, and in a rehearsal.',
    },
    timeLeftMs: milliseconds,
    itemsPerMinute: { type: 'number', minimum: 0 },
    steps: { type: 'array', items: stepSchema },
    atWork: {
      type: 'array',
      description: 'The tasks that have been at work the longest.',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['task', 'forMs'],
        properties: {
          task: text,
          forMs: milliseconds,
          late: { type: 'boolean', description: 'It takes several times as long as usual.' },
        },
      },
    },
    troubles: { type: 'array', items: happeningSchema, description: 'The last first.' },
    done: { type: 'array', items: happeningSchema },
  },
} as const;

type Immutable<T> = { readonly [K in keyof T]: Immutable<T[K]> };

export type LiveFacts = Immutable<FromSchema<typeof liveSchema>>;
export type StepFacts = LiveFacts['steps'][number];

const maxTasksNamed = 10;

/** `now`: by the clock of the view. */
export function liveFacts(view: RunView, now: number): LiveFacts {
  const { pipeline, rehearsal, version, began, charged, creditDollars } = view;
  const { plan, budget } = view.planned ?? {};
  const { items, steps, troubles, done } = view;
  return {
    pipeline,
    rehearsal,
    version,
    elapsedMs: Math.max(0, now - began),
    stage: stageAt(view.stage, now),
    share: shareOf(steps.values()),
    items: { total: plan?.items ?? 0, ...items },
    charged,
    planned: mostPlanned(view),
    budget,
    creditDollars,
    timeLeftMs: timeLeft(view, now),
    itemsPerMinute: rateAt(view, now),
    steps: Array.from(steps.values(), stepFacts),
    atWork: atWorkAt(view, now),
    troubles: [...troubles],
    done: [...done],
  };
}

function stageAt(stage: RunView['stage'], now: number): LiveFacts['stage'] {
  if (stage.is !== 'waiting') return stage;
  return { is: 'waiting', why: stage.why, forMs: Math.max(0, now - stage.since) };
}

/** The share of the tasks that are over, from 0 to 1. */
function shareOf(steps: Iterable<StepProgress>): number {
  let [ended, all] = [0, 0];
  for (const step of steps) {
    ended += step.ended;
    all += step.total;
  }
  return all === 0 ? 0 : ended / all;
}

/** Finished items per minute; undefined if too few are finished for a rate. */
function rateAt({ changed, firstBegin }: RunView, now: number): number | undefined {
  if (changed < 3 || firstBegin === undefined) return undefined;
  const minutes = (now - firstBegin) / 60_000;
  return minutes <= 0 ? undefined : changed / minutes;
}

/** The tasks that have been at work the longest. */
const atWorkAt = ({ atWork, stage, speed }: RunView, now: number): LiveFacts['atWork'] =>
  [...atWork].slice(0, maxTasksNamed).map(([task, { step, since }]) => {
    const late = stage.is === 'working' && isLate(step, now - since, speed);
    return { task, forMs: Math.max(0, now - since), ...(late && { late }) };
  });

const stepFacts = (step: StepProgress): StepFacts => ({
  step: step.step,
  done: step.of('done') + step.of('reused'),
  running: step.running,
  queued: step.queued,
  failed: step.of('failed'),
  doubt: step.of('doubt'),
  notRun: (['skipped', 'excluded', 'blocked', 'pending', 'rendering', 'later'] as const).reduce(
    (sum, ending) => sum + step.of(ending),
    0,
  ),
});
