// A live page as a program sees it: single requests with any headers, and the messages of the event stream.
import {
  type ClientRequest,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  request,
} from 'node:http';
import { onTestFinished } from 'vitest';
import type { ReportData } from '../src/report/page/report-data.ts';

export interface Got {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** `fetch` lets nobody choose the Host header, and cleans up paths. */
export function get(
  address: string,
  {
    path,
    method = 'GET',
    ...headers
  }: OutgoingHttpHeaders & { path?: string; method?: string } = {},
): Promise<Got> {
  const { promise, resolve, reject } = Promise.withResolvers<Got>();
  const options = { method, headers, agent: false, ...(path === undefined ? {} : { path }) };
  const asked: ClientRequest = request(address, options, (response) => {
    const pieces: Buffer[] = [];
    response.on('data', (piece: Buffer) => pieces.push(piece));
    response.on('end', () => {
      const { statusCode: status = 0, headers } = response;
      resolve({ status, headers, body: Buffer.concat(pieces) });
    });
  });
  asked.on('error', reject);
  asked.end();
  return promise;
}

export interface Heard {
  /** The names of the messages, in their order. */
  readonly types: string[];
  /** The report as the page knows it now. */
  data: ReportData | undefined;
  /** Every state in which an item has been, by its key. */
  readonly states: Map<string, Set<string>>;
  ended: boolean;
  /** Everything that was sent. */
  text: string;
}

/** Connects to the events of a page, and keeps what they say. */
export function listenTo(address: string): Heard {
  const heard: Heard = {
    types: [],
    data: undefined,
    states: new Map(),
    ended: false,
    text: '',
  };
  const take = (message: string): void => {
    const [, type = '', json = ''] = /^event: (\w+)\ndata: (.*)$/.exec(message) ?? [];
    if (type === '') return;
    heard.types.push(type);
    if (type === 'report') {
      const data: ReportData = JSON.parse(json);
      heard.data = data;
    }
    if (type === 'ended') heard.ended = true;
    for (const { key, state } of heard.data?.items ?? []) {
      const known = heard.states.get(key) ?? new Set();
      heard.states.set(key, known.add(state));
    }
  };
  let rest = '';
  const asked = request(`${address}events`, { agent: false }, (response) => {
    response.setEncoding('utf8');
    response.on('data', (piece: string) => {
      heard.text += piece;
      const messages = (rest + piece).split('\n\n');
      rest = messages.pop() ?? '';
      messages.forEach(take);
    });
  });
  asked.on('error', (error) => {
    heard.text += `\n${error.message}`;
  });
  asked.end();
  onTestFinished(() => void asked.destroy());
  return heard;
}
