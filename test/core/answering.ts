// A service and its storage in memory, which answer as a test says, and the calls to them by a clock that waits for nobody.
import { err, ok } from '../../src/base/result.ts';
import type { ApiFailure } from '../../src/contract/api/failure.ts';
import type { Account } from '../../src/contract/api/project.ts';
import { Calls, type CallsOptions } from '../../src/core/calls.ts';
import { Ended } from '../../src/core/ended.ts';
import type { MediaApi, ServiceAnswer } from '../../src/core/ports.ts';
import type { OutageEvent } from '../../src/core/run-event.ts';
import { chances, ProcessClock, VirtualClock } from '../kit/clock.ts';

export const down: ApiFailure = { reason: 'unreachable', message: 'ECONNREFUSED' };
export const cut: ApiFailure = { reason: 'unanswered', message: 'ECONNRESET' };
export const busy: ApiFailure = { reason: 'unavailable', status: 503, message: '' };
export const refused: ApiFailure = { reason: 'refused', status: 422, message: 'no' };
export const throttled = (retryAfterMs: number): ApiFailure => ({
  ...{ reason: 'throttled', message: '', retryAfterMs },
});

const unexpected = (): never => {
  throw new Error('bug: no test of calls sends this');
};

export class Answering {
  readonly virtual = new VirtualClock();
  readonly clock: ProcessClock;
  readonly stop = new AbortController();
  readonly told: OutageEvent[] = [];
  /** What was sent, and when, in milliseconds. */
  readonly sent: { readonly what: string; readonly at: number }[] = [];
  /** The failure of a call; undefined: it is answered. */
  fails: (what: string, times: number) => ApiFailure | undefined = () => undefined;
  latencyMs: (what: string) => number = () => 20;
  account: Account | undefined = { id: 'me', credits: 100 };
  readonly api: MediaApi;
  readonly calls: Calls;
  readonly #times = new Map<string, number>();

  constructor(options: Partial<CallsOptions> = {}, seed = 1) {
    this.clock = new ProcessClock(this.virtual, chances(seed), () => false);
    this.api = {
      ...{ uploadAddresses: unexpected, put: unexpected, download: unexpected },
      ...{ detectFaces: unexpected, faceDetection: unexpected, deleteProject: unexpected },
      account: () => this.answer('account', this.account),
      create: (_, { name }) => this.answer('create', { id: String(name), credits: 1 }),
      project: (_, id) => this.answer('project', { id, status: 'complete', downloads: [] }),
    };
    this.calls = new Calls({
      api: this.api,
      address: 'https://service.example/v1',
      clock: this.clock,
      signal: this.stop.signal,
      emit: (event) => void this.told.push(event),
      outageMs: 900_000,
      backoffMs: 1000,
      pace: async () => undefined,
      ...options,
    });
  }

  async answer<T>(what: string, value: T): ServiceAnswer<T> {
    const times = (this.#times.get(what) ?? 0) + 1;
    this.#times.set(what, times);
    this.sent.push({ what, at: this.virtual.elapsed });
    const failure = this.fails(what, times);
    await this.virtual.sleep(this.latencyMs(what));
    return failure === undefined ? ok(value) : err(failure);
  }

  count(what: string): number {
    return this.#times.get(what) ?? 0;
  }

  read(attempts = 3, what = 'read'): Promise<string> {
    return this.calls.free(() => this.answer(what, `value of ${what}`), attempts);
  }

  fetch(url = 'https://storage.example/a.png', attempts = 3): Promise<string> {
    return this.calls.storage(url, () => this.answer(url, `bytes of ${url}`), attempts);
  }

  /** One creation as a performer sends it, until it is answered, lost or given up. */
  async create(name = 'n', attempts = 3): Promise<'made' | 'doubt' | 'refused' | 'given up'> {
    for (let tries = 0; ; ) {
      const permit = await this.calls.readyToCreate();
      if (permit.usesAttempt) tries += 1;
      if (tries > attempts) {
        permit.over('unsent');
        return 'given up';
      }
      const answer = await this.calls.create('tool', { name }, permit);
      if (answer.ok) permit.over('answered');
      if (answer.ok) return 'made';
      const { reason } = answer.error;
      permit.over(reason === 'unanswered' ? reason : reason === 'refused' ? 'answered' : 'unsent');
      if (reason === 'unanswered') return 'doubt';
      if (reason === 'refused') return 'refused';
    }
  }

  /** Lets time pass until `work` is over. */
  until<T>(work: Promise<T>): Promise<T> {
    return this.virtual.until(work);
  }

  /** How the work ends, which must not be well. */
  async ended(work: Promise<unknown>): Promise<Ended> {
    const end = await this.until(
      work.then(
        () => undefined,
        (error: unknown) => error,
      ),
    );
    if (end instanceof Ended) return end;
    throw new Error('it did not end early', { cause: end });
  }
}
