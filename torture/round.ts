// One round: a pipeline is run, killed, looked at and run again until it is complete, with faults on all the while.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { PathForm } from '../src/contract/api/routes.ts';
import { chanceOf } from '../src/contract/base/chance.ts';
import { type LocalService, startService } from '../src/service/start.ts';
import { type Books, readBooks } from './books.ts';
import { checkAlways, checkEnd, checkLedgers, doubtsOf, type Ground } from './check.ts';
import { drawFate, type Fate, fateText } from './fate.ts';
import { resolveAll } from './person.ts';
import { itemCredits, openRoom, type Room, type Second, type Terms } from './room.ts';
import type { Ended, Nursery, RunProcess } from './run-process.ts';
import { drawWeather, type Weather } from './weather.ts';

export interface RoundOptions {
  readonly seed: number;
  readonly number: number;
  readonly items: number;
  readonly paths: PathForm;
  readonly key: string;
  readonly nursery: Nursery;
  /** What an undisturbed run of the same folder leaves. */
  readonly reference: (second: Second) => ReadonlyMap<string, string>;
}

export interface RoundResult {
  /** What happened, for a person who looks into a violation. */
  readonly story: readonly string[];
  readonly runs: number;
  /** The fates that killed. */
  readonly deaths: readonly Fate[];
  readonly doubts: number;
  readonly projects: number;
  readonly violations: readonly string[];
  /** Kept when there are violations. */
  readonly folder: string;
}

/** More runs than any round needs. */
const mostRuns = 60;
/** Credits of the account: more than any round spends. */
const opening = 1_000_000;
/** A run that takes longer hangs, unless an answer is known never to come. In milliseconds. */
const patienceMs = 90_000;
const silentPatienceMs = 5_000;
/** In which a request that was under way when its run was killed has arrived. In milliseconds. */
const arrivalMs = 30;

export async function tortureRound(options: RoundOptions): Promise<RoundResult> {
  const { seed, number, items, paths, key, reference } = options;
  const chance = chanceOf(seed, number);
  const second: Second = chance() < 0.5 ? 'clip' : 'picture';
  const price = items * itemCredits[second];
  const budget = chance() < 0.25 ? Math.ceil(price * 0.6) : price * 2;
  const window = [2, 8, 32][Math.floor(chance() * 3)] ?? 32;
  const terms: Terms = { second, items, budget, window };
  const weather = drawWeather(chance);
  const room = await openRoom(terms);
  const service = await startService({
    ...{ key, paths, credits: opening, pictures: 'plain', faults: { faults: weather.faults } },
  });
  const ground = { room, terms, reference: reference(second), opening };
  const round = new Round({ options, chance, weather, room, service, ground });
  try {
    return await round.play();
  } finally {
    await service.close();
    if (round.violations.length === 0) await room.remove();
  }
}

interface Stage {
  readonly options: RoundOptions;
  readonly chance: () => number;
  readonly weather: Weather;
  readonly room: Room;
  readonly service: LocalService;
  readonly ground: Ground;
}

class Round {
  readonly violations: string[] = [];
  readonly #stage: Stage;
  readonly #story: string[] = [];
  readonly #deaths: Fate[] = [];
  #lives: number;
  #runs = 0;
  #doubts = 0;

  constructor(stage: Stage) {
    this.#stage = stage;
    this.#lives = 1 + Math.floor(stage.chance() * 6);
    const { terms } = stage.ground;
    this.#story.push(
      `${terms.second}, budget ${terms.budget}, window ${terms.window}, ${this.#lives} deaths`,
    );
  }

  async play(): Promise<RoundResult> {
    let books = await this.#runUntilComplete();
    if (this.violations.length === 0 && books !== undefined) {
      this.#find(checkEnd(books, this.#stage.ground));
      if (this.#stage.options.number % 8 === 0) books = await this.#runForFree();
    }
    const { folder } = this.#stage.room;
    if (this.violations.length > 0) this.#leaveEvidence(folder);
    return {
      story: this.#story,
      runs: this.#runs,
      deaths: this.#deaths,
      doubts: this.#doubts,
      projects: books?.paid.length ?? 0,
      violations: this.violations,
      folder,
    };
  }

  /** Answers the books of the end; undefined when it never came. */
  async #runUntilComplete(): Promise<Books | undefined> {
    const { chance, options } = this.#stage;
    let last = '';
    while (this.#runs < mostRuns) {
      const fate: Fate = this.#lives > 0 ? drawFate(chance, options.items) : { how: 'spared' };
      const company = this.#lives > 0 && chance() < 0.1;
      const end = company ? await this.#runTwo(fate) : await this.#runOne(fate);
      const books = await this.#fileFacts(end);
      if (books === undefined) return undefined;
      if (company || end.how !== 'ended' || !('summary' in end.end)) continue;
      const { outcome, problems } = end.end.summary;
      last = `${outcome}: ${problems.map(({ task, ending, why }) => `${task} ${ending}: ${why}`).join('; ')}`;
      if (outcome === 'done') return books;
      if (outcome === 'doubt' && !(await this.#callPerson(books))) return undefined;
    }
    this.#find([`not complete after ${mostRuns} runs; the last one: ${last}`]);
    return undefined;
  }

  /** What must be so now; undefined: it is not. */
  async #fileFacts(end: Ended): Promise<Books | undefined> {
    const { room, service, ground } = this.#stage;
    const books = await readBooks(room, service);
    if (typeof books === 'string') {
      this.#find([books]);
      return undefined;
    }
    this.#find(checkAlways(books, ground));
    if (end.how === 'ended' && 'summary' in end.end) this.#find(checkLedgers(books));
    return this.violations.length === 0 ? books : undefined;
  }

  async #callPerson(books: Books): Promise<boolean> {
    const { room, service, options } = this.#stage;
    await wait(arrivalMs);
    const now = await readBooks(room, service);
    if (typeof now === 'string') throw new Error(`bug: ${now}`);
    this.#doubts += doubtsOf(books).length;
    this.#story.push(`a person resolves ${doubtsOf(books).length}`);
    const env = { SHOTLIST_BASE_URL: service.address, SHOTLIST_API_KEY: options.key };
    this.#find(await resolveAll(room, now, env));
    return this.violations.length === 0;
  }

  async #runOne(fate: Fate): Promise<Ended> {
    const end = await this.#perform(this.#stage.options.nursery.take(), fate);
    this.#judge(fate, end, false);
    return end;
  }

  /** Two at once: one of them is refused, or comes when the other is gone. */
  async #runTwo(fate: Fate): Promise<Ended> {
    const { options, chance } = this.#stage;
    const late = chance() * 15 * options.items;
    const spared: Fate = { how: 'spared' };
    const one = this.#perform(options.nursery.take(), fate);
    await wait(late);
    const other = this.#perform(options.nursery.take(), spared);
    const [end, otherEnd] = await Promise.all([one, other]);
    this.#judge(fate, end, true);
    this.#judge(spared, otherEnd, true);
    return end;
  }

  async #perform(process: RunProcess, fate: Fate): Promise<Ended> {
    const { room, service, weather } = this.#stage;
    const { file, state } = room;
    const crash = fate.how === 'crash' ? fate.crash : undefined;
    this.#runs += 1;
    const ending = process.run({ file, state, service: service.address, crash });
    const fatal = new AbortController();
    const after = (ms: number, name: NodeJS.Signals): void => {
      const timer = setTimeout(() => process.signal(name), ms);
      fatal.signal.addEventListener('abort', () => clearTimeout(timer));
    };
    if (fate.how === 'moment') after(fate.ms, 'SIGKILL');
    if (fate.how === 'signal') after(fate.ms, fate.name);
    let tired = false;
    const patience = setTimeout(
      () => {
        tired = true;
        process.signal('SIGKILL');
      },
      weather.silent ? silentPatienceMs : patienceMs,
    );
    const end = await ending;
    clearTimeout(patience);
    fatal.abort();
    if (tired && !weather.silent) this.#find([`a run hung (${fateText(fate)})`]);
    return end;
  }

  #judge(fate: Fate, end: Ended, inCompany: boolean): void {
    this.#story.push(`${fateText(fate)}: ${endText(end)}`);
    if (end.how === 'broke') this.#find([`a run broke: ${end.why}`]);
    if (end.how === 'killed') {
      this.#lives -= 1;
      this.#deaths.push(fate);
    }
    if (end.how !== 'ended' || !('problem' in end.end)) return;
    if (end.end.problem !== 'locked' || !inCompany)
      this.#find([`a run was refused: ${end.end.text}`]);
  }

  /** Promise 4: a run with nothing to do asks the service for nothing. */
  async #runForFree(): Promise<Books | undefined> {
    const { service, room } = this.#stage;
    const asked = JSON.stringify(service.requests());
    const end = await this.#runOne({ how: 'spared' });
    const outcome = end.how === 'ended' && 'summary' in end.end ? end.end.summary.outcome : end.how;
    if (outcome !== 'done') this.#find([`a second run ended with ${outcome}`]);
    if (JSON.stringify(service.requests()) !== asked) this.#find(['a second run was not free']);
    const books = await readBooks(room, service);
    return typeof books === 'string' ? undefined : books;
  }

  #find(sentences: readonly string[]): void {
    this.violations.push(...sentences);
  }

  #leaveEvidence(folder: string): void {
    const { service, weather } = this.#stage;
    const write = (name: string, value: unknown): void =>
      writeFileSync(join(folder, name), JSON.stringify(value, undefined, 1));
    write('torture-story.json', { story: this.#story, violations: this.violations });
    write('torture-service-ledger.json', service.ledger());
    write('torture-faults.json', weather.faults);
  }
}

function endText(end: Ended): string {
  if (end.how !== 'ended') return end.how;
  return 'problem' in end.end ? end.end.problem : end.end.summary.outcome;
}
