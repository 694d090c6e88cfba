// The kinds of unit files.
import { printable } from '../../base/printable.ts';
import { err, ok, type Result } from '../../base/result.ts';
import { crontab } from './cron.ts';
import { githubWorkflow } from './github-actions.ts';
import { gitlabJob } from './gitlab-ci.ts';
import { kubernetesCronJob } from './kubernetes.ts';
import { systemdUnit } from './systemd.ts';
import type { UnitFacts } from './unit.ts';

const units = {
  systemd: systemdUnit,
  cron: crontab,
  'github-actions': githubWorkflow,
  'gitlab-ci': gitlabJob,
  kubernetes: kubernetesCronJob,
} as const;

export type UnitKind = keyof typeof units;

export const unitKinds: readonly string[] = Object.keys(units);

export const isUnitKind = (kind: string): kind is UnitKind => Object.hasOwn(units, kind);

/** The error is a sentence about a path or a name that a file of this kind cannot hold as it is. */
export function unitText(kind: UnitKind, facts: UnitFacts): Result<string, string> {
  const { file, state, output, given, root, program } = facts;
  const onThisMachine = kind === 'systemd' || kind === 'cron' ? [root, ...program] : [];
  for (const text of [file, state, output, ...given, ...onThisMachine]) {
    const shown = JSON.stringify(printable(text));
    if (printable(text) !== text)
      return err(
        `${shown} holds a line break or another character that cannot be seen, so no file for ${kind} can name it`,
      );
    const obeyed = obeyedIn[kind].find((mark) => text.includes(mark));
    if (obeyed !== undefined)
      return err(`${shown} holds "${obeyed}", which ${kind} would replace by something else`);
  }
  return ok(units[kind](facts));
}

/** What a format has no way to quote. */
const obeyedIn: Readonly<Record<UnitKind, readonly string[]>> = {
  systemd: [],
  cron: [],
  'github-actions': ['${{'],
  'gitlab-ci': ['$[['],
  kubernetes: [],
};
