// shotlist repair: lists the damage in a state file, and proposes a state file that is safe. Exit code 1: it is
// damaged.

import { printable } from '../../base/printable.ts';
import { shellPath } from '../../base/shell.ts';
import { count, table } from '../../base/text.ts';
import { shownPath } from '../../files/shown-path.ts';
import type { CreditTotals } from '../../model/ledger.ts';
import type { Share } from '../../state/repair/complement.ts';
import type { Damage } from '../../state/repair/damage.ts';
import type { Orphan } from '../../state/repair/precedence.ts';
import type { JobChange, Repair } from '../../state/repair/proposal.ts';
import type { Gap } from '../../state/repair/salvage.ts';
import type { RepairFlags } from '../../terminal/flags.ts';
import { command } from '../command.ts';
import { stateLines } from '../command-line.ts';
import { type Repaired, repair } from './repair.ts';

export const repairCommand = (file: string, flags: RepairFlags): Promise<number> =>
  command(
    file,
    flags,
    async (pipeline, reports) => {
      const repaired = await repair(pipeline, { ...flags, ...reports });
      return {
        ...repaired,
        again: stateLines(pipeline, flags).line('repair', [], ['--write', newFile]),
      };
    },
    {
      text: ({ again, ...repaired }) => textOf(repaired, again),
      facts: ({ pipeline: _, again: __, ...facts }) => facts,
      exitCode: ({ intact, lacking }) => (intact && !lacking ? 0 : 1),
    },
  );

const newFile = { placeholder: '<new file>' };

function textOf(
  { state, missing, intact, lacking, written, pipeline, damages, proposal }: Repaired,
  again: string,
): string {
  const found = repairText({ damages, ...proposal }, shownPath(state), pipeline);
  if (intact && !lacking) return found;
  const next = proposalText(shownPath(state), written && shownPath(written), again, missing);
  return `${found}\n\n${next}`;
}

// A damaged state file as text: the damage, the changes in the proposal, and what a person must look up.

type RepairFacts = Omit<Repair, 'header' | 'ledger'>;

/** Of each list; --json has all. */
const maxListed = 40;

/** `state` is the damaged file. Names in the hub begin with `pipeline`. */
export function repairText(repair: RepairFacts, state: string, pipeline: string): string {
  const { damages, untouched, changes, orphans, gaps, renumbered, credits, shares } = repair;
  const wrong = damages.filter(({ harmless }) => !harmless).length;
  const others = shareLines(shares);
  if (wrong === 0 && others.length === 0)
    return printable(
      [
        `${printable(state)}: nothing to repair.`,
        ...damages.map((damage) => `  ${placeOf(damage)}: ${printable(damage.what)}`),
      ].join('\n'),
      true,
    );
  const found =
    wrong === 0 ? 'intact, but not all that was paid is in it' : `${count(wrong, 'damage')} found`;
  const lines = [
    `${printable(state)}: ${found}; the file is left as it is.`,
    ...listed(damages, damageLine),
    ...others,
    '',
    `The proposal keeps ${count(untouched, 'job')} as they are${changes.length === 0 ? '.' : ', and:'}`,
    ...listed(changes, changeLine),
    ...listed(renumbered, ({ was, now, at }) => `run ${was} of ${at} becomes run ${now}`),
    'Credits:',
    table([
      ...credits.before.map((account) => [`by ${account.side} alone`, accountText(account)]),
      ['in the proposal', accountText(credits.after)],
    ]),
  ];
  const net = credits.after.charged - credits.after.refunded;
  if (net !== credits.jobs)
    lines.push(
      `  its runs add up to ${net}, its jobs to ${credits.jobs}: the difference is in no line, or in two`,
    );
  if (orphans.length > 0)
    lines.push('', "Look at these in the service's hub: they were paid, or may have been:");
  lines.push(...listed(orphans, orphanLine));
  if (gaps.length > 0)
    lines.push(
      '',
      'UNKNOWN: the missing lines may have been creations, and a run would pay for those again.',
    );
  lines.push(...listed(gaps, gapLine));
  if (gaps.length > 0)
    lines.push(
      `  Look in the hub for projects of that time named "${printable(pipeline)} …" (or as the steps' name: says) before the next run.`,
    );
  return printable(lines.join('\n'), true);
}

/** What only another record knows. */
function shareLines({ head, receipts }: Repair['shares']): readonly string[] {
  return [...shareLine(head, "the version in git's HEAD"), ...shareLine(receipts, 'your receipts')];
}

function shareLine({ added, updated }: Share, where: string): readonly string[] {
  const [one, other] = [jobsAre(added), jobsAre(updated)];
  return [
    ...(added === 0 ? [] : [`${one} only in ${where}.`]),
    ...(updated === 0 ? [] : [`${other} more complete in ${where}.`]),
  ];
}

const jobsAre = (jobs: number): string => `${count(jobs, 'job')} ${jobs === 1 ? 'is' : 'are'}`;

/** What to do with the proposal. `missing`: there is no file in its place. */
export function proposalText(
  state: string,
  written: string | undefined,
  command: string,
  missing = false,
): string {
  const steps =
    written === undefined
      ? [`To write it: ${command}`]
      : missing
        ? [
            `Written: ${written}. To put it in place:`,
            `  mv ${shellPath(written)} ${shellPath(state)}`,
          ]
        : [
            `Written: ${written}. To put it in place, and keep the present one:`,
            `  mv ${shellPath(state)} ${shellPath(`${state}.damaged`)}`,
            `  mv ${shellPath(written)} ${shellPath(state)}`,
          ];
  return printable(steps.join('\n'), true);
}

function listed<T>(list: readonly T[], line: (value: T) => string): readonly string[] {
  const lines = list.slice(0, maxListed).map((value) => `  ${printable(line(value))}`);
  const more = list.length - lines.length;
  return more > 0 ? [...lines, `  … and ${more} more: --json lists all`] : lines;
}

const placeOf = ({ line }: Damage): string => (line === 0 ? 'the file' : `line ${line}`);

function damageLine(damage: Damage): string {
  const { what, begins, tasks = [], harmless } = damage;
  const whose = tasks.length === 0 ? '' : ` (${tasks.join(', ')})`;
  const text = begins === undefined ? '' : `: ${begins}`;
  return `${placeOf(damage)}: ${what}${whose}${harmless ? ' (harmless)' : ''}${text}`;
}

function changeLine(change: JobChange): string {
  const { job, tasks, is, was, state, project, files, credits, why } = change;
  const name = tasks.length === 0 ? `job ${job.slice(0, 12)}…` : tasks.join(', ');
  const before = was.map((known) => known ?? 'not readable').join(' / ');
  const after = state === undefined ? 'free, made again' : state;
  const whose = project === undefined ? '' : `, project ${project}`;
  const bare = state === 'deleted' && files === 0 ? ', its files are no longer recorded' : '';
  const paid = `credits ${credits.before.join(' / ')} → ${credits.after}`;
  const shout = is === 'in doubt' ? 'IN DOUBT' : is;
  return `${shout}: ${name}: ${before} → ${after}${whose}${bare}, ${paid}; ${why}`;
}

const accountText = ({ charged, refunded, reserved }: CreditTotals): string =>
  `${charged} charged, ${refunded} refunded, ${reserved} in doubt`;

function orphanLine({ tasks, project, name, credits, why }: Orphan): string {
  const what = project === undefined ? 'an attempt' : `project ${project}`;
  const named = name === undefined ? '' : ` named ${JSON.stringify(name)}`;
  const paid = credits === undefined ? '' : `, ${count(credits, 'credit')}`;
  return `${what}${named} of ${tasks.join(', ')}${paid}: ${why}`;
}

function gapLine({ events, after, before, between, credits, lines }: Gap): string {
  if (lines !== undefined) return `${count(lines, 'line')} of jobs, runs or failed tasks`;
  if (credits !== undefined) return `jobs of ${count(credits, 'credit')} with no line left`;
  if (between !== undefined) {
    const [above = 'the beginning', below = 'the end'] = between;
    return `at least one job, sorted between ${above} and ${below}`;
  }
  const many = events === undefined ? 'an unknown number of events' : count(events, 'event');
  return `${many}, after ${after ?? 'the beginning'} and before ${before ?? 'the end'}`;
}
