// shotlist status: shows the state file. Exit code 4: something is in doubt.
import { ok } from '../../contract/base/result.ts';
import { type StatusReport, status } from '../operations/status.ts';
import { queueLines } from '../report/engine-text.ts';
import { liveText } from '../report/live/watch-lines.ts';
import { acceptLine, paidTwiceLines } from '../report/merge-text.ts';
import { onlyInReceiptsLines } from '../report/missing-text.ts';
import { stateLine } from '../report/service-text.ts';
import { itemsText, stepsText } from '../report/status-items-text.ts';
import { statusText } from '../report/status-text.ts';
import { takesLines } from '../report/takes-text.ts';
import { command } from './command.ts';
import { type CommandLines, stateLines } from './command-line.ts';
import type { StatusFlags } from './flags.ts';

/** `--watch` is a command of its own (watch-status.ts). */
export type ListingFlags = Omit<StatusFlags, 'watch'>;

export function statusCommand(file: string, flags: ListingFlags): Promise<number> {
  const { items: wanted, failed, step, limit, expiring, ...common } = flags;
  const only = wanted === true ? undefined : wanted;
  const asks = [wanted, failed, step, limit].some((flag) => flag !== undefined);
  const items = asks ? { only, failed, step, limit } : undefined;
  const more = (lines: CommandLines, all: number): string =>
    lines.line(
      'status',
      ...(wanted === undefined ? [] : ['--items', ...(only === undefined ? [] : [only])]),
      ...(failed === true ? ['--failed'] : []),
      ...(step === undefined ? [] : ['--step', step]),
      ...['--limit', String(all)],
    );
  const options = { ...common, items, expiringMs: expiring };
  return command(
    file,
    common,
    async (pipeline, { onWarning }) => {
      const found = await status(pipeline, { ...options, onWarning });
      return found.ok ? ok({ report: found.value, lines: stateLines(pipeline, common) }) : found;
    },
    {
      text: ({ report, lines }) => textOf(report, lines, (all) => more(lines, all)),
      facts: ({ report }) => report,
      exitCode: ({ report: { doubts } }) => (doubts.length > 0 ? 4 : 0),
    },
  );
}

function textOf(report: StatusReport, lines: CommandLines, more: (all: number) => string): string {
  const { items, live, service } = report;
  const first = stateLine(service);
  if (items !== undefined)
    return `${first}\n${itemsText(items, more(items.matching), process.stdout.columns)}`;
  const state = reportText(report, lines);
  return live === undefined ? state : `${first}\n${liveText(live)}\n\n${state}`;
}

const mergedLines = ({ paidTwice, state }: StatusReport): readonly string[] => [
  ...paidTwiceLines(paidTwice),
  acceptLine(state),
];

/** What the state file says. */
export function reportText(report: StatusReport, { subject }: CommandLines): string {
  const { steps, state, service, running, live, engine } = report;
  const pipeline = subject('resolve');
  const status = statusText(report, `${state} (${service})`, pipeline, stepsText(steps));
  const twice = report.paidTwice.length === 0 ? [] : mergedLines(report);
  const only = onlyInReceiptsLines(report.onlyInReceipts, subject('repair'));
  const takes = takesLines(report.takes, subject('reroll'));
  const text = [status, ...only, ...takes, ...twice].join('\n');
  if (engine !== undefined) return [text, '', ...queueLines(engine)].join('\n');
  if (running === undefined || live !== undefined) return text;
  return `${text}\nThe process does not say how far it is, so all of this is from the state file.`;
}
