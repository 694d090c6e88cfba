// Face detections, one row each, and the detected faces, by the path that a face mapping names. Detections are free
// (facts.md, Face detection), so no credits move here.
import type { Region } from '../../contract/api/asset.ts';
import { type Input, readInputs } from '../inputs.ts';
import { choiceOf, type Database, maybeNumberOf, numberOf, type Row, textOf } from './database.ts';
import { isStatus, type ProjectStatus } from './projects.ts';

export interface StoredDetection {
  readonly seq: number;
  readonly account: string;
  readonly id: string;
  readonly status: ProjectStatus;
  readonly input: Input;
  /** The minimum confidence that something is a face: 0 to 1 (facts.md, Face detection). */
  readonly confidence: number;
  readonly createdAt: number;
  readonly startedAt: number | undefined;
}

/** What a new detection looks for, and its id. */
type DetectionOrder = Pick<StoredDetection, 'id' | 'account' | 'input' | 'confidence'>;

interface StoredFace {
  /** The crop in storage: `api-assets/<detection>/0-0.png`. */
  readonly path: string;
  /** The key of the picture with the face. */
  readonly image: string;
  readonly region: Region;
}

export type Detections = ReturnType<typeof openDetections>;

export function openDetections(database: Database) {
  const byId = database.query('SELECT * FROM detections WHERE id = ?', detectionOf);
  const insert = database.prepare(
    `INSERT INTO detections (id, account, status, input, confidence, created_at)
     VALUES (?, ?, 'queued', ?, ?, ?)`,
  );
  const waiting = database.query(
    `SELECT * FROM detections WHERE status IN ('queued', 'rendering') ORDER BY seq`,
    detectionOf,
  );
  const toRendering = database.prepare(
    `UPDATE detections SET status = 'rendering', started_at = coalesce(started_at, ?) WHERE id = ?`,
  );
  const toEnd = database.prepare('UPDATE detections SET status = ? WHERE id = ?');
  const insertFace = database.prepare(
    `INSERT OR REPLACE INTO faces (path, detection, image, x, y, width, height)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  const byDetection = database.query(
    'SELECT * FROM faces WHERE detection = ? ORDER BY path',
    faceOf,
  );
  const byPath = database.query('SELECT * FROM faces WHERE path = ?', faceOf);
  const byImage = database.query('SELECT * FROM faces WHERE image = ? ORDER BY path', faceOf);

  return {
    create: (order: DetectionOrder, at: number): Promise<StoredDetection> =>
      database.write(() => {
        const { id, account, input, confidence } = order;
        const inputs = JSON.stringify([input]);
        const { lastInsertRowid } = insert.run(id, account, inputs, confidence, at);
        const seq = Number(lastInsertRowid);
        return { ...order, seq, status: 'queued', createdAt: at, startedAt: undefined };
      }),
    find: (id: string) => byId.one(id),
    unfinished: () => waiting.all(),
    start: (id: string, at: number) => database.write(() => toRendering.run(at, id)),
    /** Records a face. Call inside a database write. */
    addFace(id: string, { path, image, region: { x, y, width, height } }: StoredFace): void {
      insertFace.run(path, id, image, x, y, width, height);
    },
    finish: (id: string, status: 'complete' | 'error') =>
      database.write(() => toEnd.run(status, id)),
    facesOf: (id: string) => byDetection.all(id),
    /** The detected face with this path. */
    face: (path: string) => byPath.one(path),
    /** The regions of the faces in a picture, by the picture's key. */
    regionsIn: (image: string) => distinct(byImage.all(image).map(({ region }) => region)),
  };
}

/** Two detections of one picture find each face twice. */
function distinct(regions: readonly Region[]): readonly Region[] {
  return [...new Map(regions.map((region) => [JSON.stringify(region), region])).values()];
}

function detectionOf(row: Row): StoredDetection {
  const [input] = readInputs(textOf(row, 'input'));
  if (input === undefined) throw new Error('bug: a detection has an input');
  return {
    seq: numberOf(row, 'seq'),
    account: textOf(row, 'account'),
    id: textOf(row, 'id'),
    status: choiceOf(row, 'status', isStatus),
    input,
    confidence: numberOf(row, 'confidence'),
    createdAt: numberOf(row, 'created_at'),
    startedAt: maybeNumberOf(row, 'started_at'),
  };
}

function faceOf(row: Row): StoredFace {
  return {
    path: textOf(row, 'path'),
    image: textOf(row, 'image'),
    region: {
      x: numberOf(row, 'x'),
      y: numberOf(row, 'y'),
      width: numberOf(row, 'width'),
      height: numberOf(row, 'height'),
    },
  };
}
