// A service in memory on which projects only take time. It says when each was really over, and sends events if asked.

import { chanceOf } from '../../src/base/chance.ts';
import { ok, type Result } from '../../src/base/result.ts';
import type { Project } from '../../src/contract/api/project.ts';
import type { MediaApi } from '../../src/core/ports.ts';
import type { SimulatedClock } from './simulated-clock.ts';

const day = 86_400_000;
/** From the end of a project to its event, in milliseconds. */
const eventDelayMs = 200;

export interface ServiceTerms {
  /** How long each project takes, in milliseconds. */
  readonly duration: () => number;
  /** Called when a project is over; undefined: nobody hears events. */
  readonly send: ((project: Project, tool: string) => void) | undefined;
  /** The share of events that never arrive. */
  readonly lost: number;
}

interface Made {
  readonly name: string;
  readonly took: number;
  readonly end: number;
}

export class SimulatedService {
  /** Reads of projects. */
  looks = 0;
  /** Looks that found a project rendering. */
  mostLooksInVainInASecond = 0;
  readonly ends: { readonly tookMs: number; readonly lateMs: number }[] = [];
  readonly #newestInVain: number[] = [];
  readonly api: MediaApi;
  readonly #clock: SimulatedClock;
  readonly #terms: ServiceTerms;
  readonly #made = new Map<string, Made>();
  readonly #chance = chanceOf(2, 0);

  constructor(clock: SimulatedClock, terms: ServiceTerms) {
    this.#clock = clock;
    this.#terms = terms;
    this.api = {
      ...unused,
      create: async (tool, body) => this.#create(tool, String(body['name'])),
      project: async (_, id) => this.#read(id),
    };
  }

  #create(tool: string, name: string) {
    const { duration, send, lost } = this.#terms;
    const id = `p${this.#made.size}`;
    const took = duration();
    const end = this.#clock.elapsed() + took;
    this.#made.set(id, { name, took, end });
    if (send !== undefined && this.#chance() >= lost)
      this.#clock.at(end + eventDelayMs, () =>
        send({ id, name, status: 'complete', downloads: [], error: null }, tool),
      );
    return ok({ id, credits: 1 });
  }

  #read(id: string): Result<Project, never> {
    const now = this.#clock.elapsed();
    this.looks += 1;
    const made = this.#made.get(id);
    if (made === undefined) throw new Error(`bug: there is no project ${id}`);
    const { end, took } = made;
    if (now < end) {
      this.#countInVain(now);
      return ok({ id, status: 'rendering', downloads: [], error: null });
    }
    this.ends.push({ tookMs: took, lateMs: now - end });
    const expires = new Date(this.#clock.now() + day).toISOString();
    const downloads = [{ url: `memory:${id}`, expires_at: expires }];
    return ok({ id, status: 'complete', downloads, error: null });
  }

  #countInVain(now: number): void {
    this.#newestInVain.push(now);
    while ((this.#newestInVain[0] ?? now) <= now - 1000 + 1e-6) this.#newestInVain.shift();
    this.mostLooksInVainInASecond = Math.max(
      this.mostLooksInVainInASecond,
      this.#newestInVain.length,
    );
  }
}

const unexpected = (): never => {
  throw new Error('bug: this request has nothing to do with waiting');
};

const unused: MediaApi = {
  uploadAddresses: unexpected,
  put: unexpected,
  detectFaces: unexpected,
  faceDetection: unexpected,
  account: unexpected,
  create: unexpected,
  project: unexpected,
  deleteProject: unexpected,
  download: unexpected,
};
