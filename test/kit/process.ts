// One process of a world, which may be killed: from then on nothing that it asked for is answered, and nothing that it does
// reaches the service or a disk. The ports of a run (src/core/ports.ts) as the world fills them.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Digest, digestFrom } from '../../src/base/digest.ts';
import { err, ok, type Result } from '../../src/base/result.ts';
import { extensionOf } from '../../src/contract/api/asset.ts';
import type { ApiFailure } from '../../src/contract/api/failure.ts';
import type { FileFact } from '../../src/core/facts.ts';
import type { Disk, Fetched, FileProblem, LocalFile, MediaApi } from '../../src/core/ports.ts';
import { ProcessClock, type VirtualClock } from './clock.ts';
import { Answered, type Call, type Service, sha256Of } from './service.ts';

const never = new Promise<never>(() => undefined);

/** When a process is killed. Lines are those of the state file, from 1, the header among them. */
export type Cut =
  /** `before`: nothing after the last sync survives. `after`: the line is durable, and nothing came after it. */
  | { readonly line: number; readonly when: 'before' | 'after' }
  /** While the request of this number, from 1, is under way: the service took it, or never heard of it. */
  | { readonly request: number; readonly when: 'before' | 'after' };

export class Process {
  readonly clock: ProcessClock;
  readonly #cut: Cut | undefined;
  #requests = 0;
  #isKilled = false;
  #kill: () => void = () => undefined;
  /** Resolves when it is killed. */
  readonly killed = new Promise<'killed'>((resolve) => {
    this.#kill = () => resolve('killed');
  });

  constructor(clock: VirtualClock, chance: () => number, cut?: Cut) {
    this.#cut = cut;
    this.clock = new ProcessClock(clock, chance, () => this.#isKilled);
  }

  get isKilled(): boolean {
    return this.#isKilled;
  }

  kill(): void {
    this.#isKilled = true;
    this.#kill();
  }

  /** Time goes by; a process that is killed meanwhile never comes back. */
  async pass(ms: number): Promise<void> {
    if (this.#isKilled) return await never;
    await this.clock.sleep(ms);
    if (this.#isKilled) return await never;
  }

  /** True if the process is killed at this line. */
  isCutAt(line: number, when: Cut['when']): boolean {
    const cut = this.#cut;
    return cut !== undefined && 'line' in cut && cut.line === line && cut.when === when;
  }

  /** One request: half of its time on the way, half on the way back. */
  async request<T>(
    service: Service,
    call: Call,
    work: () => T | Promise<T>,
  ): Promise<Result<T, ApiFailure>> {
    this.#requests += 1;
    const cut = this.#cut;
    const isLast = cut !== undefined && 'request' in cut && cut.request === this.#requests;
    if (isLast && cut.when === 'before') this.kill();
    const ms = service.latencyMs(call) / 2;
    await this.pass(ms);
    try {
      service.begin(call);
      const value = await work();
      if (isLast) this.kill();
      await this.pass(ms);
      return ok(value);
    } catch (error) {
      if (!(error instanceof Answered)) throw error;
      if (isLast) this.kill();
      await this.pass(ms);
      return err(error.failure);
    }
  }

  /** The service as this process speaks to it. Files are those of its machine. `from`: the folder of the pipeline. */
  api(service: Service, files: Files, from: string): MediaApi {
    const ask = <T>(
      call: Call['call'],
      about: string,
      work: () => T | Promise<T>,
      project?: string,
    ): Promise<Result<T, ApiFailure>> =>
      this.request(
        service,
        project === undefined ? { call, about } : { call, about, project },
        work,
      );
    const about = (id: string): string => service.taskOf(id);
    return {
      account: () => ask('account', '', () => service.account),
      uploadAddresses: (items) =>
        ask('addresses', String(items.length), () =>
          service
            .addresses(items.map(({ extension }) => extension))
            .map((filePath) => ({ uploadUrl: `https://storage.example/${filePath}`, filePath })),
        ),
      put: ({ filePath }, { path }) =>
        ask('put', files.short(path), () => {
          const content = files.read(path);
          if (content === undefined)
            throw new Answered({ reason: 'local', message: `${path} does not exist` });
          service.put(filePath, content);
          return digestFrom(sha256Of(content));
        }),
      detectFaces: (body) => ask('detect', '', () => service.detect(body)),
      faceDetection: (id) => ask('faces', '', () => service.faces(id)),
      create: async (tool, body) => {
        service.hear({ is: 'sent', tool, body, from });
        const made = await ask('create', service.taskIn(body), () => service.create(tool, body));
        if (made.ok) service.told(made.value.id, made.value.credits, false);
        else if (made.error.reason !== 'unanswered')
          service.hear({ is: 'told', name: String(body['name']), credits: 0, isOver: true });
        return made;
      },
      project: async (_, id) => {
        const look = await ask('look', about(id), () => service.look(id), id);
        if (look.ok) {
          const { credits_charged: credits = 0, status } = look.value;
          service.told(id, credits, status !== 'rendering');
        }
        return look;
      },
      deleteProject: (_, id) => ask('delete', about(id), () => service.remove(id), id),
      download: (url, into) => {
        const id = /\/(p\d+)\//.exec(url)?.[1] ?? '';
        const fetch = async (): Promise<Fetched> => {
          const content = service.download(url);
          files.write(into.path, content);
          const fetched = fetchedOf(content, contentTypeFor(url));
          return service.isSilent ? { ...fetched, isVerified: false, isUntold: true } : fetched;
        };
        return ask('download', about(id), fetch, id);
      },
    };
  }
}

const types: Readonly<Record<string, string>> = {
  png: 'image/png',
  webm: 'video/webm',
  wav: 'audio/wav',
};

const contentTypeFor = (url: string): string =>
  types[/\.(\w+)\?/.exec(url)?.[1] ?? ''] ?? 'application/octet-stream';

const fetchedOf = (content: string, contentType: string): Fetched => ({
  bytes: content.length,
  digest: digestFrom(sha256Of(content)),
  contentType,
  isVerified: true,
});

/** All files of a machine by their absolute paths; contents are texts of one byte a character. */
export interface Files {
  read(path: string): string | undefined;
  write(path: string, content: string): void;
  remove(path: string): void;
  /** The paths below a folder, sorted. */
  below(folder: string): readonly string[];
  /** For calls: the path without what no story decides. */
  short(path: string): string;
}

export class MemoryFiles implements Files {
  readonly #all = new Map<string, string>();
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  read(path: string): string | undefined {
    return this.#all.get(path);
  }

  write(path: string, content: string): void {
    this.#all.set(path, content);
  }

  remove(path: string): void {
    this.#all.delete(path);
  }

  below(folder: string): readonly string[] {
    return [...this.#all.keys()].filter((path) => path.startsWith(`${folder}/`)).sort();
  }

  short(path: string): string {
    return path.slice(this.#root.length + 1);
  }
}

/** The real disk. */
export class FolderFiles implements Files {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  read(path: string): string | undefined {
    return existsSync(path) ? readFileSync(path, 'latin1') : undefined;
  }

  write(path: string, content: string): void {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content, 'latin1');
  }

  remove(path: string): void {
    rmSync(path, { force: true });
  }

  below(folder: string): readonly string[] {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .sort();
  }

  short(path: string): string {
    return path.slice(this.#root.length + 1);
  }
}

/** What a disk does with a path below the output folder: the file cannot be written, or not be put in its place. */
export type DiskFault = (
  doing: 'write' | 'place' | 'read',
  path: string,
) => FileProblem | undefined;

/** What a checkout remembers of the files that it saved: content and path. */
export type Saved = Set<string>;

interface MemoryDiskOptions {
  readonly process: Process;
  readonly files: Files;
  /** It knows where everything belongs; none of its files is touched. */
  readonly real: Disk;
  /** Absolute. */
  readonly folder: string;
  readonly saved: Saved;
  /** Paths whose files must be read before their hash is known; a file that was read leaves the set. */
  readonly unread: Set<string>;
  readonly fault: DiskFault;
  /** How long a write, a sync or a rename takes. */
  readonly ms: number;
}

/** The disk of one process, with files in memory in the places of the real one. */
export class MemoryDisk implements Disk {
  readonly #o: MemoryDiskOptions;

  constructor(options: MemoryDiskOptions) {
    this.#o = options;
  }

  input(path: string): FileFact {
    return this.#fact(path);
  }

  output(path: string): FileFact {
    return this.#fact(path);
  }

  isElsewhere({ path, sha256 }: { readonly path: string; readonly sha256: string }): boolean {
    return this.#read(path) === undefined && !this.#o.saved.has(`${sha256} ${path}`);
  }

  kept(digest: string, extension: string): FileFact {
    return this.#fact(keptPath(digest, extension));
  }

  recordedAs(outputPath: string): string {
    return this.#o.real.recordedAs(outputPath);
  }

  fileAt(place: Parameters<Disk['fileAt']>[0]): LocalFile {
    return this.#o.real.fileAt(place);
  }

  async digest(place: Parameters<Disk['digest']>[0]): Promise<Result<Digest, string>> {
    await this.#o.process.pass(this.#o.ms);
    const { path } = this.fileAt(place);
    const content = this.#o.files.read(path);
    if (content === undefined) return err('does not exist');
    const short = path.slice(this.#o.folder.length + 1);
    if (this.#o.fault('read', short) !== undefined) return err('could not be read');
    this.#o.unread.delete(short);
    return ok(digestFrom(sha256Of(content)));
  }

  async temporary(outputPath: string, work: Digest): Promise<Result<LocalFile, FileProblem>> {
    const fault = this.#o.fault('write', outputPath);
    if (fault !== undefined) return err(fault);
    return ok({ path: this.#absolute(`.shotlist/${work.slice(0, 16)}.part`) });
  }

  async place(
    temporary: LocalFile,
    outputPath: string,
    digest: Digest,
  ): Promise<Result<void, FileProblem>> {
    const { process, files, saved, fault, ms } = this.#o;
    await process.pass(ms);
    const refused = fault('place', outputPath);
    if (refused !== undefined) return err(refused);
    const content = files.read(temporary.path);
    if (content === undefined) throw new Error(`nothing was written to ${temporary.path}`);
    const path = this.recordedAs(outputPath);
    const standing = this.#read(path);
    if (standing !== undefined && sha256Of(standing) !== digest)
      files.write(this.#absolute(keptPath(sha256Of(standing), extensionOf(path))), standing);
    files.write(this.#absolute(path), content);
    files.remove(temporary.path);
    saved.add(`${digest} ${path}`);
    await process.pass(ms);
    return ok(undefined);
  }

  async keep(
    temporary: LocalFile,
    digest: Digest,
    extension: string,
  ): Promise<Result<string, FileProblem>> {
    await this.#o.process.pass(this.#o.ms);
    const path = keptPath(digest, extension);
    this.#o.files.write(this.#absolute(path), this.#o.files.read(temporary.path) ?? '');
    this.#o.files.remove(temporary.path);
    return ok(path);
  }

  async remember(): Promise<void> {}

  foreign(path: string): FileFact {
    const content = this.#o.files.read(path);
    if (content === undefined) return { is: 'absent', why: 'does not exist' };
    return { is: 'file', bytes: content.length, digest: digestFrom(sha256Of(content)) };
  }

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
    await this.#o.process.pass(this.#o.ms);
    const content = this.#o.files.read(source.path);
    if (content === undefined)
      return err({ message: `${source.path} does not exist`, systemic: false });
    this.#o.files.write(into.path, content);
    return ok(fetchedOf(content, ''));
  }

  async discard(file: LocalFile): Promise<void> {
    this.#o.files.remove(file.path);
  }

  #absolute(path: string): string {
    return `${this.#o.folder}/${path}`;
  }

  #read(path: string): string | undefined {
    return this.#o.files.read(this.#absolute(path));
  }

  #fact(path: string): FileFact {
    const content = this.#read(path);
    if (content === undefined) return { is: 'absent', why: 'does not exist' };
    const isUnread = this.#o.unread.has(path) || this.#o.fault('read', path) !== undefined;
    const digest = isUnread ? undefined : digestFrom(sha256Of(content));
    return { is: 'file', bytes: content.length, digest };
  }
}

const keptPath = (digest: string, extension: string): string =>
  `.shotlist/kept/${digest}${extension === '' ? '' : `.${extension}`}`;
