// The client, loaded for the first request: a run with nothing to do sends none, and loading takes 25 MB.
import type { MediaApi } from '../core/ports.ts';
import type { ClientOptions, HttpClient } from './http-client.ts';

export function lazyClient(options: ClientOptions): HttpClient {
  let loading: Promise<HttpClient> | undefined;
  const client = (): Promise<HttpClient> => {
    loading ??= import('./http-client.ts').then(({ httpClient }) => httpClient(options));
    return loading;
  };
  const api: MediaApi = {
    uploadAddresses: async (items) => (await client()).uploadAddresses(items),
    put: async (target, file) => (await client()).put(target, file),
    detectFaces: async (body) => (await client()).detectFaces(body),
    faceDetection: async (id) => (await client()).faceDetection(id),
    account: async () => (await client()).account(),
    create: async (tool, body, known) => (await client()).create(tool, body, known),
    project: async (record, id) => (await client()).project(record, id),
    deleteProject: async (record, id) => (await client()).deleteProject(record, id),
    download: async (url, into) => (await client()).download(url, into),
  };
  return { ...api, close: async () => (await loading)?.close() };
}
