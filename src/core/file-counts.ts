// Recorded files that are not here as they were saved.
/** Recorded files that a run reuses although they are not here as recorded. */
export interface FileCounts {
  /** Somebody changed their content. */
  readonly changed: number;
  /** Another checkout saved them, and they have never been in this one; or the store has them. */
  readonly elsewhere: number;
  /** Those of them that the store has. */
  readonly stored: number;
}

export const sumOf = (one: FileCounts, other: FileCounts): FileCounts => ({
  changed: one.changed + other.changed,
  elsewhere: one.elsewhere + other.elsewhere,
  stored: one.stored + other.stored,
});
