// Daily runs in CI: each in a fresh clone that has only what git has, with one more photo than the day before, and each
// pushes its state file back. Nothing may be paid or fetched twice, with or without a bucket that keeps the results.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { realClock } from '../src/core/clock.ts';
import { type RunOptions, runWith } from '../src/features/run/run.ts';
import { trust } from '../src/features/trust/trust.ts';
import { loadPipeline } from '../src/language/load/load.ts';
import { renderProblem, resultOf } from '../src/language/load/refusal.ts';
import { type LocalService, startService } from '../src/service/start.ts';
import { exitCodes } from '../src/terminal/exit-code.ts';
import { photo } from '../test/photo.ts';
import { actor, swapAssets, uploadAndDetect } from '../test/photo-pipeline.ts';
import { type Bucket, openBucket } from './bucket.ts';

export interface CiOptions {
  readonly days: number;
  /** True: `outputs.store` is a bucket. */
  readonly withBucket: boolean;
  readonly onEvent: (line: string) => void;
}

export interface CiResult {
  readonly charges: number;
  readonly fetched: number;
  readonly violations: readonly string[];
}

const pipelineText = (store: string | undefined): string => `pipeline: daily
inputs:
  actor: { type: file, default: actor.png }
items: { glob: "photos/*.png" }
output: out
${store === undefined ? '' : `outputs: { store: "${store}" }\n`}steps:
${uploadAndDetect}\
  swap:
    uses: face-swap-photo
    with:
      name: "\${{ item.stem }}"
${swapAssets}\
  save: { uses: download, with: { of: swap, to: "\${{ item.stem }}.png" } }
  tidy: { uses: delete, with: { of: swap } }
`;

const state = 'daily.state.jsonl';
const dayMs = 86_400_000;

const gitSettings = ['user.name=ci', 'user.email=ci@localhost', 'commit.gpgsign=false'];

function git(folder: string, ...args: readonly string[]): string {
  const settings = gitSettings.flatMap((setting) => ['-c', setting]);
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
  const options = { cwd: folder, env, stdio: 'pipe', encoding: 'utf8' } as const;
  return execFileSync('git', [...settings, ...args], options);
}

/** The time of day of this machine, on a later day. */
class Calendar {
  day = 0;
  readonly now = (): number => Date.now() + this.day * dayMs;
}

export async function tortureCi(options: CiOptions): Promise<CiResult> {
  const root = mkdtempSync(join(tmpdir(), 'shotlist-torture-'));
  const calendar = new Calendar();
  const bucket = options.withBucket ? await openBucket() : undefined;
  const service = await startService({ pictures: 'plain', now: calendar.now });
  try {
    return await new Ci(options, { root, calendar, bucket, service }).all();
  } finally {
    await service.close();
    await bucket?.close();
    rmSync(root, { recursive: true, force: true });
  }
}

interface World {
  readonly root: string;
  readonly calendar: Calendar;
  readonly bucket: Bucket | undefined;
  readonly service: LocalService;
}

class Ci {
  readonly #o: CiOptions;
  readonly #w: World;
  readonly #origin: string;
  readonly #violations: string[] = [];

  constructor(options: CiOptions, world: World) {
    this.#o = options;
    this.#w = world;
    this.#origin = join(world.root, 'origin.git');
  }

  async all(): Promise<CiResult> {
    const { days } = this.#o;
    await this.#found();
    for (let day = 1; day <= days; day++) await this.#day(day);
    await this.#idleDay();
    if (this.#w.bucket !== undefined) await this.#fetchAll();
    this.#checkBooks();
    return {
      charges: this.#charges().length,
      fetched: this.#gets(),
      violations: this.#violations,
    };
  }

  async #found(): Promise<void> {
    git(this.#w.root, 'init', '--quiet', '--bare', '--initial-branch=main', this.#origin);
    const folder = this.#clone('first');
    writeFileSync(join(folder, 'pipeline.yaml'), pipelineText(this.#w.bucket?.store));
    writeFileSync(join(folder, '.gitignore'), 'out/\n.shotlist/\n');
    writeFileSync(join(folder, '.gitattributes'), '*.state.jsonl merge=union\n');
    writeFileSync(join(folder, 'actor.png'), await photo(actor));
    this.#push(folder);
    rmSync(folder, { recursive: true });
  }

  #clone(name: string): string {
    const folder = join(this.#w.root, name);
    git(this.#w.root, 'clone', '--quiet', this.#origin, folder);
    return folder;
  }

  #push(folder: string): void {
    git(folder, 'add', '--all');
    git(folder, 'commit', '--quiet', '-m', 'a day');
    git(folder, 'push', '--quiet', 'origin', 'HEAD:main');
  }

  async #day(day: number): Promise<void> {
    this.#w.calendar.day = day;
    const folder = this.#clone(`day-${day}`);
    mkdirSync(join(folder, 'photos'), { recursive: true });
    writeFileSync(join(folder, 'photos', `p${day}.png`), await photo(day));
    this.#push(folder);
    const said = await this.#run(folder);
    this.#expect(said === 'exit 0', `day ${day}: ${said}`);
    const charges = this.#charges().length;
    this.#expect(charges === day, `day ${day}: ${charges} charges`);
    const changed = git(folder, 'status', '--porcelain').trim().split('\n');
    const only = changed.length === 1 && changed[0]?.endsWith(` ${state}`) === true;
    this.#expect(only, `day ${day}: the run changed ${changed.join(', ')}`);
    const saved = readdirSync(join(folder, 'out')).join(', ');
    this.#expect(saved === `p${day}.png`, `day ${day}: the output folder has ${saved}`);
    this.#push(folder);
    rmSync(folder, { recursive: true });
    this.#o.onEvent(`day ${day}: ${said}, ${charges} charges`);
  }

  /** No new photo: nothing to do, nothing to commit. */
  async #idleDay(): Promise<void> {
    this.#w.calendar.day += 1;
    const folder = this.#clone('idle');
    const before = JSON.stringify(this.#w.service.requests());
    const said = await this.#run(folder);
    this.#expect(said === 'exit 0', `a day without a photo: ${said}`);
    const changed = git(folder, 'status', '--porcelain');
    this.#expect(changed === '', `a day without a photo changed ${changed}`);
    const after = JSON.stringify(this.#w.service.requests());
    this.#expect(before === after, `a day without a photo sent requests: ${after}`);
    this.#expect(this.#gets() === 0, 'a run fetched results that no step needs');
  }

  /** Any machine can have everything, from the bucket alone. */
  async #fetchAll(): Promise<void> {
    const folder = this.#clone('whole');
    const said = await this.#run(folder, { requireOutputs: true });
    this.#expect(said === 'exit 0', `with everything required here: ${said}`);
    const here = readdirSync(join(folder, 'out')).length;
    this.#expect(here === this.#o.days, `with everything required here, ${here} results are here`);
    const gets = this.#gets();
    this.#expect(gets === this.#o.days, `${gets} requests fetched ${this.#o.days} results`);
  }

  async #run(folder: string, more: RunOptions = {}): Promise<string> {
    const { service, bucket, calendar } = this.#w;
    const env = {
      ...{ SHOTLIST_BASE_URL: service.address, SHOTLIST_API_KEY: service.key },
      ...{ ...bucket?.env, XDG_STATE_HOME: join(folder, '.shotlist-home') },
    };
    git(folder, 'config', 'core.excludesFile', join(this.#w.root, 'excluded'));
    writeFileSync(join(this.#w.root, 'excluded'), '.shotlist-home/\n');
    const file = join(folder, 'pipeline.yaml');
    if (bucket !== undefined) trust(file, { env });
    const loaded = await resultOf(() => loadPipeline(file));
    if (!loaded.ok) return renderProblem(loaded.error);
    const clock = { ...realClock, now: calendar.now };
    const options = { env, clock, hosted: true, ...more };
    const ran = await resultOf(() =>
      runWith(loaded.value, options, { backoffMs: 1, speedFactor: 100 }),
    );
    if (!ran.ok) return renderProblem(ran.error);
    const { summary } = ran.value;
    const [problem] = summary.problems;
    return `exit ${exitCodes[summary.outcome]}${problem === undefined ? '' : `: ${problem.why}`}`;
  }

  #checkBooks(): void {
    const { days } = this.#o;
    const { service, bucket } = this.#w;
    const refunds = service.ledger().filter(({ kind }) => kind === 'refund');
    this.#expect(refunds.length === 0, `${refunds.length} refunds`);
    const names = new Set(this.#charges().map(({ name }) => name?.replace(/ #[0-9a-z]+$/, '')));
    this.#expect(names.size === days, `${names.size} photos were paid`);
    const downloads = service.requests()['GET /downloads/*'] ?? 0;
    this.#expect(downloads === days, `${downloads} downloads from the service`);
    if (bucket === undefined) return;
    const puts = bucket.asked.filter(({ method }) => method === 'PUT').map(({ path }) => path);
    // One more shows that the bucket can be written.
    this.#expect(puts.length === days + 1, `${puts.length} objects were put`);
    this.#expect(new Set(puts).size === puts.length, 'an object was put twice');
  }

  #charges(): ReturnType<LocalService['ledger']> {
    return this.#w.service.ledger().filter(({ kind }) => kind === 'charge');
  }

  #gets(): number {
    return this.#w.bucket?.asked.filter(({ method }) => method === 'GET').length ?? 0;
  }

  #expect(holds: boolean, otherwise: string): void {
    if (!holds) this.#violations.push(otherwise);
  }
}
