// Orphans as text: the line of a plan, the list of `prune`, and what became of them.
import { printable } from '../../base/printable.ts';
import { count, size, table } from '../../base/text.ts';
import {
  type LeftAlone,
  lostForGood,
  type Orphan,
  type OrphanCounts,
  type OrphanKept,
  type Orphans,
  orphanCounts,
} from './orphan.ts';
import type { Pruned } from './prune.ts';

/** Of each kind; JSON output has all. */
const maxListed = 50;

/** The line of a plan; undefined if there are none. `prune`: the command line. */
export function orphansLine(counts: OrphanCounts | undefined, prune: string): string | undefined {
  const text = counts === undefined ? '' : countsText(counts);
  return text === '' ? undefined : `Orphans: ${text}; see: ${prune}`;
}

function countsText({ files, bytes, kept, keptBytes, projects }: OrphanCounts): string {
  return [
    ...(files > 0 ? [`${count(files, 'file')} (${size(bytes)})`] : []),
    ...(kept > 0 ? [`${count(kept, 'kept file')} (${size(keptBytes)})`] : []),
    ...(projects > 0 ? [count(projects, 'project')] : []),
  ].join(', ');
}

/** What there is to remove. `now`: milliseconds since 1970. */
export function orphansText(orphans: Orphans, now: number): string {
  const { files, kept, projects, left } = orphans;
  const counts = countsText(orphanCounts(orphans));
  const { results, credits } = lostForGood(orphans);
  const them = results === 1 ? 'it' : 'them';
  return [
    counts === '' ? 'No orphans.' : `Orphans: ${counts}.`,
    ...section('files whose item or step is gone', files, now, ({ path, bytes }) => [
      path,
      size(bytes),
    ]),
    ...section('kept files that later results replaced', kept, now, (file) => [
      keptName(file),
      size(file.bytes),
    ]),
    ...section('projects at the service that no step needs', projects, now, ({ project, kind }) => [
      project,
      kind,
    ]),
    ...(results === 0
      ? []
      : [
          `Nothing else is left of ${count(results, 'result')}, which cost ${count(credits, 'credit')}: once removed, only run --pay-again makes ${them} again.`,
        ]),
    ...leftText(left),
  ].join('\n');
}

function section<T extends Orphan>(
  title: string,
  orphans: readonly T[],
  now: number,
  cells: (orphan: T) => readonly string[],
): readonly string[] {
  if (orphans.length === 0) return [];
  const sorted = [...orphans].sort((one, other) => one.at - other.at);
  const rows = sorted
    .slice(0, maxListed)
    .map((orphan) => [
      ...cells(orphan),
      ageText(now - orphan.at),
      count(orphan.credits, 'credit'),
      tasksText(orphan.tasks),
    ]);
  const more = sorted.length - rows.length;
  return [
    `${title}:`,
    table(rows, [1]),
    ...(more > 0 ? [`  and ${count(more, 'other')}; --json lists all`] : []),
  ];
}

const keptName = ({ sha256, extension }: OrphanKept): string =>
  `${sha256.slice(0, 12)}…${extension === '' ? '' : `.${extension}`}`;

const tasksText = ([first = '', ...more]: readonly string[]): string =>
  more.length === 0 ? first : `${first} and ${more.length} more`;

/** How long ago something was last made, saved or set aside. */
function ageText(ms: number): string {
  const hours = Math.floor(ms / 3_600_000);
  if (hours < 1) return 'under 1 hour old';
  return hours < 48 ? `${count(hours, 'hour')} old` : `${count(Math.floor(hours / 24), 'day')} old`;
}

function leftText(left: LeftAlone): readonly string[] {
  const { changed, undecided } = left;
  const names = `${changed.slice(0, 10).join(', ')}${changed.length > 10 ? ', …' : ''}`;
  const lines = [
    ...(changed.length > 0 ? [`${count(changed.length, 'file')} changed on disk: ${names}`] : []),
    ...undecided.map(
      ({ step, tasks }) =>
        `all results like those of the step ${step}: ${count(tasks, 'task')} of it cannot be decided before a run`,
    ),
    ...reasons.flatMap(([key, noun, why]) =>
      left[key] > 0 ? [`${count(left[key], noun)} ${why}`] : [],
    ),
  ];
  return lines.length === 0 ? [] : ['Left alone:', ...lines.map((line) => `  ${printable(line)}`)];
}

type Counted = Exclude<keyof LeftAlone, 'changed' | 'undecided'>;

const reasons: readonly (readonly [Counted, string, string])[] = [
  ['history', 'result', 'of steps that depend on the day (run.date, run.due)'],
  [
    'unseen',
    'result',
    'of items whose folder is missing, empty or unreadable, perhaps because a drive is not mounted; --missing-folders lists them too',
  ],
  ['unsaved', 'project', 'whose files are not all saved here'],
  ['remote', 'project', 'that keep: remote leaves at the service'],
  [
    'lastCopies',
    'kept file',
    'without another copy of its result, which the pipeline may need again',
  ],
  ['unrecorded', 'kept file', 'that this state file does not record'],
  ['outside', 'file', 'outside the output folder, or behind a link'],
  ['shared', 'orphan', 'that another state file in the folder records too'],
];

/** What `prune` did. */
export function prunedText({ removed, refused, left }: Pruned): string {
  const counts = countsText(orphanCounts({ ...removed, left }));
  return [
    counts === '' ? 'Nothing was removed.' : `Removed: ${counts}.`,
    ...refused.map(({ what, why }) => `  left: ${printable(what)} ${printable(why)}`),
  ].join('\n');
}
