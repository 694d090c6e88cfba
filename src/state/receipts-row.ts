// A row of the receipts: what the state files that paid for a job say of it.
import { dirname, isAbsolute, relative, sep } from 'node:path';
import { valueIn } from '../base/json.ts';
import { validatorOf } from '../base/schema.ts';
import { joined } from '../model/record/join.ts';
import { type Attempt, type Job, lineText, type Output, parseLine } from '../model/record/line.ts';
import { jobSchema } from '../model/record/schemas.ts';
import { ReceiptsProblem } from './receipts-problem.ts';

/** A state file, so that a person recognizes it. Paths are absolute, and stay on this machine. */
export interface Payer {
  readonly state: string;
  /** The pipeline file. */
  readonly pipeline: string;
  readonly branch?: string | undefined;
}

/** What one state file says of a job. */
export interface Party extends Payer {
  readonly tasks: readonly string[];
  readonly picked?: Job['picked'];
  /** The attempts that it paid for, by name. */
  readonly paid: readonly string[];
  /** Those of them that the account of the row has paid for, as was known when they were sent. */
  readonly sent: readonly string[];
  /** The files that it saved: absolute paths. */
  readonly saved: readonly string[];
  /** The digest of its line when it was noted last; undefined if it began nothing of it itself. */
  readonly said?: string | undefined;
}

export interface Row {
  /** Without tasks. Outputs have absolute paths. */
  readonly line: Job;
  readonly parties: readonly Party[];
  /** The lock file of the process that sends the request. */
  readonly busy: string | undefined;
}

export interface StoredRow extends Row {
  readonly id: number;
  readonly service: string;
  /** '': not known. */
  readonly owner: string;
  /** Whose process wrote all that the row says; undefined: more than one did. */
  readonly writer: string | undefined;
}

/** A row that is no receipt counts as damage of the file. */
export function storedRow(raw: Readonly<Record<string, unknown>>, job: unknown): StoredRow {
  const { id, service, owner, busy, writer } = raw;
  const line = parseLine(String(raw['line']));
  const parties = valueIn(String(raw['parties']));
  if (!line.ok || !('job' in line.value) || line.value.job !== job || !areParties(parties))
    throw new ReceiptsProblem('damaged', 'have a row that is no receipt');
  return {
    id: Number(id),
    service: String(service),
    owner: String(owner),
    line: line.value,
    parties,
    busy: typeof busy === 'string' ? busy : undefined,
    writer: typeof writer === 'string' ? writer : undefined,
  };
}

const text = { type: 'string' } as const;
const texts = { type: 'array', items: text } as const;
const areParties = validatorOf<readonly Party[]>({
  type: 'array',
  minItems: 1,
  items: {
    type: 'object',
    additionalProperties: false,
    required: ['state', 'pipeline', 'tasks', 'paid', 'sent', 'saved'],
    properties: {
      state: text,
      pipeline: text,
      branch: text,
      tasks: texts,
      picked: jobSchema.properties.picked,
      paid: texts,
      sent: texts,
      saved: texts,
      said: text,
    },
  },
});

export function joinedRows([first, ...others]: readonly Row[]): Row | undefined {
  return first === undefined ? undefined : others.reduce(joinedRow, first);
}

/** Who claimed an attempt first stays its payer: a copy of that state file says the same, and takes nothing over. */
export function joinedRow(a: Row, b: Row): Row {
  const parties = new Map(a.parties.map((party) => [party.state, party]));
  for (const party of b.parties) {
    const others = a.parties.filter(({ state }) => state !== party.state);
    const paid = party.paid.filter((name) => !others.some((other) => other.paid.includes(name)));
    const known = parties.get(party.state);
    parties.set(party.state, {
      ...party,
      tasks: union(known?.tasks, party.tasks),
      picked: party.picked ?? known?.picked,
      paid: union(known?.paid, paid),
      sent: union(known?.sent, party.sent),
      saved: union(known?.saved, party.saved),
    });
  }
  return {
    line: joined(a.line, b.line),
    parties: [...parties.values()],
    busy: b.busy ?? a.busy,
  };
}

/**
 * What a state file may say of an attempt for which another one paid: what its project is, as the service or a person told;
 * and that it has deleted the project, if it has all files. What it costs, and that it is gone, only the payer says.
 */
export function withWords(row: Row, { attempts }: Job, saved: readonly string[]): Row {
  const words = row.line.attempts.flatMap((known): readonly Attempt[] => {
    const said = attempts.find(({ name, adopted }) => adopted && name === known.name);
    if (said === undefined) return [];
    const { project, result, settled, notCharged, gaveUp } = said;
    const { name, run, at, reserve } = known;
    const isDeleted = said.state === 'deleted' && hasAll(said, row.line.outputs, saved);
    const state = isDeleted ? 'deleted' : project === undefined ? 'intended' : 'created';
    // Whoever paid for a project may still wait for it.
    const mark = project === undefined ? gaveUp : undefined;
    return [{ name, run, at, state, reserve, project, settled, result, gaveUp: mark, notCharged }];
  });
  if (words.length === 0) return row;
  return { ...row, line: joined(row.line, { ...row.line, attempts: words }) };
}

const union = (a: readonly string[] = [], b: readonly string[] = []): readonly string[] => [
  ...new Set([...a, ...b]),
];

export const isSame = (a: Row, b: Row): boolean =>
  a.busy === b.busy &&
  lineText(a.line) === lineText(b.line) &&
  JSON.stringify(a.parties) === JSON.stringify(b.parties);

export function payerOf(parties: readonly Party[], attempt: string | undefined): Party {
  const [first] = parties;
  if (first === undefined) throw new Error('bug: a receipt of nobody');
  return parties.find(({ paid }) => attempt !== undefined && paid.includes(attempt)) ?? first;
}

/** A file of each result, whose content was checked, in its place. */
export function hasAll(
  { name, result }: Attempt,
  outputs: readonly Output[],
  saved: readonly string[],
): boolean {
  const whole = outputs.filter(
    ({ of, path, kept, unchecked }) =>
      of === name && saved.includes(path) && kept === undefined && unchecked === undefined,
  );
  const downloads = result?.['downloads'];
  if (typeof downloads !== 'number' || downloads < 1) return false;
  return new Set(whole.map(({ index }) => index)).size >= downloads;
}

/** Paths are relative to the pipeline file again. */
export function ownLine(line: Job, { pipeline, tasks, picked, paid, saved }: Party): Job {
  const outputs = line.outputs.flatMap((file): Output[] => {
    const path = relative(dirname(pipeline), file.path);
    const isOwn = paid.includes(file.of) && saved.includes(file.path) && !isAbsolute(path);
    return isOwn ? [{ ...file, path: path.split(sep).join('/') }] : [];
  });
  const attempts = line.attempts.filter(({ name }) => paid.includes(name));
  const own: Job = { ...line, tasks: [...tasks], attempts, outputs };
  if (picked !== undefined) own.picked = picked;
  return own;
}
