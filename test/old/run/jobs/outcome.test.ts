// How a job ends after a failed call, by what the call was for.
import { describe, expect, test } from 'vitest';
import type { ApiFailure } from '../../../../src/contract/api/failure.ts';
import type { JobOutcome } from '../../../../src/run/jobs/job.ts';
import { type Call, outcomeOf, unsaved } from '../../../../src/run/jobs/outcome.ts';

const failures: Readonly<Record<ApiFailure['reason'], ApiFailure>> = {
  unauthorized: { reason: 'unauthorized', message: '' },
  'payment-required': { reason: 'payment-required', message: '' },
  forbidden: { reason: 'forbidden', message: '' },
  'not-found': { reason: 'not-found', message: '' },
  expired: { reason: 'expired', message: '' },
  refused: { reason: 'refused', status: 422, message: '' },
  'missing-asset': { reason: 'missing-asset', message: '' },
  throttled: { reason: 'throttled', message: '' },
  unavailable: { reason: 'unavailable', status: 503, message: '' },
  unreachable: { reason: 'unreachable', message: '' },
  unanswered: { reason: 'unanswered', message: '' },
  damaged: { reason: 'damaged', message: '' },
  local: { reason: 'local', message: '' },
  outage: { reason: 'outage', message: '' },
  'no-answers': { reason: 'no-answers', message: '' },
  late: { reason: 'late', message: '' },
  aborted: { reason: 'aborted', message: '' },
};

/** `failed +credits`: it stops what else needs credits. */
function shown(outcome: JobOutcome): string {
  if (outcome.is !== 'ended') return outcome.is;
  return outcome.stops === undefined ? outcome.ending : `${outcome.ending} +${outcome.stops}`;
}

type Row = readonly [ApiFailure['reason'], string, string, string, string];

const calls: readonly Call[] = ['create', 'supply', 'read', 'save'];

test.each<Row>([
  [
    'unauthorized',
    'pending +unauthorized',
    'pending +unauthorized',
    'pending +unauthorized',
    'pending +unauthorized',
  ],
  ['outage', 'pending +outage', 'pending +outage', 'pending +outage', 'pending +outage'],
  ['aborted', 'pending', 'pending', 'pending', 'pending'],
  ['payment-required', 'pending +credits', 'failed', 'pending', 'pending'],
  [
    'no-answers',
    'pending +unanswered',
    'pending +unanswered',
    'pending +unanswered',
    'pending +unanswered',
  ],
  ['local', 'pending +machine', 'pending +machine', 'pending', 'pending +machine'],
  ['forbidden', 'failed +step', 'failed +step', 'pending', 'pending'],
  ['missing-asset', 'resupply', 'resupply', 'pending', 'pending'],
  ['not-found', 'failed', 'failed', 'pending', 'pending'],
  ['expired', 'failed', 'failed', 'pending', 'pending'],
  ['refused', 'failed', 'failed', 'pending', 'pending'],
  ['throttled', 'failed', 'failed', 'pending', 'pending'],
  ['unavailable', 'failed', 'failed', 'pending', 'pending'],
  ['unreachable', 'failed', 'failed', 'pending', 'pending'],
  ['late', 'failed', 'failed', 'pending', 'pending'],
  ['damaged', 'failed', 'failed', 'pending', 'pending'],
  ['unanswered', 'doubt', 'failed', 'pending', 'pending'],
])('%s: a creation %s, a supply %s, a read %s, a download %s', (reason, ...endings) => {
  expect(calls.map((call) => shown(outcomeOf(call, failures[reason])))).toEqual(endings);
});

describe('what the outcome says', () => {
  test('is the failure, in its own words', () => {
    expect(outcomeOf('create', { reason: 'refused', status: 422, message: 'no face' })).toEqual({
      ...{ is: 'ended', ending: 'failed', code: 'refused' },
      why: 'the service refused the request (422): no face',
    });
  });

  test('is that the project could not be read, where it is paid and the reading fails', () => {
    expect(outcomeOf('read', failures['not-found'])).toMatchObject({
      why: expect.stringMatching(/^its project could not be read: /),
    });
  });

  test('is only that it was stopped, where we stopped it', () => {
    for (const call of calls)
      expect(outcomeOf(call, failures.aborted)).toMatchObject({ why: 'stopped' });
  });
});

describe('a file that cannot be written', () => {
  test('stops everything that pays where the machine is the trouble', () => {
    expect(shown(unsaved({ message: 'out: no space left', systemic: true }))).toBe(
      'pending +machine',
    );
  });

  test('leaves its result to the next run where the file is', () => {
    expect(unsaved({ message: 'a.png is a folder', systemic: false })).toEqual({
      ...{ is: 'ended', ending: 'pending', why: 'a.png is a folder' },
    });
  });
});
