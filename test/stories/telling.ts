// Tells a random story in a world: runs with their fates, kills and changes between them; and watches what a run must never do.
import { priceOf } from '../../src/contract/price.ts';
import { existingTool } from '../../src/contract/tools/all.ts';
import { type Planned, Refusal, type RunOptions } from '../../src/index.ts';
import { chances } from '../kit/clock.ts';
import type { Heard, Made } from '../kit/service.ts';
import { type Checkout, type Cut, type Told, World } from '../kit/world.ts';
import {
  calm,
  type FateName,
  fatesByName,
  type Mutation,
  pipelineText,
  type Round,
  type Selection,
  type Story,
} from './random-pipelines.ts';

const hour = 3_600_000;
const day = 24 * hour;

const inputs = {
  's0.png': 's0',
  's1.png': 's1',
  'f0.png': 'f0',
  'f1.png': 'f1',
  'f2.png': 'f2',
  // The same content under another name. f4.png does not exist.
  'f3.png': 'f0',
};

/** A creation that was sent. */
interface Sent {
  readonly name: string;
  readonly task: string;
  readonly tool: string;
  readonly run: number;
  /** Which checkout, and which of its state files. */
  readonly record: string;
  /** The most credits of the run. */
  readonly cap: number | null;
  readonly day: string;
  /** How often an input was edited before: what an item cost with other content counts for no cap of the item. */
  readonly edits: number;
  readonly price: number;
  /** What the process has been told that it costs; undefined: nothing yet. */
  told: number | undefined;
}

export interface Outcome {
  readonly planned: Planned;
  readonly told: Told;
  readonly capped: boolean;
  /** Something went wrong in the run, or had gone wrong without anybody knowing. */
  readonly faults: boolean;
  /** A charge differed from its price, so estimates may be too high. */
  readonly dearer: boolean;
  /** By task. */
  readonly begun: ReadonlySet<string>;
}

/** `needed`: what all of the run costs, by tool, if a plan without a cap can say that. */
type Options = RunOptions & { readonly needed?: ReadonlyMap<string, number> };

export const itemOf = (task: string): string | undefined => /:(k\d)/.exec(task)?.[1];

export class Telling {
  readonly world: World;
  readonly text: string;
  /** What went wrong that never may. */
  readonly wrongs: string[] = [];
  readonly #story: Story;
  readonly #checkouts: readonly Checkout[];
  readonly #sent = new Map<string, Sent>();
  /** The day on which the run of a state file began. */
  readonly #days = new Map<string, string>();
  #at = 0;
  readonly #states = [0, 0];
  #edits = 0;
  #runs = 0;
  /** The runs that are under way, by their folder. */
  readonly #running = new Map<string, Pick<Sent, 'run' | 'record' | 'cap'>>();
  #mostPaid = 1;
  /** What became of the creations of this run. */
  #drawn: FateName[] = [];
  /** Projects of whose end a run that was not killed has heard. */
  readonly #known = new Set<string>();
  /** Projects that were deleted before a run ended in which all was done. */
  readonly #deleted = new Set<string>();
  #heard = new Set<string>();
  #isBroken = new Set<string>();
  #isAdopting = false;
  #savesNothing = false;

  /** How many runs were killed. */
  killed = 0;

  /** Undefined if the pipeline is not valid. */
  static async of(story: Story): Promise<Telling | undefined> {
    const telling = new Telling(story);
    try {
      await telling.world.do(async () => undefined);
      return telling;
    } catch (error) {
      telling[Symbol.dispose]();
      if (error instanceof Refusal) return undefined;
      throw error;
    }
  }

  private constructor(story: Story) {
    this.#story = story;
    this.text = pipelineText(story);
    this.world = new World(this.text, inputs, { name: 'one' });
    const two = this.world.checkout('two', this.text);
    for (const [path, content] of Object.entries(inputs)) two.write(path, content);
    this.#checkouts = [this.world, two];
    for (const checkout of this.#checkouts) checkout.unread.add('f1.png');
    this.world.service.hear = (heard) => this.#hear(heard);
    const chance = chances(1);
    this.world.service.latencyMs = () => 20 + Math.floor(200 * chance());
  }

  get #here(): Checkout {
    const here = this.#checkouts[this.#at];
    if (here === undefined) throw new Error('no checkout');
    return here;
  }

  async play({ fates, disk, cut, beside, selection, after }: Round): Promise<void> {
    this.#begin(fates, disk);
    const both = beside === true && this.#story.receipts ? [this.#at, 1 - this.#at] : [this.#at];
    if (both.length > 1) this.#isAdopting = true;
    await Promise.all(both.map((at) => this.#go(selection, cut ?? undefined, at)));
    for (const mutation of after) await this.#change(mutation);
  }

  /** The last plan and its run; undefined if the plan refuses. */
  async end({ fates, disk, cut, selection, after }: Round): Promise<Outcome | undefined> {
    this.#heal();
    this.#begin(fates, disk);
    if (cut !== undefined && cut !== null) {
      const told = await this.#go(selection, cut);
      if (told === undefined) return undefined;
      for (const mutation of after) await this.#change(mutation);
      this.#heal();
    }
    const before = this.#drawn.length;
    const options = await this.#options(selection);
    const planned = options === undefined ? undefined : await this.#plan(options);
    if (planned === undefined) return undefined;
    const isSurprised = this.#surprises();
    const told = await this.#go(selection, undefined);
    if (told === undefined) {
      this.wrongs.push('the run refuses what the plan does not');
      return undefined;
    }
    const { summary } = told;
    const capped = summary?.cap !== undefined || summary?.stoppedBy === 'budget';
    const faults =
      isSurprised ||
      (disk ?? calm).noPlace !== null ||
      this.#drawn.slice(before).some((fate) => fate !== 'fine');
    const begun = [...this.#sent.values()].filter(({ run }) => run === this.#runs);
    const dearer = this.#dearTools.size > 0;
    return { planned, told, capped, faults, dearer, begun: new Set(begun.map(({ task }) => task)) };
  }

  /** Once more, after a run in which all went well: nothing is asked of the service. */
  async again({ selection }: Round): Promise<void> {
    const before = this.world.requests.length;
    const told = await this.#go({ ...selection, payAgain: false }, undefined);
    const asked = this.world.requests.slice(before);
    if (told === undefined) this.wrongs.push('a second run is refused');
    if (asked.length > 0) this.wrongs.push(`a second run asks: ${asked.join(', ')}`);
  }

  [Symbol.dispose](): void {
    this.world[Symbol.dispose]();
  }

  #begin(fates: readonly FateName[], disk = calm): void {
    this.#drawn = [];
    this.world.service.fate = ({ body }) => {
      const fate = fates[this.#drawn.length] ?? 'fine';
      this.#drawn.push(fate);
      const name = String(body['name']);
      const shown = JSON.stringify(name).slice(1, -1);
      if (!this.#checkouts.some(({ state }) => state.includes(shown)))
        this.wrongs.push(`${name} was sent before its intent was durable`);
      return fatesByName[fate];
    };
    const { noPlace, syncMs, held } = disk;
    const fault: Checkout['diskFault'] = (doing, path) => {
      if (doing === 'read' && this.#isBroken.has(path))
        return { message: 'could not be read', systemic: false };
      const isOfNumber = noPlace === 1 ? !/-[2-9]\.\w+$/.test(path) : /-2\.\w+$/.test(path);
      return doing === 'place' && noPlace !== null && isOfNumber
        ? { message: `${path} cannot be written`, systemic: false }
        : undefined;
    };
    for (const checkout of this.#checkouts) {
      checkout.diskFault = fault;
      const seen = new Set<string>();
      checkout.syncMs = (lines) => {
        const intents = lines.filter((line) => line.includes('"state":"intended"'));
        for (const line of intents) seen.add(line);
        const [late = ''] = [...seen].slice((held ?? 0) - 1);
        if (typeof held === 'number' && intents.includes(late)) return 30_000;
        return intents.length > 0 ? 10 * syncMs : syncMs;
      };
    }
  }

  /** Tools of which a charge differed from its price. */
  get #dearTools(): ReadonlySet<string> {
    return new Set(
      [...this.world.service.projects.values()].flatMap(({ tool, fate: { charge, final } }) =>
        charge === undefined && final === undefined ? [] : tool,
      ),
    );
  }

  /** Undefined if the plan that says the cap is refused. */
  async #options(selection: Selection, at = this.#at): Promise<Options | undefined> {
    const options = this.#selected(selection);
    const { spare } = this.#story.caps;
    if (typeof spare !== 'number') return options;
    const { plan } = (await this.#plan(options, at)) ?? {};
    if (plan === undefined || plan.uncounted > 0) return plan && options;
    // An item is held back by what each of its tasks costs, also where they are alike. Prices that were learnt may be too high,
    // and what is set aside for a creation in doubt may come back only when the item has been told to wait for a later run.
    const isOpen =
      this.killed > 0 || [...this.#sent.values()].some(({ told }) => told === undefined);
    const isCertain =
      this.#dearTools.size === 0 &&
      !isOpen &&
      plan.rows.every(({ twins = 0, tasks }) => twins + (tasks.maybe ?? 0) === 0);
    const budget = Math.max(0, plan.credits + spare);
    if (!isCertain) return { ...options, budget };
    const needed = new Map<string, number>();
    for (const { kind, credits } of plan.rows) needed.set(kind, (needed.get(kind) ?? 0) + credits);
    return { ...options, budget, needed };
  }

  #selected({ only, until, exclude, items, requireOutputs, payAgain }: Selection): RunOptions {
    const names = [...this.text.matchAll(/^ {2}(\w+): \{ uses/gm)].map(([, name = '']) => name);
    const named = (numbers: readonly number[]): readonly string[] =>
      numbers.map((number) => names[number % names.length] ?? '');
    const keys = items === null ? [] : items.map((at) => `k${at % 4}`);
    return {
      only: named(only),
      until: named(until),
      exclude: named(exclude),
      items: keys.length === 0 ? {} : { keys: new Set(keys) },
      requireOutputs,
      payAgain: payAgain ?? false,
      budget: this.#story.caps.run ?? undefined,
    };
  }

  async #plan(options: RunOptions, at = this.#at): Promise<Planned | undefined> {
    try {
      return await this.#checkouts[at]?.plan(options);
    } catch (error) {
      if (error instanceof Refusal) return undefined;
      throw error;
    }
  }

  /** Undefined if the run was refused. */
  async #go(selection: Selection, cut: Cut | undefined, at = this.#at): Promise<Told | undefined> {
    const checkout = this.#checkouts[at];
    if (checkout === undefined) throw new Error('no checkout');
    this.#runs += 1;
    const run = this.#runs;
    const record = `${at} ${this.#states[at]}`;
    const options = await this.#options(selection, at);
    if (options === undefined) return undefined;
    const cap = options.budget ?? null;
    this.#running.set(checkout.folder, { run, record, cap });
    this.#heard = new Set();
    const today = new Date(this.world.clock.now).toISOString().slice(0, 10);
    this.#days.set(record, today);
    if (selection.payAgain === true) this.#mostPaid += 1;
    try {
      const told = await checkout.run({ ...options, cut });
      if (told.outcome === 'killed') {
        this.killed += 1;
        this.#forgetTold(run);
      } else {
        this.#judgeGathering(run, told);
        this.#judgeCap(run, told, options);
        for (const name of this.#heard) this.#known.add(name);
        // A run that is not done may have found a project gone that a killed one has deleted, and waits for it.
        if (told.outcome === 'done')
          for (const { id, isDeleted } of this.world.service.projects.values())
            if (isDeleted) this.#deleted.add(id);
      }
      return told;
    } catch (error) {
      if (error instanceof Refusal) return undefined;
      throw error;
    } finally {
      this.#running.delete(checkout.folder);
      this.#judge();
    }
  }

  /** What a process that was killed had been told may be in no record. */
  #forgetTold(run: number): void {
    for (const sent of this.#sent.values())
      if (sent.run === run) sent.told = Math.min(sent.told ?? sent.price, sent.price);
  }

  #judge(): void {
    for (const [meaning, list] of this.world.service.paid)
      for (const [task, all] of Map.groupBy(list, (made) => made.task))
        if (all.length > this.#mostPaid)
          this.wrongs.push(`${task} was paid ${all.length} times: ${meaning}`);
    const { deletedUnsaved } = this.world.service;
    for (const made of deletedUnsaved.splice(0))
      if (!this.#isThrownAway(made))
        this.wrongs.push(`${made.id} of ${made.task} was deleted, and not all of it is saved`);
  }

  /** A step that gathers is paid for once, so it waits for all that a later run may still do. */
  #judgeGathering(run: number, { ends }: Told): void {
    for (const sent of this.#sent.values()) {
      if (sent.run !== run) continue;
      const line = this.text.split('\n').find((one) => one.startsWith(`  ${sent.task}: `)) ?? '';
      const [, gathered] = /steps\.(\w+)\.all/.exec(line) ?? [];
      for (const [task, { step, ending }] of ends)
        if (step === gathered && ['doubt', 'pending', 'rendering', 'later'].includes(ending))
          this.wrongs.push(`${sent.task} was sent, and ${task} is ${ending}`);
    }
  }

  /** A cap holds back only what does not fit, also once the credits of failures have been given back. */
  #judgeCap(run: number, { summary }: Told, { budget, needed }: Options): void {
    const isCapped = summary?.cap !== undefined || summary?.stoppedBy === 'budget';
    if (budget === undefined || needed === undefined || !isCapped) return;
    const left = new Map(needed);
    let spent = 0;
    for (const { run: of, tool, price, told = price } of this.#sent.values()) {
      if (of !== run) continue;
      spent += told;
      left.set(tool, (left.get(tool) ?? 0) - price);
    }
    let sum = spent;
    for (const [tool, credits] of left) {
      if (credits > 0 && this.#dearTools.has(tool)) return;
      sum += Math.max(0, credits);
    }
    if (sum <= budget) this.wrongs.push(`${budget} credits hold back a run that needs ${sum}`);
  }

  /** True if a `delete` with `discard` may be about it: steps with the same request share a project. */
  #isThrownAway({ tool }: Made): boolean {
    return [...this.text.matchAll(/of: (\w+), discard: true/g)].some(([, of]) =>
      this.text.includes(`  ${of}: { uses: ${tool}`),
    );
  }

  #hear(heard: Heard): void {
    if (heard.is === 'told') {
      const sent = this.#sent.get(heard.name);
      if (sent !== undefined) sent.told = heard.credits;
      if (heard.isOver) this.#heard.add(heard.name);
      return;
    }
    const { tool, body, from } = heard;
    const running = this.#running.get(from);
    const price = priceOf(existingTool(tool), body);
    const name = String(body['name']);
    if (running === undefined || !price.known) throw new Error(`${name} was sent without a run`);
    const task = this.world.service.taskIn(body);
    const { record } = running;
    const sent: Sent = {
      ...{ name, task, tool, ...running, edits: this.#edits, price: price.credits },
      day: this.#days.get(record) ?? '',
      told: undefined,
    };
    this.#sent.set(name, sent);
    const { item, day: perDay } = this.#story.caps;
    this.#isWithin(sent.cap, 'a run', (one) => one.run === sent.run);
    this.#isWithin(perDay, 'a day', (one) => one.record === record && one.day === sent.day);
    const of = itemOf(task);
    if (of !== undefined)
      this.#isWithin(
        item,
        `item ${of}`,
        (one) => one.record === record && one.edits === sent.edits && itemOf(one.task) === of,
      );
  }

  /** What is sent fits, by what the process has been told, and by what it must expect of the others. */
  #isWithin(cap: number | null, what: string, counts: (sent: Sent) => boolean): void {
    if (cap === null) return;
    let sum = 0;
    for (const sent of this.#sent.values()) if (counts(sent)) sum += sent.told ?? sent.price;
    if (sum > cap) this.wrongs.push(`${what} with ${cap} credits sent what makes ${sum}`);
  }

  /** Whatever is not over goes well from here on. */
  #heal(): void {
    for (const made of this.world.service.projects.values())
      if (!made.isOver) made.fate = made.fate.charge === undefined ? {} : { charge: made.charge };
  }

  /** Projects have ended in a way that the next run finds out. */
  #surprises(): boolean {
    return [...this.world.service.projects.values()].some(
      ({ id, name, fate, isOver, isDeleted }) => {
        // The process may have been killed before it could record that.
        if (isDeleted && !this.#deleted.has(id)) return true;
        const { error, gone, results, final } = fate;
        const isOdd =
          error !== undefined || gone === true || results !== undefined || final !== undefined;
        return isOver && isOdd && (this.#isAdopting || !this.#known.has(name));
      },
    );
  }

  async #change({ what, at }: Mutation): Promise<void> {
    const here = this.#here;
    const nth = (paths: readonly string[]): string | undefined =>
      paths[at % Math.max(1, paths.length)];
    const files = Object.keys(here.files);
    const output = nth(files.filter((path) => path.startsWith('out/')));
    const input = nth(files.filter((path) => !path.startsWith('out/')));
    if (what === 'days') this.world.clock.pass(at * day);
    if (what === 'clock-back') this.world.clock.jump(-at * 6 * hour);
    if (what === 'lose-output' && output !== undefined) here.remove(output);
    if (what === 'clone') here.cloneAgain();
    if (what === 'edit-output' && output !== undefined) here.write(output, 'edited');
    if (what === 'edit-input' && input !== undefined) {
      here.write(input, `new ${at}`);
      this.#edits += 1;
    }
    if (what === 'lose-input' && input !== undefined) here.remove(input);
    // A first plan does not read files that no other can equal; what the disk then fails to read nobody can foresee.
    if (what === 'break-input' && input !== undefined && here.state !== '')
      this.#isBroken.add(input);
    if (what === 'settle') await this.#settle();
    if (what === 'turn-saves') {
      this.#savesNothing = !this.#savesNothing;
      const without = this.text.replaceAll(
        /uses: download(, if: "[^"]*")?(?=.*item\.key)/g,
        'uses: download, if: "item.n > 9"',
      );
      for (const checkout of this.#checkouts)
        checkout.edit(this.#savesNothing ? without : this.text);
    }
    // Without receipts, nothing would know of the payments.
    if (!this.#story.receipts) return;
    if (what === 'lose-state') {
      here.state = '';
      this.#states[this.#at] = (this.#states[this.#at] ?? 0) + 1;
      // The next plan is a first one again.
      this.#isBroken = new Set();
      this.#isAdopting = true;
    }
    if (what === 'other-pipeline') {
      this.#at = 1 - this.#at;
      this.#isAdopting = true;
    }
  }

  /** A person looks in the hub for what is in doubt, and says what is there. */
  async #settle(): Promise<void> {
    if (this.#here.state === '') return;
    const openDoubts = async (): Promise<readonly string[]> =>
      (await this.#here.status()).doubts.map(({ name }) => name);
    for (const name of await openDoubts()) {
      // With the first, the receipts may have settled others.
      if (!(await openDoubts()).includes(name)) continue;
      const made = [...this.world.service.projects.values()].find((one) => one.name === name);
      // What nobody can look up any more stays in doubt.
      if (made?.isDeleted === true || made?.fate.gone === true) continue;
      // The person asks until the service shows the project.
      if (made !== undefined) made.blinks = 0;
      await this.#here.resolve(
        name,
        made === undefined ? { how: 'not-charged' } : { how: 'project', project: made.id },
      );
      const sent = this.#sent.get(name);
      if (made === undefined && sent !== undefined) sent.told = 0;
    }
  }
}
