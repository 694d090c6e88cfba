// What a run does at one moment.

/** What the run does, as a whole. */
export type Stage =
  /** Looking at items and their files; `of` is 0 as long as the number is unknown. */
  | { readonly is: 'planning'; readonly seen: number; readonly of: number }
  /** Planned; nothing has begun yet. */
  | { readonly is: 'connecting' }
  | { readonly is: 'working' }
  /** The service does not answer. */
  | { readonly is: 'waiting'; readonly why: string; readonly since: number }
  | { readonly is: 'stopping'; readonly why: string };
