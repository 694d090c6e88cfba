// The service in memory: projects, uploads, detections, an account, a ledger, and what may become of each creation. What a
// creation means is its tool and its body, without the name, and with the bytes behind each reference in its place.
import { createHash } from 'node:crypto';
import type { JsonObject } from '../../src/base/json.ts';
import type { ApiFailure } from '../../src/contract/api/failure.ts';
import type { Account, FaceDetection, Project } from '../../src/contract/api/project.ts';
import { priceOf } from '../../src/contract/price.ts';
import { existingTool } from '../../src/contract/tools/all.ts';
import type { VirtualClock } from './clock.ts';

/** What becomes of a creation, as far as it is not as expected. */
export interface Fate {
  /** No answer comes, and the service took the creation, or did not. */
  readonly lost?: 'taken' | 'not-taken';
  /** The service does not take the creation, and says why. */
  readonly refused?: ApiFailure;
  /** Credits that the answer says; default: the published price. */
  readonly charge?: number;
  /** Credits that the project has taken when it is over; default: as the answer said. */
  readonly final?: number;
  /** The project ends in this error, and its credits are given back. */
  readonly error?: string;
  /** Until the project is over; Infinity: never. */
  readonly ms?: number;
  /** So many results, in place of those that were asked for. */
  readonly results?: number;
  /** So many first looks are answered by 404. */
  readonly blinks?: number;
  /** Nobody knows the project any more when it is over. */
  readonly gone?: true;
}

export interface Creation {
  readonly tool: string;
  /** The name of the project without its token: that of the task, or what `name:` says. */
  readonly task: string;
  readonly body: JsonObject;
  /** From 1. */
  readonly number: number;
}

export interface Made extends Creation {
  readonly id: string;
  /** The name that was sent, with its token. */
  readonly name: string;
  readonly meaning: string;
  readonly at: number;
  readonly charge: number;
  /** What becomes of it; a story may still change it. */
  fate: Fate;
  isOver: boolean;
  isDeleted: boolean;
  blinks: number;
}

/** Below 0: given back. `at`: milliseconds since 1970. */
export interface Entry {
  readonly project: string;
  readonly task: string;
  readonly credits: number;
  readonly at: number;
}

export type CallName =
  | 'account'
  | 'addresses'
  | 'put'
  | 'detect'
  | 'faces'
  | 'create'
  | 'look'
  | 'delete'
  | 'download';

export interface Call {
  readonly call: CallName;
  /** The task of the project, the name of the file, or empty. */
  readonly about: string;
  readonly project?: string;
}

/** What a watch of a story hears: a creation leaves the process, or the process learns what a project has cost so far. */
export type Heard =
  | {
      readonly is: 'sent';
      readonly tool: string;
      readonly body: JsonObject;
      /** The folder of the pipeline. */
      readonly from: string;
    }
  | {
      readonly is: 'told';
      /** As sent, with its token. */
      readonly name: string;
      readonly credits: number;
      readonly isOver: boolean;
    };

/** What a call is answered with, if not with its value. */
export class Answered extends Error {
  readonly failure: ApiFailure;

  constructor(failure: ApiFailure) {
    super(failure.message);
    this.failure = failure;
  }
}

const hour = 3_600_000;
const day = 24 * hour;

const notFound: ApiFailure = { reason: 'not-found', message: 'Not Found' };
const missing: ApiFailure = { reason: 'missing-asset', message: 'there is no such file' };

export const sha256Of = (bytes: string): string =>
  createHash('sha256').update(bytes, 'latin1').digest('hex');

export class Service {
  readonly clock: VirtualClock;
  /** Decides what becomes of a creation. */
  fate: (creation: Creation) => Fate | undefined = () => undefined;
  /** The failure of a call, in place of its answer; a creation that fails so is not taken. */
  fails: (call: Call) => ApiFailure | undefined = () => undefined;
  /** How long a call takes. */
  latencyMs: (call: Call) => number = () => 20;
  /** How long a project takes, unless its fate says so. */
  renderMs: (creation: Creation) => number = () => 2000;
  /** A look at a deleted project is answered with `enabled: false`, and not with 404. */
  tellsOfDeleted = false;
  account: Account | undefined = { id: 'me', credits: 1_000_000, tier: 'business' };
  /** The bytes of a result. Stories on a real disk need files that are whole. */
  bytesOf: (text: string, extension: string) => string = (text) => text;
  /** Files come from a storage that tells neither their length nor their hash. */
  isSilent = false;
  /** Pipelines, whose names stand before those of their tasks. */
  readonly pipelines = new Set<string>();
  /** Every file that was saved somewhere in this world, by content. */
  isSaved: (content: string) => boolean = () => true;
  hear: (heard: Heard) => void = () => undefined;
  readonly projects = new Map<string, Made>();
  readonly ledger: Entry[] = [];
  /** Every call so far, with the time at which it came, in milliseconds since the world began. */
  readonly calls: (Call & { readonly at: number })[] = [];
  /** Projects that were deleted before all their results were saved. */
  readonly deletedUnsaved: Made[] = [];
  readonly #assets = new Map<string, { content: string | undefined; readonly until: number }>();
  readonly #faces = new Map<string, FaceDetection>();
  #ids = 0;

  constructor(clock: VirtualClock) {
    this.clock = clock;
  }

  /** Credits by task, refunds taken off. */
  get bill(): Readonly<Record<string, number>> {
    this.#settle();
    const sums: Record<string, number> = {};
    for (const { task, credits } of this.ledger) sums[task] = (sums[task] ?? 0) + credits;
    return sums;
  }

  /** Credits in all, refunds taken off. */
  get charged(): number {
    this.#settle();
    return this.ledger.reduce((sum, { credits }) => sum + credits, 0);
  }

  /** Creations by their meaning, without those whose credits were given back. */
  get paid(): ReadonlyMap<string, readonly Made[]> {
    this.#settle();
    const kept = [...this.projects.values()].filter(({ fate }) => fate.error === undefined);
    return Map.groupBy(kept, ({ meaning }) => meaning);
  }

  /** The newest project of a task. */
  projectOf(task: string): Made {
    const found = [...this.projects.values()].findLast((made) => made.task === task);
    if (found === undefined) throw new Error(`the service has no project of ${task}`);
    return found;
  }

  /** Called before anything is answered. */
  begin(call: Call): void {
    this.calls.push({ ...call, at: this.clock.elapsed });
    const failure = this.fails(call);
    if (failure !== undefined) throw new Answered(failure);
  }

  addresses(extensions: readonly string[]): readonly string[] {
    return extensions.map((extension) => {
      const path = `api-assets/${this.#id('a')}.${extension}`;
      this.#assets.set(path, { content: undefined, until: this.clock.true + 7 * day });
      return path;
    });
  }

  put(path: string, content: string): void {
    const asset = this.#assets.get(path);
    if (asset === undefined) throw new Answered(notFound);
    asset.content = content;
  }

  /** As many faces as the content says (`faces=2`), else up to five by its hash. */
  detect(body: JsonObject): { readonly id: string } {
    const assets = body['assets'];
    const target =
      typeof assets === 'object' && assets !== null && 'target_file_path' in assets
        ? String(assets['target_file_path'])
        : '';
    const content = this.#contentOf(target) ?? '';
    const said = /faces=(\d)/.exec(content)?.[1];
    const count = said === undefined ? Number.parseInt(sha256Of(content)[0] ?? '0', 16) % 6 : +said;
    const id = this.#id('d');
    const faces = Array.from({ length: count }, (_, index) => {
      const path = `api-assets/${id}/${index}.png`;
      this.#assets.set(path, { content: `${content} face ${index}`, until: this.clock.true + day });
      return { path, url: `https://storage.example/${path}` };
    });
    this.#faces.set(id, { id, status: 'complete', credits_charged: 0, faces });
    return { id };
  }

  faces(id: string): FaceDetection {
    const known = this.#faces.get(id);
    if (known === undefined) throw new Answered(notFound);
    return known;
  }

  create(tool: string, body: JsonObject): { readonly id: string; readonly credits: number } {
    const name = String(body['name']);
    const number = this.projects.size + 1;
    const creation = { tool, task: this.taskIn(body), body, number };
    const fate = this.fate(creation) ?? {};
    if (fate.refused !== undefined) throw new Answered(fate.refused);
    const lost: ApiFailure = { reason: 'unanswered', message: 'the connection was cut' };
    if (fate.lost === 'not-taken') throw new Answered(lost);
    const meaning = this.#meaningOf(tool, body);
    const price = priceOf(existingTool(tool), body);
    const charge = fate.charge ?? (price.known ? price.credits : 50);
    const { credits = 0 } = this.account ?? { credits: Number.POSITIVE_INFINITY };
    if (this.charged + charge > credits)
      throw new Answered({ reason: 'payment-required', message: 'not enough credits' });
    const id = this.#id('p');
    const [at, blinks] = [this.clock.true, fate.blinks ?? 0];
    const own = { id, name, meaning, at, charge, fate, blinks };
    this.projects.set(id, { ...creation, ...own, isOver: false, isDeleted: false });
    this.ledger.push({ project: id, task: creation.task, credits: charge, at });
    if (fate.lost === 'taken') throw new Answered(lost);
    return { id, credits: charge };
  }

  look(id: string): Project {
    const deleted = this.tellsOfDeleted ? this.projects.get(id) : undefined;
    const made = deleted?.isDeleted === true ? deleted : this.#known(id);
    if (made.blinks > 0) {
      made.blinks -= 1;
      throw new Answered(notFound);
    }
    const { name, charge, fate } = made;
    const created_at = new Date(made.at).toISOString();
    const { end_seconds = undefined } = made.body;
    const length = typeof end_seconds === 'number' ? { start_seconds: 0, end_seconds } : {};
    const common = { id, name, created_at, enabled: !made.isDeleted, ...length };
    if (!made.isOver)
      return { ...common, status: 'rendering', credits_charged: charge, downloads: [] };
    if (fate.error !== undefined) {
      const error = { code: fate.error, message: `it ended in ${fate.error}` };
      return { ...common, status: 'error', credits_charged: 0, downloads: [], error };
    }
    const until = new Date(this.clock.true + day).toISOString();
    const downloads = resultsOf(made).map((_, index) => ({
      url: `https://storage.example/${id}/${index}.${extensionFor(made)}?at=${this.clock.true}`,
      expires_at: until,
    }));
    const credits = fate.final ?? charge;
    return { ...common, status: 'complete', credits_charged: credits, downloads };
  }

  remove(id: string): void {
    const made = this.#known(id);
    const results = made.isOver && made.fate.error === undefined ? this.contentsOf(made) : [];
    if (!results.every((content) => this.isSaved(content))) this.deletedUnsaved.push(made);
    made.isDeleted = true;
  }

  download(url: string): string {
    const content = this.#contentOf(url);
    if (content === undefined) throw new Answered({ reason: 'expired', message: 'it has expired' });
    return content;
  }

  /** The process has got an answer about a project. */
  told(id: string, credits: number, isOver: boolean): void {
    const name = this.projects.get(id)?.name;
    if (name !== undefined) this.hear({ is: 'told', name, credits, isOver });
  }

  /** What the files of a project have. */
  contentsOf(made: Made): readonly string[] {
    const extension = extensionFor(made);
    return resultsOf(made).map((_, index) =>
      this.bytesOf(`${made.tool} ${made.id} ${index + 1}`, extension),
    );
  }

  /** What the name in a request says without its token. */
  taskIn(body: JsonObject): string {
    const name = String(body['name']).replace(/ #[0-9a-z]+$/, '');
    const pipeline = [...this.pipelines].find((one) => name.startsWith(`${one} `));
    return pipeline === undefined ? name : name.slice(pipeline.length + 1);
  }

  /** The task of a project, for calls. */
  taskOf(id: string): string {
    return this.projects.get(id)?.task ?? id;
  }

  #known(id: string): Made {
    this.#settle();
    const made = this.projects.get(id);
    const isGone = made?.isOver === true && made.fate.gone === true;
    if (made === undefined || made.isDeleted || isGone) throw new Answered(notFound);
    return made;
  }

  /** Ends the projects whose time has come. */
  #settle(): void {
    for (const made of this.projects.values()) {
      const at = made.at + (made.fate.ms ?? this.renderMs(made));
      if (made.isOver || made.isDeleted || this.clock.true < at) continue;
      made.isOver = true;
      const { error, final = made.charge } = made.fate;
      const credits = (error === undefined ? final : 0) - made.charge;
      if (credits !== 0) this.ledger.push({ project: made.id, task: made.task, credits, at });
    }
  }

  #id(kind: string): string {
    this.#ids += 1;
    return `${kind}${this.#ids}`;
  }

  /** What stands behind a reference, if it still does; undefined if it does not. */
  #contentOf(text: string): string | undefined {
    const asset = this.#assets.get(text);
    if (asset !== undefined) return this.clock.true < asset.until ? asset.content : undefined;
    const [, id, index, at] =
      /^https:\/\/storage\.example\/(p\d+)\/(\d+)\.\w+\?at=([\d.]+)$/.exec(text) ?? [];
    const made = this.projects.get(id ?? '');
    if (made === undefined || made.isDeleted) return undefined;
    return this.clock.true - Number(at) < day ? this.contentsOf(made)[Number(index)] : undefined;
  }

  #meaningOf(tool: string, body: JsonObject): string {
    const meant = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(meant);
      if (typeof value === 'object' && value !== null)
        return Object.fromEntries(
          Object.entries(value)
            .sort(([one], [other]) => (one < other ? -1 : 1))
            .map(([key, one]) => [key, meant(one)]),
        );
      if (typeof value !== 'string' || !/^(api-assets\/|https:\/\/storage\.)/.test(value))
        return value;
      const content = this.#contentOf(value);
      if (content === undefined) throw new Answered(missing);
      return `<${sha256Of(content).slice(0, 12)}>`;
    };
    const { name: _, ...rest } = body;
    return `${tool} ${JSON.stringify(meant(rest))}`;
  }
}

/** One for each result. */
function resultsOf({ body, fate }: Made): readonly undefined[] {
  const asked = body['image_count'];
  return Array.from({ length: fate.results ?? (typeof asked === 'number' ? asked : 1) });
}

const extensions = { image: 'png', video: 'webm', audio: 'wav' } as const;

const extensionFor = ({ tool }: Made): string => extensions[existingTool(tool).record];
