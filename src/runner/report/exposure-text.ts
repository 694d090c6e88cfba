// The part of a plan that shows what a pipeline exposes: environment variables that it sends, and
// files outside the repository.
import { printable } from '../../contract/base/printable.ts';
import type { EnvUse } from '../plan/env-uses.ts';

/** The most files to show; JSON output has more. */
const shown = 5;

/**
 * One line per variable. `service` is the address that receives the values; undefined in a
 * rehearsal.
 */
export function envText(uses: readonly EnvUse[], service: string | undefined): string | undefined {
  if (uses.length === 0) return undefined;
  return uses.map((use) => printable(lineOf(use, service))).join('\n');
}

function lineOf({ name, sent, local }: EnvUse, service: string | undefined): string {
  if (sent.length > 0 && service !== undefined)
    return `Sends env.${name} to ${service} (${stepsText(sent)}).`;
  const steps = [...new Set([...sent, ...local])];
  if (steps.length === 0) return `No step uses env.${name}.`;
  const why = sent.length > 0 ? ', because this is a rehearsal' : '';
  return `Uses env.${name} on this machine only${why} (${stepsText(steps)}).`;
}

const stepsText = (steps: readonly string[]): string =>
  `${steps.length === 1 ? 'step' : 'steps'} ${steps.join(', ')}`;

/** The files that were read outside the repository, with the user's permission. */
export function outsideText(paths: readonly string[]): string | undefined {
  if (paths.length === 0) return undefined;
  const some = paths.slice(0, shown).map((path) => `  ${printable(path)}`);
  const rest = paths.length - some.length;
  const more = rest > 0 ? [`  and ${rest} more`] : [];
  return ['Reads outside the repository (--allow-outside):', ...some, ...more].join('\n');
}
