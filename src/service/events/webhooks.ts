// Webhook registrations: an address, kinds of events, and the secret that signs the events (interface.md, Events). The
// secret is shown once, but stored, since every event is signed with it.
import { randomBytes, randomUUID } from 'node:crypto';
import { err, ok, type Result } from '../../base/result.ts';
import { type EventKind, eventKinds, isEventKind } from '../../contract/api/event.ts';
import { type Database, maybeNumberOf, numberOf, type Row, textOf } from '../store/database.ts';

export interface Webhook {
  readonly id: string;
  readonly account: string;
  readonly url: string;
  readonly kinds: readonly EventKind[];
  readonly createdAt: number;
  readonly removedAt: number | undefined;
}

/** A registration in force, with its secret. */
export interface ActiveWebhook extends Webhook {
  readonly secret: string;
}

/** No kinds: all kinds. */
type NewWebhook = Pick<Webhook, 'account' | 'url' | 'kinds'>;

export type Webhooks = ReturnType<typeof openWebhooks>;

export function openWebhooks(database: Database) {
  const rows = database.query('SELECT * FROM webhooks ORDER BY seq', webhookOf);
  const byId = database.query('SELECT * FROM webhooks WHERE id = ?', webhookOf);
  const inForce = database.query(
    'SELECT * FROM webhooks WHERE removed_at IS NULL ORDER BY seq',
    (row) => ({ ...webhookOf(row), secret: textOf(row, 'secret') }),
  );
  const insert = database.prepare(
    'INSERT INTO webhooks (id, account, url, kinds, secret, created_at) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const end = database.prepare(
    'UPDATE webhooks SET removed_at = coalesce(removed_at, ?) WHERE id = ?',
  );
  const giveUp = database.prepare(
    `UPDATE deliveries SET state = 'given_up' WHERE webhook = ? AND state = 'waiting'`,
  );
  let activeWebhooks: readonly ActiveWebhook[] = [];
  const refresh = (): void => {
    activeWebhooks = inForce.all();
  };
  refresh();

  return {
    all: () => rows.all(),
    /** The registrations in force. */
    active: () => activeWebhooks,
    async add({ account, url, kinds }: NewWebhook, at: number): Promise<ActiveWebhook> {
      const id = randomUUID();
      const secret = `whsec_${randomBytes(24).toString('base64url')}`;
      const wanted = kinds.length === 0 ? eventKinds : kinds;
      await database.write(() => insert.run(id, account, url, wanted.join(' '), secret, at));
      refresh();
      return { id, account, url, kinds: wanted, secret, createdAt: at, removedAt: undefined };
    },
    /** Removes a registration and gives its waiting deliveries up. Undefined: no such registration. */
    async remove(id: string, at: number): Promise<Webhook | undefined> {
      await database.write(() => {
        if (end.run(at, id).changes === 1) giveUp.run(id);
      });
      refresh();
      return byId.one(id);
    },
  };
}

/** An HTTPS endpoint (interface.md, Events), or an HTTP endpoint on this machine. */
export function checkWebhookUrl(text: string): Result<string, string> {
  if (!URL.canParse(text)) return err(`${JSON.stringify(text)} is not an address`);
  const { protocol, hostname, username, password, href } = new URL(text);
  if (username !== '' || password !== '')
    return err('an address must not contain a user or a password');
  const near = hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);
  if (protocol === 'https:' || (protocol === 'http:' && near)) return ok(href);
  return err(`${JSON.stringify(text)} must begin with https://, or with http:// for this machine`);
}

function webhookOf(row: Row): Webhook {
  return {
    id: textOf(row, 'id'),
    account: textOf(row, 'account'),
    url: textOf(row, 'url'),
    kinds: textOf(row, 'kinds').split(' ').filter(isEventKind),
    createdAt: numberOf(row, 'created_at'),
    removedAt: maybeNumberOf(row, 'removed_at'),
  };
}
