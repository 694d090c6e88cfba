// The header of a state file, and nothing else.
import { ok, type Result } from '../../../contract/base/result.ts';
import { loadState } from '../../adapters/state/load-state.ts';
import { memoryStore } from '../../journal/job-store.ts';
import type { Header } from '../../journal/line.ts';
import { type Problem, stateProblem } from '../pipeline/problem.ts';

/** Undefined if there is no state file. A damaged file is a problem. */
export async function loadHeader(state: string): Promise<Result<Header | undefined, Problem>> {
  const loaded = await loadState(state, memoryStore());
  return loaded.ok
    ? ok(loaded.value.header)
    : { ok: false, error: stateProblem(loaded.error, state, `<pipeline file> --state ${state}`) };
}
