// A project in the database, and how its row is read.

import { asJson, isObject, type JsonObject } from '../../base/json.ts';
import {
  type ProjectError,
  type ProjectId,
  projectId,
  type RecordKind,
} from '../../contract/api/project.ts';
import { choiceOf, maybeNumberOf, maybeTextOf, numberOf, type Row, textOf } from './database.ts';

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
