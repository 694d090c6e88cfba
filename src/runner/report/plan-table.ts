// The table of a plan: a line for each step and each thing that happens to its tasks.
import { grouped } from '../../contract/base/grouped.ts';
import { kindNamed } from '../../contract/kinds/all.ts';
import type { Operation } from '../../contract/kinds/kind.ts';
import type { Plan, PlanRow } from '../plan/plan.ts';
import type { PlannedAction, Times } from '../plan/planned-action.ts';
import { count, duration, table } from './text.ts';

interface Shown {
  readonly sign: string;
  readonly word: string;
}

const shown: Readonly<Record<Exclude<PlannedAction, 'begin'>, Shown>> = {
  maybe: { sign: '+', word: 'perhaps' },
  attach: { sign: '↓', word: 'paid, to fetch' },
  copy: { sign: '↓', word: 'to copy' },
  store: { sign: '↑', word: 'to store' },
  reuse: { sign: '=', word: 'reused' },
  skipped: { sign: '·', word: 'skipped' },
  excluded: { sign: '·', word: 'excluded' },
  doubt: { sign: '!', word: 'IN DOUBT' },
  lost: { sign: '!', word: 'LOST' },
  keep: { sign: '!', word: 'kept' },
  defer: { sign: '·', word: 'left to another checkout' },
  blocked: { sign: '~', word: 'waiting' },
  problem: { sign: '✗', word: 'CANNOT RUN' },
};

const begun: Readonly<Record<Operation, Shown>> = {
  create: { sign: '+', word: 'to create' },
  detect: { sign: '+', word: 'to detect' },
  upload: { sign: '↑', word: 'to upload' },
  download: { sign: '↓', word: 'to fetch' },
  delete: { sign: '-', word: 'to delete' },
};

const order: readonly PlannedAction[] = [
  ...(['begin', 'maybe', 'attach', 'copy', 'store', 'reuse', 'skipped', 'excluded'] as const),
  ...(['doubt', 'lost', 'keep', 'defer', 'blocked', 'problem'] as const),
];

export const actionWord = (action: PlannedAction): string =>
  action === 'begin' ? 'to do' : shown[action].word;

export function planTable({ rows }: Plan): string {
  return table(rows.flatMap(linesOf), [3]);
}

function linesOf(row: PlanRow): readonly (readonly string[])[] {
  const kind = kindNamed(row.kind);
  const actions = order.filter((action) => (row.tasks[action] ?? 0) > 0);
  const median = kind?.tool?.medianSeconds;
  const { twins = 0 } = row;
  return actions.flatMap((action, index): readonly (readonly string[])[] => {
    const all = row.tasks[action] ?? 0;
    const tasks = action === 'reuse' ? all - twins : all;
    const { sign, word } =
      action === 'begin' ? begun[kind?.operation ?? 'create'] : signed(action, kind?.operation);
    const isPaid = (action === 'begin' || action === 'maybe') && index === 0;
    const each =
      median !== undefined && isPaid && (row.credits > 0 || row.unpriced > 0)
        ? `~ ${duration(median * 1000).replace('.0 s', ' s')} each`
        : '';
    const credits = isPaid ? creditsText(row) : action === 'doubt' ? heldText(row) : '';
    const times = timesText(row.times);
    const name = index === 0 ? row.kind : '';
    const line = [sign, row.step, name, grouped(tasks), `${word}${times}`, credits, each];
    if (action !== 'reuse' || twins === 0) return [line];
    const same = isPaidKind(kind) ? 'same as another item, paid once' : 'same as another item';
    const ofTwins = [sign, row.step, tasks > 0 ? '' : name, grouped(twins), same, '', ''];
    return tasks > 0 ? [line, ofTwins] : [ofTwins];
  });
}

const isPaidKind = (kind: ReturnType<typeof kindNamed>): boolean => kind?.operation === 'create';

/** What may happen has the sign of what happens. */
function signed(action: Exclude<PlannedAction, 'begin'>, operation: Operation | undefined): Shown {
  const { sign, word } = shown[action];
  return action === 'maybe' && operation !== undefined
    ? { sign: begun[operation].sign, word }
    : { sign, word };
}

/** `, 4 × each`, `, n × each, at most 16`, `, ? × each`; empty outside fan-outs. */
function timesText(times: Times | undefined): string {
  if (times === undefined) return '';
  const { least, most, open } = times;
  if (most === undefined) return ', ? × each';
  if (least === most) return `, ${most} × each`;
  return open ? `, n × each, at most ${most}` : `, ${least}–${most} × each`;
}

function creditsText({ credits, unpriced, uncounted }: PlanRow): string {
  const parts = [
    ...(credits > 0 ? [count(credits, 'credit')] : []),
    ...(unpriced > 0 ? [`${grouped(unpriced)} of unknown price`] : []),
    ...(uncounted === undefined ? [] : [`${count(uncounted.each, 'credit')} for each element`]),
  ];
  return parts.join(', ');
}

const heldText = ({ held = 0 }: PlanRow): string =>
  held === 0 ? '' : `${count(held, 'credit')} held`;
