// The database of a local service, as an attacker commits it: a webhook to a host of theirs, and an event that waits.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { onlyRow } from '../../../src/service/store/database.ts';
import { projectOf } from '../../../src/service/store/projects.ts';
import { tables, tablesVersion } from '../../../src/service/store/tables.ts';

const at = Date.parse('2026-11-01T10:00:00Z');
const id = '11111111-2222-4333-8444-555555555555';

export function webhookDatabase(stranger: string): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'shotlist-plant-'));
  try {
    const file = join(folder, 'service.sqlite');
    const database = new DatabaseSync(file);
    database.exec(`${tables} PRAGMA user_version = ${tablesVersion}`);
    const insert = (table: string, row: Readonly<Record<string, string | number>>): void => {
      const names = Object.keys(row);
      const marks = names.map(() => '?').join(', ');
      database
        .prepare(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${marks})`)
        .run(...Object.values(row));
    };
    insert('accounts', { id: 'local', email: 'you@localhost', tier: 'pro', credits: 0 });
    const project = { name: 'Ann', tool: 'photo-colorizer', record: 'image' };
    const kind = { type: 'PHOTO_COLORIZER', status: 'complete', credits: 10, estimated: 0 };
    const rest = { body: '{}', inputs: '[]', created_at: at, completed_at: at };
    insert('projects', { id, ...project, ...kind, ...rest });
    const webhook = { id: 'w', account: 'local', url: `${stranger}/events`, secret: 'whsec_x' };
    insert('webhooks', { ...webhook, kinds: 'image.completed', created_at: at });
    const row = onlyRow(database.prepare('SELECT * FROM projects'));
    const snapshot = JSON.stringify(projectOf(row));
    insert('events', { seq: 1, project: id, kind: 'image.completed', at, snapshot });
    const delivery = { id: 'd', event: 1, webhook: 'w', project: id, kind: 'image.completed' };
    insert('deliveries', { ...delivery, state: 'waiting', created_at: at, next_at: at });
    database.close();
    return readFileSync(file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
