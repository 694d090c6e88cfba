// What a plan says of things that a pipeline of someone else should not do unseen: environment variables that are sent,
// and files outside the repository.
import { printable } from '../../contract/base/printable.ts';
import type { EnvUse } from '../plan/env-uses.ts';

/** So many are shown; the JSON output has more. */
const shown = 5;

/** A line for each variable. `service`: the address that values are sent to; undefined in a rehearsal. */
export function envText(uses: readonly EnvUse[], service: string | undefined): string | undefined {
  if (uses.length === 0) return undefined;
  return uses.map((use) => printable(lineOf(use, service))).join('\n');
}

function lineOf({ name, sent, local }: EnvUse, service: string | undefined): string {
  if (sent.length > 0 && service !== undefined)
    return `Sends env.${name} to ${service} (${stepsText(sent)}).`;
  const steps = [...new Set([...sent, ...local])];
  if (steps.length === 0) return `Does not use env.${name}.`;
  const why = sent.length > 0 ? ', since this is a rehearsal' : '';
  return `Uses env.${name} on this machine only${why} (${stepsText(steps)}).`;
}

const stepsText = (steps: readonly string[]): string =>
  `${steps.length === 1 ? 'step' : 'steps'} ${steps.join(', ')}`;

/** What was read outside the repository because the user allows it. */
export function outsideText(paths: readonly string[]): string | undefined {
  if (paths.length === 0) return undefined;
  const some = paths.slice(0, shown).map((path) => `  ${printable(path)}`);
  const rest = paths.length - some.length;
  const more = rest > 0 ? [`  and ${rest} more`] : [];
  return ['Reads outside the repository (--allow-outside):', ...some, ...more].join('\n');
}
