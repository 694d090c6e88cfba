// Downloads: from an address of the storage into a temporary file, whole and synced, or as much as came. No bearer
// header, constant memory, and after a cut only the rest is asked for.
import { constants } from 'node:fs';
import { dirname } from 'node:path';
import { type Agent, type Dispatcher, request } from 'undici';
import type { ApiFailure } from '../api/failure.ts';
import { digestOfBytes } from '../base/digest.ts';
import { err, ok, type Result } from '../base/result.ts';
import type { Fetched, LocalFile } from '../run/ports.ts';
import { contentRangeOf, isOtherVersion, lengthOf, validatorOf } from './content-range.ts';
import { failureOfTransfer, storageFailure } from './http-failure.ts';
import { createPart, Part, type RunningHash, removePart, type Standing, standing } from './part.ts';
import { wholeBytes } from './put-file.ts';

type Response = Dispatcher.ResponseData;
type Outcome = Result<Fetched, ApiFailure>;

const empty: ApiFailure = { reason: 'unanswered', message: 'the file is empty' };

export class FileFetcher {
  readonly #agent: Agent;
  /** Spares reading what this process wrote itself; gone with the download that it is of. */
  readonly #hashes = new WeakMap<LocalFile, RunningHash>();

  constructor(agent: Agent) {
    this.#agent = agent;
  }

  /** One request; a second one when the first shows that what is on disk cannot be gone on from. */
  async fetch(url: string, into: LocalFile): Promise<Outcome> {
    if (!/^https?:\/\//.test(url))
      return err({ reason: 'refused', status: 0, message: 'the download address is not http(s)' });
    try {
      const before = await standing(into, this.#hashes.get(into));
      const continued = before === undefined ? undefined : await this.#goOn(url, into, before);
      return continued ?? (await this.#begin(await this.#ask(url, {}), into));
    } catch (error) {
      return err(failureOfTransfer(error, 'writing', `a file in ${dirname(into.path)}`));
    }
  }

  #ask(url: string, headers: Readonly<Record<string, string>>): Promise<Response> {
    const plain = { 'accept-encoding': 'identity', ...headers };
    return request(url, { method: 'GET', dispatcher: this.#agent, headers: plain });
  }

  /** Undefined: it must be fetched from its beginning. */
  async #goOn(url: string, into: LocalFile, before: Standing): Promise<Outcome | undefined> {
    const { version, running } = before;
    const range = `bytes=${running.bytes}-`;
    const response = await this.#ask(url, { range, 'if-range': version.validator });
    if (continues(response, before))
      return await this.#fill(
        await untilFailure(response, Part.goOn(into, before)),
        response,
        into,
      );
    // The content has changed, or the storage gives no parts: it gave all of it.
    if (response.statusCode === 200) return await this.#begin(response, into);
    await response.body.dump();
    if (response.statusCode === 206 || response.statusCode === 416) return undefined;
    return err(storageFailure(response.statusCode));
  }

  async #begin(response: Response, into: LocalFile): Promise<Outcome> {
    if (response.statusCode !== 200) {
      await response.body.dump();
      return err(storageFailure(response.statusCode));
    }
    const length = lengthOf(response.headers);
    if (length !== undefined && length <= wholeBytes) return await saveWhole(response, into);
    const validator = validatorOf(response.headers);
    const version =
      validator === undefined || length === undefined ? undefined : { validator, total: length };
    return await this.#fill(
      await untilFailure(response, Part.begin(into, version)),
      response,
      into,
    );
  }

  async #fill(part: Part, response: Response, into: LocalFile): Promise<Outcome> {
    try {
      for await (const piece of response.body) await part.append(piece);
    } catch (error) {
      // Unread, the body would hold its connection for ever.
      response.body.destroy();
      await this.#leave(part, into);
      throw error;
    }
    const { bytes } = part.running;
    const total = part.version?.total ?? lengthOf(response.headers) ?? bytes;
    if (bytes < total) {
      await this.#leave(part, into);
      return err({ reason: 'unanswered', message: `${bytes} of ${total} bytes came` });
    }
    if (bytes === 0 || bytes > total) {
      await part.drop();
      return err(bytes === 0 ? empty : tooMany(bytes, total));
    }
    return ok({ ...(await part.finish()), contentType: contentTypeOf(response) });
  }

  async #leave(part: Part, into: LocalFile): Promise<void> {
    await part.leave();
    this.#hashes.set(into, part.running);
  }
}

const tooMany = (bytes: number, total: number): ApiFailure => ({
  reason: 'unanswered',
  message: `${bytes} bytes came, which is more than the ${total} that there are`,
});

/** True: the answer is the rest of what is on disk, and of the same version. */
function continues({ statusCode, headers }: Response, { version, running }: Standing): boolean {
  const range = statusCode === 206 ? contentRangeOf(headers) : undefined;
  return range?.start === running.bytes && range.total === version.total
    ? !isOtherVersion(headers, version)
    : false;
}

/** One write that returns when the bytes are on disk: a small file needs no sync of its own. */
async function saveWhole(response: Response, into: LocalFile): Promise<Outcome> {
  const bytes = Buffer.from(await response.body.arrayBuffer());
  if (bytes.length === 0) return err(empty);
  await using file = await createPart(into, constants.O_DSYNC);
  try {
    await file.writeFile(bytes);
  } catch (error) {
    await removePart(into);
    throw error;
  }
  const contentType = contentTypeOf(response);
  return ok({ bytes: bytes.length, digest: digestOfBytes(bytes), contentType });
}

/** Frees the connection of an answer that nobody will read when there is no file to write it to. */
async function untilFailure<T>(response: Response, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    response.body.destroy();
    throw error;
  }
}

function contentTypeOf({ headers }: Response): string {
  const type = headers['content-type'];
  return typeof type === 'string' ? type : '';
}
