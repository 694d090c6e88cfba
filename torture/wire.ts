// The network is cut between any two bytes of the creation exchange: whatever n, at most one charge; a charge that
// nobody knows of is a doubt that the state file lists; nothing is sent again without a person; and when a person has
// looked into the service's ledger, the result is there for exactly one charge.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { RunOutcome } from '../src/core/run-event.ts';
import { type Resolution, resolve } from '../src/features/resolve/resolve.ts';
import { runWith } from '../src/features/run/run.ts';
import { loadPipeline } from '../src/language/load/load.ts';
import { renderProblem, resultOf } from '../src/language/load/refusal.ts';
import { viewsOf } from '../src/model/job-view.ts';
import { type LocalService, startService } from '../src/service/start.ts';
import { type Cut, type CuttingProxy, openCuttingProxy } from './cutting-proxy.ts';
import { digestAt, ledgerAt } from './ledger-audit.ts';

/** Needs no input, and is quickly made. */
const tool = 'ai-voice-generator';
const price = 1;
const uncut = 1_000_000;
/** Trials that share a service: its ledger is read often, and grows. */
const together = 100;
/** In which a request that has passed whole is taken, in milliseconds at least. */
const arrivalMs = 10_000;

const pipelineText = (name: string): string => `pipeline: wire
output: out
budget: { credits: ${price} }
steps:
  say:
    uses: ${tool}
    with: { name: ${name}, style: { prompt: a boat, voice_name: Narrator } }
  save: { uses: download, with: { of: say, to: boat.wav } }
`;

/** Bytes of a creation's request and of its answer. */
export interface Exchange {
  readonly request: number;
  readonly answer: number;
}

export interface WireTorture {
  /** How it is cut after so many bytes: in each of these ways, once. */
  readonly cutsAfter: (bytes: number, exchange: Exchange) => readonly Cut[];
  /** How many are cut at the same time. */
  readonly jobs: number;
}

export interface WireTortured extends Exchange {
  readonly cuts: number;
  readonly doubts: number;
  /** Doubts that turned out to be charged. */
  readonly charged: number;
  readonly violations: readonly string[];
}

export async function tortureWire({ cutsAfter, jobs }: WireTorture): Promise<WireTortured> {
  const { request, answer, violations } = await withService((service) =>
    cutOnce(service, { after: uncut, cut: 'close' }, 0),
  );
  const cuts = Array.from({ length: request + answer + 1 }, (_, after) =>
    cutsAfter(after, { request, answer }).map((cut) => ({ after, cut })),
  ).flat();
  const found = [...violations];
  let [doubts, charged] = [0, 0];
  for (let first = 0; first < cuts.length; first += together) {
    const waiting = cuts.slice(first, first + together);
    await withService(async (service) => {
      const work = async (): Promise<void> => {
        for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) {
          const { after, cut } = one;
          const trial = await cutOnce(service, one, request);
          if (trial.doubt) doubts += 1;
          if (trial.doubt && trial.charged) charged += 1;
          found.push(...trial.violations.map((what) => `${cut} after ${after} bytes: ${what}`));
        }
      };
      await Promise.all(Array.from({ length: jobs }, work));
    });
  }
  return { request, answer, cuts: cuts.length, doubts, charged, violations: found };
}

async function withService<T>(operation: (service: LocalService) => Promise<T>): Promise<T> {
  const service = await startService({ pictures: 'plain', tier: 'business' });
  try {
    return await operation(service);
  } finally {
    await service.close();
  }
}

interface Trial extends Exchange {
  readonly doubt: boolean;
  readonly charged: boolean;
  readonly violations: readonly string[];
}

/** `whole`: bytes of a whole request; when so many have passed, the service will have taken it. */
async function cutOnce(
  service: LocalService,
  { after, cut }: { readonly after: number; readonly cut: Cut },
  whole: number,
): Promise<Trial> {
  const proxy = await openCuttingProxy(service.address, tool, { after, cut });
  const folder = mkdtempSync(join(tmpdir(), 'shotlist-wire-'));
  // As long for each cut, so that the exchange is.
  const name = `${cut.padEnd(6, '-')}${String(after).padStart(8, '0')}`;
  writeFileSync(join(folder, 'pipeline.yaml'), pipelineText(name));
  const trial = new CutTrial(service, proxy, folder, name);
  try {
    await trial.play(after >= whole && after !== uncut);
    const { doubt, charged, violations } = trial;
    return { ...proxy.passed(), doubt, charged, violations };
  } finally {
    await proxy.close();
    await rm(folder, { recursive: true, force: true });
  }
}

class CutTrial {
  readonly violations: string[] = [];
  doubt = false;
  charged = false;
  readonly #service: LocalService;
  readonly #proxy: CuttingProxy;
  readonly #folder: string;
  readonly #name: string;

  constructor(service: LocalService, proxy: CuttingProxy, folder: string, name: string) {
    this.#service = service;
    this.#proxy = proxy;
    this.#folder = folder;
    this.#name = name;
  }

  get #options() {
    const env = {
      ...{ SHOTLIST_BASE_URL: this.#proxy.address, SHOTLIST_API_KEY: this.#service.key },
      SHOTLIST_RECEIPTS: join(this.#folder, 'receipts'),
    };
    return { env };
  }

  async play(taken: boolean): Promise<void> {
    const first = await this.#run();
    // The connection is gone and the service may still be at it.
    for (let left = arrivalMs; taken && this.#charges.length === 0 && left > 0; left--)
      await wait(1);
    this.#expect(!taken || this.#charges.length === 1, 'the service never took a whole request');
    this.charged = this.#charges.length > 0;
    this.doubt = first === 'doubt';
    await this.#expectDoubt(first);
    if (this.doubt) {
      this.#expect((await this.#run()) === 'doubt', 'a second run does not see the doubt');
      this.#expect(this.#proxy.creations() === 1, 'it was sent again and no person said so');
      await this.#resolve();
      this.#expect((await this.#run()) === 'done', 'the run after the resolution is not done');
    }
    this.#expect(this.#net === price, `${this.#net} credits in the end`);
    this.#expect(this.#charges.length === 1, `${this.#charges.length} charges in the end`);
    const sent = this.doubt && !this.charged ? 2 : 1;
    this.#expect(
      this.#proxy.creations() === sent,
      `${this.#proxy.creations()} creations were sent`,
    );
    await this.#expectOutput();
  }

  async #run(): Promise<RunOutcome | string> {
    const loaded = await resultOf(() => loadPipeline(join(this.#folder, 'pipeline.yaml')));
    if (!loaded.ok) return renderProblem(loaded.error);
    const ran = await resultOf(() =>
      runWith(loaded.value, this.#options, { backoffMs: 1, speedFactor: 1000 }),
    );
    return ran.ok ? ran.value.summary.outcome : renderProblem(ran.error);
  }

  get #charges() {
    return this.#service
      .ledger()
      .filter(({ kind, name }) => kind === 'charge' && name?.startsWith(this.#name) === true);
  }

  get #net(): number {
    return this.#charges.reduce((sum, { credits }) => sum + credits, 0);
  }

  #expect(holds: boolean, otherwise: string): void {
    if (!holds) this.violations.push(otherwise);
  }

  /** Either the answer came through, or the state file lists the doubt, with what is set aside for it. */
  async #expectDoubt(outcome: string): Promise<void> {
    const [job] = viewsOf(await ledgerAt(join(this.#folder, 'wire.state.jsonl')));
    const open = job?.state === 'doubt' && job.reserve === price;
    const name = this.#charges[0]?.name ?? job?.name;
    this.#expect(this.#charges.length <= 1, `${this.#charges.length} charges`);
    this.#expect(outcome === 'done' || outcome === 'doubt', `the run ended with ${outcome}`);
    if (outcome === 'doubt') this.#expect(open && job.name === name, 'the doubt is not listed');
  }

  async #resolve(): Promise<void> {
    const loaded = await loadPipeline(join(this.#folder, 'pipeline.yaml'));
    const project = this.#charges[0]?.project;
    const resolution: Resolution =
      typeof project === 'string' ? { how: 'project', project } : { how: 'not-charged' };
    const resolved = await resultOf(() => resolve(loaded, 'say', resolution, this.#options));
    if (!resolved.ok) this.violations.push(`it is not resolved: ${renderProblem(resolved.error)}`);
  }

  async #expectOutput(): Promise<void> {
    const ledger = await ledgerAt(join(this.#folder, 'wire.state.jsonl'));
    const [job] = viewsOf(ledger);
    const [output] = job?.outputs ?? [];
    const there = output !== undefined && digestAt(this.#folder, output.path) === output.sha256;
    this.#expect(there, 'its output is not there, whole');
    const { charged, reserved } = ledger.totals();
    const right = charged === price && reserved === 0;
    this.#expect(right, `the runner's ledger says ${charged}, ${reserved}`);
  }
}
