// What must be true of the merge of two histories, whatever they are.

import { isDeepStrictEqual } from 'node:util';
import type { Ledger } from '../../src/model/ledger.ts';
import { type Header, parseLine } from '../../src/model/line.ts';
import { jobFacts, worthOf } from '../../src/model/state.ts';
import { compactedTexts } from '../../src/state/compaction.ts';
import { ledgerOf, mergeLedgers } from '../../src/state/repair/merge.ts';
import type { Histories, Steps } from './histories.ts';

const header: Header = { shotlist: 3, pipeline: 'p', service: 'https://service.example' };

export const bytesOf = (ledger: Ledger): readonly string[] =>
  [...compactedTexts(header, ledger)].join('').trimEnd().split('\n');

export const merged = ({ ours, theirs, base }: Histories): Ledger =>
  ledgerOf(mergeLedgers(ours, theirs, base));

/** Every project, with its credits. */
export function projectsIn(ledger: Ledger): ReadonlyMap<string, number> {
  const all = [...ledger.jobs()].flatMap(({ project, credits = 0, past = [] }) => [
    { project, credits },
    ...past,
  ]);
  return new Map(
    all.flatMap(({ project, credits }) => (project === undefined ? [] : [[project, credits]])),
  );
}

/** The attempts whose outcome a side does not know, by name. */
function doubtsIn(ledger: Ledger): readonly string[] {
  return [...ledger.jobs()]
    .filter(({ state }) => jobFacts[state].inDoubt)
    .map(({ name = '' }) => name);
}

/** True if a side knows that the attempt is over: it says so, or it began another one since. */
function isSettled(ledger: Ledger, name: string, base: Ledger): boolean {
  return [...ledger.jobs()].some((line) => {
    const began = base.job(line.job);
    return (
      (line.name === name && !jobFacts[line.state].inDoubt) ||
      (line.past ?? []).some((attempt) => attempt.name === name) ||
      (began?.name === name && line.attempt > began.attempt)
    );
  });
}

const net = (ledger: Ledger): number => ledger.total.charged - ledger.total.refunded;
const worth = (ledger: Ledger): number =>
  [...ledger.jobs()].reduce((sum, line) => sum + worthOf(line), 0);

/** Sentences about what is wrong; empty if nothing is. */
export function violations(all: Steps): readonly string[] {
  const wrong: string[] = [];
  const { ours, theirs, base, midway } = all;
  const one = merged(all);
  const other = merged({ ours: theirs, theirs: ours, base });
  const check = (holds: boolean, what: string): void => {
    if (!holds) wrong.push(what);
  };
  check(isDeepStrictEqual(bytesOf(one), bytesOf(other)), 'the two orders differ');
  check(
    isDeepStrictEqual(bytesOf(merged({ ours, theirs: base, base })), bytesOf(ours)),
    'a side that did nothing changes the other',
  );
  check(
    isDeepStrictEqual(bytesOf(merged({ ours, theirs: ours, base })), bytesOf(ours)),
    'equal sides are not one',
  );
  check(
    isDeepStrictEqual(bytesOf(merged({ ours: one, theirs, base: theirs })), bytesOf(one)),
    'a second merge changes something',
  );
  const picked = merged({ ours: theirs, theirs: midway, base });
  const rebased = merged({ ours: picked, theirs: ours, base: midway });
  check(
    isDeepStrictEqual([...projectsIn(rebased).keys()].sort(), [...projectsIn(one).keys()].sort()),
    'commit by commit, the merge has other projects',
  );
  check(net(rebased) === worth(rebased), 'commit by commit, the sums do not agree');
  for (const line of bytesOf(one)) {
    const parsed = parseLine(line);
    check(parsed.ok, `no line of a state file: ${line}`);
  }
  check(net(one) === worth(one), `the runs have ${net(one)} credits, the jobs ${worth(one)}`);
  const [a, b, m] = [ours, theirs, one].map(projectsIn);
  for (const [project, credits] of [...(a ?? []), ...(b ?? [])]) {
    check(m?.has(project) === true, `project ${project} is lost`);
    const known = [a?.get(project), b?.get(project)];
    check(known.includes(m?.get(project)), `project ${project} has other credits`);
    if (known.includes(undefined)) check(m?.get(project) === credits, `${project} is dearer`);
  }
  check(
    (m?.size ?? 0) === new Set([...(a?.keys() ?? []), ...(b?.keys() ?? [])]).size,
    'a project is new',
  );
  for (const name of [...doubtsIn(ours), ...doubtsIn(theirs)])
    check(
      [ours, theirs, one].some((ledger) => isSettled(ledger, name, base)) ||
        doubtsIn(one).includes(name),
      `the doubt ${name} is lost`,
    );
  return wrong;
}
