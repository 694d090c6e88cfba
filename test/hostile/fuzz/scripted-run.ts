// One history with a service that answers as it likes: a real run with a real record and the real reading of answers; only the
// wire, the places where lines and results are put, and the clock are made up.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { digestOfBytes } from '../../../src/base/digest.ts';
import { Redactor } from '../../../src/base/redactor.ts';
import { err, ok, type Result } from '../../../src/base/result.ts';
import {
  readAcceptedCreation,
  readAccount,
  readFaceDetection,
  readProject,
  readUploadAddresses,
} from '../../../src/contract/api/answers.ts';
import type { ApiFailure } from '../../../src/contract/api/failure.ts';
import { routes } from '../../../src/contract/api/routes.ts';
import type { Fetched, LocalFile, MediaApi } from '../../../src/core/ports.ts';
import { withInternals } from '../../../src/features/internals.ts';
import { loadPipeline, run } from '../../../src/index.ts';
import type { Header } from '../../../src/model/record/line.ts';
import { failureOfStatus } from '../../../src/service-api/http-failure.ts';
import { FakeClock, temporaryFolder } from '../../files/places.ts';
import { contentFor } from '../../photo.ts';
import type { Talk, Wire } from './answers.ts';

type Answer<T> = Promise<Result<T, ApiFailure>>;

const redactor = new Redactor(['sk-a-secret-key']);
/** What the price list says of the creation. */
export const reserve = 10;
export const header: Header = { shotlist: 4, pipeline: 'p', service: 'https://api.example' };

const pipeline = `pipeline: p
steps:
  up: { uses: upload, with: { file: pic.png } }
  swap:
    uses: face-swap-photo
    retry: { attempts: 1 }
    with: { assets: { target_file_path: "https://x.example/a.png", source_file_path: "https://x.example/b.png" } }
  faces: { uses: face-detect, with: { target_file_path: "\${{ steps.swap.url }}" } }
  save: { uses: download, with: { of: swap, to: "saved.\${{ result.ext }}" } }
  tidy: { uses: delete, with: { of: swap } }
`;

/** As the client takes it. */
export function parsed(text: string): unknown {
  try {
    return redactor.value(JSON.parse(text));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return undefined;
  }
}

/** As the client reads it: a noun, or why the request failed. */
function taken<T>(
  { status, text }: Wire,
  read: (value: unknown) => Result<T, string>,
): Result<T, ApiFailure> {
  const value = parsed(text);
  if (status !== 200) return err(failureOfStatus(status, value, {}, 0));
  const noun = read(value);
  return noun.ok ? noun : err({ reason: 'unanswered', message: noun.error });
}

/** Each in turn, the last one for ever. */
function turns<T>(list: readonly T[], otherwise: T): () => T {
  let next = 0;
  return () => list[Math.min(next++, list.length - 1)] ?? otherwise;
}

const nothing: Wire = { status: 404, text: '' };

export class ScriptedRun {
  /** What is appended to the state file, its header first. */
  readonly lines: string[] = [];
  /** How many creations were sent. */
  asked = 0;
  /** The state file as the run leaves it. */
  text = '';
  readonly #talk: Talk;
  #picture = '';

  constructor(talk: Talk) {
    this.#talk = talk;
  }

  async run(): Promise<void> {
    const root = temporaryFolder();
    const folder = join(root, 'pipeline');
    mkdirSync(folder);
    const file = join(folder, 'pipeline.yaml');
    writeFileSync(file, pipeline);
    this.#picture = join(folder, 'pic.png');
    writeFileSync(this.#picture, contentFor('pic.png', 'a picture'));
    const env = {
      SHOTLIST_BASE_URL: header.service,
      SHOTLIST_API_KEY: 'sk-a-secret-key',
      SHOTLIST_RECEIPTS: join(root, 'receipts'),
    };
    const record = {
      text: () => this.text,
      append: (line: string) => {
        this.lines.push(line);
        this.text += `${line}\n`;
      },
      sync: async () => undefined,
      replace: async (text: string) => {
        this.text = text;
      },
    };
    const options = withInternals(
      { env, clock: new FakeClock() },
      { api: () => this.#api(), record, backoffMs: 1 },
    );
    await run(await loadPipeline(file, { env }), options);
  }

  #api(): MediaApi {
    const talk = this.#talk;
    const record = turns(talk.records, nothing);
    const faces = turns(talk.faces, nothing);
    return {
      uploadAddresses: async () => {
        const got = taken(talk.upload, readUploadAddresses);
        if (!got.ok) return got;
        return ok(
          got.value.items.map((item) => ({ uploadUrl: item.upload_url, filePath: item.file_path })),
        );
      },
      put: async () => ok(digestOfBytes(readFileSync(this.#picture))),
      detectFaces: async () => taken(talk.detection, readAcceptedCreation),
      faceDetection: async (id) => {
        addressed(routes.faceDetection(id).path);
        return taken(faces(), readFaceDetection);
      },
      account: async () => taken({ status: 200, text: '{"credits":1e999}' }, readAccount),
      create: async () => {
        this.asked += 1;
        return taken(talk.creation, readAcceptedCreation);
      },
      project: async (kind, id) => {
        addressed(routes.project(kind, id).path);
        return taken(record(), readProject);
      },
      deleteProject: async (kind, id) => {
        addressed(routes.project(kind, id).path);
        return ok(undefined);
      },
      download: async (url, into) => this.#downloaded(url, into),
    };
  }

  async #downloaded(url: string, { path }: LocalFile): Answer<Fetched> {
    if (!URL.canParse(url)) return err({ reason: 'refused', status: 0, message: 'no address' });
    writeFileSync(path, url);
    const { contentType } = this.#talk;
    return ok({
      bytes: url.length,
      digest: digestOfBytes(Buffer.from(url)),
      contentType,
      isVerified: true,
    });
  }
}

/** A path stays what it is when it becomes an address. */
function addressed(path: string): void {
  const { pathname, search, hash } = new URL(path, 'https://api.example');
  if (pathname !== path || search !== '' || hash !== '') throw new Error(`another path: ${path}`);
}
