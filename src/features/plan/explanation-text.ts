// `plan --explain <task>`: why one task runs, field by field.
import type { Json } from '../../base/json.ts';
import { printable } from '../../base/printable.ts';
import { count, table } from '../../base/text.ts';
import { valueOfJob } from '../../model/manifest.ts';
import type { Explanation } from '../../plan/explanation.ts';
import type { PlannedAction } from '../../plan/planned-action.ts';
import type { Change } from '../../plan/task-changes.ts';
import { paidTaskText } from '../../views/paid-already-text.ts';

const verbs: Readonly<Record<PlannedAction, string>> = {
  begin: 'runs',
  maybe: 'may run',
  attach: 'only needs fetching',
  copy: 'is copied',
  store: 'goes to the store',
  reuse: 'is reused',
  skipped: 'is skipped',
  excluded: 'is excluded',
  doubt: 'is in doubt',
  lost: 'is lost',
  keep: 'is kept',
  defer: 'is left to another checkout',
  blocked: 'waits',
  problem: 'cannot run',
};

export function explanationText(explanation: Explanation): string {
  const { paid } = explanation;
  const text = plainText(explanation);
  return paid === undefined ? text : `${text}\n${shown([paidTaskText(paid)])}`;
}

const noOther = 'The state file has no project of it with other content or parameters.';

function plainText(explanation: Explanation): string {
  const { task, action, why, code, credits, earlier, changes } = explanation;
  const price =
    credits === undefined || credits === 0 ? '' : ` It costs ${count(credits, 'credit')}.`;
  const kind = code === undefined ? '' : ` (${code})`;
  const again = earlier !== undefined && runs(action) ? ' again' : '';
  const head = `${task} ${verbs[action]}${again}${kind}: ${why}.${price}`;
  if (earlier === undefined) return shown([head, ...(runs(action) ? [noOther] : [])]);
  const { project, at, credits: cost, state } = earlier;
  const name = project === undefined ? `its ${state} job` : `project ${project}`;
  const paid = cost === undefined ? '' : `, which cost ${count(cost, 'credit')}`;
  const since = `${name} of ${at.slice(0, 10)}${paid}`;
  if (changes === undefined)
    return shown([
      head,
      `It was done before: ${since}.`,
      'What has changed since is not known: this checkout has no record of what that was made of.',
    ]);
  if (changes.length === 0)
    return shown([head, `No file of it has changed since ${since}; a step before it decides.`]);
  return shown([
    head,
    `What has changed since ${since}:`,
    table(changes.map(changeRow)),
    action === 'maybe'
      ? 'Everything else depends on the steps before it.'
      : 'Everything else is the same.',
  ]);
}

const runs = (action: PlannedAction): boolean => action === 'begin' || action === 'maybe';

const shown = (lines: readonly string[]): string => printable(lines.join('\n'), true);

function changeRow(change: Change): readonly string[] {
  switch (change.is) {
    case 'file': {
      const { field, file, was, before, after } = change;
      const moved = was === undefined ? file : `${was} → ${file}`;
      return [field, moved, `sha256 ${short(before)} → ${short(after)}`];
    }
    case 'result': {
      const from = change.kind === undefined ? 'another task' : `the step kind ${change.kind}`;
      return [change.field, `the result of ${from}, which is made again`, ''];
    }
    case 'value':
      return [change.field, `${valueText(change.before)} → ${valueText(change.after)}`, ''];
  }
}

const short = (digest: string | undefined): string =>
  digest === undefined ? 'unknown' : `${digest.slice(0, 8)}…`;

function valueText(value: Json | undefined): string {
  if (value === undefined) return 'not set';
  if (typeof value === 'string' && valueOfJob(value) !== undefined)
    return `a ${valueOfJob(value)?.output} of another task`;
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}
