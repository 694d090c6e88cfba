// The database cannot be reached, or it went away in the middle of a call. Whether that call took effect is not known, so
// every call of a desk may be repeated.

export class DatabaseAway extends Error {
  readonly code = 'DATABASE_AWAY';
}
