// What a state file says: jobs by step kind and state, credits, and what needs a person.

import { printable } from '../base/printable.ts';
import type { Account, Ledger } from '../journal/ledger.ts';
import type { JobLine } from '../journal/line.ts';
import { count, table } from './text.ts';

export interface Doubt {
  readonly tasks: readonly string[];
  readonly name: string;
  readonly since: string;
  readonly reserved: number;
}

export interface Failure {
  readonly task: string;
  readonly why: string;
}

export interface Status {
  readonly runs: number;
  readonly lastRun?: { readonly at: string; readonly ended?: string };
  readonly credits: Account;
  /** Jobs by step kind, then by state. */
  readonly jobs: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly outputs: number;
  /** Paid and complete, with no file on disk recorded. */
  readonly unsaved: readonly string[];
  readonly doubts: readonly Doubt[];
  readonly failures: readonly Failure[];
  readonly skipped: number;
}

export function statusOf(ledger: Ledger): Status {
  const jobs: Record<string, Record<string, number>> = {};
  const doubts: Doubt[] = [];
  const failures: Failure[] = [];
  const unsaved: string[] = [];
  let outputs = 0;
  for (const job of ledger.jobs()) {
    const states = jobs[job.kind] ?? {};
    states[job.state] = (states[job.state] ?? 0) + 1;
    jobs[job.kind] = states;
    outputs += job.outputs?.length ?? 0;
    if (job.state === 'doubt' || job.state === 'intended') doubts.push(doubtOf(job));
    if (job.state === 'failed')
      failures.push({ task: job.tasks.join(', '), why: job.error?.message ?? 'unknown' });
    if (job.state === 'complete' && (job.outputs?.length ?? 0) === 0) unsaved.push(...job.tasks);
  }
  const tasks = ledger.tasks();
  failures.push(
    ...tasks.filter(({ state }) => state === 'failed').map(({ task, why }) => ({ task, why })),
  );
  const last = ledger.runs().at(-1);
  return {
    runs: ledger.runs().length,
    ...(last === undefined
      ? {}
      : { lastRun: { at: last.at, ...(last.ended === undefined ? {} : { ended: last.ended }) } }),
    credits: ledger.total,
    jobs,
    outputs,
    unsaved,
    doubts,
    failures,
    skipped: tasks.filter(({ state }) => state === 'skipped').length,
  };
}

const doubtOf = (job: JobLine): Doubt => ({
  tasks: job.tasks,
  name: job.name ?? '',
  since: job.at,
  reserved: job.reserve ?? 0,
});

export function statusText(status: Status, file: string): string {
  const { credits, lastRun } = status;
  const ended =
    lastRun?.ended === undefined
      ? 'was interrupted, or is still running'
      : `ended ${lastRun.ended}`;
  const rows = Object.entries(status.jobs).map(([kind, states]) => [
    kind,
    Object.entries(states)
      .map(([state, n]) => `${n} ${state === 'intended' ? 'doubt' : state}`)
      .join(', '),
  ]);
  const lines = [
    `${printable(file)}: ${count(status.runs, 'run')}${lastRun === undefined ? '' : `; the last began ${printable(lastRun.at)} and ${printable(ended)}`}`,
    table(rows),
    `Credits: ${credits.charged - credits.refunded} charged, ${credits.refunded} refunded, ${credits.reserved} in doubt. ` +
      `Files saved: ${status.outputs}. Skipped tasks: ${status.skipped}.`,
  ];
  for (const { tasks, name, since, reserved } of status.doubts)
    lines.push(
      `IN DOUBT: ${printable(tasks.join(', '))}: begun ${printable(since)}, ${count(reserved, 'credit')} set aside. ` +
        `Look in the service's hub for a project named ${printable(JSON.stringify(name))}.`,
    );
  for (const task of status.unsaved)
    lines.push(`paid, not saved yet: ${printable(task)}; the next run fetches it`);
  for (const { task, why } of status.failures)
    lines.push(`failed: ${printable(task)}: ${printable(why)}`);
  return printable(lines.join('\n'), true);
}
