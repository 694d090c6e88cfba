// Runs whose orders and outcomes cross a wire: each becomes JSON, is read with its schema, and only what was read is used.
import type { Result } from '../../../../../src/base/result.ts';
import type { RunInternals } from '../../../../../src/features/run/run.ts';
import type { JobOrder, JobOutcome } from '../../../../../src/run/jobs/job.ts';
import type { Performer } from '../../../../../src/run/jobs/ports.ts';
import { readOrder, readOutcome } from '../../../../../src/run/jobs/wire-schemas.ts';

/** What has crossed the wire, and the same as its sender had it. */
export class Wire {
  readonly orders: { readonly sent: JobOrder; readonly read: JobOrder }[] = [];
  readonly outcomes: { readonly sent: JobOutcome; readonly read: JobOutcome }[] = [];

  readonly internals: RunInternals = {
    performer: (performer: Performer): Performer => ({
      ...performer,
      perform: async (sent, desk) => {
        const read = good(sent, readOrder(passed(sent)));
        this.orders.push({ sent, read });
        return this.#heard(await performer.perform(read, desk));
      },
    }),
  };

  #heard(sent: JobOutcome): JobOutcome {
    const read = good(sent, readOutcome(passed(sent)));
    this.outcomes.push({ sent, read });
    return read;
  }

  operations(): readonly string[] {
    return [...new Set(this.orders.map(({ read }) => read.operation))].sort();
  }
}

const passed = (value: JobOrder | JobOutcome): unknown => JSON.parse(JSON.stringify(value));

function good<T>(sent: unknown, read: Result<T, string>): T {
  if (read.ok) return read.value;
  throw new Error(`${JSON.stringify(sent)} did not pass: ${read.error}`);
}
