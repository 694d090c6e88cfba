// The real disk: inputs beside the pipeline, and outputs, written atomically, below the output folder.

import { createHash } from 'node:crypto';
import {
  accessSync,
  type BigIntStats,
  constants,
  linkSync,
  lstatSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
} from 'node:fs';
import { link, open, readdir, rename } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { type Digest, digestFrom, digestOf, digestOfBytes } from '../base/digest.ts';
import { makeFolder } from '../base/folder.ts';
import { removeLeftover } from '../base/leftover.ts';
import { err, ok, type Result } from '../base/result.ts';
import { isMachineProblem, systemCode, systemReason } from '../base/system-error.ts';
import { extensionOf, mediaTypeOf } from '../contract/api/asset.ts';
import type { FileFact, RecordedFile } from '../core/facts.ts';
import type { Clock, Disk, Fetched, FileProblem, LocalFile, Place } from '../core/ports.ts';
import type { Boundary } from './boundary.ts';
import { linkStatsIfAny } from './file-stamps.ts';
import type { HashCache } from './hash-cache.ts';
import { checkInput, damageOf, type MediaVerdict, showsItsEnd } from './media-check.ts';
import { soundSeconds } from './media-header.ts';
import { nearPath } from './near-path.ts';
import { createNew } from './new-file.ts';
import { OutputFolders, syncFolder } from './output-folders.ts';
import { chunksOf, createPart, removePart } from './part.ts';
import { factOf, keptPath, SavedFiles } from './saved-files.ts';

interface DiskOptions {
  /** Absolute. Input paths are relative to this folder. */
  readonly folder: string;
  /** Absolute. Downloads are saved below this folder. */
  readonly output: string;
  /** Absolute. Superseded outputs are kept here under their hash. */
  readonly kept: string;
  /** Which inputs may be read. */
  readonly boundary: Boundary;
  readonly hashes: HashCache;
  /** The store of the run, as the state file names it. */
  readonly store?: string | undefined;
  readonly clock: Clock;
  /** Default: any file may be replaced by a result. */
  readonly made?: Replacing | undefined;
  /** Set if others put results into the same folder at the same time. */
  readonly hand?: Hand | undefined;
}

interface Replacing {
  /** Whether a file may be replaced; `path` is relative to the pipeline file. `there`: its content, if that is known. */
  mayReplace(path: string, there: Digest | undefined): boolean;
}

/** One who puts one result into a folder that others use, too. */
export interface Hand {
  /** No other one has it. */
  readonly name: string;
  /** Asked right before the result is put into its place: why it must not be put there. */
  refusal(): string | undefined;
}

/** Below the output folder: the temporary files of hands, whose names nobody finds again. */
export const handsFolder = '.shotlist-hands';
/** A hand that has not written for so long was killed. */
const staleMs = 3_600_000;

const withNull = 'contains a null character, which no path can have';

const replaceHint = 'move it away, or replace it with run --replace-files';

/** For all files together: looking for a name reads folders, which may have very many. */
const maxNearMs = 300;

/** Files up to this size, in bytes, are hashed when they are first looked at. */
const smallBytes = 1 << 18;

export class RealDisk implements Disk {
  /** Media whose format nothing here can judge, of those that were read for the first time; relative to the pipeline file. */
  readonly unjudged = new Set<string>();
  readonly #o: DiskOptions;
  readonly #folders: OutputFolders;
  readonly #saved: SavedFiles;
  /** The output folder, as the record names it. */
  readonly #below: string;
  #nearMs = 0;

  constructor(options: DiskOptions, folders = new OutputFolders(options.output)) {
    this.#o = options;
    this.#folders = folders;
    this.#saved = new SavedFiles(options);
    this.#below = relative(options.folder, options.output).split(sep).join('/');
  }

  /** The same disk, for one hand. */
  for(hand: Hand, made: Replacing): RealDisk {
    return new RealDisk({ ...this.#o, hand, made }, this.#folders);
  }

  get store(): string | undefined {
    return this.#o.store;
  }

  input(path: string): FileFact {
    if (path.includes('\0')) return { is: 'absent', why: withNull };
    const file = this.#inputPath(path);
    // If the path is no link, one look is enough.
    const found = linkStatsIfAny(file);
    const own = found?.isSymbolicLink() === true ? undefined : found;
    const refused = this.#o.boundary.refusal(file, own);
    if (refused !== undefined) return { is: 'absent', why: refused, barred: true };
    const fact = this.#inputFact(file, own);
    if (fact.is === 'file') return fact;
    const what = /^~[^/]*\//.test(path)
      ? ' (only a shell expands "~": write the whole path)'
      : found === undefined
        ? this.#near(path)
        : '';
    return what === '' ? fact : { is: 'absent', why: `${fact.why}${what}` };
  }

  /** What the path of a file that does not exist may have meant: the end of a sentence. */
  #near(path: string): string {
    if (this.#nearMs > maxNearMs) return '';
    const start = performance.now();
    const near = nearPath(path, this.#o.folder);
    this.#nearMs += performance.now() - start;
    return near === undefined ? '' : `: ${near}`;
  }

  output(path: string): FileFact {
    return this.#fact(this.#inputPath(path));
  }

  isElsewhere(output: RecordedFile): boolean {
    return this.#saved.isElsewhere(output);
  }

  kept(digest: string, extension: string): FileFact {
    return this.#fact(this.#keptPath(digest, extension));
  }

  #inputPath(path: string): string {
    return resolve(this.#o.folder, path);
  }

  #keptPath(digest: string, extension: string): string {
    return keptPath(this.#o.kept, digest, extension);
  }

  /** `mayHash` is asked about a file whose hash is not known. */
  #fact(
    path: string,
    mayHash: (stats: BigIntStats) => boolean = () => true,
    known?: BigIntStats,
  ): FileFact {
    const { hashes } = this.#o;
    return factOf(
      path,
      (path, stats) => {
        const known = hashes.get(path, stats);
        if (known !== undefined) return known;
        const digest = mayHash(stats) ? this.#digestIfSmall(path, stats) : undefined;
        if (digest === undefined) accessSync(path, constants.R_OK);
        return digest;
      },
      known,
    );
  }

  /** A medium is judged before it is hashed. One that cannot be used is never hashed, and judged again each time. */
  #inputFact(path: string, own: BigIntStats | undefined): FileFact {
    let unusable: string | undefined;
    const isUsable = (stats: BigIntStats): boolean => {
      const verdict = stats.size > 0n ? verdictOn(path) : undefined;
      unusable = verdict?.is === 'wrong' ? verdict.why : undefined;
      if (verdict?.is === 'unknown') this.unjudged.add(relative(this.#o.folder, path));
      return unusable === undefined;
    };
    const fact = this.#fact(path, isUsable, own);
    return fact.is === 'absent' || unusable === undefined ? fact : { ...fact, unusable };
  }

  /** Reading a small file now takes no longer than returning to the file later. */
  #digestIfSmall(path: string, stats: BigIntStats): Digest | undefined {
    if (stats.size > smallBytes) return undefined;
    const now = this.#o.clock.now();
    const digest = digestOfBytes(readFileSync(path));
    this.#o.hashes.set(path, stats, digest, now);
    return digest;
  }

  fileAt(place: Place): LocalFile {
    switch (place.in) {
      case 'input':
      case 'output':
        return { path: this.#inputPath(place.path) };
      case 'kept':
        return { path: this.#keptPath(place.digest, place.extension) };
    }
  }

  recordedAs(outputPath: string): string {
    if (outputPath === '' || this.#below === '') return `${this.#below}${outputPath}`;
    return `${this.#below}/${outputPath}`;
  }

  async digest(place: Place, stop?: AbortSignal): Promise<Result<Digest, string>> {
    const { path } = this.fileAt(place);
    const read = await attempt('reading', '', async () => {
      const now = this.#o.clock.now();
      await using file = await open(path, 'r');
      const before = await file.stat({ bigint: true });
      const hash = createHash('sha256');
      for await (const chunk of chunksOf(file)) {
        if (stop?.aborted === true) return undefined;
        hash.update(chunk);
      }
      const digest = digestFrom(hash.digest('hex'));
      if (place.in !== 'input' || verdictOn(path)?.is !== 'wrong')
        this.#o.hashes.set(path, before, digest, now);
      return digest;
    });
    if (!read.ok) return err(read.error.message.trimStart());
    return read.value === undefined ? err('was not read to its end') : ok(read.value);
  }

  async temporary(outputPath: string, work: Digest): Promise<Result<LocalFile, FileProblem>> {
    const { hand, output } = this.#o;
    const folder = hand === undefined ? dirname(join(output, outputPath)) : this.#handsFolder;
    const ready = await attempt('writing', folder, () => this.#folders.ensure(folder));
    if (!ready.ok) return ready;
    const name = hand === undefined ? work : digestOf({ work, hand: hand.name });
    return ok({ path: join(folder, `.shotlist-${name.slice(0, 32)}.part`) });
  }

  get #handsFolder(): string {
    return join(this.#o.output, handsFolder);
  }

  /** Removes what killed hands left. */
  async sweep(): Promise<void> {
    const folder = this.#handsFolder;
    if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return;
    for (const name of await readdir(folder)) {
      const file = join(folder, name);
      const stats = lstatSync(file, { throwIfNoEntry: false });
      const age = this.#o.clock.now() - (stats?.mtimeMs ?? Number.POSITIVE_INFINITY);
      if (age > staleMs) await removeLeftover(file);
    }
  }

  async place(
    temporary: LocalFile,
    outputPath: string,
    digest: Digest,
  ): Promise<Result<void, FileProblem>> {
    const target = join(this.#o.output, outputPath);
    const path = this.recordedAs(outputPath);
    const placed = await attempt('writing', target, async () => {
      const before = linkStatsIfAny(target);
      const foreign = this.#foreign(path, digest);
      if (foreign !== undefined) return foreign;
      await this.#folders.ensure(dirname(target));
      await this.#o.hashes.remember({ path, sha256: digest });
      await this.#keep(target, { in: 'output', path }, digest);
      const late = isChanged(before, linkStatsIfAny(target))
        ? `${path} has changed while a result was being put there`
        : this.#o.hand?.refusal();
      if (late !== undefined) return late;
      if (this.#o.hand !== undefined && before === undefined) putNew(temporary.path, target);
      else renameSync(temporary.path, target);
      await this.#folders.sync(dirname(target));
      this.#o.hashes.trust(target, statSync(target, { bigint: true }), digest);
      return undefined;
    });
    if (!placed.ok) return placed;
    return placed.value === undefined
      ? ok(undefined)
      : err({ message: placed.value, systemic: false });
  }

  /** Why a result must not replace what stands at its place. */
  #foreign(path: string, digest: Digest): string | undefined {
    const fact = this.output(path);
    if (fact.is !== 'file' || fact.digest === digest) return undefined;
    if (this.#o.made?.mayReplace(path, fact.digest) !== false) return undefined;
    return `${path} is there already, and shotlist did not make it: ${replaceHint}`;
  }

  /** Moves an existing file aside, under its hash, unless it has the same content. */
  async #keep(target: string, place: Place, digest: Digest): Promise<void> {
    // A link is replaced and its target stays, so there is nothing to keep.
    if (lstatSync(target, { throwIfNoEntry: false })?.isFile() !== true) return;
    const fact = this.#fact(target);
    const known =
      fact.is === 'file' && fact.digest !== undefined ? ok(fact.digest) : await this.digest(place);
    if (!known.ok) throw new Error(`the existing file ${known.error}, so it was not replaced`);
    if (known.value === digest) return;
    const aside = keptPath(this.#o.kept, known.value, extensionOf(target));
    makeFolder(dirname(aside));
    if (this.#fact(aside).is === 'absent') await copyWhole(target, aside);
    await syncFolder(dirname(aside));
  }

  async keep(
    temporary: LocalFile,
    digest: Digest,
    extension: string,
  ): Promise<Result<string, FileProblem>> {
    const kept = keptPath(this.#o.kept, digest, extension);
    const moved = await attempt('writing', kept, async () => {
      makeFolder(dirname(kept));
      if (this.#fact(kept).is === 'absent') await copyWhole(temporary.path, kept);
      await syncFolder(dirname(kept));
    });
    if (!moved.ok) return moved;
    await this.discard(temporary);
    const path = relative(this.#o.folder, kept);
    return ok(sep === '/' ? path : path.split(sep).join('/'));
  }

  remember(output: RecordedFile): Promise<void> {
    return this.#o.hashes.remember(output);
  }

  foreign(path: string): FileFact {
    return this.#fact(path);
  }

  damage({ path }: LocalFile): Promise<string | undefined> {
    return damageOf(path);
  }

  async showsItsEnd({ path }: LocalFile): Promise<boolean> {
    return showsItsEnd(path);
  }

  seconds({ path }: LocalFile): Promise<number | undefined> {
    return soundSeconds(path);
  }

  async copy(source: LocalFile, into: LocalFile): Promise<Result<Fetched, FileProblem>> {
    // Whoever waits for the other end of a named pipe, waits for ever.
    const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
    const opened = await attempt('reading', source.path, () => open(source.path, flags));
    if (!opened.ok) return opened;
    if (!(await opened.value.stat()).isFile()) {
      await opened.value.close();
      return err({ message: `${source.path} is not a file`, systemic: false });
    }
    return await attempt('writing', into.path, async () => {
      const hash = createHash('sha256');
      let bytes = 0;
      await using from = opened.value;
      await using to = await createPart(into);
      for await (const chunk of chunksOf(from)) {
        hash.update(chunk);
        bytes += chunk.length;
        await to.writeFile(chunk);
      }
      await to.datasync();
      const digest = digestFrom(hash.digest('hex'));
      return { bytes, digest, contentType: '', isVerified: false };
    });
  }

  async discard(file: LocalFile): Promise<void> {
    await removePart(file);
  }
}

/** Undefined for a file that is no medium by its name. */
const verdictOn = (path: string): MediaVerdict | undefined =>
  mediaTypeOf(extensionOf(path)) === undefined ? undefined : checkInput(path);

async function attempt<T>(
  doing: 'reading' | 'writing',
  path: string,
  work: () => Promise<T>,
): Promise<Result<T, FileProblem>> {
  try {
    return ok(await work());
  } catch (error) {
    return err({
      message: `${path} ${systemReason(error)}`,
      systemic: isMachineProblem(error, doing),
    });
  }
}

const isChanged = (before: BigIntStats | undefined, now: BigIntStats | undefined): boolean =>
  before?.ino !== now?.ino || before?.size !== now?.size || before?.mtimeNs !== now?.mtimeNs;

/** Fails if something is there by now; on file systems without hard links, that is not noticed. */
function putNew(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (error) {
    if (systemCode(error) === 'EEXIST') throw error;
    return renameSync(from, to);
  }
  unlinkSync(from);
}

/** A hard link if the file system supports it, else a synced copy. */
async function copyWhole(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch {
    const part = `${to}.part`;
    await using source = await open(from, 'r');
    await using target = await createNew(part);
    for await (const chunk of chunksOf(source)) await target.writeFile(chunk);
    await target.datasync();
    await rename(part, to);
  }
}
