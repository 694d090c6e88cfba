// What a plan need not pay for although the state file does not know of it, as the user's receipts say. Plain data.
/** Who paid. `name`: the branch, or the path of the state file or pipeline file. */
export interface PaidBy {
  readonly by: 'branch' | 'state' | 'pipeline';
  readonly name: string;
}

export interface PaidSource extends PaidBy {
  readonly creations: number;
  /** YYYY-MM-DD: the first and the last day. */
  readonly first: string;
  readonly last: string;
}

/** Creations that the state file takes over from receipts. Those in doubt and those whose results are lost do not count. */
export interface PaidAlready {
  readonly creations: number;
  /** What they cost when they were paid for. */
  readonly credits: number;
  /** The first hundred, the largest first. */
  readonly sources: readonly PaidSource[];
  /** ISO 8601: when the receipts were read. */
  readonly at: string;
}

/** What the receipts say of one task, and what follows. */
export interface PaidTask extends PaidBy {
  readonly follows: 'adopted' | 'copied' | 'lost' | 'doubt';
  /** ISO 8601. */
  readonly at: string;
  readonly project?: string;
  readonly credits?: number;
  /** The files that are copied. Empty if the store has them. */
  readonly files?: readonly string[];
}
