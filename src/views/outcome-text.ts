// How a run came out, as text: its first line says what happened, its last line what to do next. Each outcome has its own.
import { grouped } from '../base/grouped.ts';
import { count } from '../base/text.ts';
import type { ReachedCap, Summary } from '../run/run-event.ts';

/** The first line. `pipeline`: the file, as the user named it. */
export function outcomeText(summary: Summary, pipeline: string): string {
  const { outcome, stoppedBy, items, cap } = summary;
  const finished = `${grouped(items.done)} of ${count(items.total, 'item')} finished`;
  switch (outcome) {
    case 'done':
      return 'Done.';
    case 'failed':
      return stoppedBy === undefined ? 'Some tasks did not finish.' : `Stopped: ${finished}.`;
    case 'budget':
      return cap === undefined
        ? `Stopped: the account does not have enough credits; ${finished}.`
        : `${capText(cap, pipeline, finished)}; ${wayOn(summary, cap)}.`;
    case 'doubt':
      return 'Some tasks are in doubt: they may have been paid for, so they are not repeated.';
    case 'unauthorized':
      return `Stopped: the service refused the API key; ${finished}.`;
    case 'waiting':
      return 'Not over yet: projects are still rendering. Run it again to continue; nothing is paid twice.';
    case 'interrupted':
      return items.total === 0
        ? 'Interrupted before the run began.'
        : `Interrupted: ${paidText(summary) ?? `${finished}; the next run continues`}.`;
  }
}

function capText({ name, most, spent }: ReachedCap, pipeline: string, finished: string): string {
  const share = `${grouped(spent)} of ${count(most, 'credit')} spent`;
  switch (name) {
    case 'plan':
      return `Stopped: prices rose above the plan that you agreed to: ${share}, ${finished}`;
    case '--budget':
      return `Stopped by --budget: ${share}, ${finished}`;
    case 'budget.per_item':
      return `Stopped by budget.per_item in ${pipeline}: some items need more than ${count(most, 'credit')}, ${finished}`;
    default:
      return `Stopped by ${name} in ${pipeline}: ${share}, ${finished}`;
  }
}

function wayOn({ resumesAt }: Summary, { name, most, needed }: ReachedCap): string {
  if (name === 'plan') return 'look at the new plan, then run it again';
  const again =
    resumesAt === undefined ? undefined : `run it again from ${resumesAt} on, or raise it`;
  if (needed === undefined) return again ?? 'raise it to finish';
  if (name === 'budget.per_item') return `raise it to at least ${grouped(needed)}`;
  if (again !== undefined) return `${again} to ${grouped(needed)} to finish now`;
  return needed > most
    ? `raise it to ${grouped(needed)} to finish`
    : `run it again: the rest takes at most ${count(needed, 'credit')}, and each run has the whole budget`;
}

/** Undefined if nothing is paid and not fetched. */
function paidText({ paid }: Summary): string | undefined {
  const { rendering = 0, ready = 0 } = paid ?? {};
  const both = rendering + ready;
  if (both === 0) return undefined;
  const are = (n: number): string => (n === 1 ? 'is' : 'are');
  const first =
    rendering === 0
      ? []
      : [`${count(rendering, 'project')} ${are(rendering)} paid and still rendering`];
  const who = rendering === 0 ? count(ready, 'project') : grouped(ready);
  const second = ready === 0 ? [] : [`${who} ${are(ready)} paid and not saved yet`];
  return `${[...first, ...second].join(', ')}; the next run fetches ${both === 1 ? 'it' : 'them'}`;
}

/** The second line: the reason in the words of whoever stopped the run; undefined if the first line says it all. */
export function reasonText({ stopped, stoppedBy, cap }: Summary): string | undefined {
  const isSaid = stoppedBy === 'interrupt' || stoppedBy === 'left' || cap !== undefined;
  return isSaid ? undefined : stopped;
}

/** The last line; undefined if there is nothing to do. */
export function nextText(summary: Summary, pipeline: string): string | undefined {
  const { outcome, stoppedBy, groups } = summary;
  if (outcome === 'unauthorized')
    return 'Set another key in SHOTLIST_API_KEY, then run it again; nothing is paid twice.';
  if (outcome === 'interrupted') return 'Run it again to continue; nothing is paid twice.';
  if (groups.some(({ ending }) => ending === 'doubt'))
    return `Say what became of each doubt: shotlist status ${pipeline} shows how.`;
  if (stoppedBy === 'credits')
    return 'Add credits to the account, then run it again; finished tasks are reused.';
  if (stoppedBy === 'machine') return 'Fix this, then run it again; nothing is paid twice.';
  if (stoppedBy === 'outage')
    return 'Run it again when the service is up; finished tasks are reused.';
  if (groups.length === 0) return undefined;
  const bad = groups.filter(({ cure }) => cure === 'file');
  const others = groups.filter(({ cure }) => cure === undefined);
  if (bad.length > 0 && others.length === 0) return filesText(bad);
  return others.length === 0
    ? 'Run it again; finished tasks are reused.'
    : 'Change what is named above, then run it again; finished tasks are reused.';
}

const mostNamed = 3;

function filesText(bad: Summary['groups']): string {
  const names = [...new Set(bad.flatMap(({ files = [] }) => files))];
  const all = bad.reduce((sum, { count: tasks }) => sum + tasks, 0);
  const shown = names.slice(0, mostNamed);
  const which = all === 1 ? 'this file' : `these ${grouped(all)} files`;
  const more = all > shown.length ? `, and ${grouped(all - shown.length)} more` : '';
  return names.length === 0
    ? `Replace ${which}, then run it again; finished tasks are reused.`
    : `Replace ${which}, then run it again: ${shown.join(', ')}${more}.`;
}
