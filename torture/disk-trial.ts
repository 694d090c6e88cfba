// One trial: a run whose disk fails once, a look at what it left, and runs without trouble until all is complete.
import { existsSync } from 'node:fs';
import { type Books, readBooks } from './books.ts';
import { doubtsOf } from './check.ts';
import { checkBooks, checkEnd, checkManners, type Leavings, leavingsOf } from './disk-check.ts';
import { DiskPlace, type Told, type Watched } from './disk-place.ts';
import type { Scene } from './disk-scenes.ts';
import type { Call, Interference } from './strace.ts';

/** What a scene does and leaves when nothing fails. */
export interface Reference {
  readonly calls: readonly Call[];
  readonly leavings: Leavings;
}

export interface Trial {
  /** False: the run never came to that call, so nothing was tried. */
  readonly hit: boolean;
  readonly code: number | null;
  readonly doubts: number;
  readonly violations: readonly string[];
  /** What the run printed. */
  readonly output: string;
}

/** Runs that may be needed until all is complete: one, and one more after doubts were resolved. */
const mostRuns = 3;

export async function undisturbed(
  scene: Scene,
  before: readonly Call[],
  cache: string,
): Promise<Reference> {
  return await inPlace(scene, cache, async (place) => {
    await scene.prepare(place, before);
    const { code, calls, output } = await place.watchedRun();
    if (code !== 0)
      throw new Error(`${scene.name}: an undisturbed run did not end well: ${output}`);
    return { calls, leavings: leavingsOf(place) };
  });
}

export async function tryDisk(
  scene: Scene,
  interference: Interference,
  { before, leavings }: { readonly before: readonly Call[]; readonly leavings: Leavings },
  cache: string,
): Promise<Trial> {
  return await inPlace(scene, cache, async (place) => {
    await scene.prepare(place, before);
    const trial = new DiskTrial(place, scene, leavings);
    return await trial.play(interference);
  });
}

async function inPlace<T>(
  scene: Scene,
  cache: string,
  operation: (place: DiskPlace) => Promise<T>,
): Promise<T> {
  const place = await DiskPlace.open(cache, scene);
  try {
    return await operation(place);
  } finally {
    await place.close();
  }
}

class DiskTrial {
  readonly #place: DiskPlace;
  readonly #scene: Scene;
  readonly #leavings: Leavings;
  readonly #violations: string[] = [];
  #doubts = 0;

  constructor(place: DiskPlace, scene: Scene, leavings: Leavings) {
    this.#place = place;
    this.#scene = scene;
    this.#leavings = leavings;
  }

  async play(interference: Interference): Promise<Trial> {
    const sent = this.#sent();
    const run = await this.#place.watchedRun(interference);
    if (run.hit) {
      this.#find(checkManners('the run', run));
      if (run.code === 2 && this.#sent() !== sent)
        this.#find(['exit code 2 says that nothing was sent, and something was']);
      const books = await this.#fileFacts();
      if (books !== undefined && run.code === 0) this.#findAtEnd(books, true);
      if (run.code !== 0) await this.#status();
      await this.#complete();
    } else if (run.code !== 0) this.#find([`nothing failed, and it ended badly: ${run.output}`]);
    return this.#trialOf(run);
  }

  #trialOf({ hit, code, output }: Watched): Trial {
    return { hit, code, output, doubts: this.#doubts, violations: this.#violations };
  }

  /** Requests that change something at the service. */
  #sent(): string {
    const changes = Object.entries(this.#place.service.requests());
    return JSON.stringify(changes.filter(([route]) => !route.startsWith('GET ')));
  }

  /** Undefined: the books cannot be read, which is a violation. */
  async #fileFacts(): Promise<Books | undefined> {
    const { room, service } = this.#place;
    const books = await readBooks(room, service);
    if (typeof books === 'string') {
      this.#find([`the state file cannot be read: ${books}`]);
      return undefined;
    }
    this.#find(checkBooks(books, this.#place, this.#scene.takes));
    return books;
  }

  async #status(): Promise<void> {
    if (!existsSync(this.#place.room.state)) return;
    const told = await this.#place.command('status', 'pipeline.yaml');
    this.#find(checkManners('status', told));
    if (told.code !== 0 && told.code !== 4) this.#find([`status ended with ${told.code}`]);
  }

  async #complete(): Promise<void> {
    for (let runs = 1; runs <= mostRuns; runs++) {
      const told = await this.#place.run();
      this.#find(checkManners('the run after it', told));
      const books = await this.#fileFacts();
      if (books === undefined) return;
      if (told.code === 0) return this.#findAtEnd(books, false);
      if (told.code !== 4)
        return this.#find([`the run after it ended with ${told.code}: ${told.output}`]);
      await this.#resolve(books);
    }
    this.#find([`it is not complete after ${mostRuns} runs`]);
  }

  #findAtEnd(books: Books, scratch: boolean): void {
    const ground = { takes: this.#scene.takes, leavings: this.#leavings, scratch };
    this.#find(checkEnd(books, this.#place, ground));
  }

  /** The person who looks into the hub. */
  async #resolve(books: Books): Promise<void> {
    for (const { tasks, name } of doubtsOf(books)) {
      this.#doubts += 1;
      const charged = books.paid.find((one) => one.name === name);
      const answer = charged === undefined ? ['--not-charged'] : ['--project', charged.project];
      const told: Told = await this.#place.command(
        'resolve',
        'pipeline.yaml',
        tasks[0] ?? '',
        ...answer,
      );
      if (told.code !== 0) this.#find([`${tasks[0]} cannot be resolved: ${told.output}`]);
    }
  }

  #find(sentences: readonly string[]): void {
    this.#violations.push(...sentences);
  }
}
