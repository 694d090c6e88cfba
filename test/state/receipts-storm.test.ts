// Runs that buy the same at once, are killed and stand still, while older state files are put back: nothing is sent twice.
// ROUNDS=100 SEED=1 npx vitest run test/state/receipts-storm.test.ts has real processes for so many rounds.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { chanceOf } from '../../src/base/chance.ts';
import { Receipts } from '../../src/state/receipts.ts';
import { buy, type Machine } from './buyer.ts';
import { freshFolder, jobNamed } from './paying.ts';

const rounds = Number(process.env['ROUNDS'] ?? 0);
const seed = Number(process.env['SEED'] ?? 1);

class Counts {
  readonly #counts = new Map<string, number>();

  add(what: string, times = 1): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + times);
  }

  of(what: string): number {
    return this.#counts.get(what) ?? 0;
  }

  get text(): string {
    return [...this.#counts].map(([what, times]) => `${what} ${times}`).join(', ');
  }
}

function countSends(jobs: readonly string[], counts: Counts): void {
  const sent = new Set<string>();
  for (const job of jobs) {
    counts.add('sent');
    if (sent.has(job)) counts.add('sent twice');
    sent.add(job);
  }
}

/** In one process, and the same each time: whoever goes on next is drawn. */
class Story {
  readonly #file = join(freshFolder(), 'receipts.db');
  readonly #chance: () => number;
  readonly #counts: Counts;
  readonly #claims: boolean;
  readonly #files = new Map<string, string>();
  readonly #kept: (readonly [who: string, text: string])[] = [];
  readonly #sent: string[] = [];
  /** By state file: what its run waits for. */
  readonly #running = new Map<string, (() => void)[]>();
  #runs = 0;

  constructor(round: number, counts: Counts, claims: boolean) {
    this.#chance = chanceOf(seed, round);
    this.#counts = counts;
    this.#claims = claims;
  }

  #below = (most: number): number => Math.floor(this.#chance() * most);

  async tell(): Promise<void> {
    for (let act = 0; act < 260; act++) {
      this.#happen();
      await new Promise((resolve) => setImmediate(resolve));
    }
    while (this.#running.size > 0) {
      this.#goOn();
      await new Promise((resolve) => setImmediate(resolve));
    }
    countSends(this.#sent, this.#counts);
  }

  #happen(): void {
    const who = this.#below(2) === 0 ? 'a' : 'b';
    const what = this.#below(100);
    if (what < 6) this.#start(who);
    else if (what < 9) this.#kill(who);
    else if (what < 12) this.#kept.push([who, this.#files.get(who) ?? '']);
    else if (what < 14) this.#putBack();
    else if (what < 15) this.#files.delete(who);
    else if (what < 16) this.#files.set('b', this.#files.get('a') ?? '');
    else this.#goOn();
  }

  #putBack(): void {
    const [who, text] = this.#kept[this.#below(this.#kept.length)] ?? [];
    if (who !== undefined && text !== undefined) this.#files.set(who, text);
  }

  #goOn(): void {
    const all = [...this.#running.values()].filter((waiting) => waiting.length > 0);
    const waiting = all[this.#below(all.length)];
    waiting?.splice(this.#below(waiting.length), 1)[0]?.();
  }

  #kill(who: string): void {
    if (this.#running.delete(who)) this.#counts.add('killed');
  }

  #start(who: string): void {
    if (this.#running.has(who)) return;
    const waiting: (() => void)[] = [];
    this.#running.set(who, waiting);
    this.#counts.add('runs');
    const run = `run-${this.#runs++}`;
    const turn = (): Promise<void> => new Promise((wake) => void waiting.push(wake));
    const receipts = new Receipts({
      file: this.#file,
      service: 'https://service.example',
      by: { state: `/${who}/x.state.jsonl`, pipeline: `/${who}/x.yaml` },
      lock: `/${who}/lock`,
      writes: true,
      clock: { now: () => 0, sleep: turn },
      isHeld: (lock) => this.#running.has(lock.split('/')[1] ?? ''),
      jobs: () => [],
      warn: (message) => this.#counts.add(`warned: ${message}`),
    });
    if (this.#below(3) > 0) receipts.ownedBy('ann');
    const machine: Machine = {
      read: () => this.#files.get(who) ?? '',
      append: (line) => void this.#files.set(who, (this.#files.get(who) ?? '') + line),
      pause: turn,
      send: (job) => void this.#sent.push(job),
    };
    const jobs = ['1', '2', '3', '4', '5', '6'].map(jobNamed).slice(who === 'a' ? 0 : 2);
    const isAlive = (): boolean => this.#running.get(who) === waiting;
    const buying = { run, jobs: who === 'a' ? jobs : jobs.toReversed(), claims: this.#claims };
    void buy(machine, receipts, buying).then((tally) => {
      if (!isAlive()) return;
      receipts.close();
      this.#running.delete(who);
      for (const [what, times] of tally) this.#counts.add(what, times);
    });
  }
}

async function stories(howMany: number, claims: boolean): Promise<Counts> {
  const counts = new Counts();
  for (let round = 0; round < howMany; round++) await new Story(round, counts, claims).tell();
  return counts;
}

test('whoever goes on next, nothing is sent twice', async () => {
  const counts = await stories(24, true);
  expect(counts.of('sent twice'), counts.text).toBe(0);
  for (const what of ['killed', 'bought', 'adopted', 'came home', 'in doubt', 'not sent: known'])
    expect(counts.of(what), counts.text).toBeGreaterThan(0);
  expect(counts.text).not.toContain('warned');
});

test('without claims, the same stories send twice', async () => {
  expect((await stories(24, false)).of('sent twice')).toBeGreaterThan(0);
});

const parts = 6;
const jobsOfPart = 10;
const program = fileURLToPath(new URL('buyer-process.ts', import.meta.url));

/** Real processes, killed and stopped by the clock. */
async function storm(claims: boolean): Promise<Counts> {
  const counts = new Counts();
  for (let round = 0; round < rounds; round++) {
    const chance = chanceOf(seed, round);
    const below = (most: number): number => Math.floor(chance() * most);
    const folder = freshFolder();
    const sends = join(folder, 'sends');
    writeFileSync(sends, '');
    for (const who of ['a', 'b']) mkdirSync(join(folder, who));
    const jobs = Array.from({ length: parts * jobsOfPart }, (_, number) =>
      jobNamed(`${round} ${number}`),
    );
    const stateOf = (who: string): string => join(folder, who, 'x.state.jsonl');
    const kept: (readonly [who: string, copy: string])[] = [];

    const end = async (child: ChildProcess): Promise<void> => {
      let text = '';
      const timers: NodeJS.Timeout[] = [];
      const later = (ms: number, signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void => {
        const strike = (): void => {
          if (child.exitCode === null && child.kill(signal)) counts.add(signal);
        };
        timers.push(setTimeout(strike, ms));
      };
      child.stdout?.on('data', (data) => {
        // It has its lock, and begins to buy.
        if (text === '' && below(3) > 0) later(below(250), 'SIGKILL');
        else if (text === '' && below(2) === 0) {
          const stop = below(150);
          later(stop, 'SIGSTOP');
          later(stop + 400, 'SIGCONT');
        }
        text += data;
      });
      const [code] = await once(child, 'close');
      for (const timer of timers) clearTimeout(timer);
      counts.add(code === 9 ? 'runs that found the lock held' : 'runs');
      if (code !== 0 && code !== 9 && code !== null) counts.add(`ended with ${code}`);
      for (const [, what] of text.matchAll(/^warning: (.*)$/gm)) counts.add(`warned: ${what}`);
      const tally = /^tally (.*)$/m.exec(text)?.[1];
      for (const [what, times] of tally === undefined ? [] : JSON.parse(tally))
        counts.add(String(what), Number(times));
    };
    const start = (who: string, part: number): Promise<void> => {
      const wanted = jobs.slice(who === 'a' ? 0 : 4, (part + 1) * jobsOfPart);
      wanted.sort(() => below(3) - 1);
      const given = [join(folder, 'receipts.db'), join(folder, who), sends, wanted.join(',')];
      const more = [String(below(1e6)), ...(claims ? [] : ['without claims'])];
      const args = [program, ...given, ...more];
      return end(spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] }));
    };
    const keep = (who: string): void => {
      if (!existsSync(stateOf(who))) return;
      const copy = join(folder, `kept-${kept.length}`);
      copyFileSync(stateOf(who), copy);
      kept.push([who, copy]);
    };
    const disturb = (): void => {
      const [who, copy] = kept[below(kept.length)] ?? [];
      const what = below(5);
      if (what < 2 && who !== undefined && copy !== undefined) {
        copyFileSync(copy, stateOf(who));
        counts.add('older files put back');
      } else if (what === 2) rmSync(stateOf(below(2) === 0 ? 'a' : 'b'), { force: true });
      else if (what === 3 && existsSync(stateOf('a'))) copyFileSync(stateOf('a'), stateOf('b'));
    };
    for (let part = 0; part < parts; part++) {
      for (const who of ['a', 'b']) if (below(2) === 0) keep(who);
      const under = [start('a', part), ...(below(4) > 0 ? [start('b', part)] : [])];
      if (below(5) === 0) under.push(start('a', part));
      if (below(2) === 0) {
        await sleep(250 + below(300));
        disturb();
      }
      await Promise.all(under);
      if (below(2) === 0) disturb();
    }
    const sent = readFileSync(sends, 'utf8').split('\n').slice(0, -1);
    countSends(
      sent.map((line) => line.split(' ')[0] ?? ''),
      counts,
    );
  }
  return counts;
}

if (rounds > 0) {
  test('a storm of processes sends nothing twice', { timeout: 0 }, async () => {
    const counts = await storm(true);
    process.stdout.write(`${rounds} rounds: ${counts.text}\n`);
    expect(counts.of('sent twice')).toBe(0);
  });

  test('without claims, the storm sends twice', { timeout: 0 }, async () => {
    const counts = await storm(false);
    process.stdout.write(`without claims, ${rounds} rounds: ${counts.text}\n`);
    expect(counts.of('sent twice')).toBeGreaterThan(0);
  });
}
