// The migrations of the service's database. A data folder of an earlier version is migrated when it is opened. Never change
// a released migration.

/** Each migration runs once; the database stores how many it has had. */
export const migrations: readonly string[] = [
  // The first version did not store that number, so this migration must be safe to run again.
  `
CREATE TABLE IF NOT EXISTS settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS accounts (
  id TEXT PRIMARY KEY, email TEXT NOT NULL, tier TEXT NOT NULL,
  credits INTEGER NOT NULL CHECK (credits >= 0)
) STRICT;
CREATE TABLE IF NOT EXISTS keys (
  hash TEXT PRIMARY KEY, name TEXT NOT NULL, last4 TEXT NOT NULL,
  created_at INTEGER NOT NULL, revoked_at INTEGER
) STRICT;
CREATE TABLE IF NOT EXISTS ledger (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL,
  project TEXT, tool TEXT, name TEXT,
  kind TEXT NOT NULL CHECK (kind IN ('charge', 'refund', 'adjustment')), credits INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX IF NOT EXISTS one_charge ON ledger (project) WHERE kind = 'charge';
CREATE UNIQUE INDEX IF NOT EXISTS one_refund ON ledger (project) WHERE kind = 'refund';
CREATE TRIGGER IF NOT EXISTS ledger_keeps BEFORE UPDATE ON ledger
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER IF NOT EXISTS ledger_never_forgets BEFORE DELETE ON ledger
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TABLE IF NOT EXISTS projects (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL,
  tool TEXT NOT NULL, record TEXT NOT NULL, type TEXT NOT NULL, status TEXT NOT NULL,
  enabled INTEGER NOT NULL DEFAULT 1, swept INTEGER NOT NULL DEFAULT 0, credits INTEGER NOT NULL, estimated INTEGER NOT NULL,
  body TEXT NOT NULL, inputs TEXT NOT NULL, files TEXT NOT NULL DEFAULT '[]',
  created_at INTEGER NOT NULL, started_at INTEGER, completed_at INTEGER, failed_at INTEGER,
  width INTEGER, height INTEGER, fps REAL, error_code TEXT, error_message TEXT
) STRICT;
CREATE INDEX IF NOT EXISTS unfinished_projects ON projects (seq)
  WHERE enabled = 1 AND status IN ('queued', 'rendering');
CREATE INDEX IF NOT EXISTS unswept_projects ON projects (seq) WHERE enabled = 0 AND swept = 0;
CREATE TABLE IF NOT EXISTS assets (
  path TEXT PRIMARY KEY, bytes INTEGER NOT NULL, uploaded_at INTEGER NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS assets_by_age ON assets (uploaded_at);
CREATE TABLE IF NOT EXISTS detections (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, status TEXT NOT NULL,
  input TEXT NOT NULL, created_at INTEGER NOT NULL, started_at INTEGER
) STRICT;
CREATE INDEX IF NOT EXISTS unfinished_detections ON detections (seq)
  WHERE status IN ('queued', 'rendering');
CREATE TABLE IF NOT EXISTS faces (
  path TEXT PRIMARY KEY, detection TEXT NOT NULL, image TEXT NOT NULL,
  x REAL NOT NULL, y REAL NOT NULL, width REAL NOT NULL, height REAL NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS faces_by_detection ON faces (detection);
CREATE INDEX IF NOT EXISTS faces_by_image ON faces (image);
`,
  // Several accounts, permissions of keys, events. The existing rows belong to the one account that existed.
  `
ALTER TABLE keys ADD COLUMN account TEXT NOT NULL DEFAULT 'local';
ALTER TABLE keys ADD COLUMN permissions TEXT NOT NULL DEFAULT 'upload create read delete';
ALTER TABLE ledger ADD COLUMN account TEXT NOT NULL DEFAULT 'local';
ALTER TABLE projects ADD COLUMN account TEXT NOT NULL DEFAULT 'local';
ALTER TABLE assets ADD COLUMN account TEXT NOT NULL DEFAULT 'local';
ALTER TABLE detections ADD COLUMN account TEXT NOT NULL DEFAULT 'local';
CREATE INDEX ledger_by_account ON ledger (account);
DROP INDEX unswept_projects;
CREATE INDEX unswept_projects ON projects (seq)
  WHERE swept = 0 AND (enabled = 0 OR status IN ('canceled', 'error'));
CREATE TABLE webhooks (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, account TEXT NOT NULL, url TEXT NOT NULL,
  kinds TEXT NOT NULL, secret TEXT NOT NULL, created_at INTEGER NOT NULL, removed_at INTEGER
) STRICT;
CREATE TABLE events (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, project TEXT NOT NULL, kind TEXT NOT NULL,
  at INTEGER NOT NULL, snapshot TEXT NOT NULL
) STRICT;
CREATE TABLE deliveries (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, event INTEGER NOT NULL,
  webhook TEXT NOT NULL, project TEXT NOT NULL, kind TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('waiting', 'delivered', 'given_up', 'lost')),
  created_at INTEGER NOT NULL, next_at INTEGER NOT NULL, tries INTEGER NOT NULL DEFAULT 0,
  copies INTEGER NOT NULL DEFAULT 1, overtaken INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX waiting_deliveries ON deliveries (webhook, project, seq) WHERE state = 'waiting';
CREATE INDEX due_deliveries ON deliveries (next_at) WHERE state = 'waiting';
CREATE INDEX deliveries_by_project ON deliveries (project, seq);
CREATE TABLE attempts (
  delivery TEXT NOT NULL, at INTEGER NOT NULL, status INTEGER, error TEXT
) STRICT;
CREATE INDEX attempts_by_delivery ON attempts (delivery);
`,
  // The minimum confidence of a face detection. The existing detections used the default.
  `
ALTER TABLE detections ADD COLUMN confidence REAL NOT NULL DEFAULT 0.5;
`,
];
