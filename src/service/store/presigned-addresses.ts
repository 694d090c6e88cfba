// Presigned addresses: anyone with an address can upload or download one file until the address expires. The service
// stores nothing about an address: it carries its expiry, the account of an upload, and a signature.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { milliseconds } from '../../base/duration.ts';
import type { Download } from '../../contract/api/project.ts';
import { type Faults, firedOf } from '../faults/faults.ts';
import { type Database, settingOf } from './database.ts';

export type AddressPurpose = 'uploads' | 'downloads';

/** `forged`: this service did not issue the address, or somebody changed it. */
type AddressState = 'valid' | 'expired' | 'forged';

export interface SignedQuery {
  readonly expires?: string;
  readonly account?: string;
  readonly signature?: string;
}

interface AddressOptions {
  /** The base address of the service, which is known only once it listens. */
  readonly base: () => string;
  readonly now: () => number;
  readonly lifetimeMs: number;
}

export type PresignedAddresses = Awaited<ReturnType<typeof openPresignedAddresses>>;

export async function openPresignedAddresses(
  database: Database,
  faults: Faults,
  { base, now, lifetimeMs }: AddressOptions,
) {
  // Stored with the data, so that addresses survive a restart.
  const made = randomBytes(32).toString('hex');
  const secret = Buffer.from(await settingOf(database, 'address-secret', made), 'hex');
  const sign = (purpose: AddressPurpose, key: string, expires: string, account: string): string =>
    createHmac('sha256', secret)
      .update(`${purpose}\n${key}\n${expires}\n${account}`)
      .digest('base64url');

  function state(purpose: AddressPurpose, key: string, query: SignedQuery): AddressState {
    const { expires, account = '', signature } = query;
    if (expires === undefined || signature === undefined) return 'forged';
    const expected = Buffer.from(sign(purpose, key, expires, account));
    const actual = Buffer.from(signature);
    if (expected.length !== actual.length || !timingSafeEqual(expected, actual)) return 'forged';
    return Number(expires) > now() ? 'valid' : 'expired';
  }

  return {
    state,
    /** Issues an address for one file. `account`: the account that an upload will belong to. */
    issue(purpose: AddressPurpose, key: string, account?: string): Download {
      const said = now() + lifetimeMs;
      const early = firedOf(faults.fire('address', purpose), 'early-expiry');
      const end = now() + (early === undefined ? lifetimeMs : milliseconds(early.rule.after));
      const holder = account === undefined ? '' : `&account=${encodeURIComponent(account)}`;
      const signature = sign(purpose, key, String(end), account ?? '');
      return {
        url: `${base()}/${purpose}/${key}?expires=${end}${holder}&signature=${signature}`,
        expires_at: new Date(said).toISOString(),
      };
    },
    /** The file of this service that a URL names; undefined: a URL of another service. */
    read(url: URL): { readonly key: string; readonly state: AddressState } | undefined {
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
