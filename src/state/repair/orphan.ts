// A payment without a place in the proposal: a person must look it up in the service's hub.
import type { JobLine } from '../../model/line.ts';

export interface Orphan {
  readonly job: string;
  readonly tasks: readonly string[];
  readonly project?: string;
  /** The name of the attempt. */
  readonly name?: string;
  readonly credits?: number;
  readonly why: string;
}

/**
 * The payment, certain or possible, of a line that is not kept; undefined if there is none, or if the kept line has it.
 */
export function orphanOf(other: JobLine, kept: JobLine): Orphan | undefined {
  const { job, tasks, project, name, credits } = other;
  if (['failed', 'supplied', 'forgotten'].includes(other.state)) return undefined;
  if (project === undefined && (name === undefined || name === kept.name)) return undefined;
  return {
    job,
    tasks,
    ...(project === undefined ? {} : { project }),
    ...(name === undefined ? {} : { name }),
    ...(credits === undefined ? {} : { credits }),
    why:
      project === undefined
        ? 'this attempt may have been paid too'
        : `this project was paid too; ${kept.project ?? 'an attempt in doubt'} is kept`,
  };
}
