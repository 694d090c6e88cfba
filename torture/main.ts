// `npm run torture -- --rounds 100 --seed 1`: kills what must survive, again and again, and looks at what is left.
// Exit code 1 when a promise was broken, 2 when the torture could not begin.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type PathForm, pathForms } from '../src/contract/api/routes.ts';
import { tortureCi } from './ci.ts';
import { tortureDisk } from './disk.ts';
import { countsText, tortureEngine } from './engine.ts';
import { scenes } from './engine-round.ts';
import { tortureRunner } from './runner.ts';
import { tortureSchedules } from './schedules.ts';
import { tortureService } from './service.ts';
import { whyNoTracing } from './strace.ts';
import { tortureTick } from './tick.ts';
import { tortureWatch } from './watch.ts';
import { tortureWire } from './wire.ts';

// What runs remember does not stay with the developer.
const state = mkdtempSync(join(tmpdir(), 'shotlist-torture-state-'));
process.env['XDG_STATE_HOME'] = state;
process.on('exit', () => rmSync(state, { recursive: true, force: true, maxRetries: 3 }));

const print = (text: string): void => void process.stdout.write(`${text}\n`);
const { values } = parseArgs({
  options: {
    of: { type: 'string', default: 'runner' },
    rounds: { type: 'string' },
    seed: { type: 'string', default: '1' },
    items: { type: 'string' },
    jobs: { type: 'string', default: '2' },
    round: { type: 'string' },
    paths: { type: 'string', default: 'both' },
    every: { type: 'string', default: '1' },
    days: { type: 'string', default: '30' },
    files: { type: 'string', default: '5000' },
    scene: { type: 'string' },
    workers: { type: 'string', default: '25' },
    coordinators: { type: 'string', default: '3' },
    freezes: { type: 'string', default: '2' },
    crashes: { type: 'string', default: '1' },
    cuts: { type: 'string', default: '2' },
    verbose: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const isOfEngine = values.of === 'engine';
const numbers = {
  rounds: wholeNumber('rounds', values.rounds ?? (isOfEngine ? '12' : '100')),
  seed: wholeNumber('seed', values.seed),
  items: wholeNumber('items', values.items ?? (isOfEngine ? '60' : '40')),
  jobs: wholeNumber('jobs', values.jobs),
  only: values.round === undefined ? undefined : wholeNumber('round', values.round),
};
const { rounds, seed } = numbers;
const began = Date.now();
const elapsed = (): string => `${Math.round((Date.now() - began) / 1000)} s`;

const usage = `usage: npm run torture -- [--of runner|wire|service|disk|ci|schedule|tick|watch|engine] [--seed S]
  of the runner: [--rounds N] [--items N] [--jobs N] [--paths short|long|both]
    [--round K, to see one again]
  of the service: [--rounds N]
  of schedule: [--rounds N], a month in each round
  of ticks: [--rounds N, the number of hours with a tick every minute; 168 are a week]
  of the watch: [--files N, to drop; default 5000]
  of the disk: [--jobs N] [--every N, to try only every Nth case; --seed says which]
    needs strace, and fails each system call that changes a file, in turn
  of ci: [--days N]
    needs git; runs once a day in a fresh clone, with and without a bucket
  of the engine: [--rounds N] [--round K] [--scene ${scenes.join('|')}] [--items N, photos of a round at first]
    [--workers N] [--coordinators N] [--freezes N] [--crashes N, of Postgres] [--cuts N, of networks]
    needs Postgres; the numbers are of each round`;

switch (values.help ? 'help' : values.of) {
  case 'runner':
    await ofRunner();
    break;
  case 'service':
    await ofService();
    break;
  case 'schedule':
    await ofSchedule();
    break;
  case 'wire':
    await ofWire();
    break;
  case 'disk':
    await ofDisk();
    break;
  case 'ci':
    await ofCi();
    break;
  case 'watch':
    await ofWatch();
    break;
  case 'tick':
    await ofTick();
    break;
  case 'engine':
    await ofEngine();
    break;
  case 'help':
    print(usage);
    break;
  default:
    print(usage);
    process.exitCode = 2;
}

function wholeNumber(name: string, text: string, min = 1): number {
  if (/^(0|[1-9]\d{0,8})$/.test(text) && Number(text) >= min) return Number(text);
  print(`--${name} ${text}: it must be a whole number, ${min} or more`);
  process.exit(2);
}

/** Which form of the paths the service answers to. */
function pathForm(text: string): PathForm {
  const form = pathForms.find((known) => known === text);
  if (form !== undefined) return form;
  print(`--paths ${text}: choose ${pathForms.join(', ')}`);
  process.exit(2);
}

async function ofRunner(): Promise<void> {
  const { violations, points, ...counts } = await tortureRunner({
    ...numbers,
    paths: pathForm(values.paths),
    onEvent: print,
  });
  print(`kills at: ${[...points].map(([point, times]) => `${point} ${times}`).join(', ')}`);
  print(
    `${counts.rounds} rounds, seed ${seed}, ${elapsed()}: ${counts.runs} runs, ${counts.kills} kills, ` +
      `${counts.projects} projects, ${counts.doubts} doubts resolved, ${violations.length} violations`,
  );
  process.exitCode = violations.length === 0 ? 0 : 1;
}

async function ofService(): Promise<void> {
  const { projects, events, violations } = await tortureService({ rounds, seed, onEvent: print });
  for (const violation of violations) print(`violation: ${violation}`);
  print(
    `${rounds} kills, seed ${seed}, ${elapsed()}: ${projects} projects, ${events} events, ${violations.length} violations`,
  );
  process.exitCode = violations.length === 0 ? 0 : 1;
}

async function ofSchedule(): Promise<void> {
  const { violations, ...counts } = await tortureSchedules({ rounds, seed, onEvent: print });
  for (const violation of violations) print(`violation: ${violation}`);
  print(
    `${rounds} months, seed ${seed}, ${elapsed()}: ${counts.runs} runs, ${counts.starts} starts, ` +
      `${counts.interrupted} runs interrupted, ${violations.length} violations`,
  );
  process.exitCode = violations.length === 0 ? 0 : 1;
}

async function ofWire(): Promise<void> {
  const { request, answer, violations, ...counts } = await tortureWire({
    cutsAfter: () => ['close', 'reset'],
    jobs: 8,
  });
  for (const violation of violations) print(`violation: ${violation}`);
  print(
    `${counts.cuts} cuts between the bytes of ${request} sent and ${answer} answered, ${elapsed()}: ` +
      `${counts.doubts} doubts, ${counts.charged} of them charged, ${violations.length} violations`,
  );
  process.exitCode = violations.length === 0 ? 0 : 1;
}

async function ofTick(): Promise<void> {
  const { violations, ...counts } = await tortureTick({ hours: rounds, seed, onEvent: print });
  for (const violation of violations) print(`violation: ${violation}`);
  print(
    `${counts.ticks} ticks, ${counts.done} with everything done, seed ${seed}, ${elapsed()}: ${counts.projects} projects, ${counts.looks} looks, ` +
      `${counts.requests} requests, ${violations.length} violations`,
  );
  process.exitCode = violations.length === 0 ? 0 : 1;
}

async function ofWatch(): Promise<void> {
  const files = wholeNumber('files', values.files);
  const { starts, runs, violations } = await tortureWatch({ files, seed, onEvent: print });
  for (const violation of violations) print(`violation: ${violation}`);
  print(
    `${files} files, seed ${seed}, ${elapsed()}: ${starts} starts, ${runs} runs, ${violations.length} violations`,
  );
  process.exitCode = violations.length === 0 ? 0 : 1;
}

async function ofDisk(): Promise<void> {
  const why = whyNoTracing();
  if (why !== undefined) {
    print(`--of disk makes system calls fail with strace, and cannot: ${why}`);
    process.exitCode = 2;
    return;
  }
  const every = wholeNumber('every', values.every);
  const { jobs } = numbers;
  const tortured = await tortureDisk({ every, seed, jobs, onEvent: print });
  const { cases, missed, doubts, kinds, codes, violations } = tortured;
  const figures = (counts: ReadonlyMap<string, number>): string =>
    [...counts]
      .map(([what, times]) => `${what} ${times}`)
      .sort()
      .join(', ');
  print(`failures: ${figures(kinds)}`);
  print(`exit codes: ${figures(codes)}`);
  print(
    `${cases} cases, every ${every}, seed ${seed}, ${elapsed()}: ${missed} not reached, ` +
      `${doubts} doubts resolved, ${violations.length} violations`,
  );
  process.exitCode = violations.length === 0 ? 0 : 1;
}

async function ofCi(): Promise<void> {
  const days = wholeNumber('days', values.days);
  let broken = 0;
  for (const withBucket of [false, true]) {
    const { charges, fetched, violations } = await tortureCi({ days, withBucket, onEvent: print });
    for (const violation of violations) print(`violation: ${violation}`);
    print(
      `${days} days ${withBucket ? 'with a bucket' : 'without a store'}, ${elapsed()}: ${charges} charges, ` +
        `${fetched} results fetched from the store, ${violations.length} violations`,
    );
    broken += violations.length;
  }
  process.exitCode = broken === 0 ? 0 : 1;
}

async function ofEngine(): Promise<void> {
  const { scene } = values;
  const { counts, violations } = await tortureEngine({
    ...numbers,
    scene: scene === undefined ? undefined : scenes.find((one) => one === scene),
    kills: {
      workers: wholeNumber('workers', values.workers, 0),
      coordinators: wholeNumber('coordinators', values.coordinators, 0),
      freezes: wholeNumber('freezes', values.freezes, 0),
      crashes: wholeNumber('crashes', values.crashes, 0),
      cuts: wholeNumber('cuts', values.cuts, 0),
    },
    onEvent: print,
    ...(values.verbose ? { onNote: (line) => print(`  ${line}`) } : {}),
  });
  print(
    `${rounds} rounds, seed ${seed}, ${elapsed()}: ${countsText(counts)}, ${violations.length} violations`,
  );
  process.exitCode = violations.length === 0 ? 0 : 1;
}
