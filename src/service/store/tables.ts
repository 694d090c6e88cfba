// The tables of the service's database.

/** Raised with each change of the tables. */
export const tablesVersion = 1;

export const tables = `
CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE accounts (
  id TEXT PRIMARY KEY, email TEXT NOT NULL, tier TEXT NOT NULL,
  credits INTEGER NOT NULL CHECK (credits >= 0)
) STRICT;
CREATE TABLE keys (
  hash TEXT PRIMARY KEY, name TEXT NOT NULL, last4 TEXT NOT NULL,
  created_at INTEGER NOT NULL, revoked_at INTEGER,
  account TEXT NOT NULL DEFAULT 'local', permissions TEXT NOT NULL DEFAULT 'upload create read delete'
) STRICT;
CREATE TABLE ledger (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL,
  project TEXT, tool TEXT, name TEXT,
  kind TEXT NOT NULL CHECK (kind IN ('charge', 'refund', 'adjustment')), credits INTEGER NOT NULL,
  account TEXT NOT NULL DEFAULT 'local'
) STRICT;
CREATE UNIQUE INDEX one_charge ON ledger (project) WHERE kind = 'charge';
CREATE UNIQUE INDEX one_refund ON ledger (project) WHERE kind = 'refund';
CREATE TRIGGER ledger_keeps BEFORE UPDATE ON ledger
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER ledger_never_forgets BEFORE DELETE ON ledger
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TABLE projects (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL,
  tool TEXT NOT NULL, record TEXT NOT NULL, type TEXT NOT NULL, status TEXT NOT NULL,
  enabled INTEGER NOT NULL DEFAULT 1, swept INTEGER NOT NULL DEFAULT 0, credits INTEGER NOT NULL, estimated INTEGER NOT NULL,
  body TEXT NOT NULL, inputs TEXT NOT NULL, files TEXT NOT NULL DEFAULT '[]',
  created_at INTEGER NOT NULL, started_at INTEGER, completed_at INTEGER, failed_at INTEGER,
  width INTEGER, height INTEGER, fps REAL, error_code TEXT, error_message TEXT,
  account TEXT NOT NULL DEFAULT 'local'
) STRICT;
CREATE INDEX unfinished_projects ON projects (seq)
  WHERE enabled = 1 AND status IN ('queued', 'rendering');
CREATE INDEX unswept_projects ON projects (seq)
  WHERE swept = 0 AND (enabled = 0 OR status IN ('canceled', 'error'));
CREATE TABLE assets (
  path TEXT PRIMARY KEY, bytes INTEGER NOT NULL, uploaded_at INTEGER NOT NULL,
  account TEXT NOT NULL DEFAULT 'local'
) STRICT;
CREATE INDEX assets_by_age ON assets (uploaded_at);
CREATE TABLE detections (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, status TEXT NOT NULL,
  input TEXT NOT NULL, created_at INTEGER NOT NULL, started_at INTEGER,
  account TEXT NOT NULL DEFAULT 'local', confidence REAL NOT NULL DEFAULT 0.5
) STRICT;
CREATE INDEX unfinished_detections ON detections (seq)
  WHERE status IN ('queued', 'rendering');
CREATE TABLE faces (
  path TEXT PRIMARY KEY, detection TEXT NOT NULL, image TEXT NOT NULL,
  x REAL NOT NULL, y REAL NOT NULL, width REAL NOT NULL, height REAL NOT NULL
) STRICT;
CREATE INDEX faces_by_detection ON faces (detection);
CREATE INDEX faces_by_image ON faces (image);
CREATE INDEX ledger_by_account ON ledger (account);
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
`;
