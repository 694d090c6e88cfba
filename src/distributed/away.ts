// The database cannot be reached, or it went away in the middle of a call. Whether that call took effect is not known, so
// every call of an order store may be repeated.

export class DatabaseAway extends Error {
  readonly code = 'DATABASE_AWAY';
}

/** For a call that is not worth waiting for: undefined if the database is away. Any other error is thrown. */
export async function unlessAway<T>(call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof DatabaseAway) return undefined;
    throw error;
  }
}
