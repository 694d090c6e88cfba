// The paths of the service (interface.md, Endpoints); three of them exist in two forms (facts.md).
import type { RecordKind } from './project.ts';

const id = encodeURIComponent;

/** A path. */
export interface Route {
  readonly path: string;
}

/** A path that exists in two forms. Deployments serve one of them, or both. */
export interface TwoForms extends Route {
  /** The short one, which the published clients use. */
  readonly path: string;
  /** The long one. */
  readonly alternate: string;
  /** The name of the route, without its ids. */
  readonly name: 'upload-addresses' | 'detect-faces' | 'face-detection';
}

/** The form of the three paths that a service serves. */
export const pathForms = ['short', 'long', 'both'] as const;
export type PathForm = (typeof pathForms)[number];

export const routes = {
  account: (): Route => ({ path: '/v1/account' }),
  uploadAddresses: (): TwoForms => ({
    name: 'upload-addresses',
    path: '/v1/files/upload-urls',
    alternate: '/v1/files/generate-upload-urls',
  }),
  detectFaces: (): TwoForms => ({
    name: 'detect-faces',
    path: '/v1/face-detection',
    alternate: '/v1/files/face-detection',
  }),
  faceDetection: (detection: string): TwoForms => ({
    name: 'face-detection',
    path: `/v1/face-detection/${id(detection)}`,
    alternate: `/v1/files/${id(detection)}/face-detection`,
  }),
  create: (tool: string): Route => ({ path: `/v1/${id(tool)}` }),
  project: (record: RecordKind, project: string): Route => ({
    path: `/v1/${record}-projects/${id(project)}`,
  }),
} as const;

/** The paths of a route at a service that serves `form`. */
export function pathsOf(
  { path, alternate }: Omit<TwoForms, 'name'>,
  form: PathForm,
): readonly string[] {
  switch (form) {
    case 'short':
      return [path];
    case 'long':
      return [alternate];
    case 'both':
      return [path, alternate];
  }
}
