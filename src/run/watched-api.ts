// Reports every request to a monitor, and changes none.

import type { Result } from '../base/result.ts';
import type { ApiFailure } from '../contract/api/failure.ts';
import type { MediaApi } from './jobs/ports.ts';
import type { RequestRoute, RequestWatch } from './request-watch.ts';

export function watchedApi(api: MediaApi, watch: RequestWatch | undefined): MediaApi {
  if (watch === undefined) return api;
  const seen = async <T>(
    route: RequestRoute,
    answer: Promise<Result<T, ApiFailure>>,
  ): Promise<Result<T, ApiFailure>> => {
    const got = await answer;
    const status = got.ok ? '2xx' : statusOf(got.error);
    if (status !== undefined) watch.request({ route, status });
    return got;
  };
  return {
    uploadAddresses: (items) => seen('upload-address', api.uploadAddresses(items)),
    put: (target, file) => seen('upload', api.put(target, file)),
    detectFaces: (body) => seen('detect-faces', api.detectFaces(body)),
    faceDetection: (id) => seen('face-detection', api.faceDetection(id)),
    account: () => seen('account', api.account()),
    async create(tool, body, known) {
      const made = await seen('create', api.create(tool, body, known));
      if (made.ok) watch.project({ id: made.value.id, kind: tool, status: 'queued' });
      return made;
    },
    async project(record, id) {
      const read = await seen('project', api.project(record, id));
      if (read.ok) watch.project({ id, status: read.value.status });
      return read;
    },
    deleteProject: (record, id) => seen('delete-project', api.deleteProject(record, id)),
    download: (url, into) => seen('download', api.download(url, into)),
  };
}

/** Few different values, because each becomes a time series. Undefined: nothing was sent. */
function statusOf(failure: ApiFailure): string | undefined {
  switch (failure.reason) {
    case 'aborted':
    case 'outage':
    case 'no-answers':
    case 'late':
      return undefined;
    case 'unauthorized':
      return '401';
    case 'payment-required':
      return '402';
    case 'forbidden':
      return '403';
    case 'not-found':
      return '404';
    case 'missing-asset':
      return '400';
    case 'throttled':
      return '429';
    case 'refused':
      return failure.status === 0 ? 'refused' : String(failure.status);
    case 'unavailable':
      return String(failure.status);
    case 'expired':
    case 'unreachable':
    case 'unanswered':
    case 'damaged':
    case 'local':
      return failure.reason;
  }
}
