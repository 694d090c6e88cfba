// The coordinator of a run whose bytes move on several machines: it holds the term of the run, so that it alone writes the rows,
// speaks to the service and pays.
import { randomBytes } from 'node:crypto';
import { rmdirSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { makeFolder } from '../base/folder.ts';
import { isSystemProblem, systemCode } from '../base/system-error.ts';
import { extensionOf } from '../contract/api/asset.ts';
import { outputPath } from '../core/output-path.ts';
import type { Clock, Disk, Hands, Spot } from '../core/ports.ts';
import { handsFolder } from '../files/disk.ts';
import { createNew } from '../files/new-file.ts';
import type { Ledger } from '../model/record/ledger.ts';
import type { OtherRecord } from '../state/load-record.ts';
import type { RunFile } from '../state/run-file.ts';
import { DatabaseAway, DatabaseRefused, retryWhileAway } from './connection.ts';
import { type EngineAddress, EngineDatabase, reachable, type Term } from './database.ts';
import { isShared, wordFile, wordOf } from './hand.ts';
import { PostgresFile } from './postgres-file.ts';
import { Promptness } from './promptness.ts';
import { RemoteHands } from './remote-hands.ts';

export interface EngineTerms {
  readonly address: EngineAddress;
  /** What workers have, too. */
  readonly secret: string;
  readonly pipeline: string;
  /** The base address of the service. */
  readonly service: string;
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
  readonly onNote: (message: string) => void;
}

/** What such a run has that one on a single machine does not. */
export interface Engine extends AsyncDisposable {
  /** The record in the database, and the right to write it. */
  readonly record: { readonly rows: OtherRecord; readonly term: Term };
  /** Aborted when another coordinator holds the run. */
  readonly over: AbortSignal;
  /** The rows in the place of a state file, which is written whole at the end. */
  file(parts: FileParts): Promise<RunFile>;
  hands(parts: HandParts): Promise<Hands>;
  /** False for a creation whose intent was written down too long ago: others may believe that this process is dead. */
  isInTime(name: string): boolean;
}

interface FileParts {
  /** Opens the state file. */
  readonly open: (onNews: () => void) => RunFile;
  readonly ledger: Ledger;
  /** Aborted: nobody is waited for. */
  readonly cut: AbortSignal;
}

interface HandParts {
  /** Does what no worker does. */
  readonly local: Hands;
  readonly disk: Disk;
  /** Absolute. */
  readonly output: string;
  readonly ledger: Ledger;
  /** Results must be in the output folder. */
  readonly needsFiles: boolean;
  /** Aborted: nothing more begins. */
  readonly signal: AbortSignal;
  /** Aborted: nobody is waited for. */
  readonly cut: AbortSignal;
}

/** Between two looks at the term, which lasts several of them. */
const lookMs = 4_000;
const standbyMs = 1_000;

/** Waits while another coordinator holds the run. Undefined: that one has ended it. */
export async function openEngine(terms: EngineTerms): Promise<Engine | undefined> {
  const { address, pipeline, service, clock, onNote } = terms;
  const { signal = new AbortController().signal } = terms;
  const database = await EngineDatabase.open(address);
  // Containers may share the name of their host and their number.
  const who = `${hostname()}, process ${process.pid} (${randomBytes(2).toString('hex')})`;
  try {
    await database.prepare();
    let standsBy = false;
    const look = async (): Promise<Term | 'held' | 'ended'> => {
      const found = await database.runs(pipeline);
      const held = found.find((run) => run.service === service);
      if (standsBy && held?.coordinator === null) return 'ended';
      if (held?.isHeld === true && held.coordinator !== who) {
        if (!standsBy) onNote(`${held.coordinator} coordinates this run: standing by`);
        standsBy = true;
        return 'held';
      }
      return (await database.acquire(pipeline, service, who)) ?? 'held';
    };
    for (;;) {
      const found = standsBy
        ? await retryWhileAway({ clock, quit: signal }, look)
        : await reachable(address, look);
      if (found === 'ended') break;
      if (found !== 'held') return new Coordinator(terms, database, found);
      await clock.sleep(standbyMs, signal);
      signal.throwIfAborted();
    }
  } catch (error) {
    await database.close();
    throw error;
  }
  await database.close();
  return undefined;
}

class Coordinator implements Engine {
  readonly #o: EngineTerms;
  readonly #database: EngineDatabase;
  readonly #term: Term;
  readonly #over = new AbortController();
  readonly #end = new AbortController();
  readonly #promptness: Promptness;
  readonly #looking: Promise<void>;
  #file: PostgresFile | undefined;
  #hands: RemoteHands | undefined;
  #output: string | undefined;

  constructor(terms: EngineTerms, database: EngineDatabase, term: Term) {
    this.#o = terms;
    this.#database = database;
    this.#term = term;
    this.#promptness = new Promptness(terms.clock);
    this.#looking = this.#look();
  }

  get record(): Engine['record'] {
    return { rows: this.#database.record(this.#term.run), term: this.#term };
  }

  get over(): AbortSignal {
    return this.#over.signal;
  }

  /** Keeps the term, and notes in the state file how much the database has by now. */
  async #look(): Promise<void> {
    const { clock } = this.#o;
    for (;;) {
      await clock.sleep(lookMs, this.#end.signal);
      if (this.#end.signal.aborted) return;
      const isOurs = await orAway(() => this.#database.renew(this.#term));
      if (isOurs === false) return this.#over.abort();
      if (isOurs === true) this.#file?.remark();
    }
  }

  async file({ open, ledger, cut }: FileParts): Promise<RunFile> {
    const { clock, onNote, address } = this.#o;
    let isTold = false;
    const onAway = (): void => {
      if (!isTold)
        onNote(`the database ${address.shown} is away: nothing is bought until it is back`);
      isTold = true;
    };
    this.#file = await PostgresFile.begin({
      open,
      ledger,
      database: this.#database,
      term: this.#term,
      clock,
      promptness: this.#promptness,
      patience: { clock, quit: cut, onAway },
    });
    return this.#file;
  }

  async hands({ output, ledger, ...parts }: HandParts): Promise<Hands> {
    makeFolder(output);
    const word = wordOf(this.#term);
    this.#output = output;
    await using file = await createNew(join(output, wordFile));
    await file.writeFile(word);
    const { clock, onNote, secret, service } = this.#o;
    this.#hands = new RemoteHands({
      sql: this.#database.sql,
      term: { ...this.#term, word },
      secret,
      service,
      ...parts,
      replaces: recordedAt(parts.disk, ledger),
      clock,
      onNote,
    });
    return this.#hands;
  }

  isInTime(name: string): boolean {
    return !this.#over.signal.aborted && this.#promptness.isInTime(name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort();
    await this.#looking;
    await this.#hands?.close();
    if (this.#output !== undefined && isShared(this.#output, wordOf(this.#term)))
      leaveFolder(this.#output);
    await orAway(() => this.#database.release(this.#term));
    await this.#database.close();
  }
}

/** What may stand at the place of a result: what the record says was saved there, whatever its extension. */
function recordedAt(disk: Disk, ledger: Ledger): (spot: Spot) => readonly string[] {
  let known: ReadonlyMap<string, readonly string[]> | undefined;
  const stemOf = (path: string): string => path.slice(0, path.length - extensionOf(path).length);
  const all = (): ReadonlyMap<string, readonly string[]> => {
    const found = new Map<string, string[]>();
    for (const { outputs } of ledger.jobs())
      for (const { path, sha256 } of outputs)
        found.set(stemOf(path), [...(found.get(stemOf(path)) ?? []), sha256]);
    return found;
  };
  return ({ to, ...spot }) => {
    known ??= all();
    const below = outputPath(to, { ...spot, extension: 'png' });
    return (below.ok && known.get(stemOf(disk.recordedAs(below.value)))) || [];
  };
}

/** What a killed hand left there is removed by the next one that starts. */
function leaveFolder(output: string): void {
  try {
    rmSync(join(output, wordFile), { force: true });
    rmdirSync(join(output, handsFolder));
  } catch (error) {
    if (!isSystemProblem(error) && systemCode(error) !== 'ENOTEMPTY') throw error;
  }
}

/** Undefined if the database is away, or refuses: the next line that is written says so. */
async function orAway<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DatabaseAway || error instanceof DatabaseRefused) return undefined;
    throw error;
  }
}
