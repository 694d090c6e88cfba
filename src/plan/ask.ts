// Asks a task what it wants and whether it is needed. Both `plan` and `run` use this.

import { type Digest, digestFrom } from '../base/digest.ts';
import type { JsonObject } from '../base/json.ts';
import { extensionOf, knownExtensions, mediaTypeOf } from '../contract/api/asset.ts';
import type { Code } from '../contract/codes.ts';
import type { Facts } from '../core/disk-facts.ts';
import { normalized } from '../core/output-path.ts';
import { conditionOf, isStored } from '../core/recorded-files.ts';
import type { TaskProblem } from '../core/task-problem.ts';
import { knownBodyErrors } from '../language/body.ts';
import type { Step } from '../language/pipeline.ts';
import { expressionRemedy, type TemplateError } from '../language/template.ts';
import { type Fingerprint, uploadFingerprint } from '../model/fingerprint.ts';
import type { JobLine, OutputLine } from '../model/line.ts';
import { jobFacts } from '../model/state.ts';
import {
  type BodyRequest,
  conditionHolds,
  type Names,
  type TaskRequest,
  taskRequestOf,
  withTake,
} from '../model/task-request.ts';
import { type Decision, decideDelete, decideDownload, decideSupply, decideTake } from './decide.ts';
import type { End } from './ending.ts';
import { nothingRemembered, type Remembered } from './remembered.ts';
import type { TakeChoice, Takes } from './takes.ts';

export type TaskAnswer =
  /** The task ends without a job: `skipped` by its `if:`, or `failed` with a problem. */
  | ({ readonly is: 'end'; readonly problem?: TaskProblem } & End)
  /** A file must be hashed first. */
  | { readonly is: 'unread' }
  | {
      readonly is: 'decided';
      readonly wanted: TaskRequest;
      /** The job's fingerprint. A download or a delete has the fingerprint of the step that it refers to. */
      readonly fingerprint: Fingerprint;
      readonly job: JobLine | undefined;
      readonly decision: Decision;
      /** upload: the digest of its file. */
      readonly content?: Digest;
      /** upload: the path of its file if another checkout has it, so that it cannot be uploaded again from here. */
      readonly away?: string;
      /** upload: a file that is not here, and that the store has. */
      readonly stored?: OutputLine;
      /** create: the take that counts. */
      readonly take?: TakeChoice;
    };

export interface TaskQuestion {
  readonly step: Step;
  readonly task: string;
  readonly names: Names;
  readonly facts: Facts;
  readonly jobOf: (fingerprint: Fingerprint) => JobLine | undefined;
  /** delete: the tasks of this item that download its project. */
  readonly savers: readonly string[];
  readonly takes: Takes;
  /** Default: nothing. */
  readonly remembered?: Remembered | undefined;
  /** True if every output must be in this checkout. */
  readonly requireOutputs: boolean;
}

export function ask(question: TaskQuestion): TaskAnswer {
  const answer = asked(question);
  const { step, task, takes } = question;
  const isSpared = answer.is === 'decided' && answer.decision.act !== 'reuse';
  return isSpared && takes.spares(step, task)
    ? { is: 'end', ending: 'excluded', why: 'this run is about other tasks' }
    : answer;
}

function asked(question: TaskQuestion): TaskAnswer {
  const { step, names, facts, jobOf } = question;
  const holds = conditionHolds(step, names.scope);
  if (!holds.ok) return problemAt(holds.error);
  if (!holds.value) return { is: 'end', ending: 'skipped', why: 'its if: is false' };
  const wished = taskRequestOf(step, names);
  if (!wished.ok) return problemAt(wished.error);
  const wanted = wished.value;
  switch (wanted.operation) {
    case 'upload':
      return askUpload(wanted, question);
    case 'detect': {
      const { fingerprint } = wanted;
      const known = jobOf(fingerprint);
      // A repaired record may have only the fingerprint; what a person has forgotten is done again.
      const isOpen = known === undefined || jobFacts[known.state].inDoubt;
      const found = isOpen ? question.remembered?.detected(fingerprint, question.task) : undefined;
      const job = found ?? known;
      const decision = decideSupply(job);
      const bad = decision.act === 'begin' ? badValue(step, wanted.body) : undefined;
      return bad === undefined
        ? { is: 'decided', wanted, fingerprint, job, decision }
        : withProblem(bad);
    }
    case 'create':
      return askCreate(wanted, question);
    case 'download': {
      const place = normalized(wanted.to);
      if (!place.ok) return problem('SL509', `to: ${place.error}`);
      const job = knownNow(jobOf(wanted.of), question);
      if (job === undefined) throw new Error(`bug: ${step.of} has no job`);
      const { task, requireOutputs: required, remembered = nothingRemembered } = question;
      const decide = (as: JobLine, copies: () => readonly OutputLine[]): Decision =>
        decideDownload({ task, to: wanted.to, job: as, required, copies }, facts);
      const known = decide(job, () => []);
      const gone = known.act === 'begin' ? remembered.deletedElsewhere(job) : undefined;
      const isLost = known.act === 'lost' || gone !== undefined;
      const decision = isLost ? decide(gone ?? job, () => remembered.copies(job)) : known;
      return { is: 'decided', wanted, fingerprint: wanted.of, job, decision };
    }
    case 'delete': {
      const job = jobOf(wanted.of);
      if (job === undefined) throw new Error(`bug: ${step.of} has no job`);
      const { discard } = step;
      const decision = decideDelete({ job, savers: question.savers, discard }, facts);
      return { is: 'decided', wanted, fingerprint: wanted.of, job, decision };
    }
  }
}

/** A creation that the state file does not know may be paid for all the same: what is remembered decides then. */
function askCreate(first: BodyRequest, question: TaskQuestion): TaskAnswer {
  const { step, task, jobOf, takes, remembered = nothingRemembered } = question;
  const busy = (wanted: TaskRequest, fingerprint: Fingerprint): TaskAnswer => ({
    is: 'decided',
    wanted,
    fingerprint,
    job: undefined,
    decision: { act: 'attach', reason: { code: 'paid-meanwhile' } },
  });
  // The takes of a request come with its first one.
  const isKnown = jobOf(first.fingerprint) !== undefined;
  const paidFirst = isKnown ? undefined : remembered.paid(first.fingerprint, task);
  if (paidFirst === 'busy') return busy(first, first.fingerprint);
  const take = takes.choose(first, task);
  if (take.refused !== undefined) return { is: 'end', ending: 'excluded', why: take.refused };
  const wanted = withTake(first, take.number);
  const { fingerprint } = wanted;
  const decided = (job: JobLine | undefined): TaskAnswer => {
    const decision = decideTake(take, job);
    const bad = decision.act === 'begin' ? badValue(step, wanted.body) : undefined;
    return bad === undefined
      ? { is: 'decided', wanted, fingerprint, job, decision, take }
      : withProblem(bad);
  };
  const job = knownNow(jobOf(fingerprint), question);
  const answer = decided(job);
  // A doubt without a name comes from a repair, which could not read which attempt it was.
  const isNameless = job !== undefined && job.name === undefined;
  const { act } = answer.is === 'decided' ? answer.decision : {};
  const isOpen = act === 'begin' || act === 'lost' || (act === 'doubt' && isNameless);
  // Whoever asks for another take pays on purpose.
  if (!isOpen || take.saveTo !== undefined) return answer;
  const isAsked = !isKnown && fingerprint === first.fingerprint;
  const paid = isAsked ? paidFirst : remembered.paid(fingerprint, task);
  if (paid === 'busy') return busy(wanted, fingerprint);
  return paid === undefined ? answer : decided(paid);
}

/** Another pipeline may know what this state file does not: how a creation ended, or what a deleted project had. */
function knownNow(
  job: JobLine | undefined,
  { task, remembered = nothingRemembered }: TaskQuestion,
): JobLine | undefined {
  if (job?.state === 'created') return remembered.deletedElsewhere(job) ?? job;
  const isBlank = job?.state === 'deleted' && job.result === undefined;
  if (job === undefined || !(isBlank || jobFacts[job.state].inDoubt)) return job;
  return remembered.resolved(job, task) ?? job;
}

/** The first known value of a request that cannot be sent. */
export function badValue(step: Step, body: JsonObject): TaskProblem | undefined {
  const [first] = knownBodyErrors(step, body);
  if (first === undefined) return undefined;
  const { code, message, hint, path } = first;
  return { code, message, hint, at: ['steps', step.name, 'with', ...path] };
}

function askUpload(
  wanted: Extract<TaskRequest, { operation: 'upload' }>,
  question: TaskQuestion,
): TaskAnswer {
  const { facts, jobOf } = question;
  const extension = extensionOf(wanted.file);
  if (mediaTypeOf(extension) === undefined && mediaTypeOf(extension.trim()) !== undefined)
    return problem('SL507', `${JSON.stringify(wanted.file)} ends with spaces`, wanted.file);
  if (mediaTypeOf(extension) === undefined)
    return problem(
      'SL506',
      `${wanted.file}: the service takes no ${extension === '' ? 'file without an extension' : `.${extension} file`}; ` +
        `it takes ${knownExtensions.join(' ')}`,
      wanted.file,
    );
  const fact = facts.input(wanted.file);
  if (fact.is === 'absent')
    return (
      uploadElsewhere(wanted, question) ??
      problem(fact.barred === true ? 'SL702' : 'SL507', `${wanted.file} ${fact.why}`, wanted.file)
    );
  if (fact.bytes === 0) return problem('SL508', `${wanted.file} is empty`, wanted.file);
  if (fact.unusable !== undefined)
    return problem('SL531', `${wanted.file} ${fact.unusable}`, wanted.file);
  if (fact.digest === undefined) return { is: 'unread' };
  const fingerprint = uploadFingerprint(fact.digest);
  const job = jobOf(fingerprint);
  const content = fact.digest;
  return { is: 'decided', wanted, fingerprint, job, decision: decideSupply(job), content };
}

/** An upload of a download's file that another checkout has: the state file knows its content. */
function uploadElsewhere(
  wanted: Extract<TaskRequest, { operation: 'upload' }>,
  { step, names, facts, jobOf, requireOutputs }: TaskQuestion,
): TaskAnswer | undefined {
  if (requireOutputs) return undefined;
  const recorded = step.after.flatMap((name): readonly OutputLine[] => {
    const of = names.fingerprintOfStep(name);
    return (of === undefined ? undefined : jobOf(of)?.outputs) ?? [];
  });
  const output = recorded.find(({ path }) => path === wanted.file);
  if (output === undefined || conditionOf(output, facts) !== 'elsewhere') return undefined;
  const fingerprint = uploadFingerprint(output.sha256);
  const job = jobOf(fingerprint);
  const supply = decideSupply(job);
  if (isStored(output, facts)) {
    const content = digestFrom(output.sha256);
    return { is: 'decided', wanted, fingerprint, job, decision: supply, content, stored: output };
  }
  const decision: Decision =
    supply.act === 'reuse'
      ? supply
      : { act: 'lost', reason: { code: 'upload-elsewhere', path: output.path } };
  return { is: 'decided', wanted, fingerprint, job, decision, away: output.path };
}

const withProblem = (problem: TaskProblem): TaskAnswer => ({
  is: 'end',
  ending: 'failed',
  why: problem.message,
  diagnostic: problem.code,
  named: problem.named,
  problem,
});
const problem = (code: keyof typeof remedies, message: string, file?: string): TaskAnswer =>
  withProblem({
    code,
    message,
    hint: remedies[code],
    ...(file === undefined ? {} : { named: [file] }),
  });

const remedies = {
  SL506: 'convert the file, or leave it out',
  SL507: 'paths are relative to the pipeline file; check the spelling and the case',
  SL508: 'replace the file, or leave it out',
  SL509: 'write a path below the output folder',
  SL531: 'replace the file, or leave it out',
  SL702: 'if you trust the pipeline, use --allow-outside',
} as const satisfies Readonly<Partial<Record<Code, string>>>;
const problemAt = (at: TemplateError): TaskAnswer =>
  withProblem({
    code: at.code,
    hint: expressionRemedy(at),
    message: `in the expression ${shortened(at.text.trim())}: ${at.message}`,
    expression: at,
  });

const shortened = (text: string): string => (text.length > 80 ? `${text.slice(0, 79)}…` : text);
