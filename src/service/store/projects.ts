// The projects of the service: one row each, and every move between states in one transaction with the credits
// that it moves (interface.md, States and transitions).
import type { Action } from '../../contract/api/event.ts';
import type { ProjectError, ProjectId } from '../../contract/api/project.ts';
import type { JsonObject } from '../../contract/base/json.ts';
import type { Tool } from '../../contract/kinds/kind.ts';
import type { Accounts, ProjectReference } from './accounts.ts';
import { type Database, textOf } from './database.ts';
import { type Input, readInputs, writeInputs } from './inputs.ts';
import { isLive, type ProjectStatus, projectOf, type StoredProject } from './project-row.ts';

export interface NewProject {
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

/** What a finished rendering leaves; `credits` is the final charge. */
export interface Completion {
  readonly files: readonly string[];
  readonly width: number | undefined;
  readonly height: number | undefined;
  readonly fps: number | undefined;
  readonly credits: number;
}

/** The transactional outbox of events: what happens to a project is recorded with it (interface.md, States and transitions). */
export interface EventOutbox {
  /** Call inside the write that changes the project: the event is as durable as the change. */
  record(project: StoredProject, action: Action, at: number): void;
  /** Call when that write is on disk. */
  flush(): void;
}

/** Which projects a list is to show. */
export interface ProjectFilter {
  readonly account?: string | undefined;
  readonly status?: ProjectStatus | undefined;
  /** Only those before this sequence number. */
  readonly before?: number | undefined;
  readonly limit: number;
}

export interface Projects {
  /** Charges and creates; undefined, and nothing happened, when the balance is not enough. */
  create(project: NewProject): Promise<StoredProject | undefined>;
  find(id: string): StoredProject | undefined;
  /** Newest first. */
  list(filter: ProjectFilter): readonly StoredProject[];
  inputsOf(id: string): readonly Input[];
  /** Those that a crash or a stop left unfinished, oldest first. */
  unfinished(): readonly StoredProject[];
  start(id: string, at: number): Promise<void>;
  /** False when it was deleted meanwhile: then nobody has its files. */
  complete(id: string, completion: Completion, at: number): Promise<boolean>;
  /** Refunds the whole charge. */
  fail(id: string, error: ProjectError, at: number): Promise<void>;
  /** Stops it by hand; no event is sent. False when it had already ended. */
  cancel(id: string, refund: boolean, at: number): Promise<boolean>;
  /** False when there is nothing to delete. */
  disable(id: string): Promise<boolean>;
  /** Ids of projects that have no outputs (any more) and whose files may still be on disk. */
  unswept(): readonly string[];
  /** Its files are gone, and nothing makes new ones. */
  swept(id: string): Promise<unknown>;
}

export function openProjects(
  database: Database,
  accounts: Accounts,
  outbox: EventOutbox,
): Projects {
  const byId = database.prepare('SELECT * FROM projects WHERE id = ?');
  const inputsById = database.prepare('SELECT inputs FROM projects WHERE id = ?');
  const insert = database.prepare(
    `INSERT INTO projects
       (account, id, name, tool, record, type, status, credits, estimated, body, inputs, created_at)
     VALUES (?, ?, ?, ?, ?, ?, 'queued', ?, ?, ?, ?, ?)`,
  );
  const newest = database.prepare(
    `SELECT * FROM projects
     WHERE seq < ?1 AND (?2 IS NULL OR account = ?2) AND (?3 IS NULL OR status = ?3)
     ORDER BY seq DESC LIMIT ?4`,
  );
  const live = `id = ? AND enabled = 1 AND status IN ('queued', 'rendering')`;
  const waiting = database.prepare(
    `SELECT * FROM projects WHERE enabled = 1 AND status IN ('queued', 'rendering') ORDER BY seq`,
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
  const endedWithFiles = database.prepare(
    `SELECT id FROM projects WHERE swept = 0 AND (enabled = 0 OR status IN ('canceled', 'error'))`,
  );
  const markSwept = database.prepare('UPDATE projects SET swept = 1 WHERE id = ?');

  const find = (id: string): StoredProject | undefined => {
    const row = byId.get(id);
    return row === undefined ? undefined : projectOf(row);
  };

  /** A move and its event in one write. `move` answers whether there was anything to move. */
  const moving = async (
    id: string,
    action: Action,
    at: number,
    move: (project: StoredProject) => boolean,
  ): Promise<boolean> => {
    const moved = await database.write(() => {
      const project = find(id);
      if (project === undefined || !move(project)) return false;
      outbox.record(find(id) ?? project, action, at);
      return true;
    });
    if (moved) outbox.flush();
    return moved;
  };

  return {
    find,
    list: ({ account, status, before, limit }) =>
      newest
        .all(before ?? Number.MAX_SAFE_INTEGER, account ?? null, status ?? null, limit)
        .map(projectOf),
    create: ({ account, id, name, tool, body, inputs, credits, estimate, at }) =>
      database.write(() => {
        const reference = { account, project: id, tool: tool.name, name };
        if (!accounts.charge(reference, credits, at)) return undefined;
        const { lastInsertRowid } = insert.run(
          account,
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
          account,
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
      await moving(id, 'started', at, () => toRendering.run(at, id).changes === 1);
    },
    complete: (id, { files, width, height, fps, credits }, at) =>
      moving(id, 'completed', at, (project) => {
        if (!isLive(project)) return false;
        // What the account could not bear is not charged, so the record says what was really taken.
        const moved = accounts.adjust(referenceOf(project), project.credits - credits, at);
        const final = project.credits - moved;
        const size = [width ?? null, height ?? null, fps ?? null] as const;
        toComplete.run(at, JSON.stringify(files), ...size, final, id);
        return true;
      }),
    fail: async (id, { code, message }, at) => {
      await moving(id, 'errored', at, (project) => {
        if (toError.run(at, code, message, id).changes === 0) return false;
        accounts.refund(referenceOf(project), project.credits, at);
        return true;
      });
    },
    cancel: (id, refund, at) =>
      database.write(() => {
        const project = find(id);
        if (project === undefined || !isLive(project)) return false;
        toCanceled.run(at, refund ? 0 : project.credits, id);
        if (refund) accounts.refund(referenceOf(project), project.credits, at);
        return true;
      }),
    disable: (id) => database.write(() => toDeleted.run(id).changes === 1),
    unswept: () => endedWithFiles.all().map((row) => textOf(row, 'id')),
    swept: (id) => database.write(() => markSwept.run(id)),
  };
}

const referenceOf = ({ account, id, tool, name }: StoredProject): ProjectReference => ({
  account,
  project: id,
  tool,
  name,
});
