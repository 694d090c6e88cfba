// The survey: every item looked at once, files hashed, troubles found, before anything is sent.

import { realpath } from 'node:fs/promises';
import { basename, isAbsolute, relative, resolve, sep } from 'node:path';
import type { JsonObject } from '../base/json.ts';
import type { ItemList } from '../edge/items.ts';
import { isSystemTrouble } from '../edge/system-error.ts';
import type { Ledger } from '../journal/ledger.ts';
import type { Diagnostic } from '../language/diagnostic.ts';
import type { Step } from '../language/pipeline.ts';
import { estimateOf } from '../plan/estimate.ts';
import {
  type Foreseen,
  type Foresight,
  foresee,
  type Ground,
  type Outlook,
} from '../plan/foresee.ts';
import { type Machine, OutputClaims } from '../plan/output-claims.ts';
import { type Plan, PlanTally } from '../plan/plan.ts';
import { PlanFindings } from '../plan/plan-findings.ts';
import type { Ending, Phase } from '../plan/schedule.ts';
import { Barrier } from '../run/barrier.ts';
import { Look } from '../run/look.ts';
import type { Clock, Disk } from '../run/ports.ts';
import type { Item } from '../task/item.ts';
import type { LoadedPipeline } from './load.ts';

export interface Survey {
  readonly plan: Plan;
  /** Why a run must not begin. */
  readonly troubles: readonly Diagnostic[];
  /** What the account’s plan may refuse. */
  readonly findings: PlanFindings;
  /**
   * Items whose projects are paid for and not saved, with the time from which something of them may be gone: the
   * expiry of an address where it is known, else when the project was made. Saved before anything is bought. The key
   * "" stands for the shared steps.
   */
  readonly owed: ReadonlyMap<string, string>;
  /** Items with projects that are paid for and in the works: they come next. */
  readonly underWay: ReadonlySet<string>;
}

const troublesMax = 100;

export interface SurveyGround {
  readonly ledger: Ledger;
  readonly disk: Disk;
  readonly clock: Clock;
  /** Steps that the run leaves out. */
  readonly leftOut: ReadonlySet<string>;
  /** What file systems make of names depends on it. */
  readonly platform?: string;
}

export async function survey(
  loaded: LoadedPipeline,
  items: ItemList,
  { ledger, disk, clock, leftOut, platform = process.platform }: SurveyGround,
): Promise<Survey> {
  const { pipeline, base } = loaded;
  const look = new Look(disk);
  const findings = new PlanFindings();
  const ground: Ground = {
    facts: look,
    jobOf: (fingerprint) => ledger.job(fingerprint),
    estimate: (step: Step, body: JsonObject) => {
      findings.look(step, body);
      return estimateOf(step, body, ledger);
    },
    base,
    now: clock.now(),
    leftOut,
  };
  const tally = new PlanTally();
  const { path: output } = disk.fileAt({ in: 'output', path: disk.recordedAs('') });
  const finder = new TroubleFinder(loaded, {
    platform,
    root: await reallyAt(output),
    folder: await reallyAt(loaded.folder),
  });
  const owed = new Map<string, string>();
  const underWay = new Set<string>();
  const visit = async (
    steps: readonly Step[],
    item: Item | undefined,
    shared?: Foresight,
    overItems?: Ground['overItems'],
  ): Promise<Foresight> => {
    const known = overItems === undefined ? ground : { ...ground, overItems };
    for (;;) {
      const foresight = foresee(steps, item, known, shared);
      const unread = look.takeUnread();
      const failures = await Promise.all(unread.map((place) => disk.digest(place)));
      const broken = failures.find((digest) => !digest.ok);
      if (broken !== undefined && !broken.ok) finder.note(broken.error);
      if (unread.length === 0 || broken !== undefined) return foresight;
    }
  };
  const take = (tasks: readonly Foreseen[], item: Item | undefined): void => {
    for (const task of tasks) {
      tally.add(task);
      finder.look(task);
    }
    if (item !== undefined) finder.lookAtItem(item);
    const times = tasks.filter(isOwed).flatMap(({ fingerprint }) => {
      const job = fingerprint === undefined ? undefined : ledger.job(fingerprint);
      return job === undefined ? [] : [job.expires ?? job.at];
    });
    const [first] = times.sort();
    if (first !== undefined) owed.set(item?.key ?? '', first);
    if (item !== undefined && tasks.some(({ outlook }) => outlook === 'attach'))
      underWay.add(item.key);
  };
  const one = pipeline.items.kind === 'one';
  const common = one ? pipeline.steps : pipeline.steps.filter((step) => step.shared);
  const last = waitingForItems(pipeline.steps);
  const shared = await visit(common, undefined);
  take(
    shared.tasks.filter(({ step }) => !last.has(step.name)),
    undefined,
  );
  const own = pipeline.steps.filter((step) => !step.shared);
  const barrier = new Barrier(items.count < items.total);
  for (const item of items) {
    const { tasks } = await visit(own, item, shared);
    take(tasks, item);
    for (const { step, outlook } of tasks) barrier.note(step.name, endingOf(outlook));
    tally.addItem();
  }
  if (last.size > 0) {
    const overItems = (step: string): Phase => barrier.phase(step, { over: true, all: true });
    const { tasks } = await visit(common, undefined, undefined, overItems);
    take(
      tasks.filter(({ step }) => last.has(step.name)),
      undefined,
    );
  }
  if (one) tally.addItem();
  return {
    plan: tally.plan(pipeline.steps.map(({ name }) => name)),
    troubles: finder.found,
    findings,
    owed,
    underWay,
  };
}

/** Shared steps that begin when every item is over: the deletes of what items use, and what follows on them. */
function waitingForItems(steps: readonly Step[]): ReadonlySet<string> {
  const waiting = new Set<string>();
  const own = new Set(steps.filter(({ shared }) => !shared).map(({ name }) => name));
  for (const { name, shared, after } of steps)
    if (shared && after.some((before) => own.has(before) || waiting.has(before))) waiting.add(name);
  return waiting;
}

/** How a task will end, as far as what waits for it is concerned. */
function endingOf(outlook: Outlook): Ending {
  switch (outlook) {
    case 'exclude':
      return 'excluded';
    case 'hold':
    case 'lost':
    case 'refuse':
    case 'block':
    case 'trouble':
      return 'blocked';
    default:
      return 'done';
  }
}

/** Where a folder is, links followed; one that is not made yet is where it is named. */
async function reallyAt(folder: string): Promise<string> {
  try {
    return await realpath(folder);
  } catch (error) {
    // Whatever else is wrong with it is said when it is opened for writing.
    if (isSystemTrouble(error)) return folder;
    throw error;
  }
}

/** A download of a project that is known to be complete, or a project in the works, which may be complete by now. */
function isOwed({ step, outlook, fingerprint }: Foreseen): boolean {
  if (fingerprint === undefined) return false;
  return outlook === 'attach' || (step.kind.deed === 'download' && outlook === 'begin');
}

interface Outputs extends Machine {
  /** The pipeline's own folder, absolute: what paths in it are relative to. */
  readonly folder: string;
}

/** Collects what is wrong: troubles of tasks, and files that would be written twice or over what is read. */
class TroubleFinder {
  readonly found: Diagnostic[] = [];
  readonly #loaded: LoadedPipeline;
  readonly #outputs: Outputs;
  readonly #claims: OutputClaims;

  constructor(loaded: LoadedPipeline, outputs: Outputs) {
    this.#loaded = loaded;
    this.#outputs = outputs;
    this.#claims = new OutputClaims(outputs);
    const { name } = loaded.pipeline;
    this.#read('the pipeline file', basename(loaded.file));
    this.#read('the state file', `${name}.state.jsonl`);
  }

  lookAtItem({ key, fields }: Item): void {
    const { path } = fields;
    if (this.#loaded.pipeline.items.kind === 'glob' && typeof path === 'string')
      this.#note(this.#read(`the item ${key}`, path), ['items']);
  }

  look({ step, task, trouble, to, file }: Foreseen): void {
    if (trouble !== undefined) {
      const { source } = this.#loaded.pipeline;
      const span =
        trouble.at === undefined
          ? source.keySpanOf(['steps', step.name])
          : source.spanInside(trouble.at.path, trouble.at.text, trouble.at.start, trouble.at.end);
      return this.note(`${task}: ${trouble.message}`, span);
    }
    if (to !== undefined)
      this.#note(this.#claims.write(task, to), ['steps', step.name, 'with', 'to']);
    // A step may go on with what a download saves: then it reads that place on purpose.
    if (file !== undefined && !this.#followsDownload(step))
      this.#note(this.#read(`what ${task} uploads`, file), ['steps', step.name, 'with', 'file']);
  }

  #followsDownload({ after }: Step): boolean {
    return this.#loaded.pipeline.steps.some(
      ({ name, kind }) => kind.deed === 'download' && after.includes(name),
    );
  }

  /** A path as it stands in the pipeline; only what is below the output folder can be overwritten. */
  #read(what: string, path: string): string | undefined {
    const { root, folder } = this.#outputs;
    const below = relative(root, resolve(folder, path));
    if (below === '' || below === '..' || below.startsWith(`..${sep}`) || isAbsolute(below))
      return undefined;
    return this.#claims.read(what, sep === '/' ? below : below.split(sep).join('/'));
  }

  #note(trouble: string | undefined, at: readonly string[]): void {
    if (trouble !== undefined) this.note(trouble, this.#loaded.pipeline.source.spanOf(at));
  }

  note(message: string, span?: Diagnostic['span']): void {
    if (this.found.length >= troublesMax) return;
    const { file } = this.#loaded;
    this.found.push({ severity: 'error', file, message, ...(span === undefined ? {} : { span }) });
  }
}
