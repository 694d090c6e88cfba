// Decides what became of each creation in doubt by the list of projects in the hub.
import { isObject, valueIn } from '../../base/json.ts';
import { readSmallTable } from '../../files/tables/small-table.ts';
import { type Doubt, type JobView, viewsOf } from '../../model/job-view.ts';
import { jobFacts } from '../../model/state.ts';
import { refuse } from '../refuse.ts';
import type { Judge, Resolution, Verdict } from './resolve.ts';

// The list as a person can get it: JSON, a CSV table, or the text of the page. The name of an attempt is unique and was sent as
// the project's name, so the list tells which creations in doubt the service took.

interface Listed {
  readonly id: string;
  readonly name: string;
  /** When it was created, if the list says so. */
  readonly createdAt: string | undefined;
}

interface HubList {
  /** Undefined: only a text in which names can be looked for. */
  readonly projects: readonly Listed[] | undefined;
  readonly text: string;
}

/** `absent`: what the list lacks became; undefined: it stays in doubt. `shown`: the list's name for people. */
export function judgeByHub(
  text: string,
  shown: string,
  absent: Exclude<Resolution, { readonly how: 'project' }> | undefined,
): Judge {
  const list = readList(text);
  return (doubts, ledger) => {
    const jobs = viewsOf(ledger);
    if (list.projects === undefined && !jobs.some(({ name }) => has(list, name)))
      refuse(
        `${shown} has no project of this state file: not one name that it has sent`,
        'give the list of the right account: JSON or CSV with "id" and "name", or the text of the page; nothing was changed',
      );
    const lacking = doubts.filter((doubt) => !has(list, doubt.name));
    const missing = absent?.how === 'not-charged' ? missed(list, jobs, lacking) : undefined;
    if (missing !== undefined)
      refuse(
        `${shown} is not complete: it lacks project ${missing.project ?? ''} of ${missing.tasks.join(', ')}, or its name`,
        'what an incomplete list lacks may be charged: give the whole list; nothing was changed',
      );
    return (doubt) => verdictOn(doubt, list, shown, absent);
  };
}

function verdictOn(
  { name, since }: Doubt,
  list: HubList,
  shown: string,
  absent: Resolution | undefined,
): Verdict {
  if (name === '') return { how: 'left', why: 'the name that was sent is not known any more' };
  // Lists come in pages: what is older than all of a page may be on another one.
  if (!has(list, name) && absent?.how === 'not-charged' && beginsAfter(list, since))
    return { how: 'left', why: `${shown} begins after it, so it may be on an older page` };
  if (!has(list, name))
    return absent ?? { how: 'left', why: `${shown} does not have it: --not-charged says so` };
  const same = list.projects?.filter((one) => one.name === name) ?? [];
  const ids = new Set(same.map(({ id }) => id));
  const [project] = ids;
  if (ids.size === 1 && project !== undefined) return { how: 'project', project };
  const why =
    ids.size === 0
      ? `${shown} has it without its id: give the id with --project`
      : `${shown} has it ${ids.size} times: choose one with --project`;
  return { how: 'left', why };
}

/**
 * True if the list has the name, or at least the token at its end, which is unique: a page may escape, wrap or shorten the
 * part before. What is wrongly taken for absent would be paid again.
 */
function has({ projects, text }: HubList, name: string | undefined): boolean {
  if (name === undefined || name === '') return false;
  const sought = /#([0-9a-z]{10})$/.exec(name)?.[1] ?? name;
  return projects === undefined
    ? text.includes(sought)
    : projects.some((one) => one.name.includes(sought));
}

function beginsAfter({ projects = [] }: HubList, since: string): boolean {
  const times = projects.flatMap(({ createdAt = '' }) => Date.parse(createdAt) || []);
  return times.length > 0 && times.every((time) => time > Date.parse(since));
}

/** A project that must be in the list if it goes back as far as what it lacks: of those, and the last one before. */
function missed(
  list: HubList,
  jobs: readonly JobView[],
  lacking: readonly Doubt[],
): JobView | undefined {
  const since = lacking.map((doubt) => doubt.since).sort()[0];
  if (since === undefined) return undefined;
  const known = jobs
    .filter(({ state, project }) => jobFacts[state].atService && project !== undefined)
    .sort((a, b) => (a.at < b.at ? -1 : 1));
  const before = known.findLast(({ at }) => at < since);
  const needed = known.filter((job) => job.at >= since || job === before);
  // A list that shows other names than those that were sent cannot say what is absent.
  return needed.find(({ name }) => !has(list, name));
}

function readList(text: string): HubList {
  const json = jsonIn(text);
  if (json !== undefined) return { projects: listedIn(json), text };
  const rows = readSmallTable(text, ['id', 'name']);
  const projects = rows?.map((cells) => ({
    id: cells.get('id') ?? '',
    name: cells.get('name') ?? '',
    createdAt: cells.get('created_at'),
  }));
  return { projects, text };
}

/** One JSON value, or one on each line. */
function jsonIn(text: string): unknown {
  const whole = listIn(text);
  if (whole !== undefined) return whole;
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const values = lines.map(listIn);
  return values.length === 0 || values.includes(undefined) ? undefined : values;
}

const listIn = (text: string): unknown => (/^\s*[[{]/.test(text) ? valueIn(text) : undefined);

/** Everything with an id and a name, wherever the hub puts it. */
function listedIn(value: unknown): readonly Listed[] {
  const found: Listed[] = [];
  const open = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (Array.isArray(next)) for (const one of next) open.push(one);
    if (!isObject(next)) continue;
    const { id, name, created_at: at } = next;
    const createdAt = typeof at === 'string' ? at : undefined;
    if (typeof id === 'string' && typeof name === 'string') found.push({ id, name, createdAt });
    for (const one of Object.values(next)) if (typeof one === 'object') open.push(one);
  }
  return found;
}
