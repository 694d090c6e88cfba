// Receipts as text: what this user has paid for, by which pipelines, and what an import or a removal does.
import { grouped } from '../../contract/base/grouped.ts';
import { printable } from '../../contract/base/printable.ts';
import type { JobLine } from '../journal/line.ts';
import { count, size, table } from './text.ts';

interface Listed {
  readonly at: string;
  readonly credits: number;
  readonly tool: string;
  readonly tasks: readonly string[];
  readonly state: JobLine['state'];
  readonly folder: string;
  readonly pipeline: string;
  readonly branch?: string;
  readonly files: readonly { readonly sha256: string }[];
}

interface ListedReceipts {
  readonly file: string;
  readonly bytes: number;
  readonly receipts: readonly Listed[];
  readonly totals: {
    readonly receipts: number;
    readonly credits: number;
    readonly detections: number;
  };
}

export function receiptsText({ file, bytes, receipts, totals }: ListedReceipts): string {
  const place = `${printable(file)} ${bytes === 0 ? '(not there yet)' : `(${size(bytes)})`}`;
  const sums = `${count(totals.receipts, 'receipt')}, ${count(totals.credits, 'credit')}`;
  const free =
    totals.detections === 0 ? '' : `, and ${count(totals.detections, 'free face detection')}`;
  const rows = receipts.map((one) => [
    ...[one.at.slice(0, 16).replace('T', ' '), grouped(one.credits), one.tool],
    ...[tasksText(one.tasks), becameText(one), fromText(one)],
  ]);
  const left = totals.receipts - receipts.length;
  return [
    ...(rows.length === 0
      ? []
      : [table([['when (UTC)', 'credits', 'tool', 'task', 'became', 'from'], ...rows], [1])]),
    ...(left > 0 && rows.length > 0
      ? [`  … and ${grouped(left)} older; --limit <n> lists more`]
      : []),
    `${sums}${free} in ${place}`,
  ].join('\n');
}

const tasksText = ([task = '', ...others]: readonly string[]): string =>
  others.length === 0 ? task : `${task} +${others.length}`;

function becameText({ state, files, credits }: Listed): string {
  // Each pipeline that uses the result has a copy.
  const contents = new Set(files.map(({ sha256 }) => sha256)).size;
  const saved = contents === 0 ? 'not saved' : count(contents, 'file');
  switch (state) {
    case 'intended':
    case 'doubt':
      return 'in doubt';
    case 'created':
      return 'at the service';
    case 'complete':
      return `done, ${saved}`;
    case 'deleted':
      return `done, ${saved}, project deleted`;
    case 'failed':
      return credits > 0 ? 'written off' : 'failed, not charged';
    case 'forgotten':
      return 'forgotten';
    case 'supplied':
      return 'free';
  }
}

const fromText = ({ pipeline, branch, folder }: Listed): string =>
  `${pipeline}${branch === undefined ? '' : `, branch ${branch}`}, in ${folder}`;

interface Imported {
  readonly file: string;
  readonly kind: 'export' | 'state' | 'database';
  readonly read: number;
  readonly added: number;
  readonly changed: number;
  readonly unreadable: number;
}

const kinds = { export: 'export', state: 'state file', database: 'database' } as const;

export function importedText({ file, kind, read, added, changed, unreadable }: Imported): string {
  return [
    `Read ${count(read, 'receipt')} in the ${kinds[kind]} ${printable(file)}: ${grouped(added)} new` +
      `${changed === 0 ? '' : `, ${grouped(changed)} with something new`}.`,
    ...(unreadable === 0
      ? []
      : [
          `${count(unreadable, 'row')} could not be read. If a state file still has these payments, import the state file, too.`,
        ]),
  ].join('\n');
}

interface Forgotten {
  readonly before: string;
  readonly receipts: number;
  readonly credits: number;
  readonly open: number;
}

/** What there is to forget, and what that means. */
export function forgettableText({ before, receipts, credits, open }: Forgotten): string {
  const day = before.replace('T00:00:00.000Z', '');
  if (receipts === 0) return `No receipts are older than ${day}.`;
  return [
    `Older than ${day}: ${count(receipts, 'receipt')} of ${count(credits, 'credit')}.`,
    ...(open === 0
      ? []
      : [`${grouped(open)} of them are in doubt, or of a project that is not finished.`]),
    'The results and the state files stay. Without its receipt, a result is paid for again if its state file is lost, or if another pipeline asks for it.',
  ].join('\n');
}
