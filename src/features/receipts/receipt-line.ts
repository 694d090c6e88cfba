// Receipts as text: what `shotlist receipts --export` writes. Whoever reads such a file trusts nothing in it: each line is
// checked against the schema, and its job as a line of a state file.

import { valueIn } from '../../base/json.ts';
import { err, ok, type Result } from '../../base/result.ts';
import { type Schema, validatorOf } from '../../base/schema.ts';
import { reasonOf } from '../../contract/api/bounds.ts';
import { faceDetect } from '../../contract/kinds.ts';
import { type JobLine, lineText, readLine } from '../../model/line.ts';
import { jobSchema, storeName, task } from '../../model/line-schemas.ts';
import { type Receipt, withoutFiles } from '../../state/receipts/receipt.ts';

/** The format of an export. */
const exportVersion = 1;

const maxReceiptChars = 1_000_000;

const absolutePath = {
  type: 'string',
  pattern: '^(/|[A-Za-z]:[\\\\/]|\\\\\\\\)',
  description: 'An absolute path of the machine that paid.',
} as const;

const headerSchema: Schema = {
  type: 'object',
  additionalProperties: false,
  required: ['receipts'],
  properties: {
    receipts: { type: 'integer', const: exportVersion, description: 'The format version.' },
    salt: {
      type: 'string',
      pattern: '^[0-9a-f]{16}$',
      description:
        'Names the database that the receipts come from: only there, `account` says who paid.',
    },
  },
};

const receiptSchema: Schema = {
  type: 'object',
  additionalProperties: false,
  required: ['service', 'source', 'saved', 'job'],
  properties: {
    service: { type: 'string', minLength: 1, description: 'The base address, or "rehearsal".' },
    source: {
      type: 'object',
      additionalProperties: false,
      required: ['folder', 'pipeline', 'state'],
      description: 'The pipeline that paid.',
      properties: {
        folder: { ...absolutePath, description: 'The folder of the pipeline file.' },
        pipeline: { type: 'string', minLength: 1, description: 'The name of the pipeline file.' },
        state: { ...absolutePath, description: 'The state file.' },
        branch: { type: 'string', minLength: 1, description: 'The branch that was checked out.' },
      },
    },
    account: {
      type: 'string',
      pattern: '^(account|key):[0-9a-f]{32}$',
      description: 'A salted hash that names the account that paid.',
    },
    saved: {
      type: 'array',
      description: 'The files that were saved.',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['index', 'task', 'path', 'bytes', 'sha256'],
        properties: {
          index: { type: 'integer', minimum: 0, description: 'Which of the project’s downloads.' },
          task,
          path: absolutePath,
          bytes: { type: 'integer', minimum: 0 },
          sha256: { type: 'string', pattern: '^[0-9a-f]{64}$' },
          stored: storeName,
        },
      },
    },
    job: { ...jobSchema, description: 'The job, as a line of a state file has it.' },
  },
};

export const receiptsSchema: Schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'https://shotlist.dev/schemas/receipts.schema.json',
  title: 'A line of exported receipts of shotlist',
  description:
    'JSON Lines, written by shotlist receipts --export. One header, then one line per receipt.',
  anyOf: [headerSchema, receiptSchema],
};

interface ExportHeader {
  readonly receipts: typeof exportVersion;
  /** Undefined if the accounts are not known. */
  readonly salt?: string | undefined;
}

/** A receipt as the line has it: without the process that sends the request, which only its own machine knows. */
type ExportedReceipt = Omit<Receipt, 'line' | 'holder'> & { readonly job: JobLine };

export const exportHeaderText = (salt: string | undefined): string =>
  lineText({ receipts: exportVersion, salt } satisfies ExportHeader);

export const receiptText = ({ service, source, account, saved, line }: Receipt): string =>
  lineText({ service, source, account, saved, job: withoutFiles(line) } satisfies ExportedReceipt);

/** The error is the end of a sentence about the line. */
export function readExportHeader(text: string): Result<ExportHeader, string> {
  const value = jsonIn(text);
  if (!value.ok) return value;
  const validate = validatorOf<ExportHeader>(headerSchema);
  return validate(value.value) ? ok(value.value) : err(reasonOf(validate.errors));
}

/** The error is the end of a sentence about the line. */
export function readReceiptText(text: string): Result<Receipt, string> {
  const value = jsonIn(text);
  return value.ok ? readReceipt(value.value) : value;
}

/** Reads a receipt that may come from anybody. The error is the end of a sentence about it. */
export function readReceipt(value: unknown): Result<Receipt, string> {
  const validate = validatorOf<ExportedReceipt>(receiptSchema);
  if (!validate(value)) return err(reasonOf(validate.errors));
  const { job, service, source, account, saved } = value;
  const line = readLine<JobLine>(jobSchema, job, (read) => ({ type: 'job', line: read }));
  if (!line.ok) return line;
  if (!isWorthKeeping(job)) return err('its job is no creation that was begun');
  if (!/^\d{4}-\d\d-\d\dT/.test(job.at) || Number.isNaN(Date.parse(job.at)))
    return err('its time is no time');
  return ok({ service, source, account, saved, line: withoutFiles(job) });
}

/** Creations and detections have receipts; an upload can be made again for nothing. */
export const isWorthKeeping = ({ name, state, kind }: JobLine): boolean =>
  (name !== undefined && state !== 'forgotten') ||
  (state === 'supplied' && kind === faceDetect.name);

function jsonIn(text: string): Result<unknown, string> {
  if (text.length > maxReceiptChars) return err('it is longer than any receipt');
  const value = valueIn(text);
  return value === undefined ? err('it is not JSON') : ok(value);
}
