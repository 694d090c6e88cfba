// A file in which a person decides what became of each creation in doubt: a CSV table with a row for each.
import { readSmallTable, smallTableText } from '../../files/tables/small-table.ts';
import { problem, Refusal } from '../../language/load/refusal.ts';
import type { Judge, OpenDoubt, Verdict } from './resolve.ts';

const columns = ['task', 'name', 'begun', 'credits', 'decision'] as const;

/** The file to fill in: everything is there but the decisions. */
export const decisionsText = (doubts: readonly OpenDoubt[]): string =>
  smallTableText(
    columns,
    doubts.map(({ tasks, name, since, reserved }) => [
      ...[tasks[0] ?? '', name, since, String(reserved), ''],
    ]),
  );

/** `file`: its name for people. */
export function judgeByFile(text: string, file: string): Judge {
  return (doubts, ledger) => {
    const read = decisionsIn(text, file);
    const known = new Set([...ledger.jobs()].flatMap(({ tasks, name = '' }) => [...tasks, name]));
    for (const { about, line } of read)
      if (!known.has(about))
        return refused(file, line, `the state file knows nothing named ${JSON.stringify(about)}`);
    const byName = new Map(read.map(({ about, verdict }) => [about, verdict]));
    // A task may have several creations in doubt: then only the name says which one is meant.
    const times = new Map<string, number>();
    for (const { tasks } of doubts)
      for (const task of tasks) times.set(task, (times.get(task) ?? 0) + 1);
    for (const { about, line } of read)
      if ((times.get(about) ?? 0) > 1)
        return refused(
          file,
          line,
          `${about} has ${times.get(about)} creations in doubt: name the one that is meant`,
        );
    return ({ name, tasks }) => {
      const said = [name, ...tasks].map((about) => byName.get(about)).find(isSaid);
      return said ?? { how: 'left', why: `${file} does not decide it` };
    };
  };
}

const isSaid = (verdict: Verdict | undefined): verdict is Verdict => verdict !== undefined;

interface Decision {
  readonly line: number;
  /** The name that was sent, or a task. */
  readonly about: string;
  readonly verdict: Verdict;
}

function decisionsIn(text: string, file: string): readonly Decision[] {
  const rows = readSmallTable(text, ['decision']);
  if (rows === undefined)
    return refused(file, 1, 'its header has no column "decision"', `columns: ${columns.join(',')}`);
  const decisions: Decision[] = [];
  for (const { line, cells } of rows) {
    const about = cells.get('name') || cells.get('task') || '';
    const said = cells.get('decision') ?? '';
    if (said === '') continue;
    if (about === '') return refused(file, line, 'it has neither a name nor a task');
    if (decisions.some((one) => one.about === about))
      return refused(file, line, `${JSON.stringify(about)} is decided twice`);
    if (/\s/.test(said))
      return refused(
        file,
        line,
        `${JSON.stringify(said)} is no decision`,
        'a decision is the id of a project, not-charged or abandon',
      );
    decisions.push({ line, about, verdict: verdictOf(said) });
  }
  return decisions;
}

const verdictOf = (said: string): Verdict =>
  said === 'not-charged' || said === 'abandon' ? { how: said } : { how: 'project', project: said };

const refused = (
  file: string,
  line: number,
  message: string,
  hint = 'nothing was changed',
): never => {
  throw new Refusal(problem(message, `${file}:${line}`, hint));
};
