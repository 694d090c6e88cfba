// The projects of the service: one row each, and every move between states in one transaction with the credits
// that it moves (interface.md, States and transitions).
import { type ProjectError, type ProjectId, projectId, type RecordKind } from '../api/project.ts';
import { asJson, isObject, type JsonObject } from '../base/json.ts';
import type { Tool } from '../kinds/kind.ts';
import type { Account, Purpose } from './account.ts';
import {
  type Database,
  maybeNumberOf,
  maybeTextOf,
  numberOf,
  type Row,
  textOf,
} from './database.ts';
import { type Input, readInputs, writeInputs } from './inputs.ts';

export type Status = 'queued' | 'rendering' | 'complete' | 'error';

export interface StoredProject {
  readonly seq: number;
  readonly id: ProjectId;
  readonly name: string;
  readonly tool: string;
  readonly record: RecordKind;
  readonly type: string;
  readonly status: Status;
  readonly enabled: boolean;
  readonly credits: number;
  readonly estimated: boolean;
  readonly body: JsonObject;
  /** Keys of the outputs in storage. */
  readonly files: readonly string[];
  readonly createdAt: number;
  readonly startedAt: number | undefined;
  readonly width: number | undefined;
  readonly height: number | undefined;
  readonly fps: number | undefined;
  readonly error: ProjectError | null;
}

export interface NewProject {
  readonly id: ProjectId;
  readonly name: string;
  readonly tool: Tool;
  readonly body: JsonObject;
  readonly inputs: readonly Input[];
  readonly credits: number;
  readonly estimate: boolean;
  readonly at: number;
}

/** What a finished rendering leaves; `credits` is the final charge. */
export interface Outcome {
  readonly files: readonly string[];
  readonly width: number | undefined;
  readonly height: number | undefined;
  readonly fps: number | undefined;
  readonly credits: number;
}

export interface Projects {
  /** Charges and creates; undefined, and nothing happened, when the balance is not enough. */
  create(project: NewProject): Promise<StoredProject | undefined>;
  find(id: string): StoredProject | undefined;
  inputsOf(id: string): readonly Input[];
  /** Those that a crash or a stop left unfinished, oldest first. */
  unfinished(): readonly StoredProject[];
  start(id: string, at: number): Promise<void>;
  /** False when it was deleted meanwhile: then nobody has its files. */
  complete(id: string, outcome: Outcome, at: number): Promise<boolean>;
  /** Refunds the whole charge. */
  fail(id: string, error: ProjectError, at: number): Promise<void>;
  /** False when there is nothing to delete. */
  disable(id: string): Promise<boolean>;
  /** Ids of deleted projects whose files may still be on disk. */
  unswept(): readonly string[];
  /** Its files are gone, and nothing makes new ones. */
  swept(id: string): Promise<unknown>;
}

/** Whether work is still to be done for it. */
export function isLive({ enabled, status }: StoredProject): boolean {
  return enabled && (status === 'queued' || status === 'rendering');
}

export function openProjects(database: Database, account: Account): Projects {
  const byId = database.prepare('SELECT * FROM projects WHERE id = ?');
  const inputsById = database.prepare('SELECT inputs FROM projects WHERE id = ?');
  const insert = database.prepare(
    `INSERT INTO projects (id, name, tool, record, type, status, credits, estimated, body, inputs, created_at)
     VALUES (?, ?, ?, ?, ?, 'queued', ?, ?, ?, ?, ?)`,
  );
  const live = `id = ? AND enabled = 1 AND status IN ('queued', 'rendering')`;
  const waiting = database.prepare(
    `SELECT * FROM projects WHERE enabled = 1 AND status IN ('queued', 'rendering') ORDER BY seq`,
  );
  const toRendering = database.prepare(
    `UPDATE projects SET status = 'rendering', started_at = coalesce(started_at, ?) WHERE ${live}`,
  );
  const toComplete = database.prepare(
    `UPDATE projects SET status = 'complete', completed_at = ?, files = ?, width = ?, height = ?, fps = ?,
     credits = ? WHERE ${live}`,
  );
  const toError = database.prepare(
    `UPDATE projects SET status = 'error', failed_at = ?, error_code = ?, error_message = ?, credits = 0
     WHERE ${live}`,
  );
  const toDeleted = database.prepare(
    'UPDATE projects SET enabled = 0 WHERE id = ? AND enabled = 1',
  );
  const deletedWithFiles = database.prepare(
    'SELECT id FROM projects WHERE enabled = 0 AND swept = 0',
  );
  const markSwept = database.prepare('UPDATE projects SET swept = 1 WHERE id = ?');

  const find = (id: string): StoredProject | undefined => {
    const row = byId.get(id);
    return row === undefined ? undefined : projectOf(row);
  };

  return {
    find,
    create: ({ id, name, tool, body, inputs, credits, estimate, at }) =>
      database.write(() => {
        if (!account.charge({ project: id, tool: tool.name, name }, credits, at)) return undefined;
        const { lastInsertRowid } = insert.run(
          id,
          name,
          tool.name,
          tool.record,
          tool.type,
          credits,
          estimate ? 1 : 0,
          JSON.stringify(body),
          writeInputs(inputs),
          at,
        );
        return {
          seq: Number(lastInsertRowid),
          id,
          name,
          tool: tool.name,
          record: tool.record,
          type: tool.type,
          status: 'queued',
          enabled: true,
          credits,
          estimated: estimate,
          body,
          files: [],
          createdAt: at,
          startedAt: undefined,
          width: undefined,
          height: undefined,
          fps: undefined,
          error: null,
        };
      }),
    inputsOf: (id) => {
      const row = inputsById.get(id);
      return row === undefined ? [] : readInputs(textOf(row, 'inputs'));
    },
    unfinished: () => waiting.all().map(projectOf),
    start: async (id, at) => {
      await database.write(() => toRendering.run(at, id));
    },
    complete: (id, { files, width, height, fps, credits }, at) =>
      database.write(() => {
        const project = find(id);
        if (project === undefined || !isLive(project)) return false;
        // What the account could not bear is not charged, so the record says what was really taken.
        const moved = account.adjust(purposeOf(project), project.credits - credits, at);
        const final = project.credits - moved;
        const size = [width ?? null, height ?? null, fps ?? null] as const;
        return toComplete.run(at, JSON.stringify(files), ...size, final, id).changes === 1;
      }),
    fail: (id, { code, message }, at) =>
      database.write(() => {
        const project = find(id);
        if (project === undefined || toError.run(at, code, message, id).changes === 0) return;
        account.refund(purposeOf(project), project.credits, at);
      }),
    disable: (id) => database.write(() => toDeleted.run(id).changes === 1),
    unswept: () => deletedWithFiles.all().map((row) => textOf(row, 'id')),
    swept: (id) => database.write(() => markSwept.run(id)),
  };
}

const purposeOf = ({ id, tool, name }: StoredProject): Purpose => ({ project: id, tool, name });

function projectOf(row: Row): StoredProject {
  const code = maybeTextOf(row, 'error_code');
  return {
    seq: numberOf(row, 'seq'),
    id: projectId(textOf(row, 'id')),
    name: textOf(row, 'name'),
    tool: textOf(row, 'tool'),
    record: recordOf(textOf(row, 'record')),
    type: textOf(row, 'type'),
    status: statusOf(textOf(row, 'status')),
    enabled: numberOf(row, 'enabled') === 1,
    credits: numberOf(row, 'credits'),
    estimated: numberOf(row, 'estimated') === 1,
    body: bodyOf(textOf(row, 'body')),
    files: filesOf(textOf(row, 'files')),
    createdAt: numberOf(row, 'created_at'),
    startedAt: maybeNumberOf(row, 'started_at'),
    width: maybeNumberOf(row, 'width'),
    height: maybeNumberOf(row, 'height'),
    fps: maybeNumberOf(row, 'fps'),
    error: code === undefined ? null : { code, message: textOf(row, 'error_message') },
  };
}

function recordOf(text: string): RecordKind {
  if (text === 'video' || text === 'image' || text === 'audio') return text;
  throw new Error(`bug: unknown record kind ${text}`);
}

export function statusOf(text: string): Status {
  if (text === 'queued' || text === 'rendering' || text === 'complete' || text === 'error')
    return text;
  throw new Error(`bug: unknown status ${text}`);
}

function bodyOf(text: string): JsonObject {
  const body = asJson(JSON.parse(text));
  if (!isObject(body)) throw new Error('bug: a stored body is an object');
  return body;
}

function filesOf(text: string): readonly string[] {
  const files = asJson(JSON.parse(text));
  if (!Array.isArray(files)) throw new Error('bug: stored files are a list');
  return files.map((file) => `${file}`);
}
