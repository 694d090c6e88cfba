// What a monitor learns about the requests of a run or of a worker.

/** Hears about requests. */
export interface RequestWatch {
  request(request: RequestFacts): void;
  project(project: ProjectFacts): void;
}

/** One request to the service or its storage. */
export interface RequestFacts {
  readonly route: RequestRoute;
  /** An HTTP status, `2xx`, or a word for a request without an answer. */
  readonly status: string;
}

export type RequestRoute =
  | 'account'
  | 'create'
  | 'delete-project'
  | 'detect-faces'
  | 'download'
  | 'face-detection'
  | 'project'
  | 'upload'
  | 'upload-address';

/** A project that was just made or read. */
export interface ProjectFacts {
  readonly id: string;
  /** The tool; undefined if the project was read, not made. */
  readonly kind?: string;
  /** As the service says it, such as `queued`. */
  readonly status: string;
}
