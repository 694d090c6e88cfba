// The fields of a pipeline about runs that nobody watches: when they start, whom they tell, and where results are kept.
import { durationPattern } from '../../contract/base/duration.ts';
import { webhookPattern } from './schema-patterns.ts';

const hookSchema = {
  type: 'object',
  additionalProperties: false,
  minProperties: 1,
  maxProperties: 1,
  properties: {
    command: {
      type: 'array',
      minItems: 1,
      items: { type: 'string', minLength: 1 },
      description:
        'A program and its arguments. The program runs in the folder of the pipeline file, without a shell, and reads the summary as JSON from standard input.',
    },
    webhook: {
      type: 'string',
      pattern: webhookPattern,
      description: 'An https address that gets the summary as JSON by POST.',
    },
  },
} as const;

export const unattendedShape = {
  schedule: {
    type: 'object',
    description: 'When `shotlist schedule` runs the pipeline.',
    additionalProperties: false,
    required: ['cron'],
    properties: {
      cron: {
        type: ['string', 'array'],
        minLength: 1,
        minItems: 1,
        items: { type: 'string', minLength: 1 },
        description:
          'One or more cron expressions of five fields: minute, hour, day of the month, month, day of the week. For example `0 7 * * *`.',
      },
      time_zone: {
        type: 'string',
        minLength: 1,
        default: 'UTC',
        description:
          'An IANA time zone such as `Europe/Berlin`. `run.date`, `budget.per_day` and `budget.per_month` follow it.',
      },
      jitter: {
        type: 'string',
        pattern: durationPattern,
        default: '0s',
        description: 'Each run starts up to this much later, by chance.',
      },
      catch_up: {
        type: 'string',
        enum: ['none', 'last', 'all'],
        default: 'last',
        description:
          'Which runs to make up for after a time without `shotlist schedule`: none, the last one, or all.',
      },
      overlap: {
        type: 'string',
        enum: ['skip', 'queue'],
        default: 'skip',
        description:
          'What happens to a run that is due while the previous one still runs: `skip` leaves it out, `queue` runs it afterwards.',
      },
    },
  },
  on_finish: { ...hookSchema, description: 'What to call when a run has ended.' },
  on_doubt: {
    ...hookSchema,
    description: 'What to call when a run has ended with tasks in doubt.',
  },
  outputs: {
    type: 'object',
    description: 'Where else results are kept, so that every checkout can fetch them.',
    additionalProperties: false,
    required: ['store'],
    properties: {
      store: {
        type: 'string',
        minLength: 1,
        description:
          'A folder, relative to the pipeline file, or an S3-compatible bucket: `s3://bucket/prefix`.',
      },
    },
  },
} as const;
