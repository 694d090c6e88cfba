// The provenance file beside an output: where the output comes from, for people and programs that have only the file. It
// says what stays true, so that it is the same to the byte whenever it is written: no state, and no time that changes.
import { isObject, type Json, type JsonObject } from '../../contract/base/json.ts';
import { printableJson } from '../../contract/base/printable.ts';
import type { JobLine, OutputLine, RunLine } from '../journal/line.ts';
import { itemOf, stepOf } from '../task/task.ts';
import type { Origin } from './origin.ts';
import { provenanceId } from './provenance-schema.ts';

/** In bytes. */
export const longestProvenance = 4 << 20;

/** The name of an output's provenance file. */
export const provenanceFileOf = (output: string): string => `${output}.json`;

export interface ProvenanceFacts {
  readonly pipeline: string;
  readonly rehearsal: boolean;
  readonly job: JobLine;
  readonly output: OutputLine;
  /** All runs of the state file. */
  readonly runs: readonly RunLine[];
  /** Undefined if nobody kept what the job was made of. */
  readonly origin: Origin | undefined;
  readonly isFannedOut: (task: string) => boolean;
}

export function provenanceOf(facts: ProvenanceFacts): JsonObject {
  const { pipeline, rehearsal, job, output, runs, origin, isFannedOut } = facts;
  const { task, index, bytes, sha256, path } = output;
  const item = itemOf(task, isFannedOut(task));
  const run = runs.find(({ run: number }) => number === job.sender);
  const { take = 1, parameters, inputs } = origin ?? {};
  return {
    $schema: provenanceId,
    ...cleaned({
      ...{ pipeline, rehearsal, task, step: stepOf(task) },
      ...(item === undefined ? {} : { item }),
      output: { file: path.slice(path.lastIndexOf('/') + 1), index, bytes, sha256 },
      ...{ uses: job.kind, fingerprint: job.job, take },
      ...(job.project === undefined ? {} : { project: job.project }),
      credits: job.credits ?? 0,
      ...(run === undefined ? {} : { run: { number: run.run, began: run.at } }),
      ...(parameters === undefined ? {} : { parameters }),
      ...(inputs === undefined ? {} : { inputs: asJson(inputs) }),
    }),
  };
}

export const provenanceText = (provenance: JsonObject): string =>
  `${JSON.stringify(provenance, null, 2).split('\n').map(printableJson).join('\n')}\n`;

/** The hash of the output that a text is the provenance of; undefined if the text is something else. */
export function outputOfProvenance(text: string): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(value) || value['$schema'] !== provenanceId) return undefined;
  const { output } = value;
  const sha256 = isObject(output) ? output['sha256'] : undefined;
  return typeof sha256 === 'string' ? sha256 : undefined;
}

const asJson = (value: Origin['inputs']): Json => JSON.parse(JSON.stringify(value));

/** The file goes to others: it names no address and no place on this machine. */
function cleaned(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, clean(entry)]));
}

function clean(value: Json): Json {
  if (typeof value === 'string') return cleanText(value);
  if (Array.isArray(value)) return value.map(clean);
  return isObject(value) ? cleaned(value) : value;
}

function cleanText(text: string): string {
  const plain = text.replace(/\b[a-z][a-z0-9+.-]*:\/\/[^\s"'<>]*/gi, '(address)');
  if (!/^(?:~?[\\/]|[a-z]:[\\/])\S*[\\/]\S/i.test(plain)) return plain;
  return plain.slice(Math.max(plain.lastIndexOf('/'), plain.lastIndexOf('\\')) + 1);
}
