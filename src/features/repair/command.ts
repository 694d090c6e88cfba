// shotlist repair. Exit code 1: something is damaged, missing, paid twice or in a database.
import { printable } from '../../base/printable.ts';
import { shellPath } from '../../base/shell.ts';
import { count } from '../../base/text.ts';
import { shownPath } from '../../files/shown-path.ts';
import type { RepairFlags } from '../../terminal/flags.ts';
import { paidTwiceLines } from '../../views/paid-twice-text.ts';
import { command } from '../command.ts';
import { stateLines } from '../command-line.ts';
import { type Repaired, repair } from './repair.ts';

export const repairCommand = (file: string, flags: RepairFlags): Promise<number> =>
  command(
    file,
    flags,
    async (pipeline, reports) => {
      const repaired = await repair(pipeline, { ...flags, ...reports });
      const line = stateLines(pipeline, flags);
      const again = (flag: string): string => line('repair', [], [flag]);
      return { ...repaired, write: again('--write'), accept: again('--accept') };
    },
    {
      text: ({ write, accept, ...repaired }) => repairText(repaired, write, accept),
      facts: ({ write: _, accept: __, ...facts }) => facts,
      exitCode: (repaired) =>
        repaired.intact && repaired.paidTwice.length === 0 && !isHeldUp(repaired) ? 0 : 1,
    },
  );

/** Of each list; --json has all. */
const maxListed = 40;

/** `write`, `accept`: the command lines. */
export function repairText(repaired: Repaired, write: string, accept: string): string {
  const { state, missing, intact, unreadable, additions, lost, bare, away, paidTwice, copies } =
    repaired;
  const look = `their names begin with ${JSON.stringify(repaired.pipeline)}`;
  const shown = shownPath(state);
  const { jobs, credits } = repaired;
  const known = `${count(jobs, 'job')}, ${count(credits.charged, 'credit')} charged${credits.reserved > 0 ? `, ${credits.reserved} in doubt` : ''}`;
  const lines = [
    missing
      ? `${shown} is missing.`
      : `${shown}: ${unreadable.length === 0 ? 'every line can be read' : `${count(unreadable.length, 'line')} cannot be read`}.`,
    ...unreadable.slice(0, maxListed).map(({ number, why }) => `  line ${number}: ${why}`),
    ...(unreadable.length > maxListed ? [`  … and ${unreadable.length - maxListed} more`] : []),
    ...additions.map(
      ({ name, creations, credits }) =>
        `  added from ${name}: ${count(creations, 'creation')} (${count(credits, 'credit')})`,
    ),
    ...lost.map(({ run, creations }) =>
      creations === 0
        ? `LOST: what the lines that cannot be read said may be in no record. Compare with the projects in the hub: ${look}.`
        : `LOST: ${count(creations, 'creation')} of the run of ${run.slice(0, 16).replace('T', ' ')} are in no record. Look for its projects in the hub: ${look}.`,
    ),
    ...(bare
      ? [
          `LOST: only the header is left, and no other record has any of the lines. Look for the projects in the hub: ${look}.`,
        ]
      : []),
    ...(away === undefined
      ? []
      : [
          `AWAY: the record has been in a database since ${away}, and this file may lack payments. Run it with --engine once more, which brings the record back. If the database is gone, look for the projects in the hub: ${look}.`,
        ]),
    ...(paidTwice.length === 0 ? [] : paidTwiceLines(paidTwice)),
    `All records together: ${known}.`,
    ...nextLines(repaired, { write, accept, shown, copies }),
  ];
  const isWhole = intact && copies.length === 0 && paidTwice.length === 0;
  if (isWhole && !isHeldUp(repaired) && repaired.written === undefined)
    lines.push('There is nothing to repair.');
  // Names, and what a damaged file says, begin no line of their own.
  return lines.map((line) => printable(line)).join('\n');
}

/** Nothing is bought until a person has looked. */
const isHeldUp = ({ lost, bare, away }: Repaired): boolean =>
  lost.length > 0 || bare || away !== undefined;

interface Next {
  readonly write: string;
  readonly accept: string;
  readonly shown: string;
  readonly copies: readonly string[];
}

function nextLines(repaired: Repaired, { write, accept, shown, copies }: Next): readonly string[] {
  const { written, intact, lost, paidTwice } = repaired;
  const rest = isHeldUp(repaired)
    ? [`Nothing is bought until you have looked and say: ${accept}`]
    : [];
  const twice = paidTwice.length > 0 && lost.length === 0 ? [`To end the warning: ${accept}`] : [];
  const remove = `The copies are in it now, and can be removed: rm ${copies.map((copy) => shellPath(shownPath(copy))).join(' ')}`;
  if (written !== undefined)
    return [
      `${shown} is written${written === '' ? '' : `; the damaged file is ${shownPath(written)}`}.`,
      ...(copies.length === 0 ? [] : [remove]),
      ...rest,
      ...twice,
    ];
  const isChanged = !intact || copies.length > 0;
  return [...(isChanged ? [`To write it: ${write}`] : []), ...rest, ...twice];
}
