// shotlist refresh: asks the service for every known project, and updates the state file. shotlist audit: compares the ledger
// with the service's own figures; exit code 1: they differ.

import { printable } from '../../base/printable.ts';
import { count } from '../../base/text.ts';
import type { AuditFlags, RefreshFlags } from '../../terminal/flags.ts';
import { command } from '../command.ts';
import { type Audited, audit } from './audit.ts';
import { type Refreshed, refresh } from './refresh.ts';

export const refreshCommand = (file: string, flags: RefreshFlags): Promise<number> =>
  command(file, flags, (pipeline, reports) => refresh(pipeline, { ...flags, ...reports }), {
    text: refreshText,
    exitCode: ({ unread }) => (unread.length > 0 ? 1 : 0),
  });

export const auditCommand = (file: string, flags: AuditFlags): Promise<number> =>
  command(file, flags, (pipeline, reports) => audit(pipeline, { ...flags, ...reports }), {
    text: auditText,
    exitCode: ({ differences, jobs, credits }) =>
      differences.length > 0 || jobs !== credits.charged ? 1 : 0,
  });

const whose = (tasks: readonly string[], project: string): string =>
  printable(`${tasks.join(', ') || 'no task'}: project ${project}`);

function refreshText({ projects, changes, unread }: Refreshed): string {
  const lines = [
    `${count(projects, 'project')} read: ${changes.length === 0 ? 'nothing changed.' : `${count(changes.length, 'change')}.`}`,
    ...changes.map(({ tasks, project, what, why, before, after }) => {
      const credits = before === after ? '' : ` (${before} → ${after} credits)`;
      return `  ${what}: ${whose(tasks, project)}: ${printable(why)}${credits}`;
    }),
    ...unread.map(({ project, why }) => `  not read: ${printable(project)}: ${printable(why)}`),
  ];
  if (changes.some(({ what }) => what === 'lost'))
    lines.push('To replace lost results, pay for them again: run --pay-again.');
  return lines.join('\n');
}

export function auditText(audited: Audited): string {
  const { projects, credits, jobs, differences, unreported, doubts } = audited;
  const lines = [`${count(projects, 'project')}; credits: ${credits.charged} charged.`];
  if (unreported.projects > 0)
    lines.push(
      `The service no longer reports ${count(unreported.projects, 'project')}, for example after a deletion; by the state file, they cost ${count(unreported.credits, 'credit')}.`,
    );
  if (doubts.jobs > 0)
    lines.push(
      `In doubt: ${count(doubts.jobs, 'creation')}, ${count(doubts.credits, 'credit')} set aside.`,
    );
  if (jobs !== credits.charged)
    lines.push(
      `The jobs add up to ${count(jobs, 'credit')}, the runs add up to ${credits.charged}; the two must be equal.`,
    );
  for (const { tasks, project, recorded, reported, why } of differences)
    lines.push(
      `  differs: ${whose(tasks, project)}: ${recorded} recorded, ${reported} reported: ${printable(why)}`,
    );
  if (differences.length === 0 && jobs === credits.charged) lines.push('The ledgers agree.');
  return lines.join('\n');
}
