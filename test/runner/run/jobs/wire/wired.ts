// Runs whose orders and outcomes cross a wire: each becomes JSON, is read with its schema, and only what was read is used.
import type { Result } from '../../../../../src/contract/base/result.ts';
import type { RunInternals } from '../../../../../src/runner/operations/run.ts';
import type { JobOrder, JobOutcome } from '../../../../../src/runner/run/jobs/job.ts';
import type { Notice, Runner } from '../../../../../src/runner/run/jobs/ports.ts';
import { readOrder } from '../../../../../src/runner/run/jobs/wire/order-schema.ts';
import { readOutcome } from '../../../../../src/runner/run/jobs/wire/outcome-schema.ts';

/** What has crossed the wire, and the same as its sender had it. */
export class Wire {
  readonly orders: { readonly sent: JobOrder; readonly read: JobOrder }[] = [];
  readonly outcomes: { readonly sent: JobOutcome; readonly read: JobOutcome }[] = [];

  readonly internals: RunInternals = {
    runner: (runner: Runner): Runner => ({
      ...runner,
      start: (sent) => {
        const read = good(sent, readOrder(passed(sent)));
        this.orders.push({ sent, read });
        runner.start(read);
      },
      next: async () => (await runner.next()).map((notice) => this.#heard(notice)),
    }),
  };

  #heard(notice: Notice): Notice {
    if (notice.is !== 'ended') return notice;
    const read = good(notice.outcome, readOutcome(passed(notice.outcome)));
    this.outcomes.push({ sent: notice.outcome, read });
    return { ...notice, outcome: read };
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
