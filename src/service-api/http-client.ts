// The service over HTTP: one call is one request, and every answer is a value.
import { Agent } from 'undici';
import type { JsonObject } from '../base/json.ts';
import { Redactor } from '../base/redactor.ts';
import { err, ok, type Result } from '../base/result.ts';
import { scrubbed } from '../base/scrub.ts';
import {
  readAcceptedCreation,
  readAccount,
  readFaceDetection,
  readProject,
  readUploadAddresses,
} from '../contract/api/answers.ts';
import type { ApiFailure } from '../contract/api/failure.ts';
import type { Project } from '../contract/api/project.ts';
import { type Route, routes, type TwoForms } from '../contract/api/routes.ts';
import type { Clock, MediaApi, ServiceAnswer } from '../core/ports.ts';
import { connector, connectorOptions } from './connector.ts';
import { exchange, placeOf } from './exchange.ts';
import { failureOfExchange, failureOfStatus, stopped } from './http-failure.ts';
import { OpenRequests } from './open-requests.ts';
import type { RequestRates } from './request-rate.ts';
import { type Network, realNetwork, StorageAddresses } from './storage-address.ts';
import { defaults, type StorageClientOptions, storageClient } from './storage-client.ts';

export interface ClientOptions extends StorageClientOptions {
  /** The base address; paths are appended to it. */
  readonly base: string;
  readonly key: string;
  /** Default: a redactor for the key. */
  readonly redactor?: Redactor | undefined;
  readonly clock: Clock;
  /**
   * Each request but a creation waits for its turn; a creation that must wait is not sent. All answers count. Default: no
   * request waits.
   */
  readonly rates?: RequestRates;
  /** Asked with the name of a creation right before its first byte is sent; false: it is not sent. */
  readonly inTime?: ((name: string) => boolean) | undefined;
  /** Milliseconds until the service's answer to a request must be complete. */
  readonly totalMs?: number;
  /** The longest answer of the service to read, in bytes. */
  readonly longestAnswer?: number;
  /** If it is aborted, the wait for requests that were sent ends. */
  readonly cut?: AbortSignal | undefined;
  readonly network?: Network;
  /** In a rehearsal, files come only from this machine. */
  readonly loopbackOnly?: boolean;
}

export interface HttpClient extends MediaApi {
  close(): Promise<void>;
}

/** Only set for a creation. */
interface Creation {
  readonly known?: AbortSignal | undefined;
  readonly name?: string;
}

type Method = 'GET' | 'POST' | 'DELETE';

export function httpClient(options: ClientOptions): HttpClient {
  const base = options.base.replace(/\/+$/, '');
  const { origin, path: root } = placeOf(base);
  const prefix = root.replace(/\/+$/, '');
  const {
    connections = defaults.connections,
    answerMs = defaults.answerMs,
    stallMs = defaults.stallMs,
    totalMs = 300_000,
    longestAnswer = 16 << 20,
    network = realNetwork,
    loopbackOnly = false,
    cut,
  } = options;
  const addresses = new StorageAddresses({ base, network, loopbackOnly });
  const agent = new Agent({
    connections,
    headersTimeout: answerMs,
    bodyTimeout: stallMs,
    connect: connector(15_000, (address) => addresses.meet(address)),
    ...connectorOptions,
  });
  const open = new OpenRequests(cut, totalMs);
  const { rates } = options;
  const forms = new PathForms();
  const redactor = options.redactor ?? new Redactor([options.key]);
  const storage = storageClient(addresses, { ...options, redactor });
  const headers = { authorization: `Bearer ${options.key}` };
  const jsonHeaders = { ...headers, 'content-type': 'application/json' };

  const send = async (
    method: Method,
    path: string,
    body: JsonObject | undefined,
    creation: Creation = {},
  ): ServiceAnswer<unknown> => {
    const { known, name } = creation;
    const rate = name === undefined ? rates?.all : rates?.creations;
    if (name === undefined) await rate?.turn();
    if (options.stop?.aborted || known?.aborted) return err(stopped);
    const question = {
      method,
      origin,
      path: `${prefix}${path}`,
      ...(body === undefined
        ? { headers, body: null }
        : { headers: jsonHeaders, body: JSON.stringify(body) }),
    };
    // While the intent of a creation was recorded, the service may have asked all requests to wait.
    const inTime = (): boolean =>
      name === undefined || (rate?.isHeld !== true && options.inTime?.(name) !== false);
    const bounds = { bytes: longestAnswer, totalMs, open, known, inTime };
    const begun = rate?.begin() ?? 0;
    const exchanged = await exchange(agent, question, bounds);
    if (exchanged.is === 'failed')
      return err(known?.aborted ? stopped : redactor.value(failureOfExchange(exchanged)));
    const { status, text } = exchanged;
    const value = parsed(text, redactor);
    const answer =
      status < 300
        ? ok(value)
        : err(failureOfStatus(status, value, exchanged.headers, options.clock.now()));
    rate?.heard(answer, begun);
    return answer;
  };

  const sendTo = async (
    method: Method,
    route: Route | TwoForms,
    body: JsonObject | undefined,
  ): ServiceAnswer<unknown> =>
    'alternate' in route
      ? await forms.ask(route, (path) => send(method, path, body))
      : await send(method, route.path, body);

  /** The answer as one of the service's records. */
  const checked = async <T>(
    read: (value: unknown) => Result<T, string>,
    answer: ServiceAnswer<unknown>,
  ): ServiceAnswer<T> => {
    const got = await answer;
    if (!got.ok) return got;
    const value = read(got.value);
    if (value.ok) return value;
    const message = scrubbed(`the answer is not what the interface says: ${value.error}`);
    return err({ reason: 'unanswered', message });
  };

  return {
    async uploadAddresses(files) {
      const items = files.map(({ type, extension }) => ({ type, extension }));
      const answer = sendTo('POST', routes.uploadAddresses(), { items });
      const got = await checked(readUploadAddresses, answer);
      if (!got.ok) return got;
      return ok(
        got.value.items.map((item) => ({ uploadUrl: item.upload_url, filePath: item.file_path })),
      );
    },
    put: storage.put,
    detectFaces: (body) =>
      checked(readAcceptedCreation, sendTo('POST', routes.detectFaces(), body)),
    faceDetection: (id) =>
      checked(readFaceDetection, sendTo('GET', routes.faceDetection(id), undefined)),
    create: (tool, body, known) =>
      checked(
        readAcceptedCreation,
        send('POST', routes.create(tool).path, body, { known, name: String(body['name']) }),
      ),
    async account() {
      const got = await checked(readAccount, sendTo('GET', routes.account(), undefined));
      return got.ok || got.error.reason !== 'not-found' ? got : ok(undefined);
    },
    project: (record, id) =>
      checked(
        (value) => about(id, readProject(value)),
        sendTo('GET', routes.project(record, id), undefined),
      ),
    async deleteProject(record, id) {
      const got = await sendTo('DELETE', routes.project(record, id), undefined);
      return got.ok ? ok(undefined) : got;
    },
    download: storage.download,
    async close() {
      await Promise.all([agent.close(), storage.close()]);
    },
  };
}

/** Refuses the details of another project. */
function about(id: string, read: Result<Project, string>): Result<Project, string> {
  return read.ok && read.value.id !== id
    ? err(`it is about project ${read.value.id}, not ${id}`)
    : read;
}

function parsed(text: string, redactor: Redactor): unknown {
  if (text === '') return undefined;
  try {
    return redactor.json(text);
  } catch (error) {
    // Not JSON, for example a proxy's page: only the status counts.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

// Three paths exist in two forms (facts.md), and a deployment may serve only one of them. The short form is tried first
// and the long form after a 404. From then on, the form that answered is tried first.

type FormAnswer = Result<unknown, ApiFailure>;
type Form = 'path' | 'alternate';

const otherThan = (form: Form): Form => (form === 'path' ? 'alternate' : 'path');

/** For one base address. */
class PathForms {
  /** The form in which each route has answered. */
  readonly #settled = new Map<string, Form>();
  /** The form in which the first of the routes answered: deployments rarely mix them. */
  #usual: Form | undefined;
  /** The very first request. The others wait for it, so that they do not all run into the same 404. */
  #first: Promise<FormAnswer> | undefined;

  async ask(route: TwoForms, send: (path: string) => Promise<FormAnswer>): Promise<FormAnswer> {
    if (this.#first !== undefined) {
      // The result does not matter here: only the first request is waited for.
      await this.#first;
      return await this.#askNow(route, send);
    }
    this.#first = this.#askNow(route, send);
    return await this.#first;
  }

  async #askNow(route: TwoForms, send: (path: string) => Promise<FormAnswer>): Promise<FormAnswer> {
    const form = this.#settled.get(route.name) ?? this.#usual ?? 'path';
    const answer = await send(route[form]);
    if (answer.ok) this.#settle(route, form);
    // If this form has answered before or meanwhile, the 404 is about the requested record.
    if (!isNotFound(answer) || this.#settled.get(route.name) === form) return answer;
    const other = otherThan(form);
    const second = await send(route[other]);
    if (second.ok) this.#settle(route, other);
    return second;
  }

  #settle(route: TwoForms, form: Form): void {
    this.#settled.set(route.name, form);
    this.#usual ??= form;
  }
}

const isNotFound = (answer: FormAnswer): boolean =>
  !answer.ok && answer.error.reason === 'not-found';
