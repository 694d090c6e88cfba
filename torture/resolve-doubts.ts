// Resolves doubts as a person does who looks into the hub: by the charge under the unique name in the service's ledger.

import { realClock } from '../src/core/clock.ts';
import type { Clock } from '../src/core/ports.ts';
import { type Resolution, resolve } from '../src/features/resolve/resolve.ts';
import { loadPipeline } from '../src/language/load/load.ts';
import type { LoadedPipeline } from '../src/language/load/loaded-pipeline.ts';
import { renderProblem, resultOf } from '../src/language/load/refusal.ts';
import { openDoubts } from './invariants.ts';
import type { LedgerAudit } from './ledger-audit.ts';
import type { Workspace } from './workspace.ts';

const attempts = 6;

type Env = Readonly<Record<string, string>>;

/** Returns the failures. */
export async function resolveDoubts(
  workspace: Workspace,
  audit: LedgerAudit,
  env: Env,
  clock: Clock = realClock,
): Promise<readonly string[]> {
  const loaded = await resultOf(() => loadPipeline(workspace.file));
  if (!loaded.ok) return [renderProblem(loaded.error)];
  const wrong: string[] = [];
  for (const { tasks, name } of openDoubts(audit)) {
    const [task = ''] = tasks;
    const charged = audit.paid.find((one) => one.name === name);
    const resolution: Resolution =
      charged === undefined ? { how: 'not-charged' } : { how: 'project', project: charged.project };
    const problem = await tryToResolve(loaded.value, task, resolution, { env, clock });
    if (problem !== undefined) wrong.push(`${task} could not be resolved: ${problem}`);
  }
  return wrong;
}

/** Tries again, because the service's faults apply here too. Returns the reason of the last failure. */
async function tryToResolve(
  loaded: LoadedPipeline,
  task: string,
  resolution: Resolution,
  options: { readonly env: Env; readonly clock: Clock },
): Promise<string | undefined> {
  for (let attempt = 1; ; attempt++) {
    const resolved = await resultOf(() => resolve(loaded, task, resolution, options));
    if (resolved.ok) return undefined;
    // The receipts knew it, and the answer about another doubt has brought it into the state file.
    if (resolved.error.diagnostics.some(({ message }) => message.includes('is not in doubt')))
      return undefined;
    if (attempt === attempts) return renderProblem(resolved.error);
  }
}
