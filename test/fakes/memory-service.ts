// A service in memory: the whole port of a run, deterministic, with the mishaps that a history needs.

import { type Digest, digestOf } from '../../src/base/digest.ts';
import { fieldOf, type JsonObject } from '../../src/base/json.ts';
import { err, ok, type Result } from '../../src/base/result.ts';
import type { ApiFailure } from '../../src/contract/api/failure.ts';
import type {
  AcceptedCreation,
  Account,
  FaceDetection,
  Project,
  RecordKind,
} from '../../src/contract/api/project.ts';
import type { Clock, Fetched, LocalFile, MediaApi, UploadTarget } from '../../src/core/ports.ts';
import { digestOfText, type MemoryDisk } from './memory-disk.ts';

type Answer<T> = Promise<Result<T, ApiFailure>>;

const day = 86_400_000;

/** What becomes of a creation: charged and rendered, charged with its answer lost, ended in error, or never over. */
export type Fate = 'fine' | 'lost' | 'error' | 'endless';

interface Made {
  readonly id: string;
  readonly body: JsonObject;
  readonly result: string;
  readonly credits: number;
  fate: Fate;
  deleted: boolean;
}

/** As many results as the request asks for. */
function addressesOf({ id, body }: Made): readonly string[] {
  const count = fieldOf(body, 'image_count');
  const length = typeof count === 'number' ? count : 1;
  return Array.from({ length }, (_, index) => `memory:${id}/${index + 1}.png`);
}

export class MemoryService implements MediaApi {
  /** Decides what becomes of the next creation. */
  fate: () => Fate = () => 'fine';
  readonly projects = new Map<string, Made>();
  /** Whose files are uploaded, and where downloads go. */
  disk: MemoryDisk;
  readonly #clock: Clock;
  readonly #assets = new Map<string, { readonly content: string; readonly until: number }>();
  readonly #faces = new Map<string, FaceDetection>();
  readonly #price: (tool: string, body: JsonObject) => number;
  #ids = 0;

  constructor(disk: MemoryDisk, clock: Clock, price: (tool: string, body: JsonObject) => number) {
    this.disk = disk;
    this.#clock = clock;
    this.#price = price;
  }

  /** Credits that were charged in all, refunds taken off. */
  get charged(): number {
    let sum = 0;
    for (const { credits, fate } of this.projects.values()) sum += fate === 'error' ? 0 : credits;
    return sum;
  }

  async uploadAddresses(
    items: readonly { readonly extension: string }[],
  ): Answer<readonly UploadTarget[]> {
    const paths = items.map(({ extension }) => `api-assets/${this.#id()}.${extension}`);
    return ok(paths.map((filePath) => ({ uploadUrl: `memory:${filePath}`, filePath })));
  }

  async put({ filePath }: UploadTarget, file: LocalFile): Answer<Digest> {
    const content = this.disk.read(file.path);
    if (content === undefined)
      return err({ reason: 'refused', status: 400, message: 'there is no such file' });
    this.#assets.set(filePath, { content, until: this.#clock.now() + 7 * day });
    return ok(digestOfText(content));
  }

  async detectFaces(body: JsonObject): Answer<{ readonly id: string }> {
    const asset = this.#asset(fieldOf(body, 'assets.target_file_path'));
    if (!asset.ok) return asset;
    const id = `f${this.#id()}`;
    // As many faces as the content says, five at most.
    const count = digestOfText(asset.value).charCodeAt(0) % 6;
    const faces = Array.from({ length: count }, (_, index) => {
      const path = `api-assets/${id}/0-${index}.png`;
      this.#assets.set(path, { content: `${asset.value} face ${index}`, until: Number.MAX_VALUE });
      return { path, url: `memory:${path}` };
    });
    this.#faces.set(id, { id, status: 'complete', credits_charged: 0, faces });
    return ok({ id });
  }

  async faceDetection(id: string): Answer<FaceDetection> {
    const known = this.#faces.get(id);
    return known === undefined ? err({ reason: 'not-found', message: 'Not Found' }) : ok(known);
  }

  async account(): Answer<Account | undefined> {
    return ok(undefined);
  }

  async create(tool: string, body: JsonObject): Answer<AcceptedCreation> {
    const missing = assetsIn(body).map((path) => this.#asset(path));
    const gone = missing.find((asset) => !asset.ok);
    if (gone !== undefined && !gone.ok) return gone;
    const { name: _name, ...rest } = body;
    const named = JSON.stringify(rest, (_, value) =>
      typeof value === 'string' ? (this.#assets.get(value)?.content ?? value) : value,
    );
    const fate = this.fate();
    const id = `p${this.#id()}`;
    const credits = this.#price(tool, body);
    const made = { id, body, result: digestOf({ tool, named }), credits, fate, deleted: false };
    this.projects.set(id, made);
    if (fate === 'lost') return err({ reason: 'unanswered', message: 'the connection was cut' });
    return ok({ id, credits });
  }

  async project(_record: RecordKind, id: string): Answer<Project> {
    const made = this.projects.get(id);
    if (made === undefined || made.deleted) return err({ reason: 'not-found', message: '' });
    const { fate, credits } = made;
    if (fate === 'error') {
      const error = { code: 'no_source_face', message: 'no face was found' };
      return ok({ id, status: 'error', downloads: [], credits_charged: 0, error });
    }
    if (fate === 'endless') return ok({ id, status: 'rendering', downloads: [] });
    const expires = new Date(this.#clock.now() + day).toISOString();
    const downloads = addressesOf(made).map((url, index) => {
      const content = index === 0 ? made.result : `${made.result} ${index}`;
      this.#assets.set(url, { content, until: Number.MAX_VALUE });
      return { url, expires_at: expires };
    });
    return ok({ id, status: 'complete', downloads, credits_charged: credits, error: null });
  }

  async deleteProject(_record: RecordKind, id: string): Answer<void> {
    const made = this.projects.get(id);
    if (made === undefined || made.deleted) return err({ reason: 'not-found', message: '' });
    made.deleted = true;
    for (const url of addressesOf(made)) this.#assets.delete(url);
    return ok(undefined);
  }

  async download(url: string, into: LocalFile): Answer<Fetched> {
    const asset = this.#assets.get(url);
    if (asset === undefined) return err({ reason: 'expired', message: '' });
    this.disk.files.set(into.path, asset.content);
    const digest = digestOfText(asset.content);
    const { length: bytes } = asset.content;
    return ok({ bytes, digest, contentType: 'image/png', isVerified: true });
  }

  #asset(path: unknown): Result<string, ApiFailure> {
    const asset = typeof path === 'string' ? this.#assets.get(path) : undefined;
    return asset === undefined || asset.until < this.#clock.now()
      ? err({ reason: 'missing-asset', message: `${String(path)} does not exist` })
      : ok(asset.content);
  }

  #id(): number {
    this.#ids += 1;
    return this.#ids;
  }
}

/** Every asset reference of a body, wherever it stands. */
function assetsIn(value: unknown): readonly string[] {
  if (typeof value === 'string')
    return value.startsWith('api-assets/') || value.startsWith('memory:') ? [value] : [];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(assetsIn) : [];
}
