// Presigned addresses: anyone with an address can upload or download one file until the address expires. The service
// stores nothing about an address: it carries its expiry, the account of an upload, and a signature.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Download } from '../../contract/api/project.ts';
import { type Database, settingOf } from './database.ts';

export type AddressPurpose = 'uploads' | 'downloads';

/** `forged`: this service did not issue the address, or somebody changed it. */
export type AddressState = 'valid' | 'expired' | 'forged';

export interface PresignedAddresses {
  /** Issues an address for one file. `account`: the account that an upload will belong to. */
  issue(purpose: AddressPurpose, key: string, account?: string): Download;
  state(purpose: AddressPurpose, key: string, query: SignedQuery): AddressState;
  /** The file of this service that a URL names; undefined: a URL of another service. */
  read(url: URL): OwnFile | undefined;
}

export interface SignedQuery {
  readonly expires?: string;
  readonly account?: string;
  readonly signature?: string;
}

export interface OwnFile {
  readonly key: string;
  readonly state: AddressState;
}

export interface AddressOptions {
  /** The base address of the service, which is known only once it listens. */
  readonly base: () => string;
  readonly now: () => number;
  readonly lifetimeMs: number;
  /** Milliseconds until the address expires earlier than its `expires_at` says, if a fault asks for it. */
  readonly shortened: (purpose: AddressPurpose) => number | undefined;
}

export async function openPresignedAddresses(
  database: Database,
  { base, now, lifetimeMs, shortened }: AddressOptions,
): Promise<PresignedAddresses> {
  // Stored with the data, so that addresses survive a restart.
  const made = randomBytes(32).toString('hex');
  const secret = Buffer.from(await settingOf(database, 'address-secret', made), 'hex');
  const sign = (purpose: AddressPurpose, key: string, expires: string, account: string): string =>
    createHmac('sha256', secret)
      .update(`${purpose}\n${key}\n${expires}\n${account}`)
      .digest('base64url');

  const state: PresignedAddresses['state'] = (
    purpose,
    key,
    { expires, account = '', signature },
  ) => {
    if (expires === undefined || signature === undefined) return 'forged';
    const wanted = Buffer.from(sign(purpose, key, expires, account));
    const given = Buffer.from(signature);
    if (wanted.length !== given.length || !timingSafeEqual(wanted, given)) return 'forged';
    return Number(expires) > now() ? 'valid' : 'expired';
  };

  return {
    issue: (purpose, key, account) => {
      const said = now() + lifetimeMs;
      const end = now() + (shortened(purpose) ?? lifetimeMs);
      const holder = account === undefined ? '' : `&account=${encodeURIComponent(account)}`;
      const signature = sign(purpose, key, String(end), account ?? '');
      return {
        url: `${base()}/${purpose}/${key}?expires=${end}${holder}&signature=${signature}`,
        expires_at: new Date(said).toISOString(),
      };
    },
    state,
    read: (url) => {
      const prefix = '/downloads/';
      if (!url.pathname.startsWith(prefix)) return undefined;
      const key = url.pathname.slice(prefix.length);
      const found = state('downloads', key, {
        expires: url.searchParams.get('expires') ?? undefined,
        account: url.searchParams.get('account') ?? undefined,
        signature: url.searchParams.get('signature') ?? undefined,
      });
      // A valid signature proves that the address is this service's, by whatever host name the client reached it.
      return found !== 'forged' || url.origin === base() ? { key, state: found } : undefined;
    },
  };
}
