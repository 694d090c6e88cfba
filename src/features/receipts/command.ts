// shotlist receipts: what this user has paid for, whatever becomes of the state files.

import { printable } from '../../base/printable.ts';
import { count, grouped, size, table } from '../../base/text.ts';
import type { ReceiptsFlags } from '../../terminal/flags.ts';
import { answer } from '../command.ts';
import { type ReceiptFacts, type ReceiptList, receipts } from './receipts.ts';

export async function receiptsCommand(flags: ReceiptsFlags): Promise<number> {
  return answer(receipts(flags), flags.json === true, { text: receiptsText });
}

// Receipts as text: what this user has paid for, and by which pipelines.

function receiptsText({ file, bytes, receipts, totals }: ReceiptList): string {
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

function becameText({ state, files, credits }: ReceiptFacts): string {
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
      return credits > 0 ? 'given up' : 'failed, not charged';
    case 'forgotten':
      return 'paid for again';
    case 'supplied':
      return 'free';
  }
}

const fromText = ({ pipeline, branch, folder }: ReceiptFacts): string =>
  `${pipeline}${branch === undefined ? '' : `, branch ${branch}`}, in ${folder}`;
