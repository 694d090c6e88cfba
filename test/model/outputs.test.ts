// What is kept of a result, and what is live.
import { describe, expect, test } from 'vitest';
import type { FaceDetection, Project } from '../../src/contract/api/project.ts';
import { conditionHolds } from '../../src/model/condition.ts';
import { lastingFaces, lastingOf, liveFaces, liveProject } from '../../src/model/outputs.ts';
import { scopeOf, stepIt } from './make.ts';

const project: Project = {
  id: 'proj-4711',
  name: 'star rose Xy12',
  status: 'complete',
  type: 'FACE_SWAP',
  created_at: '2026-08-05T10:00:00Z',
  width: 640,
  height: 480,
  image_count: 2,
  credits_charged: 10,
  downloads: [
    { url: 'https://storage.example/a.png?sig=1', expires_at: '2026-08-06T10:00:00Z' },
    { url: 'https://storage.example/b.png?sig=2', expires_at: '2026-08-06T10:00:00Z' },
  ],
  error: null,
};

const faces: FaceDetection = {
  id: 'face-99',
  status: 'complete',
  credits_charged: 0,
  faces: [
    { path: 'api-assets/u/face-0.png', url: 'https://storage.example/f0?sig=3' },
    { path: 'api-assets/u/face-1.png' },
  ],
};

describe('what is kept of a result', () => {
  test('is what stays true: sizes and how many downloads, no address', () => {
    expect(lastingOf({ ...project, total_frame_cost: null })).toEqual({
      downloads: 2,
      type: 'FACE_SWAP',
      width: 640,
      height: 480,
      image_count: 2,
      created_at: '2026-08-05T10:00:00Z',
    });
  });

  test('is the id and the paths of faces, no address', () => {
    expect(lastingFaces(faces)).toEqual({
      id: 'face-99',
      faces: [{ path: 'api-assets/u/face-0.png' }, { path: 'api-assets/u/face-1.png' }],
    });
  });
});

describe('live outputs', () => {
  test('are the record as it was read, and url for the first download', () => {
    expect(liveProject(project)).toMatchObject({
      id: 'proj-4711',
      url: 'https://storage.example/a.png?sig=1',
      width: 640,
    });
    expect(liveProject({ ...project, downloads: [] })).not.toHaveProperty('url');
  });

  test('of faces hold their paths', () => {
    expect(liveFaces(faces)).toMatchObject({
      id: 'face-99',
      credits_charged: 0,
      faces: [{ path: 'api-assets/u/face-0.png' }, {}],
    });
  });
});

describe('a condition', () => {
  test('holds if it is true, or not there', () => {
    const step = stepIt('{ uses: upload, if: "item.n > 1", with: { file: x.png } }', { n: 1 });
    expect(conditionHolds(step, scopeOf({ n: 2 }))).toEqual({ ok: true, value: true });
    expect(conditionHolds(step, scopeOf({ n: 1 }))).toEqual({ ok: true, value: false });
    expect(conditionHolds(stepIt('{ uses: upload, with: { file: x.png } }'), scopeOf({}))).toEqual({
      ok: true,
      value: true,
    });
  });

  test('that is neither true nor false is refused', () => {
    const step = stepIt('{ uses: upload, if: "item.n", with: { file: x.png } }', { n: 1 });
    expect(conditionHolds(step, scopeOf({ n: 3 }))).toMatchObject({
      ok: false,
      error: { path: ['steps', 'it', 'if'], message: expect.stringContaining('not 3') },
    });
  });
});
