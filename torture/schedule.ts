// The torture of `schedule`: weeks of a schedule on a clock of its own, with restarts at random moments, also in the middle
// of runs that take long. Afterwards, every due time must have run exactly as promised, and each was paid once.
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { chanceOf } from '../src/base/chance.ts';
import type { RunInternals } from '../src/features/run/run.ts';
import type { Schedule } from '../src/language/pipeline.ts';
import { startService } from '../src/service/start.ts';
import { scheduleWith } from '../src/triggers/schedule/schedule.ts';
import type { ScheduleEvent } from '../src/views/trigger-events.ts';
import { type History, promisedDue } from './promised-due.ts';
import { VirtualClock } from './virtual-clock.ts';

export interface ScheduleTorture extends Schedule {
  readonly seed: number;
  /** ISO 8601. */
  readonly from: string;
  readonly days: number;
  /** The longest time between a stop and the next start, in milliseconds. */
  readonly longestPause: number;
  /** The longest time that a creation takes, in milliseconds. */
  readonly longestCreation: number;
}

export interface TorturedSchedule {
  readonly runs: number;
  readonly starts: number;
  readonly interrupted: number;
  readonly leftOut: number;
  readonly violations: readonly string[];
}

const pipelineText = ({ cron, timeZone }: Schedule): string => `pipeline: news
schedule:
  cron: ${JSON.stringify(cron)}
  time_zone: ${timeZone}
items: { values: [{ key: a }, { key: b }] }
output: out
steps:
  picture:
    uses: ai-image-generator
    with:
      name: "\${{ run.due }} \${{ item.key }}"
      image_count: 1
      model: flux-schnell
      resolution: 640px
      style: { prompt: "news of \${{ run.date }}: \${{ item.key }} \${{ run.due }}" }
  save: { uses: download, with: { of: picture, to: "\${{ slug(run.due) }}/\${{ item.key }}.png" } }
`;

export async function tortureSchedule(terms: ScheduleTorture): Promise<TorturedSchedule> {
  const folder = mkdtempSync(join(tmpdir(), 'shotlist-schedule-'));
  const file = join(folder, 'news.yaml');
  writeFileSync(file, pipelineText(terms));
  const start = Date.parse(terms.from);
  const end = start + terms.days * 86_400_000;
  const clock = new VirtualClock(start, terms.seed);
  const chance = chanceOf(terms.seed, 1);
  const service = await startService({
    pictures: 'plain',
    credits: 1_000_000,
    now: () => clock.now(),
  });
  const history: History = { up: [], running: [] };
  const seen = { starts: 0, interrupted: 0, leftOut: 0 };
  const onEvent = (event: ScheduleEvent): void => {
    if (event.type === 'left-out') seen.leftOut += 1;
    if (event.type === 'run' && event.event.type === 'started')
      history.running.push({ from: clock.now(), to: Number.POSITIVE_INFINITY });
    if (event.type !== 'ran') return;
    const last = history.running.pop();
    if (last !== undefined) history.running.push({ ...last, to: clock.now() });
    if (event.summary.outcome === 'interrupted') seen.interrupted += 1;
  };
  try {
    while (clock.now() < end) {
      const stop = new AbortController();
      const from = clock.now();
      const life = chance() < 0.2 ? chance() * 3_600_000 : chance() * 4 * 86_400_000;
      clock.at(Math.min(end, from + life), () => stop.abort());
      seen.starts += 1;
      await scheduleWith(
        [file],
        {
          ...{ clock, signal: stop.signal, onEvent },
          env: envOf(service, file),
        },
        slowly(clock, chance, { terms, stop }),
      );
      history.up.push({ from, to: clock.now() });
      clock.pass(chance() * terms.longestPause);
    }
    // What was interrupted at the end is completed, so that each due time can be compared.
    const from = clock.now();
    await scheduleWith(
      [file],
      {
        ...{ clock, once: true, onEvent },
        env: envOf(service, file),
      },
      { backoffMs: 1, speedFactor: 100 },
    );
    history.up.push({ from, to: from });
    const state = readFileSync(join(folder, 'news.state.jsonl'), 'utf8');
    const violations = [
      ...runViolations(state, promisedDue(terms, history, { from: start, to: from })),
      ...billViolations(state, service.ledger()),
    ];
    const runs = dueRuns(state).length;
    return { ...seen, runs, violations: violations.map((one) => `${one} (seed ${terms.seed})`) };
  } finally {
    await service.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Creations take their time, and a process is stopped in the middle of some runs. */
function slowly(
  clock: VirtualClock,
  chance: () => number,
  { terms, stop }: { readonly terms: ScheduleTorture; readonly stop: AbortController },
): RunInternals {
  return {
    backoffMs: 1,
    speedFactor: 100,
    api: (api) => ({
      ...api,
      async create(tool, body, known) {
        const made = await api.create(tool, body, known);
        clock.pass(chance() ** 3 * terms.longestCreation);
        if (chance() < 0.1) stop.abort();
        return made;
      },
    }),
  };
}

interface DueRun {
  readonly due: string;
  readonly ended?: string;
}

function dueRuns(state: string): readonly DueRun[] {
  return state
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter((line) => 'run' in line && 'due' in line);
}

function runViolations(state: string, promised: ReadonlySet<number>): readonly string[] {
  const found: string[] = [];
  const runs = dueRuns(state);
  const due = runs.map((run) => Date.parse(run.due));
  const show = (moment: number): string => new Date(moment).toISOString();
  for (const run of runs) if (run.ended === undefined) found.push(`the run of ${run.due} is open`);
  for (const moment of due)
    if (!promised.has(moment)) found.push(`${show(moment)} ran, and must not have`);
  for (const moment of promised)
    if (!due.includes(moment)) found.push(`${show(moment)} did not run`);
  if (new Set(due).size < due.length) found.push('a due time has two runs');
  if (due.some((moment, index) => index > 0 && moment < (due[index - 1] ?? 0)))
    found.push('the runs are out of order');
  return found;
}

/** Each run has two creations, and each creation one charge. */
function billViolations(
  state: string,
  entries: ReturnType<Awaited<ReturnType<typeof startService>>['ledger']>,
): readonly string[] {
  const names = entries
    .filter(({ kind }) => kind === 'charge')
    .map(({ name }) => (name ?? '').replace(/ #[0-9a-z]+$/, ''));
  const found = names.filter((name, index) => names.indexOf(name) !== index);
  const expected = 2 * dueRuns(state).length;
  return [
    ...found.map((name) => `${name} was paid twice`),
    ...(names.length === expected ? [] : [`${names.length} charges for ${expected} creations`]),
  ];
}

/** Each story has receipts of its own, beside its pipeline. */
const envOf = (
  { address, key }: { readonly address: string; readonly key: string },
  file: string,
): Readonly<Record<string, string>> => ({
  ...{ SHOTLIST_BASE_URL: address, SHOTLIST_API_KEY: key },
  SHOTLIST_RECEIPTS: join(dirname(file), '.shotlist', 'receipts'),
});
