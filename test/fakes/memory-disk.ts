// A disk in memory: the whole port, with files as texts. Paths are relative to the pipeline file; outputs stand in out/.

import { type Digest, digestOf } from '../../src/base/digest.ts';
import { err, ok, type Result } from '../../src/base/result.ts';
import { extensionOf } from '../../src/contract/api/asset.ts';
import type { FileFact, RecordedFile } from '../../src/core/disk-facts.ts';
import type { Disk, Fetched, FileProblem, LocalFile, Place } from '../../src/core/ports.ts';

export const digestOfText = (content: string): Digest => digestOf({ content });

export class MemoryDisk implements Disk {
  /** Content by path. */
  readonly files = new Map<string, string>();
  /** Content of superseded outputs, by name. */
  readonly keptFiles = new Map<string, string>();
  /** Paths whose files must be read before their digest is known. */
  readonly unread = new Set<string>();
  /** Paths that cannot be read. */
  readonly broken = new Set<string>();
  /** What this checkout has saved. */
  readonly #saved = new Set<string>();

  input(path: string): FileFact {
    return this.#fact(path, this.files.get(path));
  }

  output(path: string): FileFact {
    return this.#fact(path, this.files.get(path));
  }

  isElsewhere({ path, sha256 }: RecordedFile): boolean {
    return !this.files.has(path) && !this.#saved.has(`${sha256} ${path}`);
  }

  /** Deletes a file that this checkout had. */
  loseOutput(path: string): void {
    const content = this.files.get(path);
    if (content !== undefined) this.#saved.add(`${digestOfText(content)} ${path}`);
    this.files.delete(path);
  }

  /** What a fresh checkout has: the inputs. */
  checkOutAnew(): void {
    for (const path of [...this.files.keys()]) if (path.startsWith('out/')) this.files.delete(path);
    this.keptFiles.clear();
    this.#saved.clear();
  }

  kept(digest: string, extension: string): FileFact {
    const name = keptName(digest, extension);
    return this.#fact(name, this.keptFiles.get(name));
  }

  #fact(path: string, content: string | undefined): FileFact {
    if (content === undefined) return { is: 'absent', why: 'does not exist' };
    const known = !this.unread.has(path) && !this.broken.has(path);
    return { is: 'file', bytes: content.length, digest: known ? digestOfText(content) : undefined };
  }

  async digest(place: Place): Promise<Result<Digest, string>> {
    const { path } = this.fileAt(place);
    const content = this.read(path);
    if (content === undefined) return err('does not exist');
    if (this.broken.has(path)) return err('could not be read');
    this.unread.delete(path);
    return ok(digestOfText(content));
  }

  fileAt(place: Place): LocalFile {
    return {
      path: place.in === 'kept' ? keptName(place.digest, place.extension) : place.path,
    };
  }

  /** What a local file holds, wherever it is. */
  read(path: string): string | undefined {
    return this.files.get(path) ?? this.keptFiles.get(path);
  }

  recordedAs(outputPath: string): string {
    return `out/${outputPath}`;
  }

  async temporary(_outputPath: string, work: Digest): Promise<Result<LocalFile, FileProblem>> {
    return ok({ path: `.part-${work}` });
  }

  async place(
    temporary: LocalFile,
    outputPath: string,
    digest: Digest,
  ): Promise<Result<void, FileProblem>> {
    const content = this.files.get(temporary.path);
    if (content === undefined) throw new Error(`nothing was written to ${temporary.path}`);
    const path = this.recordedAs(outputPath);
    const standing = this.files.get(path);
    if (standing !== undefined && digestOfText(standing) !== digest)
      this.keptFiles.set(keptName(digestOfText(standing), extensionOf(path)), standing);
    this.files.set(path, content);
    this.#saved.add(`${digest} ${path}`);
    this.files.delete(temporary.path);
    return ok(undefined);
  }

  async keep(
    temporary: LocalFile,
    digest: Digest,
    extension: string,
  ): Promise<Result<string, FileProblem>> {
    const name = keptName(digest, extension);
    this.keptFiles.set(name, this.files.get(temporary.path) ?? '');
    this.files.delete(temporary.path);
    return ok(name);
  }

  foreign(path: string): FileFact {
    return this.#fact(path, this.files.get(path));
  }

  /** Its files are texts, which are no sounds. */
  async showsItsEnd(): Promise<boolean> {
    return false;
  }

  async damage(): Promise<string | undefined> {
    return undefined;
  }

  async seconds(): Promise<number | undefined> {
    return undefined;
  }

  async copy(source: LocalFile, into: LocalFile): Promise<Result<Fetched, FileProblem>> {
    const content = this.read(source.path);
    if (content === undefined)
      return err({ message: `${source.path} does not exist`, systemic: false });
    this.files.set(into.path, content);
    const digest = digestOfText(content);
    return ok({ bytes: content.length, digest, contentType: '', isVerified: false });
  }

  async discard(file: LocalFile): Promise<void> {
    this.files.delete(file.path);
  }
}

const keptName = (digest: string, extension: string): string =>
  `.kept/${digest}${extension === '' ? '' : `.${extension}`}`;
