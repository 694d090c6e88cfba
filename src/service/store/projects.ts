// The projects, one row each: their states (interface.md, States and transitions), and their records (interface.md, Resources
// and their fields). Every change of state is one transaction with its credits and its event.

import { asJson, fieldOf, isObject, type JsonObject } from '../../base/json.ts';
import { clipOf } from '../../contract/api/clip.ts';
import type { EventAction } from '../../contract/api/event.ts';
import {
  type Project,
  type ProjectError,
  type ProjectId,
  projectId,
  type RecordKind,
} from '../../contract/api/project.ts';
import { assumedFps } from '../../contract/price.ts';
import type { Tool } from '../../contract/tool.ts';
import { type Input, readInputs } from '../inputs.ts';
import type { Accounts, LedgerSubject } from './accounts.ts';
import {
  choiceOf,
  type Database,
  maybeNumberOf,
  maybeTextOf,
  numberOf,
  type Row,
  textOf,
} from './database.ts';
import type { PresignedAddresses } from './presigned-addresses.ts';

/** `canceled`: somebody stopped it in the hub (facts.md, Project records). */
export type ProjectStatus = 'queued' | 'rendering' | 'complete' | 'error' | 'canceled';

export interface StoredProject {
  readonly seq: number;
  readonly account: string;
  readonly id: ProjectId;
  readonly name: string;
  readonly tool: string;
  readonly record: RecordKind;
  readonly type: string;
  readonly status: ProjectStatus;
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

/** Whether the project still has to be rendered. */
export function isLive({ enabled, status }: StoredProject): boolean {
  return enabled && (status === 'queued' || status === 'rendering');
}

interface NewProject {
  readonly account: string;
  readonly id: ProjectId;
  readonly name: string;
  readonly tool: Tool;
  readonly body: JsonObject;
  readonly inputs: readonly Input[];
  readonly credits: number;
  readonly estimate: boolean;
  readonly at: number;
}

/** The result of a rendering; `credits` is the final charge. */
interface Completion {
  readonly files: readonly string[];
  readonly width: number | undefined;
  readonly height: number | undefined;
  readonly fps: number | undefined;
  readonly credits: number;
}

/** The transactional outbox of events: what happens to a project is recorded with it (interface.md, States and transitions). */
interface EventOutbox {
  /** Call inside the write that changes the project: the event is as durable as the change. */
  record(project: StoredProject, action: EventAction, at: number): void;
  /** Call when that write is on disk. */
  flush(): void;
}

/** Which projects a list shows. */
interface ProjectFilter {
  readonly account?: string;
  readonly status?: ProjectStatus;
  /** Only projects with a lower sequence number. */
  readonly before?: number;
  readonly limit: number;
}

export type Projects = ReturnType<typeof openProjects>;

export function openProjects(database: Database, accounts: Accounts, outbox: EventOutbox) {
  const byId = database.query('SELECT * FROM projects WHERE id = ?', projectOf);
  const inputsById = database.query('SELECT inputs FROM projects WHERE id = ?', (row) =>
    readInputs(textOf(row, 'inputs')),
  );
  const insert = database.prepare(
    `INSERT INTO projects
       (account, id, name, tool, record, type, status, credits, estimated, body, inputs, created_at)
     VALUES (?, ?, ?, ?, ?, ?, 'queued', ?, ?, ?, ?, ?)`,
  );
  const newest = database.query(
    `SELECT * FROM projects
     WHERE seq < ?1 AND (?2 IS NULL OR account = ?2) AND (?3 IS NULL OR status = ?3)
     ORDER BY seq DESC LIMIT ?4`,
    projectOf,
  );
  const live = `id = ? AND enabled = 1 AND status IN ('queued', 'rendering')`;
  const waiting = database.query(
    `SELECT * FROM projects WHERE enabled = 1 AND status IN ('queued', 'rendering') ORDER BY seq`,
    projectOf,
  );
  const toRendering = database.prepare(
    `UPDATE projects SET status = 'rendering', started_at = ?
     WHERE id = ? AND enabled = 1 AND status = 'queued'`,
  );
  const toComplete = database.prepare(
    `UPDATE projects SET status = 'complete', completed_at = ?, files = ?, width = ?, height = ?, fps = ?,
     credits = ? WHERE ${live}`,
  );
  const toError = database.prepare(
    `UPDATE projects SET status = 'error', failed_at = ?, error_code = ?, error_message = ?, credits = 0
     WHERE ${live}`,
  );
  const toCanceled = database.prepare(
    `UPDATE projects SET status = 'canceled', failed_at = ?, credits = ? WHERE ${live}`,
  );
  const toDeleted = database.prepare(
    'UPDATE projects SET enabled = 0 WHERE id = ? AND enabled = 1',
  );
  const endedWithFiles = database.query(
    `SELECT id FROM projects WHERE swept = 0 AND (enabled = 0 OR status IN ('canceled', 'error'))`,
    (row) => textOf(row, 'id'),
  );
  const markSwept = database.prepare('UPDATE projects SET swept = 1 WHERE id = ?');

  const find = (id: string): StoredProject | undefined => byId.one(id);

  /** A change of state and its event in one write. `apply` returns false if the project's state does not allow the change. */
  async function changeState(
    id: string,
    action: EventAction,
    at: number,
    apply: (project: StoredProject) => boolean,
  ): Promise<boolean> {
    const changed = await database.write(() => {
      const project = find(id);
      if (project === undefined || !apply(project)) return false;
      outbox.record(find(id) ?? project, action, at);
      return true;
    });
    if (changed) outbox.flush();
    return changed;
  }

  return {
    find,
    /** Newest first. */
    list: ({ account, status, before, limit }: ProjectFilter) =>
      newest.all(before ?? Number.MAX_SAFE_INTEGER, account ?? null, status ?? null, limit),
    /** Charges and creates. Undefined if the balance is too low; then nothing changes. */
    create: ({ account, id, name, tool, body, inputs, credits, estimate, at }: NewProject) =>
      database.write(() => {
        const subject = { account, project: id, tool: tool.name, name };
        if (!accounts.charge(subject, credits, at)) return undefined;
        insert.run(
          ...[account, id, name, tool.name, tool.record, tool.type, credits, estimate ? 1 : 0],
          ...[JSON.stringify(body), JSON.stringify(inputs), at],
        );
        return find(id);
      }),
    inputsOf: (id: string): readonly Input[] => inputsById.one(id) ?? [],
    /** The projects that a crash or a stop left unfinished, oldest first. */
    unfinished: () => waiting.all(),
    start: (id: string, at: number) =>
      changeState(id, 'started', at, () => toRendering.run(at, id).changes === 1),
    /** False if the project was deleted or canceled during rendering: then its files have to be removed. */
    complete: (id: string, { files, width, height, fps, credits }: Completion, at: number) =>
      changeState(id, 'completed', at, (project) => {
        if (!isLive(project)) return false;
        // The account is charged no more than its balance, and the record says what was charged.
        const changed = accounts.adjust(subjectOf(project), project.credits - credits, at);
        const final = project.credits - changed;
        const size = [width ?? null, height ?? null, fps ?? null] as const;
        toComplete.run(at, JSON.stringify(files), ...size, final, id);
        return true;
      }),
    /** Refunds the whole charge. */
    fail: (id: string, { code, message }: ProjectError, at: number) =>
      changeState(id, 'errored', at, (project) => {
        if (toError.run(at, code, message, id).changes === 0) return false;
        accounts.refund(subjectOf(project), project.credits, at);
        return true;
      }),
    /** Stops a project by hand, without an event. False if the project has already ended. */
    cancel: (id: string, refund: boolean, at: number) =>
      database.write(() => {
        const project = find(id);
        if (project === undefined || !isLive(project)) return false;
        toCanceled.run(at, refund ? 0 : project.credits, id);
        if (refund) accounts.refund(subjectOf(project), project.credits, at);
        return true;
      }),
    /** Deletes a project. False if there is no such project, or it is deleted already. */
    disable: (id: string) => database.write(() => toDeleted.run(id).changes === 1),
    /** The ids of projects without outputs whose files may still be on disk. */
    unswept: () => endedWithFiles.all(),
    /** Records that the files of a project are removed, and that no more will come. */
    swept: (id: string) => database.write(() => markSwept.run(id)),
  };
}

const subjectOf = ({ account, id, tool, name }: StoredProject): LedgerSubject => ({
  account,
  project: id,
  tool,
  name,
});

/** The project's record, with new download addresses. */
export function recordOf(project: StoredProject, addresses: PresignedAddresses): Project {
  const downloads = project.files.map((key) => addresses.issue('downloads', key));
  const shared = {
    id: project.id,
    name: project.name,
    status: project.status,
    type: project.type,
    created_at: new Date(project.createdAt).toISOString(),
    enabled: project.enabled,
    credits_charged: project.credits,
    downloads,
    error: project.error,
  };
  if (project.record === 'audio') return shared;
  const seen = {
    ...shared,
    width: project.width ?? -1,
    height: project.height ?? -1,
    total_frame_cost: project.credits,
  };
  if (project.record === 'image') return { ...seen, image_count: countOf(project) };
  const { start, end } = clipOf(project.body);
  return {
    ...seen,
    fps: project.fps ?? assumedFps,
    start_seconds: start,
    end_seconds: end,
    download: downloads[0] ?? null,
  };
}

/** How many pictures the request asks for. */
function countOf({ body }: StoredProject): number {
  const count = fieldOf(body, 'image_count');
  return typeof count === 'number' ? count : 1;
}

export function projectOf(row: Row): StoredProject {
  const code = maybeTextOf(row, 'error_code');
  return {
    seq: numberOf(row, 'seq'),
    account: textOf(row, 'account'),
    id: projectId(textOf(row, 'id')),
    name: textOf(row, 'name'),
    tool: textOf(row, 'tool'),
    record: choiceOf(row, 'record', isRecordKind),
    type: textOf(row, 'type'),
    status: choiceOf(row, 'status', isStatus),
    enabled: numberOf(row, 'enabled') === 1,
    credits: numberOf(row, 'credits'),
    estimated: numberOf(row, 'estimated') === 1,
    body: storedBodyOf(textOf(row, 'body')),
    files: filesOf(textOf(row, 'files')),
    createdAt: numberOf(row, 'created_at'),
    startedAt: maybeNumberOf(row, 'started_at'),
    width: maybeNumberOf(row, 'width'),
    height: maybeNumberOf(row, 'height'),
    fps: maybeNumberOf(row, 'fps'),
    error: code === undefined ? null : { code, message: textOf(row, 'error_message') },
  };
}

const isRecordKind = (text: string): text is RecordKind =>
  text === 'video' || text === 'image' || text === 'audio';

const statuses: readonly ProjectStatus[] = ['queued', 'rendering', 'complete', 'error', 'canceled'];

export function isStatus(text: string): text is ProjectStatus {
  return statuses.some((status) => status === text);
}

function storedBodyOf(text: string): JsonObject {
  const body = asJson(JSON.parse(text));
  if (!isObject(body)) throw new Error('bug: a stored body is not an object');
  return body;
}

function filesOf(text: string): readonly string[] {
  const files = asJson(JSON.parse(text));
  if (!Array.isArray(files)) throw new Error('bug: stored files are not a list');
  return files.map((file) => `${file}`);
}
