// What the results of a run were made from, as its walk knows it, for the files beside them.
import { resolve } from 'node:path';
import { isObject, valueIn } from '../../base/json.ts';
import { isSystemProblem } from '../../base/system-error.ts';
import type { Task } from '../../core/scope.ts';
import type { See } from '../../core/walk.ts';
import { textsOf, valueOfJob } from '../../model/fingerprint.ts';
import type { Ledger } from '../../model/record/ledger.ts';
import type { Output } from '../../model/record/line.ts';
import type { Origin, OriginInput } from './provenance.ts';
import { provenanceCondition } from './provenance-file.ts';

/** Steps behind one another; a longer chain ends there. */
const maxDepth = 12;

/** Only of results whose file is missing, or about earlier content. */
export class WalkedOrigins {
  readonly #ledger: Pick<Ledger, 'job'>;
  /** Of the pipeline: recorded paths are relative to it. */
  readonly #folder: string;
  readonly #known = new Map<string, Origin>();

  constructor(ledger: Pick<Ledger, 'job'>, folder: string) {
    this.#ledger = ledger;
    this.#folder = folder;
  }

  readonly see: See = (task, end) => {
    if (end?.ending !== 'done') return;
    if (task.kind.operation !== 'download' && task.to === undefined) return;
    // A reroll saves what it makes.
    const made = task.source ?? task;
    const { fingerprint: job } = made;
    if (this.#known.has(job)) return;
    const { outputs = [] } = this.#ledger.job(job) ?? {};
    if (outputs.some((output) => output.task === task.id && this.#lacksFile(output)))
      this.#known.set(job, originOfTask(made, maxDepth));
  };

  #lacksFile({ path, sha256 }: Output): boolean {
    try {
      return provenanceCondition(resolve(this.#folder, path), sha256) === 'missing';
    } catch (error) {
      // Whoever writes the files says so.
      if (isSystemProblem(error)) return true;
      throw error;
    }
  }

  /** `isRest`: nothing was left out, so nobody knows more of what this walk has not come by. */
  origins(isRest: boolean) {
    return {
      has: (job: string) => isRest || this.#known.has(job),
      get: (job: string) => this.#known.get(job),
    };
  }
}

function originOfTask({ text, take, reads }: Task, depth: number): Origin {
  const body = valueIn(text);
  const parameters = isObject(body) ? body : undefined;
  const inputs = textsOf(parameters).flatMap(([field, token]): OriginInput[] => {
    const value = valueOfJob(token);
    if (value === undefined) return [];
    const input = { field, fingerprint: value.job, output: value.output };
    const maker = [...reads].find(({ fingerprint }) => fingerprint === value.job);
    return [maker === undefined ? input : { ...input, ...behind(maker, depth) }];
  });
  return {
    take: take > 1 ? take : undefined,
    parameters,
    inputs,
  };
}

function behind(task: Task, depth: number): Omit<OriginInput, 'field' | 'fingerprint' | 'output'> {
  const { kind, content: sha256, file } = task;
  const uses = kind.name;
  if (sha256 !== undefined) return { uses, sha256, file };
  return depth === 0 ? { uses } : { uses, ...originOfTask(task, depth - 1) };
}
