// Promise 6: what the plan says is what a run then does. Tried on random pipelines with random histories and selections.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { priceOf } from '../../src/contract/api/price.ts';
import { digestOf } from '../../src/contract/base/digest.ts';
import { ok } from '../../src/contract/base/result.ts';
import { listItems } from '../../src/runner/adapters/files/items.ts';
import { Ledger } from '../../src/runner/journal/ledger.ts';
import { toCel } from '../../src/runner/language/expression.ts';
import type { Pipeline } from '../../src/runner/language/pipeline.ts';
import { validate } from '../../src/runner/language/validate.ts';
import { BoundPipeline } from '../../src/runner/operations/pipeline/bound-pipeline.ts';
import { planItems } from '../../src/runner/operations/planning/plan-items.ts';
import type { PlannedItems } from '../../src/runner/operations/planning/planned-items.ts';
import { runPhases } from '../../src/runner/operations/run/phases.ts';
import { LookSchedule } from '../../src/runner/plan/look-schedule.ts';
import type { PlannedAction } from '../../src/runner/plan/planned-action.ts';
import { stepsExcludedBy } from '../../src/runner/plan/step-selection.ts';
import { pickedTakes } from '../../src/runner/plan/takes.ts';
import type { RunEvent, TaskEnding } from '../../src/runner/report/run-event.ts';
import { FileFacts } from '../../src/runner/run/file-facts.ts';
import { Outages } from '../../src/runner/run/jobs/outages.ts';
import { ProjectIds } from '../../src/runner/run/jobs/project-ids.ts';
import { JournalWriter } from '../../src/runner/run/journal/journal-writer.ts';
import { MemoryDisk } from '../fakes/memory-disk.ts';
import { MemoryService } from '../fakes/memory-service.ts';
import { FakeClock } from '../runner/adapters/files/places.ts';
import {
  type Mutation,
  pipelineText,
  type Selection,
  type Story,
  stories,
} from './random-pipelines.ts';

const day = 86_400_000;

/** One pipeline on one machine, run again and again while the world changes. */
class JobContext {
  readonly disk = new MemoryDisk();
  readonly clock = new FakeClock();
  readonly ledger = new Ledger();
  readonly service: MemoryService;
  readonly loaded: BoundPipeline;

  constructor(pipeline: Pipeline) {
    this.service = new MemoryService(this.disk, this.clock, (tool, body) => {
      const price = priceOf(tool, body);
      if (!price.known) throw new Error(`${tool} has no price`);
      return price.credits;
    });
    const base = { inputs: toCel({}), env: {} };
    const read = { file: 'p.yaml', digest: digestOf('') };
    const place = { folder: '/nowhere', named: [] };
    this.loaded = new BoundPipeline(
      {
        ...read,
        pipeline,
        warnings: [],
        included: {},
        profiles: [],
        profile: undefined,
        outputProfile: undefined,
      },
      { ...place, base, otherProfiles: async () => ok([]) },
    );
    for (const name of ['s0', 's1', 'f0', 'f1', 'f2']) this.disk.files.set(`${name}.png`, name);
    // The same content under another name, and a file that must be read first. f4.png does not exist.
    this.disk.files.set('f3.png', 'f0');
    this.disk.unread.add('f1.png');
  }

  change({ what, at }: Mutation): void {
    const nth = (paths: readonly string[]): string | undefined =>
      paths[at % Math.max(1, paths.length)];
    const files = [...this.disk.files.keys()];
    const output = nth(files.filter((path) => path.startsWith('out/')));
    const input = nth(files.filter((path) => !path.startsWith('out/')));
    if (what === 'days') this.clock.pass(at * day);
    if (what === 'lose-output' && output !== undefined) this.disk.loseOutput(output);
    if (what === 'clone') this.disk.checkOutAnew();
    if (what === 'edit-output' && output !== undefined) this.disk.files.set(output, 'edited');
    if (what === 'edit-input' && input !== undefined) this.disk.files.set(input, `new ${at}`);
    if (what === 'lose-input' && input !== undefined) this.disk.files.delete(input);
    // A first plan does not read files that no other can equal; what the disk then fails to read nobody can foresee.
    const read = [...this.ledger.jobs()].length > 0;
    if (what === 'break-input' && input !== undefined && read) this.disk.broken.add(input);
  }

  async run({ only, until, exclude, items, requireOutputs }: Selection): Promise<Outcome> {
    const { loaded, ledger, disk, clock } = this;
    const { pipeline } = loaded;
    const base = { ...loaded.base, run: { date: '2026-08-05' } };
    const names = pipeline.steps.map(({ name }) => name);
    const named = (numbers: readonly number[]): readonly string[] =>
      numbers.map((number) => names[number % names.length] ?? '');
    const out = stepsExcludedBy(pipeline.steps, {
      only: named(only),
      until: named(until),
      exclude: named(exclude),
    });
    if (!out.ok) throw new Error(out.error);
    const keys =
      items === null || items.length === 0
        ? {}
        : { keys: new Set(items.map((at) => `k${at % 4}`)) };
    const list = await listItems(pipeline.items, '/nowhere', '/nowhere/out', keys);
    if (!list.ok) throw new Error(list.error[0]?.message);
    const plannedItems = await planItems(loaded, list.value, {
      base,
      ledger,
      disk,
      clock,
      excluded: out.value,
      requireOutputs,
    });
    const endings = new Map<string, { step: string; ending: TaskEnding; why: string }>();
    const before = this.service.charged;
    if (plannedItems.problems.length === 0) {
      const journal = new JournalWriter(ledger, { append() {}, async sync() {} }, clock, {
        run: {},
      });
      const stopper = new AbortController();
      const onEvent = (event: RunEvent): void => {
        if (event.type !== 'task') return;
        const { task, step, ending, why = '' } = event;
        endings.set(task, { step, ending, why });
      };
      const outages = new Outages({
        ...{ api: this.service, address: 'memory:', clock, stop: stopper.signal, onEvent },
        backoffMs: 1,
        limitMs: 1000,
      });
      await runPhases({
        pipeline,
        base,
        earlier: [],
        list: list.value,
        plannedItems,
        visitsAll: false,
        context: {
          api: outages.api,
          outages,
          projects: new ProjectIds(),
          disk,
          clock,
          backoffMs: 1,
          pace: async () => undefined,
          lookSchedule: new LookSchedule({ speedFactor: 1 }),
          inbox: undefined,
        },
        stopper,
        excluded: out.value,
        signal: undefined,
        machineStops: [],
        journal,
        fileFacts: new FileFacts(disk),
        clock,
        budget: undefined,
        payAgain: false,
        requireOutputs,
        takes: pickedTakes(ledger),
        listening: false,
        onEvent,
      });
      journal.end();
    }
    return { plannedItems, endings, charged: this.service.charged - before };
  }
}

interface Outcome {
  readonly plannedItems: PlannedItems;
  readonly endings: ReadonlyMap<string, { step: string; ending: TaskEnding; why: string }>;
  readonly charged: number;
}

/** How a task of each outlook ends in a run in which nothing goes wrong. */
const endingOf: Readonly<Record<Exclude<PlannedAction, 'maybe'>, TaskEnding>> = {
  begin: 'done',
  attach: 'done',
  copy: 'done',
  store: 'done',
  reuse: 'reused',
  skipped: 'skipped',
  excluded: 'excluded',
  doubt: 'doubt',
  lost: 'failed',
  keep: 'failed',
  defer: 'skipped',
  problem: 'failed',
  blocked: 'blocked',
};

/**
 * Where a row of the plan and what the run did differ; empty: nowhere. Of two tasks with the same content one does it
 * and the other reuses it: which one is a matter of time, so the two are told apart over all steps of a kind.
 */
function differences({ plannedItems, endings, charged }: Outcome): readonly string[] {
  const found: string[] = [];
  let uncertain = false;
  const doings = new Map<string, { planned: number; did: number }>();
  for (const { step, kind, tasks, times } of plannedItems.plan.rows) {
    const { maybe = 0, ...certain } = tasks;
    // Of a fan-out whose list only the run knows, the plan has one task for all elements.
    if (times?.open === true) {
      uncertain = true;
      continue;
    }
    // Of a step that is left out and depends on what an earlier one finds, nobody knows whether it is skipped or reused.
    const excluded = tasks.excluded ?? 0;
    uncertain ||= maybe + excluded > 0;
    const planned = new Map<TaskEnding, number>();
    const doing = doings.get(kind) ?? { planned: 0, did: 0 };
    doings.set(kind, doing);
    for (const [action, count] of Object.entries(certain)) {
      const ending = endingOf[action as Exclude<PlannedAction, 'maybe'>];
      if (ending === 'done') doing.planned += count;
      const shown = ending === 'reused' ? 'done' : ending;
      planned.set(shown, (planned.get(shown) ?? 0) + count);
    }
    const did = new Map<TaskEnding, number>();
    for (const one of endings.values()) {
      if (one.step !== step) continue;
      if (one.ending === 'done') doing.did += 1;
      const shown = one.ending === 'reused' ? 'done' : one.ending;
      did.set(shown, (did.get(shown) ?? 0) + 1);
    }
    for (const ending of new Set([...planned.keys(), ...did.keys()])) {
      const [said, done] = [planned.get(ending) ?? 0, did.get(ending) ?? 0];
      const fewest = ending === 'excluded' ? 0 : said;
      const free = maybe + (['excluded', 'skipped', 'done'].includes(ending) ? excluded : 0);
      if (done < fewest || done > said + free)
        found.push(`${step}: the plan says ${said} (+${free}) ${ending}, the run had ${done}`);
    }
  }
  if (!uncertain)
    for (const [kind, { planned, did }] of doings)
      if (planned !== did) found.push(`${kind}: the plan does ${planned}, the run did ${did}`);
  const { credits, uncounted } = plannedItems.plan;
  if ((uncounted === 0 && charged > credits) || (!uncertain && charged !== credits))
    found.push(`the plan says ${credits} credits, the run took ${charged}`);
  return found;
}

/** How many stories were told to the end, so that the property cannot pass by trying nothing. */
let told = 0;

async function tell(story: Story): Promise<void> {
  const text = pipelineText(story);
  const validated = validate('p.yaml', text);
  if (!validated.ok) return;
  const context = new JobContext(validated.value.pipeline);
  for (const { fates, selection, after } of story.rounds) {
    let next = 0;
    context.service.fate = () => fates[next++] ?? 'fine';
    await context.run(selection);
    for (const mutation of after) context.change(mutation);
  }
  context.service.fate = () => 'fine';
  for (const made of context.service.projects.values())
    if (made.fate === 'endless') made.fate = 'fine';
  const outcome = await context.run(story.last);
  if (outcome.plannedItems.problems.length > 0) return;
  told += 1;
  const found = differences(outcome);
  if (found.length === 0) return;
  const did = [...outcome.endings].map(
    ([task, { ending, why }]) => `${task}: ${ending}${why === '' ? '' : ` (${why})`}`,
  );
  throw new Error(
    [...found, ...did, JSON.stringify(outcome.plannedItems.plan.rows), text].join('\n'),
  );
}

const seed = Number(process.env['SEED'] ?? 20261122);
const runs = Number(process.env['RUNS'] ?? 500);

test(`each row of the plan is what a run then does (seed ${seed})`, {
  timeout: 300_000,
}, async () => {
  await fc.assert(fc.asyncProperty(stories, tell), { numRuns: runs, seed });
  expect(told).toBeGreaterThan(runs / 4);
});
