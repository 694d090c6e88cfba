// A transcript: files that are given, command lines that are typed, and everything that they print. See README.md.
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { parse } from 'yaml';
import type { Json } from '../src/base/json.ts';
import type { LedgerEntry, RequestCounts } from '../src/service/options.ts';
import type { LocalService, ServiceOptions } from '../src/service/start.ts';
import { identity } from './e2e/clones.ts';
import { root } from './examples.ts';
import { keys, OnTerminal } from './on-terminal.ts';
import { photo } from './photo.ts';
import { Placeholders } from './placeholders.ts';
import { type Ended, ended, envOf, ownReceipts, Rig, service, until } from './rig.ts';
import { literally, Shell, shotlistIn, stands, withCode } from './shell.ts';

/** A line at the margin, and the indented lines below it. */
interface Block {
  readonly head: string;
  readonly body: readonly string[];
  /** Empty lines before the next block. */
  readonly gap: number;
}

function blocksOf(text: string): readonly Block[] {
  const blocks: { head: string; body: string[]; gap: number }[] = [];
  for (const line of text.trimEnd().split('\n')) {
    const block = blocks.at(-1);
    if (block === undefined || !/^( {2}|!|$)/.test(line))
      blocks.push({ head: line, body: [], gap: 0 });
    else if (line === '') block.gap += 1;
    else {
      block.body.push(...Array(block.gap).fill(''), line);
      block.gap = 0;
    }
  }
  return blocks;
}

const textOf = ({ head, body, gap }: Block): string =>
  `${[head, ...body].join('\n')}\n${'\n'.repeat(gap)}`;

/** A transcript as it stands, and as it would be if everything that is printed were shown. */
export interface Replayed {
  readonly text: string;
  /** The commands that print something else than is shown, as they stand and as they are. */
  readonly differences: { readonly shown: string; readonly printed: string };
}

export async function replay(text: string): Promise<Replayed> {
  const player = new Player();
  const before = blocksOf(text);
  const after: Block[] = [];
  for (const block of before) after.push(await player.play(block));
  const differing = before.flatMap((block, index) => {
    const [shown, printed] = [textOf(block), textOf(after[index] ?? block)];
    return shown === printed ? [] : [{ shown, printed }];
  });
  return {
    text: after.map(textOf).join(''),
    differences: {
      shown: differing.map(({ shown }) => shown).join(''),
      printed: differing.map(({ printed }) => printed).join(''),
    },
  };
}

/** Nothing of the machine or the person that runs the tests. */
const environment = (state: string): Readonly<Record<string, string>> => ({
  ...identity,
  ...ownReceipts(),
  ...{ XDG_STATE_HOME: state, TZ: 'UTC', LC_ALL: 'C', CI: '', NO_COLOR: '' },
  ...{ SHOTLIST_API_KEY: '', SHOTLIST_API_KEY_FILE: '', SHOTLIST_BASE_URL: '' },
  ...{ SHOTLIST_CREDIT_PRICE: '', SHOTLIST_CONFIRM_ABOVE: '' },
});

/** What is typed once the terminal says something. */
interface Answer {
  readonly says: string;
  readonly types: string;
}

/** A command that goes on while others are typed. */
interface Job {
  readonly child: ChildProcess;
  readonly end: Promise<Ended>;
  said: string;
}

/** How long a command on a terminal may take. */
const patienceMs = 30_000;

class Player {
  readonly #rig = new Rig('');
  readonly #shell: Shell;
  readonly #placeholders = new Placeholders();
  /** Of the terminal on which the next command is typed. */
  #columns: number | undefined;
  #answers: Answer[] = [];
  #job: Job | undefined;
  #photos = 0;
  /** The one that was started last, and its requests when they were last shown. */
  #service: LocalService | undefined;
  #shownRequests: RequestCounts = {};

  constructor() {
    const state = mkdtempSync(join(tmpdir(), 'shotlist-state-'));
    onTestFinished(() => rmSync(state, { recursive: true, force: true }));
    this.#placeholders.add(this.#rig.folder, 'folder');
    this.#placeholders.add(state, 'state');
    this.#placeholders.add(process.execPath, 'node');
    this.#placeholders.add(root.replace(/\/$/, ''), 'shotlist');
    this.#placeholders.add(ownReceipts()['SHOTLIST_RECEIPTS'] ?? '', 'receipts');
    this.#shell = new Shell(this.#rig, environment(state));
    rmSync(this.#rig.file);
  }

  async play(block: Block): Promise<Block> {
    const { head, body } = block;
    const [word = '', ...rest] = head.split(' ');
    const line = rest.join(' ');
    if (head === 'given a service') await this.#serve(body);
    else if (word === 'given') await this.#give(rest, body);
    else if (head.startsWith('on a terminal')) this.#columns = columnsIn(head);
    else if (word === 'once') await this.#hear(line);
    else if (word === 'at') this.#answers.push(answerIn(line));
    else if (word === '$') return await this.#type(line, block);
    else if (head === 'bill') return shows(block, billed(this.#theService().ledger()));
    else if (head === 'requests') return shows(block, this.#newRequests());
    else if (word === 'elsewhere') return shows(block, [await this.#send(rest)]);
    else if (body.length > 0) throw new Error(`nothing can be below "${head}"`);
    return block;
  }

  async #serve(body: readonly string[]): Promise<void> {
    const options: ServiceOptions = parse(outdented(body)) ?? {};
    const local: LocalService = await service(options);
    this.#placeholders.add(local.key, 'key');
    this.#shell.export(envOf(local));
    [this.#service, this.#shownRequests] = [local, {}];
  }

  #theService(): LocalService {
    if (this.#service === undefined) throw new Error('there is no service yet: given a service');
    return this.#service;
  }

  /** By route, and how many, since they were last shown. */
  #newRequests(): readonly string[] {
    const before = this.#shownRequests;
    const now = this.#theService().requests();
    this.#shownRequests = now;
    return Object.entries(now)
      .map(([route, count]) => ({ route, count: count - (before[route] ?? 0) }))
      .filter(({ count }) => count > 0)
      .toSorted((one, other) => (one.route < other.route ? -1 : 1))
      .map(({ route, count }) => `${count} × ${route}`);
  }

  /** `DELETE /v1/image-projects/<project-1>`, with or without a body as JSON. Returns the status. */
  async #send([method = '', path = '', ...body]: readonly string[]): Promise<string> {
    const { address, key, requests } = this.#theService();
    const before = requests();
    const { status } = await fetch(`${address}${this.#placeholders.actual(path)}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: body.length === 0 ? null : body.join(' '),
    });
    // `requests` shows those of the commands.
    const shown = { ...this.#shownRequests };
    for (const [route, count] of Object.entries(requests()))
      shown[route] = (shown[route] ?? 0) + count - (before[route] ?? 0);
    this.#shownRequests = shown;
    return String(status);
  }

  async #give(names: readonly string[], body: readonly string[]): Promise<void> {
    for (const name of names) {
      const isPhoto = body.length === 0 && name.endsWith('.png');
      if (isPhoto) this.#photos += 1;
      this.#rig.write(name, isPhoto ? await photo(this.#photos) : outdented(body));
    }
  }

  async #type(line: string, { body, gap }: Block): Promise<Block> {
    const [answers, columns = 80] = [this.#answers, this.#columns];
    const isOnTerminal = this.#columns !== undefined || answers.length > 0;
    [this.#answers, this.#columns] = [[], undefined];
    const typed = this.#placeholders.actual(withCode(line, 0));
    if (typed.endsWith(' &')) {
      this.#start(typed.slice(0, -' &'.length));
      return { head: `$ ${line}`, body, gap };
    }
    const ran = isOnTerminal
      ? this.#onTerminal(typed, answers, columns)
      : (this.#kill(typed) ?? this.#shell.type(typed));
    const { stdout, stderr, code } = await ran;
    const printed = [
      ...linesOf(this.#placeholders.stable(stdout)).map((text) => (text === '' ? '' : `  ${text}`)),
      ...linesOf(this.#placeholders.stable(stderr)).map((text) => `! ${text}`.trimEnd()),
    ];
    return { head: `$ ${withCode(line, code)}`, body: shownOf(body, printed), gap };
  }

  #start(line: string): void {
    const child = this.#shell.start(line);
    const job = { child, end: ended(child), said: '' };
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (piece: string) => {
        job.said += piece;
      });
    this.#job = job;
  }

  /** `it says "…"`: waits until the job has said it. */
  async #hear(line: string): Promise<void> {
    const job = this.#job;
    const words = /^it says "(.*)"$/.exec(line)?.[1];
    if (job === undefined || words === undefined) throw new Error(`nothing says: once ${line}`);
    const end = Date.now() + patienceMs;
    const isSaid = (): boolean => job.said.includes(words);
    await until('the job has said it', () => isSaid() || Date.now() > end);
    if (!isSaid()) throw new Error(`not "${words}", but:\n${job.said}`);
  }

  /** `kill %1` or `kill -INT %1`: the end of the job, with all that it has printed. */
  #kill(line: string): Promise<Ended> | undefined {
    const [isKill, signal = 'TERM'] = /^kill(?: -(\w+))? %1$/.exec(line) ?? [];
    const job = this.#job;
    if (isKill === undefined || job === undefined) return undefined;
    this.#job = undefined;
    process.kill(job.child.pid ?? 0, `SIG${signal}`);
    // As a shell says it of a command that was killed.
    return job.end.then((end) => ({ ...end, code: end.code ?? 137 }));
  }

  async #onTerminal(line: string, answers: readonly Answer[], columns: number) {
    const { args, variables } = shotlistIn(line) ?? {};
    if (args === undefined) throw new Error(`not a command for a terminal: ${line}`);
    const env = { ...this.#shell.env, ...variables };
    const terminal = new OnTerminal(this.#rig, args, env, { columns, rows: 60 });
    const end = Date.now() + patienceMs;
    let isOver = false;
    void terminal.code.then(() => {
      isOver = true;
    });
    const asked = new Map<string, number>();
    for (const { says, types } of answers) {
      const times = (asked.get(says) ?? 0) + 1;
      asked.set(says, times);
      const pattern = new RegExp(Array(times).fill(literally(says)).join('[\\s\\S]*'));
      const isSaid = (): boolean => isOver || pattern.test(terminal.text);
      await until(`the terminal says ${says}`, () => isSaid() || Date.now() > end);
      if (!isSaid()) throw new Error(`not "${says}", but:\n${await terminal.screen()}`);
      terminal.type(types);
    }
    await until('the command is over', () => isOver || Date.now() > end);
    if (!isOver) throw new Error(`not over yet:\n${await terminal.screen()}`);
    const code = await terminal.code;
    return { stdout: await terminal.screen(), stderr: '', code };
  }
}

/** What a block that types nothing shows. */
function shows({ head, body, gap }: Block, lines: readonly string[]): Block {
  const shown = (lines.length === 0 ? ['nothing'] : lines).map((line) => `  ${line}`);
  return { head, body: shownOf(body, shown), gap };
}

/** What the service charged so far, by the name of the project without its token, and the sum. */
function billed(ledger: readonly LedgerEntry[]): readonly string[] {
  const charged = new Map<string, { readonly charges: number[]; refunded: number }>();
  for (const { kind, name, credits } of ledger) {
    // An adjustment of the account itself, as the opening balance.
    if (name === null) continue;
    const plain = name.replace(/ #[0-9a-z]+$/, '');
    const entry = charged.get(plain) ?? { charges: [], refunded: 0 };
    if (kind === 'refund') entry.refunded += credits;
    else entry.charges.push(kind === 'charge' ? credits : -credits);
    charged.set(plain, entry);
  }
  const rows = [...charged].toSorted(([one], [other]) => (one < other ? -1 : 1));
  const widest = Math.max(0, ...rows.map(([name]) => name.length));
  return rows.map(
    ([name, { charges, refunded }]) =>
      `${name.padEnd(widest)}  ${charges.join(' + ')}${refunded === 0 ? '' : ` - ${refunded}`}`,
  );
}

/** `on a terminal`, or `on a terminal of 120 columns`. */
const columnsIn = (head: string): number => Number(/ of (\d+) columns$/.exec(head)?.[1] ?? 80);

/** `"[y/N]" type y`: the key Enter comes after it. `^C` and `^D` are keys. */
function answerIn(line: string): Answer {
  const [, says, word] = /^"(.*)" type ?(.*)$/.exec(line) ?? [];
  if (says === undefined || word === undefined) throw new Error(`not an answer: at ${line}`);
  const controls: Readonly<Record<string, string>> = { '^C': keys.ctrlC, '^D': keys.ctrlD };
  return { says, types: controls[word] ?? `${word}${keys.enter}` };
}

const outdented = (body: readonly string[]): string =>
  body.map((line) => `${line.slice(2)}\n`).join('');

function linesOf(text: string): readonly string[] {
  const lines = text.trimEnd().split('\n');
  return text.trim() === '' ? [] : lines.flatMap((line) => readable(line.trimEnd()));
}

const maxColumns = 100;

/** JSON that is longer than a line gets several. */
function readable(line: string): readonly string[] {
  if (line.length <= maxColumns || !/^[[{]/.test(line)) return [line];
  try {
    const value: Json = JSON.parse(line);
    return opened(value, '');
  } catch {
    return [line];
  }
}

function opened(value: Json, indent: string, before = '', after = ''): readonly string[] {
  const flat = `${indent}${before}${JSON.stringify(value)}${after}`;
  if (flat.length <= maxColumns || typeof value !== 'object' || value === null) return [flat];
  const inner = `${indent}  `;
  const parts: readonly (readonly [string, Json])[] = Array.isArray(value)
    ? value.map((one) => ['', one])
    : Object.entries(value).map(([key, one]) => [`${JSON.stringify(key)}: `, one]);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return [
    `${indent}${before}${open}`,
    ...parts.flatMap(([key, one], index) =>
      opened(one, inner, key, index < parts.length - 1 ? ',' : ''),
    ),
    `${indent}${close}${after}`,
  ];
}

const isAnyLines = (line: string): boolean => /^[ !] …$/.test(line);

/** What stands there, if it stands for what is printed. Else what is printed, with the `…` that still fit. */
function shownOf(shown: readonly string[], printed: readonly string[]): readonly string[] {
  const pairs = matching(shown, printed);
  const result: string[] = [];
  let at = 0;
  shown.forEach((line, index) => {
    const pair = pairs.get(index);
    if (pair !== undefined) {
      result.push(...printed.slice(at, pair), line);
      at = pair + 1;
    } else if (isAnyLines(line)) {
      const before = index === 0 ? -1 : pairs.get(index - 1);
      const after = index === shown.length - 1 ? printed.length : pairs.get(index + 1);
      if (before === undefined || after === undefined) return;
      result.push(line);
      at = after;
    }
  });
  return [...result, ...printed.slice(at)];
}

/** The longest common subsequence: by the number of a shown line, that of the printed one. */
function matching(
  shown: readonly string[],
  printed: readonly string[],
): ReadonlyMap<number, number> {
  const fits = (one: number, other: number): boolean => {
    const line = shown[one] ?? '';
    return !isAnyLines(line) && stands(line, printed[other] ?? '');
  };
  const lengths = shown.map(() => new Array<number>(printed.length + 1).fill(0));
  const length = (one: number, other: number): number => lengths[one]?.[other] ?? 0;
  for (let one = shown.length - 1; one >= 0; one--)
    for (let other = printed.length - 1; other >= 0; other--) {
      const row = lengths[one] ?? [];
      row[other] = fits(one, other)
        ? 1 + length(one + 1, other + 1)
        : Math.max(length(one + 1, other), length(one, other + 1));
    }
  const pairs = new Map<number, number>();
  let [one, other] = [0, 0];
  while (one < shown.length && other < printed.length)
    if (fits(one, other)) pairs.set(one++, other++);
    else if (length(one + 1, other) >= length(one, other + 1)) one += 1;
    else other += 1;
  return pairs;
}
