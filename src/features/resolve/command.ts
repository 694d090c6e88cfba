// shotlist resolve: records what became of creations whose answers were lost: one by name, or all of them by the hub's
// list, by a single answer, or by a question about each.

import { buffer } from 'node:stream/consumers';
import { printable } from '../../base/printable.ts';
import { readRegularFile } from '../../base/regular-file.ts';
import { count } from '../../base/text.ts';
import type { LoadedPipeline } from '../../language/load/loaded-pipeline.ts';
import { renderProblem, resultOf } from '../../language/load/refusal.ts';
import type { Doubt } from '../../model/job-view.ts';
import { exitCodes } from '../../terminal/exit-code.ts';
import type { ResolveFlags } from '../../terminal/flags.ts';
import { canAsk, lineFor } from '../../terminal/question.ts';
import { caution, complain, print, printProse } from '../../terminal/terminal.ts';
import { serviceLine } from '../../views/service-text.ts';
import { answer, command, pipelineFor } from '../command.ts';
import { refuse } from '../refuse.ts';
import { judgeByHub } from './hub-list.ts';
import {
  type Judge,
  openDoubts,
  type Resolution,
  type Resolved,
  type ResolvedAll,
  resolve,
  resolveAll,
} from './resolve.ts';

export async function resolveCommand(
  file: string,
  task: string | undefined,
  flags: ResolveFlags,
): Promise<number> {
  const wrong = conflictIn(task, flags);
  if (wrong !== undefined) refuse(wrong);
  if (task === undefined) return await resolveAllCommand(file, flags);
  const resolution = resolutionOf(flags);
  if (resolution === undefined)
    refuse('say what became of the task: --project <id>, --not-charged or --abandon');
  return await command(
    file,
    flags,
    (pipeline, reports) => resolve(pipeline, task, resolution, { ...flags, ...reports }),
    { text: (resolved) => resolvedText(resolved, resolution) },
  );
}

function conflictIn(
  task: string | undefined,
  { all = false, hubList, project }: ResolveFlags,
): string | undefined {
  if (task !== undefined && all) return 'a task and --all cannot be used together';
  if (task === undefined && !all)
    return 'say which task, by its name as status shows it, or --all for everything that is in doubt';
  if (all && project !== undefined) return '--project is about one task, not about all';
  if (!all && hubList !== undefined) return '--hub-list is for --all';
  return undefined;
}

/** At most one of the three is given. */
function resolutionOf({ project, notCharged, abandon }: ResolveFlags): Resolution | undefined {
  if (project !== undefined) return { how: 'project', project };
  if (notCharged === true) return { how: 'not-charged' };
  return abandon === true ? { how: 'abandon' } : undefined;
}

function resolvedText(
  { tasks, name, state, credits, project }: Resolved,
  { how }: Resolution,
): string {
  const sent = JSON.stringify(name);
  const whose = printable(tasks.length === 0 ? sent : `${tasks.join(', ')} (${sent})`);
  switch (how) {
    case 'project':
      return (
        `${whose} is project ${printable(project ?? '')}: ${state}, ${count(credits, 'credit')}. ` +
        (state === 'failed' ? 'The next run tries it again.' : 'The next run continues with it.')
      );
    case 'not-charged':
      return `The service never took ${whose}: the next run sends it again.`;
    case 'abandon': {
      const left =
        project === undefined ? '' : `, and project ${printable(project)} stays at the service`;
      return `${whose} is given up: ${count(credits, 'credit')} count as spent${left}. Only run --pay-again pays for it again.`;
    }
  }
}

const maxListBytes = 64_000_000;

async function resolveAllCommand(file: string, flags: ResolveFlags): Promise<number> {
  const said = resolutionOf(flags);
  if (flags.hubList === undefined && said === undefined) return await askForEach(file, flags);
  const judge = await judgeFor(flags, said);
  return await command(
    file,
    flags,
    (pipeline, reports) => resolveAll(pipeline, judge, { ...flags, ...reports }),
    {
      text: resolvedAllText,
      exitCode: ({ left }) => (left.length > 0 ? exitCodes.doubt : exitCodes.done),
    },
  );
}

async function judgeFor({ hubList }: ResolveFlags, said: Resolution | undefined): Promise<Judge> {
  if (hubList !== undefined) {
    const text = await textOf(hubList);
    const shown = hubList === '-' ? 'the list' : hubList;
    return judgeByHub(text, shown, said?.how === 'project' ? undefined : said);
  }
  if (said === undefined) throw new Error('bug: nothing is said about what is in doubt');
  return () => () => said;
}

async function textOf(file: string): Promise<string> {
  if (file === '-') return (await buffer(process.stdin)).toString('utf8');
  const read = readRegularFile(file, { max: maxListBytes });
  if (read.ok) return read.value.toString('utf8');
  refuse(`${file} ${read.error}`);
}

/** Each answer is recorded at once, so that none is lost when the person stops. */
async function askForEach(file: string, flags: ResolveFlags): Promise<number> {
  const pipeline = await pipelineFor(file, flags);
  const doubts = await openDoubts(pipeline, { ...flags, onWarning: caution });
  if (doubts.length === 0)
    return answer({ settled: [], left: [] }, flags.json === true, { text: resolvedAllText });
  if (flags.json === true || !canAsk())
    refuse(
      `${count(doubts.length, 'creation')} in doubt, and nobody to ask`,
      'say what became of them: --hub-list <file>, --not-charged or --abandon',
    );
  printProse(
    `${count(doubts.length, 'creation')} in doubt. Look in the service's hub for each name: y = it is there, n = it is not, ` +
      'a = nobody can tell (its credits count as spent), Enter = decide later.',
  );
  let left = 0;
  for (const [index, doubt] of doubts.entries()) {
    const answered = await askAbout(pipeline, doubt, flags);
    if (answered === 'settled') continue;
    left += 1;
    if (answered === 'later') continue;
    left = doubts.length - index;
    break;
  }
  if (left > 0) print(`${count(left, 'creation')} still in doubt.`);
  return left > 0 ? exitCodes.doubt : exitCodes.done;
}

async function askAbout(
  pipeline: LoadedPipeline,
  doubt: Doubt,
  flags: ResolveFlags,
): Promise<'settled' | 'later' | 'stop'> {
  const { tasks, name, since, reserved } = doubt;
  print(
    printable(
      `\n${JSON.stringify(name)}\n${tasks.join(', ')}, begun ${since}, ${count(reserved, 'credit')} set aside`,
      true,
    ),
  );
  for (;;) {
    const said = await lineFor('In the hub? [y/n/a, Enter: later] ');
    if (said === undefined) return 'stop';
    const resolution = await resolutionFor(said.toLowerCase());
    if (resolution === 'stop' || resolution === 'later') return resolution;
    if (resolution === undefined) continue;
    const resolved = await resultOf(() =>
      resolve(pipeline, name === '' ? (tasks[0] ?? '') : name, resolution, {
        ...flags,
        onConnect: (address) => print(serviceLine(address)),
        onWarning: caution,
      }),
    );
    if (resolved.ok) {
      print(resolvedText(resolved.value, resolution));
      return 'settled';
    }
    complain(renderProblem(resolved.error));
  }
}

/** Undefined: that is no answer. */
async function resolutionFor(said: string): Promise<Resolution | 'later' | 'stop' | undefined> {
  if (said === '') return 'later';
  if (/^n(o)?$/.test(said)) return { how: 'not-charged' };
  if (said === 'a') return { how: 'abandon' };
  if (!/^y(es)?$/.test(said)) return undefined;
  const id = await lineFor('  Its id: ');
  if (id === undefined) return 'stop';
  return id === '' ? undefined : { how: 'project', project: id };
}

function resolvedAllText({ settled, left }: ResolvedAll): string {
  if (settled.length + left.length === 0) return 'Nothing is in doubt.';
  const line = (how: Resolution['how'], what: string): readonly string[] => {
    const those = settled.filter((one) => one.how === how).length;
    return those === 0 ? [] : [`${count(those, 'creation')} ${what}`];
  };
  const spent = settled.reduce((sum, one) => sum + (one.how === 'abandon' ? one.credits : 0), 0);
  return printable(
    [
      ...line('project', 'found: the next run continues with their projects.'),
      ...line('not-charged', 'never taken: the next run sends them again.'),
      ...line(
        'abandon',
        `given up: ${count(spent, 'credit')} count as spent. Only run --pay-again pays for them again.`,
      ),
      ...[...Map.groupBy(left, ({ why }) => why)].flatMap(([why, doubts]) => [
        `${count(doubts.length, 'creation')} still in doubt: ${why}:`,
        ...doubts.map(({ tasks, name }) => `    ${tasks.join(', ')} (${JSON.stringify(name)})`),
      ]),
    ].join('\n'),
    true,
  );
}
