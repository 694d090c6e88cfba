// Parses the service's answers into records, or says why an answer is not valid. Only essential
// fields must be valid (an id, a status, addresses). Any other invalid field counts as missing, so
// that one absurd number does not make a paid result unreachable.
import { isObject, type JsonObject } from '../../base/json.ts';
import { err, ok, type Result } from '../../base/result.ts';
import { type Schema, validatorOf } from '../../base/schema.ts';
import { scrubbed, scrubbedCode } from '../../base/scrub.ts';
import { mostCredits, mostListed, reasonOf, timestamp } from './bounds.ts';
import {
  type AcceptedCreation,
  type Account,
  acceptedCreationSchema,
  accountSchema,
  type FaceDetection,
  faceDetectionSchema,
  type Project,
  projectSchema,
  type UploadAddresses,
  uploadAddressesSchema,
} from './project.ts';

/** The error is the end of a sentence that says why the answer is not valid. */
type Reading<T> = Result<T, string>;
type AnswerFields = Readonly<Record<string, unknown>>;

/**
 * `expires_at` of a download is '' if the service gives no time. `error` is scrubbed: its code has
 * at most 100 characters, its message 2,000.
 */
export function readProject(value: unknown): Reading<Project> {
  if (!isObject(value)) return read(projectSchema, value);
  const { downloads, error, created_at: made } = value;
  const record = {
    ...value,
    ...(Array.isArray(downloads) ? { downloads: dated(downloads) } : {}),
    ...(error === undefined ? {} : { error: failureIn(error) }),
    ...(made === undefined ? {} : { created_at: isTime(made) ? made : undefined }),
  };
  return readFit(projectSchema, record);
}

export function readFaceDetection(value: unknown): Reading<FaceDetection> {
  if (!isObject(value) || !Array.isArray(value['faces'])) return read(faceDetectionSchema, value);
  const faces = fitEntries(value['faces'], faceDetectionSchema.properties.faces.items);
  return readFit(faceDetectionSchema, { ...value, faces });
}

export function readUploadAddresses(value: unknown): Reading<UploadAddresses> {
  if (!isObject(value) || !Array.isArray(value['items'])) return read(uploadAddressesSchema, value);
  const items = fitEntries(value['items'], uploadAddressesSchema.properties.items.items);
  return read(uploadAddressesSchema, { ...value, items });
}

/**
 * A creation, or the start of a face detection. With a usable id it was accepted, whatever the
 * charge says.
 */
export function readAcceptedCreation(value: unknown): Reading<AcceptedCreation> {
  const accepted = read<{ readonly id: string }>(acceptedCreationSchema, value);
  if (!accepted.ok || !isObject(value)) return accepted.ok ? err('it is not an object') : accepted;
  return ok({ id: accepted.value.id, credits: chargeIn(value) });
}

/**
 * Undefined if the balance is not believable; the service is still usable. A balance that is not a
 * number is an error, because whatever gave that answer may not be the service.
 */
export function readAccount(value: unknown): Reading<Account | undefined> {
  if (!isObject(value)) return read(accountSchema, value);
  const { credits } = value;
  const account = readFit<Account>(accountSchema, value);
  return account.ok || typeof credits !== 'number' ? account : ok(undefined);
}

/**
 * The charge in a creation's answer, under its current or a deprecated name, rounded up. Undefined
 * if there is none that is believable; then the reserved credits count until the record says more.
 */
function chargeIn(answer: AnswerFields): number | undefined {
  for (const field of ['credits_charged', 'frame_cost', 'estimated_frame_cost']) {
    const charge = answer[field];
    if (typeof charge === 'number' && charge >= 0 && charge <= mostCredits)
      return Math.ceil(charge);
  }
  return undefined;
}

function read<T>(schema: Schema, value: unknown): Reading<T> {
  const validate = validatorOf<T>(schema);
  return validate(value) ? ok(value) : err(reasonOf(validate.errors));
}

/** Looks at the fields one by one only if something is wrong. */
function readFit<T>(schema: ObjectSchema & Schema, value: AnswerFields): Reading<T> {
  const validate = validatorOf<T>(schema);
  return validate(value) ? ok(value) : read(schema, withoutUnfit(value, schema));
}

interface ObjectSchema {
  readonly required: readonly string[];
  readonly properties: Readonly<Record<string, Schema>>;
}

/** Removes optional fields that are not valid. Fields that the schema does not know stay. */
function withoutUnfit(value: AnswerFields, { required, properties }: ObjectSchema): AnswerFields {
  return Object.fromEntries(
    Object.entries(value).filter(([name, field]) => {
      const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
      return schema === undefined || required.includes(name) || validatorOf(schema)(field);
    }),
  );
}

/**
 * At most one entry more than allowed: enough to refuse a list that is too long without reading all
 * of it.
 */
const listedOf = (list: readonly unknown[]): readonly unknown[] => list.slice(0, mostListed + 1);

const fitEntries = (list: readonly unknown[], schema: ObjectSchema): readonly unknown[] =>
  listedOf(list).map((entry) => (isObject(entry) ? withoutUnfit(entry, schema) : entry));

/** Replaces unreadable expiry times by '': the address is tried anyway. */
function dated(downloads: readonly unknown[]): readonly unknown[] {
  return listedOf(downloads).map((download) =>
    isObject(download) && !isTime(download['expires_at'])
      ? { ...download, expires_at: '' }
      : download,
  );
}

/** ISO 8601. `Date.parse` alone also accepts times with any text in brackets. */
function isTime(value: unknown): boolean {
  if (typeof value !== 'string' || value.length > timestamp.maxLength) return false;
  return /^[\d:.TZ+ -]+$/.test(value) && Number.isFinite(Date.parse(value));
}

/** Undefined if the reason is unreadable. */
function failureIn(error: unknown): JsonObject | null | undefined {
  if (error === null) return null;
  if (!isObject(error)) return undefined;
  const { code, message } = error;
  if (typeof code !== 'string' && typeof message !== 'string') return undefined;
  return {
    code: typeof code === 'string' && code !== '' ? scrubbedCode(code) : 'unknown',
    message: typeof message === 'string' ? scrubbed(message) : 'the service gives no reason',
  };
}
