// A small world for these tests: a pipeline, a disk as a plain object, a ledger, and what would happen.
import { digestOf } from '../../src/base/digest.ts';
import type { Json, JsonObject } from '../../src/base/json.ts';
import type { Facts, FileFact, RecordedFile } from '../../src/core/disk-facts.ts';
import { toCel } from '../../src/language/expression.ts';
import type { Pipeline, Step } from '../../src/language/pipeline.ts';
import { validate } from '../../src/language/validate.ts';
import { type Item, valueItem } from '../../src/model/item.ts';
import { Ledger } from '../../src/model/ledger.ts';
import type { JobLine, NewEvent, OutputLine } from '../../src/model/line.ts';
import type { TaskId } from '../../src/model/task.ts';
import { estimateOf } from '../../src/plan/estimate.ts';
import type { PlannedTask } from '../../src/plan/planned-action.ts';
import { pickedTakes } from '../../src/plan/takes.ts';
import { type DryItem, DryRun } from '../../src/run/dry-run.ts';
import type { PlanContext } from '../../src/run/plan-context.ts';

export const day = 86_400_000;
export const start = Date.parse('2026-08-05T10:00:00Z');

export const hash = (words: string): string => digestOf({ content: words });

export function pipelineOf(text: string): Pipeline {
  const result = validate('p.yaml', text);
  if (!result.ok) throw new Error(result.error.map(({ message }) => message).join('; '));
  return result.value.pipeline;
}

/** A disk: files by path from the pipeline file, each with its content; `unread` ones have not been hashed yet. */
export class Disk implements Facts {
  readonly inputs = new Map<string, string>();
  readonly outputs = new Map<string, string>();
  readonly keptFiles = new Map<string, string>();
  readonly unread = new Set<string>();
  /** Paths that only another checkout has saved. */
  readonly elsewhere = new Set<string>();

  input(path: string): FileFact {
    return this.#fact(path, this.inputs.get(path));
  }

  output(path: string): FileFact {
    return this.#fact(path, this.outputs.get(path));
  }

  isElsewhere({ path }: RecordedFile): boolean {
    return !this.outputs.has(path) && this.elsewhere.has(path);
  }

  /** The output folder is `out`, beside the pipeline file. */
  recordedAs(path: string): string {
    return `out/${path}`;
  }

  kept(digest: string, extension: string): FileFact {
    const name = `${digest}.${extension}`;
    return this.#fact(name, this.keptFiles.get(name));
  }

  #fact(path: string, content: string | undefined): FileFact {
    if (content === undefined) return { is: 'absent', why: 'does not exist' };
    return {
      is: 'file',
      bytes: content.length,
      digest: this.unread.has(path) ? undefined : digestOf({ content }),
    };
  }
}

/** What an output line says of a file with this content. */
export const outputLine = (task: string, path: string, content: string, index = 0): OutputLine => ({
  task,
  index,
  path,
  bytes: content.length,
  sha256: hash(content),
});

export function jobLine(state: JobLine['state'], more: Partial<JobLine> = {}): JobLine {
  return {
    job: hash('job'),
    kind: 'face-swap-photo',
    state,
    tasks: ['swap:a'],
    attempt: 1,
    at: new Date(start).toISOString(),
    ...more,
  };
}

/** A world in which things happen; `planItem` says what would. */
export class World {
  readonly disk = new Disk();
  readonly ledger = new Ledger();
  now = start;
  /** Steps that the run excludes. */
  excluded: ReadonlySet<string> = new Set();
  /** Why a place cannot be written. */
  unusable: (to: string) => string | undefined = () => undefined;
  requireOutputs = false;
  payAgain: Set<TaskId> | undefined;
  readonly pipeline: Pipeline;

  constructor(text: string) {
    this.pipeline = pipelineOf(text);
    this.happen({ event: 'run', run: 1 });
  }

  happen(...events: readonly NewEvent[]): void {
    for (const event of events) {
      const line = { ...event, at: new Date(this.now).toISOString() };
      const result = this.ledger.apply(line);
      if (!result.ok) throw new Error(result.error);
    }
  }

  get context(): PlanContext {
    return {
      steps: this.pipeline.steps,
      facts: this.disk,
      jobOf: (fingerprint) => this.ledger.job(fingerprint),
      look: () => undefined,
      estimate: (step: Step, body: JsonObject) => estimateOf(step, body, this.ledger),
      base: { inputs: toCel({}), env: {}, run: { date: '2026-08-05' } },
      now: this.now,
      excluded: this.excluded,
      takes: pickedTakes(this.ledger),
      requireOutputs: this.requireOutputs,
      unusable: this.unusable,
    };
  }

  /** All tasks: the shared ones, those of each item, then the shared ones that wait for the items. */
  planItem(...values: readonly Json[]): readonly PlannedTask[] {
    return this.dryItems(...values).flatMap(({ tasks }) => tasks);
  }

  dryItems(...values: readonly Json[]): readonly DryItem[] {
    const dry = new DryRun({ ...this.context, partial: false, payAgain: this.payAgain });
    const items: readonly Item[] = values.map((value, index) => valueItem(value, index));
    const shared = atOnce(dry.shared());
    const ofItems = items.map((item) => atOnce(dry.item(item)));
    const afterItems = dry.afterItems();
    const planned = [shared, ...ofItems, ...(afterItems === undefined ? [] : [atOnce(afterItems)])];
    const renewed = new Map([...dry.renewedLater].map((task) => [task.task, task]));
    return planned.map((item) => ({
      ...item,
      tasks: item.tasks.map((task) => renewed.get(task.task) ?? task),
    }));
  }

  /** `{ task: outlook }` of what would happen. */
  actions(...values: readonly Json[]): Readonly<Record<string, string>> {
    return Object.fromEntries(this.planItem(...values).map(({ task, action }) => [task, action]));
  }

  /** What the plan says of one task. */
  planned(task: string, ...values: readonly Json[]): PlannedTask {
    const found = this.planItem(...values).find((one) => one.task === task);
    if (found === undefined) throw new Error(`${task} is not in the plan`);
    return found;
  }

  /** Records that a free task was done, as its fingerprint is now. */
  supplied(task: string, kind: string, result: JsonObject, ...values: readonly Json[]): void {
    const job = this.planned(task, ...values).fingerprint ?? '';
    this.happen({ event: 'supplied', job, task, kind, result });
  }

  /** Does what is foreseen to begin, as the run would: one event after another. Answers the paid tasks. */
  doAll(...values: readonly Json[]): readonly string[] {
    const paid: string[] = [];
    for (let round = 0; round < 9; round++) {
      const ready = this.planItem(...values).find(
        ({ action, fingerprint, step }) =>
          (action === 'begin' || action === 'maybe') &&
          fingerprint !== undefined &&
          this.#isReady(step.after, values),
      );
      if (ready === undefined) return paid;
      this.#perform(ready, paid);
    }
    throw new Error('it never ends');
  }

  #isReady(after: readonly string[], values: readonly Json[]): boolean {
    const actions = this.planItem(...values);
    return after.every((name) =>
      actions
        .filter(({ step }) => step.name === name)
        .every(({ action }) => action === 'reuse' || action === 'skipped'),
    );
  }

  #perform({ step, task, fingerprint, to, estimate }: PlannedTask, paid: string[]): void {
    if (fingerprint === undefined) throw new Error(`${task} has no fingerprint`);
    const credits = estimate?.known === true ? estimate.credits : 0;
    const kind = step.kind.name;
    switch (step.kind.operation) {
      case 'upload':
      case 'detect':
        return this.happen({
          event: 'supplied',
          job: fingerprint,
          task,
          kind,
          result: { file_path: 'x', id: 'y', faces: [{ path: 'z' }] },
        });
      case 'create':
        paid.push(task);
        return this.happen(
          {
            event: 'intent',
            job: fingerprint,
            task,
            kind,
            attempt: 1,
            name: task,
            reserve: credits,
          },
          { event: 'created', job: fingerprint, project: `p-${task}`, credits },
          {
            event: 'settled',
            job: fingerprint,
            status: 'complete',
            credits,
            result: { downloads: 1 },
          },
        );
      case 'download':
        this.disk.outputs.set(`out/${to}`, task);
        return this.happen({
          event: 'output',
          job: fingerprint,
          ...outputLine(task, `out/${to}`, task),
        });
      case 'delete':
        return this.happen({ event: 'deleted', job: fingerprint, task });
    }
  }
}

/** Nothing is read here, so nothing is waited for. */
function atOnce(planned: DryItem | Promise<DryItem>): DryItem {
  if (planned instanceof Promise) throw new Error('the plan waits for something');
  return planned;
}

export const swapBody =
  'assets: { target_file_path: "${{ steps.photo.file_path }}", source_file_path: "${{ steps.actor.file_path }}" }';

/** Every item's photo gets the actor's face. */
export const swapping = `pipeline: p
items: { values: [{ key: a }, { key: b }] }
steps:
  actor: { uses: upload, with: { file: actor.png } }
  photo: { uses: upload, with: { file: "\${{ item.key }}.png" } }
  swap: { uses: face-swap-photo, with: { ${swapBody} } }
  save: { uses: download, with: { of: swap, to: "\${{ item.key }}-out.png" } }
`;

export const a = { key: 'a' };
export const b = { key: 'b' };

/** A world with the actor and two photos on disk. */
export function swapWorld(text = swapping): World {
  const world = new World(text);
  for (const [name, content] of [
    ['actor.png', 'actor'],
    ['a.png', 'rose'],
    ['b.png', 'tulip'],
  ] as const)
    world.disk.inputs.set(name, content);
  return world;
}
