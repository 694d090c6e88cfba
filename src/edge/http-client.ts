// The service over HTTP: one call is one request, and every answer is a value.
import { Agent, request } from 'undici';
import {
  readAccount,
  readFaceDetection,
  readProject,
  readTaking,
  readUploadAddresses,
} from '../api/answers.ts';
import type { ApiFailure } from '../api/failure.ts';
import { type Route, routes, type TwoForms } from '../api/routes.ts';
import type { JsonObject } from '../base/json.ts';
import { Redactor } from '../base/redactor.ts';
import { err, ok, type Result } from '../base/result.ts';
import type { Clock, MediaApi } from '../run/ports.ts';
import { connector, connectorOptions } from './connector.ts';
import { FileFetcher } from './fetch-file.ts';
import { failureOfError, failureOfStatus } from './http-failure.ts';
import { type Pace, pacer } from './pace.ts';
import { PathForms } from './path-forms.ts';
import { putFile } from './put-file.ts';

export interface ClientOptions {
  /** The base address; paths are appended to it. */
  readonly base: string;
  readonly key: string;
  /** Hides secrets in what is answered. Default: it hides the key. */
  readonly redactor?: Redactor;
  readonly clock: Clock;
  readonly requestsPerMinute?: number | undefined;
  /** Milliseconds until the head of an answer must be there. */
  readonly answerMs?: number;
  /** Milliseconds without a byte until an answer counts as cut. */
  readonly stallMs?: number;
  readonly connections?: number;
  /** Aborted: what was not sent yet is not sent. */
  readonly stop?: AbortSignal;
}

export interface HttpClient extends MediaApi {
  close(): Promise<void>;
}

type Answer<T> = Promise<Result<T, ApiFailure>>;
const stopped: ApiFailure = { reason: 'aborted', message: '' };

type Method = 'GET' | 'POST' | 'DELETE';

export function httpClient(options: ClientOptions): HttpClient {
  const base = options.base.replace(/\/+$/, '');
  const agent = new Agent({
    connections: options.connections ?? 128,
    headersTimeout: options.answerMs ?? 120_000,
    bodyTimeout: options.stallMs ?? 120_000,
    connect: connector(15_000),
    ...connectorOptions,
  });
  const fetcher = new FileFetcher(agent);
  const pace: Pace = pacer(options.requestsPerMinute, options.clock, options.stop);
  const forms = new PathForms();
  const redactor = options.redactor ?? new Redactor([options.key]);
  const headers = { authorization: `Bearer ${options.key}` };
  const jsonHeaders = { ...headers, 'content-type': 'application/json' };

  const send = async (
    method: Method,
    path: string,
    body: JsonObject | undefined,
    known?: AbortSignal,
  ): Answer<unknown> => {
    await pace();
    if (options.stop?.aborted || known?.aborted) return err(stopped);
    try {
      const response = await request(`${base}${path}`, {
        method,
        dispatcher: agent,
        headers: body === undefined ? headers : jsonHeaders,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...(known === undefined ? {} : { signal: known }),
      });
      const text = await response.body.text();
      const value = redactor.value(parsed(text));
      if (response.statusCode >= 200 && response.statusCode < 300) return ok(value);
      return err(
        failureOfStatus(response.statusCode, value, response.headers, options.clock.now()),
      );
    } catch (error) {
      return err(known?.aborted ? stopped : redactor.value(failureOfError(error)));
    }
  };

  const sendTo = async (
    method: Method,
    route: Route | TwoForms,
    body: JsonObject | undefined,
  ): Answer<unknown> =>
    'alternate' in route
      ? await forms.ask(route, (path) => send(method, path, body))
      : await send(method, route.path, body);

  /** What was answered, as one of the service's nouns. */
  const checked = async <T>(
    read: (value: unknown) => Result<T, string>,
    answer: Answer<unknown>,
  ): Answer<T> => {
    const got = await answer;
    if (!got.ok) return got;
    const value = read(got.value);
    if (value.ok) return value;
    const message = `the answer is not what the interface says: ${value.error}`;
    return err({ reason: 'unanswered', message });
  };

  return {
    async uploadAddress({ type, extension }) {
      const got = await checked(
        readUploadAddresses,
        sendTo('POST', routes.uploadAddresses(), { items: [{ type, extension }] }),
      );
      const first = got.ok ? got.value.items[0] : undefined;
      if (!got.ok) return got;
      if (first === undefined)
        return err({ reason: 'unanswered', message: 'no upload address came' });
      return ok({ uploadUrl: first.upload_url, filePath: first.file_path });
    },
    put: async ({ uploadUrl }, file) =>
      options.stop?.aborted ? err(stopped) : redactor.value(await putFile(agent, uploadUrl, file)),
    detectFaces: (body) => checked(readTaking, sendTo('POST', routes.detectFaces(), body)),
    faceDetection: (id) =>
      checked(readFaceDetection, sendTo('GET', routes.faceDetection(id), undefined)),
    create: (tool, body, known) =>
      checked(readTaking, send('POST', routes.create(tool).path, body, known)),
    async account() {
      const got = await checked(readAccount, sendTo('GET', routes.account(), undefined));
      return got.ok || got.error.reason !== 'not-found' ? got : ok(undefined);
    },
    project: (record, id) =>
      checked(readProject, sendTo('GET', routes.project(record, id), undefined)),
    async deleteProject(record, id) {
      const got = await sendTo('DELETE', routes.project(record, id), undefined);
      return got.ok ? ok(undefined) : got;
    },
    download: async (url, into) =>
      options.stop?.aborted ? err(stopped) : redactor.value(await fetcher.fetch(url, into)),
    close: () => agent.close(),
  };
}

function parsed(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON: a proxy's page, for example. The status alone speaks then.
    return undefined;
  }
}
