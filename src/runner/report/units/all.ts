// The kinds of unit files.
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

export const unitText = (kind: UnitKind, facts: UnitFacts): string => units[kind](facts);
