// The projects, one row each. Every change of state is one transaction with its credits and its event (interface.md, States
// and transitions).

import type { JsonObject } from '../../base/json.ts';
import type { EventAction } from '../../contract/api/event.ts';
import type { ProjectError, ProjectId } from '../../contract/api/project.ts';
import type { Tool } from '../../contract/tool/tool.ts';
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

/** The result of a rendering; `credits` is the final charge. */
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
  record(project: StoredProject, action: EventAction, at: number): void;
  /** Call when that write is on disk. */
  flush(): void;
}

/** Which projects a list shows. */
export interface ProjectFilter {
  readonly account?: string;
  readonly status?: ProjectStatus;
  /** Only projects with a lower sequence number. */
  readonly before?: number;
  readonly limit: number;
}

export interface Projects {
  /** Charges and creates. Undefined if the balance is too low; then nothing changes. */
  create(project: NewProject): Promise<StoredProject | undefined>;
  find(id: string): StoredProject | undefined;
  /** Newest first. */
  list(filter: ProjectFilter): readonly StoredProject[];
  inputsOf(id: string): readonly Input[];
  /** The projects that a crash or a stop left unfinished, oldest first. */
  unfinished(): readonly StoredProject[];
  start(id: string, at: number): Promise<void>;
  /** False if the project was deleted or canceled during rendering: then its files have to be removed. */
  complete(id: string, completion: Completion, at: number): Promise<boolean>;
  /** Refunds the whole charge. */
  fail(id: string, error: ProjectError, at: number): Promise<void>;
  /** Stops a project by hand, without an event. False if the project has already ended. */
  cancel(id: string, refund: boolean, at: number): Promise<boolean>;
  /** Deletes a project. False if there is no such project, or it is deleted already. */
  disable(id: string): Promise<boolean>;
  /** The ids of projects without outputs whose files may still be on disk. */
  unswept(): readonly string[];
  /** Records that the files of a project are removed, and that no more will come. */
  swept(id: string): Promise<unknown>;
}

export function openProjects(
  database: Database,
  accounts: Accounts,
  outbox: EventOutbox,
): Projects {
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
  const changeState = async (
    id: string,
    action: EventAction,
    at: number,
    apply: (project: StoredProject) => boolean,
  ): Promise<boolean> => {
    const changed = await database.write(() => {
      const project = find(id);
      if (project === undefined || !apply(project)) return false;
      outbox.record(find(id) ?? project, action, at);
      return true;
    });
    if (changed) outbox.flush();
    return changed;
  };

  return {
    find,
    list: ({ account, status, before, limit }) =>
      newest.all(before ?? Number.MAX_SAFE_INTEGER, account ?? null, status ?? null, limit),
    create: ({ account, id, name, tool, body, inputs, credits, estimate, at }) =>
      database.write(() => {
        const reference = { account, project: id, tool: tool.name, name };
        if (!accounts.charge(reference, credits, at)) return undefined;
        insert.run(
          ...[account, id, name, tool.name, tool.record, tool.type, credits, estimate ? 1 : 0],
          ...[JSON.stringify(body), writeInputs(inputs), at],
        );
        return find(id);
      }),
    inputsOf: (id) => inputsById.one(id) ?? [],
    unfinished: () => waiting.all(),
    start: async (id, at) => {
      await changeState(id, 'started', at, () => toRendering.run(at, id).changes === 1);
    },
    complete: (id, { files, width, height, fps, credits }, at) =>
      changeState(id, 'completed', at, (project) => {
        if (!isLive(project)) return false;
        // The account is charged no more than its balance, and the record says what was charged.
        const changed = accounts.adjust(referenceOf(project), project.credits - credits, at);
        const final = project.credits - changed;
        const size = [width ?? null, height ?? null, fps ?? null] as const;
        toComplete.run(at, JSON.stringify(files), ...size, final, id);
        return true;
      }),
    fail: async (id, { code, message }, at) => {
      await changeState(id, 'errored', at, (project) => {
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
    unswept: () => endedWithFiles.all(),
    swept: (id) => database.write(() => markSwept.run(id)),
  };
}

const referenceOf = ({ account, id, tool, name }: StoredProject): ProjectReference => ({
  account,
  project: id,
  tool,
  name,
});
