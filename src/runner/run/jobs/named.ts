// Puts the names of a person's own files in the place of the service's addresses, before a sentence of the service is
// recorded or shown.
import type { NewEvent } from '../../journal/line.ts';
import type { JobOutcome } from './job.ts';
import { stopped } from './outcome.ts';
import type { Performance } from './performance.ts';

type Names = Readonly<Record<string, string>>;

/** The same performance, with own names in its events and in its outcome. */
export async function* inOwnNames(performance: Performance, names: Names = {}): Performance {
  const known = Object.entries(names).sort(([one], [other]) => other.length - one.length);
  if (known.length === 0) return yield* performance;
  try {
    for (;;) {
      const step = await performance.next();
      if (step.done === true) return renamedOutcome(step.value, known);
      const { value } = step;
      yield 'ask' in value ? value : { ...value, event: renamedEvent(value.event, known) };
    }
  } finally {
    // Whoever drives may end the job early: then the performance tidies up, too.
    await performance.return(stopped);
  }
}

type Known = readonly (readonly [string, string])[];

const renamed = (text: string, known: Known): string =>
  known.reduce((sentence, [address, file]) => sentence.replaceAll(address, file), text);

function renamedEvent(event: NewEvent, known: Known): NewEvent {
  if (event.event === 'doubt') return { ...event, why: renamed(event.why, known) };
  if (event.event !== 'settled' || event.error === undefined) return event;
  const { code, message } = event.error;
  return { ...event, error: { code, message: renamed(message, known) } };
}

function renamedOutcome(outcome: JobOutcome, known: Known): JobOutcome {
  if (outcome.is !== 'ended' && outcome.is !== 'resupply') return outcome;
  const why = renamed(outcome.why, known);
  if (outcome.is === 'resupply') return { ...outcome, why };
  const named = [...new Set(known.map(([, file]) => file))].filter((file) => why.includes(file));
  return { ...outcome, why, ...(named.length === 0 ? {} : { named }) };
}
