// Facts of a distributed run: its workers, and what waits in its queue. No code.

/** Which worker it is, for leases, records and people. */
export interface WorkerIdentity {
  /** Unique to the process. */
  readonly worker: string;
  readonly host: string;
  /** How many orders it performs at once. */
  readonly places: number;
}

/** Facts of a worker for people who watch. */
export interface WorkerFacts extends WorkerIdentity {
  readonly busy: number;
  /** Milliseconds since its last beat. */
  readonly silentMs: number;
}

export interface QueueFacts {
  /** Orders that are due. */
  readonly queued: number;
  /** Orders that wait for their time: parked projects. */
  readonly parked: number;
  readonly active: number;
  readonly workers: readonly WorkerFacts[];
  /** The number of the last record. */
  readonly last: number;
}
