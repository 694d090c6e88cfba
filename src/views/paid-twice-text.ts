// Requests for which two attempts were paid, each without knowing of the other: on two branches, or in two copies of a folder.
import { printable } from '../base/printable.ts';
import { count } from '../base/text.ts';
import { creditsOf, isUnexpected, projectOf } from '../model/record/job.ts';
import type { Job } from '../model/record/line.ts';

export interface PaidTwice {
  readonly job: string;
  readonly tasks: readonly string[];
  /** In the order in which they were sent. */
  readonly attempts: readonly {
    readonly name: string;
    readonly at: string;
    readonly project?: string | undefined;
    readonly credits: number;
  }[];
}

export function paidTwiceOf({ job, tasks, attempts }: Job): PaidTwice {
  const paid = attempts.filter(isUnexpected).sort((a, b) => (a.at < b.at ? -1 : 1));
  return {
    job,
    tasks,
    attempts: paid.map((one) => ({
      name: one.name,
      at: one.at,
      project: projectOf(one),
      credits: creditsOf(one),
    })),
  };
}

/** One sentence for every command; `accept`: the command line. */
export function paidTwiceText(paidTwice: readonly PaidTwice[], accept: string): string {
  const [first] = paidTwice;
  const which =
    first === undefined ? '' : ` (${whoseText(first)}${paidTwice.length > 1 ? ' …' : ''})`;
  return `paid twice: ${count(paidTwice.length, 'request')}${which}, ${count(secondCredits(paidTwice), 'credit')} for the second time, because two runs did not know of each other; shotlist status lists them, and ${accept} ends this warning`;
}

const secondCredits = (paidTwice: readonly PaidTwice[]): number =>
  paidTwice.reduce(
    (sum, { attempts }) => sum + attempts.slice(1).reduce((all, { credits }) => all + credits, 0),
    0,
  );

const whoseText = ({ job, tasks }: PaidTwice): string =>
  tasks.length === 0 ? `job ${job.slice(0, 12)}…` : printable(tasks.join(', '));

/** --json has all. */
const maxListed = 20;

export function paidTwiceLines(paidTwice: readonly PaidTwice[]): readonly string[] {
  const shown = paidTwice.slice(0, maxListed);
  const rest = paidTwice.length - shown.length;
  return [
    `PAID TWICE: ${count(paidTwice.length, 'request')}; the second payments are ${count(secondCredits(paidTwice), 'credit')}:`,
    ...shown.flatMap((one) => [`  ${whoseText(one)}`, ...one.attempts.map(attemptLine)]),
    ...(rest === 0 ? [] : [`  … and ${rest} more`]),
    'The state file has them all. Look at the other projects in the hub: their results are yours too.',
  ];
}

function attemptLine({ name, at, project, credits }: PaidTwice['attempts'][number]): string {
  const what =
    project === undefined
      ? `an attempt named ${printable(JSON.stringify(name))}`
      : `project ${printable(project)}`;
  return `    ${what}, ${at.slice(0, 16).replace('T', ' ')}, ${count(credits, 'credit')}`;
}
