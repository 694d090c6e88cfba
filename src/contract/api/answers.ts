// Reads what the service answers: from any value to one of its nouns, or why it is none. Only what nobody can do without
// must fit (an id, a status, addresses): every other field that does not fit counts as not told, so that one absurd figure
// does not make a paid result unreachable.
import { isObject, type JsonObject } from '../base/json.ts';
import { err, ok, type Result } from '../base/result.ts';
import { type Schema, validatorOf } from '../base/schema.ts';
import { scrubbed, scrubbedCode } from '../base/scrub.ts';
import { mostCredits, mostListed, reasonOf, timestamp } from './bounds.ts';
import {
  type Account,
  accountSchema,
  type FaceDetection,
  faceDetectionSchema,
  type Project,
  projectSchema,
  type Taking,
  takenSchema,
  type UploadAddresses,
  uploadAddressesSchema,
} from './project.ts';

/** On failure: why it is not what was asked for, as the end of a sentence. */
type Reading<T> = Result<T, string>;
type Fields = Readonly<Record<string, unknown>>;

/**
 * `expires_at` of a download is '' where the service tells no time. `error` is scrubbed: its code has at most 100
 * characters, its message 2,000.
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
  return read(projectSchema, withoutUnfit(record, projectSchema));
}

export function readFaceDetection(value: unknown): Reading<FaceDetection> {
  if (!isObject(value) || !Array.isArray(value['faces'])) return read(faceDetectionSchema, value);
  const listed = listedOf(value['faces']);
  const { faces: schema } = faceDetectionSchema.properties;
  const faces = listed.map((face) => (isObject(face) ? withoutUnfit(face, schema.items) : face));
  return read(faceDetectionSchema, withoutUnfit({ ...value, faces }, faceDetectionSchema));
}

export function readUploadAddresses(value: unknown): Reading<UploadAddresses> {
  if (!isObject(value) || !Array.isArray(value['items'])) return read(uploadAddressesSchema, value);
  const listed = listedOf(value['items']);
  const { items: schema } = uploadAddressesSchema.properties;
  const items = listed.map((item) => (isObject(item) ? withoutUnfit(item, schema.items) : item));
  return read(uploadAddressesSchema, { ...value, items });
}

/** A creation, or the start of a face detection. With a usable id it was taken, whatever its charge says. */
export function readTaking(value: unknown): Reading<Taking> {
  const taken = read<{ readonly id: string }>(takenSchema, value);
  if (!taken.ok || !isObject(value)) return taken.ok ? err('it is not an object') : taken;
  return ok({ id: taken.value.id, credits: chargeTold(value) });
}

/**
 * Undefined: it tells no balance that can be believed, which is no reason to do without the service. A balance that is
 * no number at all is another matter: whoever answers so may not be the service.
 */
export function readAccount(value: unknown): Reading<Account | undefined> {
  if (!isObject(value)) return read(accountSchema, value);
  const { credits } = value;
  const account = read<Account>(accountSchema, withoutUnfit(value, accountSchema));
  return account.ok || typeof credits !== 'number' ? account : ok(undefined);
}

/**
 * The charge that a creation's answer tells, under its name or a deprecated one, rounded up; undefined: it tells none to
 * believe, and what was set aside counts until the record says more.
 */
function chargeTold(answer: Fields): number | undefined {
  for (const field of ['credits_charged', 'frame_cost', 'estimated_frame_cost']) {
    const told = answer[field];
    if (typeof told === 'number' && told >= 0 && told <= mostCredits) return Math.ceil(told);
  }
  return undefined;
}

function read<T>(schema: Schema, value: unknown): Reading<T> {
  const validate = validatorOf<T>(schema);
  return validate(value) ? ok(value) : err(reasonOf(validate.errors));
}

interface ObjectSchema {
  readonly required: readonly string[];
  readonly properties: Readonly<Record<string, Schema>>;
}

/** Without the fields that need not be there and do not fit. Fields that the schema does not know stay. */
function withoutUnfit(value: Fields, { required, properties }: ObjectSchema): Fields {
  return Object.fromEntries(
    Object.entries(value).filter(([name, field]) => {
      const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
      return schema === undefined || required.includes(name) || validatorOf(schema)(field);
    }),
  );
}

/** Of a list that is too long, one more than may be in it: enough to refuse it without reading it all. */
const listedOf = (list: readonly unknown[]): readonly unknown[] => list.slice(0, mostListed + 1);

/** A time that cannot be read says nothing: the address is tried all the same. */
function dated(downloads: readonly unknown[]): readonly unknown[] {
  return listedOf(downloads).map((download) =>
    isObject(download) && !isTime(download['expires_at'])
      ? { ...download, expires_at: '' }
      : download,
  );
}

/** In ISO 8601: `Date.parse` alone also takes times with any text in brackets. */
function isTime(value: unknown): boolean {
  if (typeof value !== 'string' || value.length > timestamp.maxLength) return false;
  return /^[\d:.TZ+ -]+$/.test(value) && Number.isFinite(Date.parse(value));
}

/** Undefined: it is no reason that can be read. */
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
