// A person's own names in the service's sentences, whatever becomes of the job.
import { expect, test } from 'vitest';
import { notTaken } from '../../../../src/model/settled.ts';
import { inOwnNames } from '../../../../src/run/jobs/drive.ts';
import type { JobOutcome } from '../../../../src/run/jobs/job.ts';
import type { Performance } from '../../../../src/run/jobs/job-context.ts';
import { failed, stopped } from '../../../../src/run/jobs/outcome.ts';

const names = { 'api-assets/1/a.png': 'photos/cat.png', 'api-assets/1': 'photos/dog.png' };
const said = 'api-assets/1/a.png and api-assets/1 are no pictures';
const known = 'photos/cat.png and photos/dog.png are no pictures';

async function* performance(tidied: () => void): Performance {
  try {
    yield { durable: true, event: { event: 'doubt', job: 'j', why: said } };
    yield { ask: 'send' };
    yield { durable: false, event: notTaken('j', { code: 'refused', message: said }) };
    return failed(said, 'refused');
  } finally {
    tidied();
  }
}

test('stand in every event and in the outcome, which says whose files they are', async () => {
  const own = inOwnNames(
    performance(() => undefined),
    names,
  );
  expect((await own.next()).value).toMatchObject({ event: { why: known } });
  expect((await own.next()).value).toEqual({ ask: 'send' });
  expect((await own.next()).value).toMatchObject({ event: { error: { message: known } } });
  const outcome: JobOutcome = {
    ...failed(known, 'refused'),
    named: ['photos/cat.png', 'photos/dog.png'],
  };
  expect(await own.next()).toEqual({ done: true, value: outcome });
});

test('keep nothing from tidying up when the job is ended early', async () => {
  const tidied: string[] = [];
  const tidies = performance(() => void tidied.push('tidied'));
  const own = inOwnNames(tidies, names);
  await own.next();
  await own.return(stopped);
  expect(tidied).toEqual(['tidied']);
});
