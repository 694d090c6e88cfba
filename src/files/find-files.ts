// Finds the files that a glob matches. Follows links, but searches each linked folder only once. A match that is not a
// file is reported, never dropped silently.
import type { Dirent } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { join, posix, resolve } from 'node:path';
import { err, ok, type Result } from '../base/result.ts';
import { systemCode, systemReason } from '../base/system-error.ts';
import { type Match, matchOf, partsOf } from './glob.ts';
import { type LeftOut, systemNames } from './system-names.ts';

/** An entry that matches, but is not a usable file. */
export interface Odd {
  readonly is: 'broken' | 'special' | 'undecodable' | 'repeated' | 'unreadable' | 'outside';
  /** Relative to the folder; "" is the folder itself. */
  readonly path: string;
  /** Why, as the end of a sentence about the entry. */
  readonly why: string;
}

export interface FoundFiles {
  /** Paths relative to the folder, with "/" between names, sorted. */
  readonly paths: readonly string[];
  /** Entries that match and are not files, or could not be searched. */
  readonly odd: readonly Odd[];
  /** Files that match and are no items, because a system keeps them. */
  readonly left: readonly LeftOut[];
}

/**
 * Why a folder is not searched, as the end of a sentence about the folder; undefined if it may be searched. `real`
 * contains no links.
 */
export type Barred = (real: string) => string | undefined;

/**
 * `glob` is relative to `folder`, which is absolute. `isLeftOut`: names of folders and files that a system keeps. The error
 * is the end of a sentence about the glob.
 */
export async function findFiles(
  glob: string,
  folder: string,
  barred: Barred = () => undefined,
  isLeftOut = systemNames(glob),
): Promise<Result<FoundFiles, string>> {
  const pattern = posix.normalize(glob);
  if (glob === '' || pattern.endsWith('/')) return ok({ paths: [], odd: [], left: [] });
  const matches = matchOf(pattern);
  const leads = leadsTo(pattern);
  if (!matches.ok) return matches;
  if (!leads.ok) return leads;
  return ok(await new Search(resolve(folder), matches.value, leads.value, barred, isLeftOut).run());
}

interface Folder {
  /** Relative to the folder of the search; "" is that folder itself. */
  readonly path: string;
  /** Real paths of this folder and of its parents, up to the folder of the search. */
  readonly real: readonly string[];
  /** The name in the path that a system keeps: everything in the folder is left out. */
  readonly system?: string | undefined;
}

class Search {
  readonly #folder: string;
  readonly #matches: Match;
  /** Whether a folder can contain a match. */
  readonly #leads: Match;
  readonly #barred: Barred;
  readonly #isLeftOut: (name: string) => boolean;
  readonly #paths: string[] = [];
  readonly #odd: Odd[] = [];
  readonly #left: LeftOut[] = [];
  /** Real paths of the linked folders. */
  readonly #linked = new Set<string>();

  constructor(
    folder: string,
    matches: Match,
    leads: Match,
    barred: Barred,
    isLeftOut: (name: string) => boolean,
  ) {
    this.#folder = folder;
    this.#matches = matches;
    this.#leads = leads;
    this.#barred = barred;
    this.#isLeftOut = isLeftOut;
  }

  async run(): Promise<FoundFiles> {
    try {
      await this.#enter({ path: '', real: [await realpath(this.#folder)] });
    } catch (error) {
      this.#unreadable('', error);
    }
    return { paths: this.#paths.sort(), odd: this.#odd, left: this.#left };
  }

  async #enter(folder: Folder): Promise<void> {
    let entries: Dirent<Buffer>[];
    try {
      const path = join(this.#folder, folder.path);
      entries = await readdir(path, { withFileTypes: true, encoding: 'buffer' });
    } catch (error) {
      if (folder.system === undefined) this.#unreadable(folder.path, error);
      return;
    }
    entries.sort((a, b) => a.name.compare(b.name));
    for (const entry of entries) await this.#look(entry, folder);
  }

  async #look(entry: Dirent<Buffer>, folder: Folder): Promise<void> {
    const name = entry.name.toString();
    const path = below(folder.path, name);
    const enters = (entry.isDirectory() || entry.isSymbolicLink()) && this.#leads(path);
    if (!enters && (entry.isDirectory() || !this.#matches(path))) return;
    const system = folder.system ?? (this.#isLeftOut(name) ? name : undefined);
    if (system !== undefined) return await this.#leaveOut(entry, path, { ...folder, system });
    if (name.includes('\ufffd') && !Buffer.from(name).equals(entry.name)) {
      const shown = below(folder.path, escaped(entry.name));
      this.#note('undecodable', shown, 'has a name that is not valid UTF-8');
    } else if (entry.isSymbolicLink()) await this.#follow(path, folder, enters);
    else if (entry.isDirectory())
      await this.#enter({ path, real: [join(folder.real[0] ?? '', name), ...folder.real] });
    else if (entry.isFile()) this.#paths.push(path);
    else this.#note('special', path, 'is not a regular file');
  }

  /** Links in such a folder lead to other files of its kind, or to photos that the search finds by itself. */
  async #leaveOut(
    entry: Dirent<Buffer>,
    path: string,
    { real, system }: Folder & { readonly system: string },
  ): Promise<void> {
    if (entry.isDirectory()) await this.#enter({ path, real, system });
    else if (entry.isFile() && this.#matches(path)) this.#left.push({ path, name: system });
  }

  async #follow(path: string, folder: Folder, enters: boolean): Promise<void> {
    const link = join(this.#folder, path);
    try {
      const target = await stat(link);
      if (target.isDirectory()) {
        if (!enters) return;
        const real = await realpath(link);
        const why = this.#barred(real);
        if (why !== undefined) {
          this.#note('outside', path, why);
          return;
        }
        // The search finds the content of this folder without this link.
        if (folder.real.includes(real)) return;
        if (this.#linked.has(real)) {
          this.#note('repeated', path, 'leads to a folder that another link leads to');
          return;
        }
        this.#linked.add(real);
        await this.#enter({ path, real: [real, ...folder.real] });
      } else if (!this.#matches(path)) return;
      else if (target.isFile()) this.#paths.push(path);
      else this.#note('special', path, 'is not a regular file');
    } catch (error) {
      if (this.#matches(path)) this.#note('broken', path, systemReason(error));
    }
  }

  #unreadable(path: string, error: unknown): void {
    const code = systemCode(error);
    // The folder does not exist, or was removed meanwhile: it contains no matches.
    if (code !== 'ENOENT' && code !== 'ENOTDIR')
      this.#note('unreadable', path, systemReason(error));
  }

  #note(is: Odd['is'], path: string, why: string): void {
    this.#odd.push({ is, path, why });
  }
}

const below = (folder: string, name: string): string =>
  folder === '' ? name : `${folder}/${name}`;

function leadsTo(pattern: string): Result<Match, string> {
  const steps: { readonly deep: boolean; readonly fits: Match }[] = [];
  for (const part of partsOf(pattern)) {
    const fits = matchOf(part);
    if (!fits.ok) return err(fits.error);
    // Anything after "**", or after a "/" inside a group, can be at any depth.
    steps.push({ deep: part === '**' || part.includes('/'), fits: fits.value });
  }
  const seesHidden = /(^|[/{(,|])\\?[.[]/.test(pattern);
  return ok((folder) => {
    const names = folder.split('/');
    for (const [index, name] of names.entries()) {
      const step = steps[index];
      if (step === undefined) return false;
      if (step.deep) return seesHidden || !names.slice(index).some((one) => one.startsWith('.'));
      if (!step.fits(name)) return false;
    }
    return names.length < steps.length;
  });
}

/** A name that is not valid UTF-8, with all bytes outside ASCII escaped. */
const escaped = (name: Buffer): string =>
  name
    .toString('latin1')
    .replace(/[\x80-\xff]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16)}`);
