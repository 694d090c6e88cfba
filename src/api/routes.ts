// Where things are (interface.md, Endpoints), and the three paths that exist in two forms (facts.md).
import type { RecordKind } from './project.ts';

const id = encodeURIComponent;

/** A path and, where deployments answer to another form of it, that other form. */
export interface Route {
  readonly path: string;
  readonly alternate?: string;
}

export const routes = {
  account: (): Route => ({ path: '/v1/account' }),
  uploadAddresses: (): Route => ({
    path: '/v1/files/generate-upload-urls',
    alternate: '/v1/files/upload-urls',
  }),
  detectFaces: (): Route => ({
    path: '/v1/files/face-detection',
    alternate: '/v1/face-detection',
  }),
  faceDetection: (detection: string): Route => ({
    path: `/v1/files/${id(detection)}/face-detection`,
    alternate: `/v1/face-detection/${id(detection)}`,
  }),
  create: (tool: string): Route => ({ path: `/v1/${id(tool)}` }),
  project: (record: RecordKind, project: string): Route => ({
    path: `/v1/${record}-projects/${id(project)}`,
  }),
} as const;
